"""Activations and losses."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.arithmetic.binary import maximum, minimum
from framework.ops.comparison import greater
from framework.ops.functional.primitives import select
from framework.ops.mathematics.exponential import square
from framework.ops.mathematics.rounding import abs
from framework.ops.mathematics.special_functions import erf
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

_cast = P.Cast()


def softmax(input: Any, axis: Any = -1, *, dtype: Any = None) -> Any:
    """exp(x) / sum of exp(x) over axes.

    Args:
        input: a floating-point tensor of any shape.
        axis: over which the exponentials are added up, an int or a tuple of them.
        dtype: the element type to compute with, that of `input` where it is left out.

    Returns:
        A tensor of the same shape whose elements over the axes add up to 1.

    Example:
        >>> print(ops.softmax(Tensor([[0.0, 0.0], [0.0, 1.0]])).asnumpy().round(3))
        [[0.5   0.5  ]
         [0.269 0.731]]

    """
    return cached(P.Softmax, axis)(input if dtype is None else _cast(input, dtype))


def log_softmax(logits: Any, axis: int = -1) -> Any:
    """x - log of the sum of exp(x) over an axis.

    Example:
        >>> print(ops.log_softmax(Tensor([0.0, 0.0])).asnumpy().round(3))
        [-0.693 -0.693]

    """
    return cached(P.LogSoftmax, axis)(logits)


def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x is above a threshold.

    Args:
        input: a floating-point tensor of any shape.
        beta: how sharp the bend at 0 is.
        threshold: from where on the two are the same.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.softplus(Tensor([0.0, 2.0, 30.0])).asnumpy().round(3))
        [ 0.693  2.127 30.   ]

    """
    if beta == 1 and threshold == 20:
        return cached(P.Softplus)(input)
    scaled = input * beta
    return select(greater(scaled, threshold), input, cached(P.Softplus)(scaled) / beta)


def elu(input_x: Any, alpha: float = 1.0) -> Any:
    """x, and alpha * (exp(x) - 1) where x is negative.

    Example:
        >>> print(ops.elu(Tensor([-1.0, 2.0])).asnumpy().round(3))
        [-0.632  2.   ]

    """
    return cached(P.Elu, alpha)(input_x)


def leaky_relu(input: Any, alpha: float = 0.2) -> Any:
    """x, and alpha * x where x is negative.

    Example:
        >>> print(ops.leaky_relu(Tensor([-2.0, 3.0]), 0.5))
        [-1.  3.]

    """
    return select(greater(input, 0), input, alpha * input)


def gelu(input: Any, approximate: str = "none") -> Any:
    """x times the standard normal distribution function: exact ("none"), or in the tanh form ("tanh").

    Example:
        >>> print(ops.gelu(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3))
        [-0.159  0.     0.841]

    """
    if approximate == "tanh":
        return cached(P.GeLU)(input)
    return 0.5 * (input * (1 + erf(0.7071067811865476 * input)))


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
