"""Functions beside MindSpore's initializers that users' own initializers call."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from framework.common import initializer

__all__ = ["assignment", "calculate_correct_fan", "calculate_fan_in_and_fan_out", "calculate_gain"]

_LINEAR = tuple(f"conv{turned}{n}d" for turned in ("", "_transpose") for n in (1, 2, 3))


def assignment(arr: npt.NDArray[Any], num: npt.ArrayLike) -> npt.NDArray[Any]:
    """Set all elements of an array; returns the array.

    Args:
        arr: the array, of any shape.
        num: a number, or an array of the same shape.

    """
    arr[...] = np.asarray(num).reshape(arr.shape) if arr.shape == () else num
    return arr


def calculate_fan_in_and_fan_out(shape: tuple[int, ...]) -> tuple[int, int]:
    """How many elements enter and leave one unit of a layer with weights of this shape.

    Args:
        shape: the shape of the weights.

    Raises:
        ValueError: it has less than two dimensions.

    """
    return initializer._fans(shape)


def calculate_correct_fan(shape: tuple[int, ...], mode: str) -> int:
    """One of both numbers of `calculate_fan_in_and_fan_out`.

    Args:
        shape: the shape of the weights.
        mode: "fan_in" or "fan_out", in any case.

    Raises:
        ValueError: there is no such mode.

    """
    places = {"fan_in": 0, "fan_out": 1}
    if mode.lower() not in places:
        raise ValueError(f"mode must be fan_in or fan_out, not {mode!r}")
    return initializer._fans(shape)[places[mode.lower()]]


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By how much a nonlinearity shrinks the standard deviation of what passes through it.

    Args:
        nonlinearity: its name, such as "relu", or that of a linear layer.
        param: the slope below 0 of "leaky_relu"; 0.01 by default.

    Raises:
        ValueError: there is no such nonlinearity.

    """
    name = "linear" if nonlinearity in _LINEAR else nonlinearity
    return initializer._gain(name, 0.01 if param is None else param)
