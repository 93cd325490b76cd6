"""Activations and losses."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.functional.primitives import abs, erf, greater, maximum, minimum, select, square
from framework.ops.primitive import cached

__all__ = [
    "clamp",
    "clip_by_value",
    "dropout",
    "elu",
    "gelu",
    "l1_loss",
    "leaky_relu",
    "log_softmax",
    "mse_loss",
    "reduced",
    "softmax",
    "softplus",
]


def softmax(x: Any, axis: Any = -1) -> Any:
    """exp(x) / sum of exp(x) over axes."""
    return cached(P.Softmax, axis)(x)


def log_softmax(x: Any, axis: int = -1) -> Any:
    """x - log of the sum of exp(x) over an axis."""
    return cached(P.LogSoftmax, axis)(x)


def softplus(x: Any) -> Any:
    """log(1 + exp(x))."""
    return cached(P.Softplus)(x)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """x, and alpha * (exp(x) - 1) where x is negative."""
    return cached(P.Elu, alpha)(x)


def leaky_relu(x: Any, alpha: float = 0.2) -> Any:
    """x, and alpha * x where x is negative."""
    return select(greater(x, 0), x, alpha * x)


def gelu(x: Any, approximate: str = "none") -> Any:
    """x times the standard normal distribution function: exact ("none"), or in the tanh form ("tanh")."""
    if approximate == "tanh":
        return cached(P.GeLU)(x)
    return 0.5 * (x * (1 + erf(0.7071067811865476 * x)))


def dropout(x: Any, p: float = 0.5, training: bool = True, seed: Any = None) -> Any:
    """x with elements set to 0 with probability p and the others divided by 1 - p; x itself outside of training."""
    if not training or p == 0:
        return x
    return cached(P.Dropout, 1 - p, 0 if seed is None else seed, 0)(x)[0]


def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """No element below one bound or above the other."""
    if clip_value_min is not None:
        x = maximum(x, clip_value_min)
    if clip_value_max is not None:
        x = minimum(x, clip_value_max)
    return x


def clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    """No element below one bound or above the other."""
    return clip_by_value(x, min, max)


def mse_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """The squares of differences: their mean, their sum, or as they are ("none")."""
    return reduced(square(x - target), reduction)


def l1_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """The absolute differences: their mean, their sum, or as they are ("none")."""
    return reduced(abs(x - target), reduction)


def reduced(loss: Any, reduction: str) -> Any:
    """The mean or the sum of losses, or the losses as they are ("none")."""
    if reduction == "mean":
        return cached(P.ReduceMean, False)(loss, ())
    if reduction == "sum":
        return cached(P.ReduceSum, False)(loss, ())
    return loss
