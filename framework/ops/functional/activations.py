"""Activation functions beyond those that are a primitive without attributes."""

from __future__ import annotations

from typing import Any

from framework.ops.activation.sigmoids import sigmoid
from framework.ops.functional.neural import clip_by_value
from framework.ops.functional.shaping import chunk

__all__ = [
    "glu",
    "hardtanh",
]


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """No element below one bound or above the other.

    Example:
        >>> print(ops.hardtanh(Tensor([-3.0, 0.2, 2.0])))
        [-1.   0.2  1. ]

    """
    return clip_by_value(input, min_val, max_val)


def glu(x: Any, axis: int = -1) -> Any:
    """One half of x along an axis times the sigmoid of the other (Dauphin et al. 2016).

    Example:
        >>> print(ops.glu(Tensor([1.0, 2.0, 0.0, 100.0])))
        [0.5 2. ]

    """
    value, gate = chunk(x, 2, axis)
    return value * sigmoid(gate)
