"""Activations and losses."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.arithmetic.binary import maximum, minimum
from framework.ops.mathematics.exponential import square
from framework.ops.mathematics.rounding import abs
from framework.ops.primitive import cached

__all__ = [
    "clamp",
    "clip_by_value",
    "dropout",
    "l1_loss",
    "mse_loss",
    "reduced",
]


def dropout(input: Any, p: float = 0.5, training: bool = True, seed: Any = None) -> Any:
    """x with elements set to 0 with probability p and the others divided by 1 - p; x itself outside of training.

    Example:
        >>> print(np.unique(ops.dropout(ops.ones((1000,)), 0.5).asnumpy()))
        [0. 2.]

    """
    if not training or p == 0:
        return input
    return cached(P.Dropout, 1 - p, 0 if seed is None else seed, 0)(input)[0]


def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """No element below one bound or above the other.

    Example:
        >>> print(ops.clip_by_value(Tensor([-2.0, 0.5, 3.0]), 0.0))
        [0.  0.5 3. ]

    """
    if clip_value_min is not None:
        x = maximum(x, clip_value_min)
    if clip_value_max is not None:
        x = minimum(x, clip_value_max)
    return x


def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """No element below one bound or above the other.

    Example:
        >>> print(ops.clamp(Tensor([-2.0, 0.5, 3.0]), -1.0, 1.0))
        [-1.   0.5  1. ]

    """
    return clip_by_value(input, min, max)


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The squares of differences: their mean, their sum, or as they are ("none").

    Example:
        >>> print(ops.mse_loss(Tensor([1.0, 2.0]), Tensor([3.0, 2.0])))
        2.0

    """
    return reduced(square(input - target), reduction)


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The absolute differences: their mean, their sum, or as they are ("none").

    Example:
        >>> print(ops.l1_loss(Tensor([1.0, 2.0]), Tensor([3.0, 2.0])))
        1.0

    """
    return reduced(abs(input - target), reduction)


def reduced(loss: Any, reduction: str) -> Any:
    """The mean or the sum of losses, or the losses as they are ("none").

    Example:
        >>> print(ops.reduced(Tensor([1.0, 3.0]), "mean"), ops.reduced(Tensor([1.0, 3.0]), "none"))
        2.0 [1. 3.]

    """
    if reduction == "mean":
        return cached(P.ReduceMean, False)(loss, ())
    if reduction == "sum":
        return cached(P.ReduceSum, False)(loss, ())
    return loss
