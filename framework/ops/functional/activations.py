"""Activation functions beyond those that are a primitive without attributes."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.comparison import greater
from framework.ops.functional.neural import clip_by_value, softmax, softplus
from framework.ops.functional.primitives import select, sigmoid, zeros_like
from framework.ops.functional.shaping import chunk
from framework.ops.mathematics.trigonometry import tanh
from framework.ops.primitive import cached

__all__ = [
    "celu",
    "glu",
    "hardshrink",
    "hardtanh",
    "logsigmoid",
    "mish",
    "prelu",
    "selu",
    "softmin",
    "softshrink",
    "tanhshrink",
    "threshold",
]

mish = P.Mish()
prelu = P.PReLU()
selu = P.SeLU()


def celu(x: Any, alpha: float = 1.0) -> Any:
    """max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0).

    Example:
        >>> print(ops.celu(Tensor([-1.0, 2.0])).asnumpy().round(3))
        [-0.632  2.   ]

    """
    return cached(P.CeLU, alpha)(x)


def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """x, and 0 where its absolute value is not above `lambd`.

    Example:
        >>> print(ops.hardshrink(Tensor([-1.0, 0.2, 2.0])))
        [-1.  0.  2.]

    """
    return cached(P.HShrink, lambd)(input)


def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """x moved towards 0 by `lambd`, and 0 where its absolute value is not above it.

    Example:
        >>> print(ops.softshrink(Tensor([-1.0, 0.2, 2.0])))
        [-0.5  0.   1.5]

    """
    return cached(P.SoftShrink, lambd)(input)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """No element below one bound or above the other.

    Example:
        >>> print(ops.hardtanh(Tensor([-3.0, 0.2, 2.0])))
        [-1.   0.2  1. ]

    """
    return clip_by_value(input, min_val, max_val)


def logsigmoid(x: Any) -> Any:
    """log(sigmoid(x)).

    Example:
        >>> print(ops.logsigmoid(Tensor([0.0, 100.0])).asnumpy().round(3))
        [-0.693 -0.   ]

    """
    return -softplus(-x)


def tanhshrink(input: Any) -> Any:
    """x - tanh(x).

    Example:
        >>> print(ops.tanhshrink(Tensor([0.0, 1.0])).asnumpy().round(3))
        [0.    0.238]

    """
    return input - tanh(input)


def softmin(x: Any, axis: Any = -1, *, dtype: Any = None) -> Any:
    """softmax(-x) over axes.

    Example:
        >>> print(ops.softmin(Tensor([0.0, 1.0])).asnumpy().round(3))
        [0.731 0.269]

    """
    return softmax(-x, axis, dtype=dtype)


def glu(x: Any, axis: int = -1) -> Any:
    """One half of x along an axis times the sigmoid of the other (Dauphin et al. 2016).

    Example:
        >>> print(ops.glu(Tensor([1.0, 2.0, 0.0, 100.0])))
        [0.5 2. ]

    """
    value, gate = chunk(x, 2, axis)
    return value * sigmoid(gate)


def threshold(input: Any, thr: float, value: float) -> Any:
    """x where it is above a threshold, a value elsewhere.

    Example:
        >>> print(ops.threshold(Tensor([0.1, 0.6]), 0.5, -1.0))
        [-1.   0.6]

    """
    return select(greater(input, thr), input, zeros_like(input) + value)
