"""Checks of arguments, with MindSpore's messages: types, intervals, sizes, ranges, and lists of such."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

__all__ = [
    "FLOAT_INTEGER",
    "INT32",
    "UINT8",
    "check_interval",
    "check_list",
    "check_ordered",
    "check_positive",
    "check_probability",
    "check_type",
    "single",
]

#: The largest integer below which Float32 has all integers, and the largest Int32.
FLOAT_INTEGER: Final = 16777216
INT32: Final = 2147483647
UINT8: Final = (0, 255)


def check_type(value: object, types: tuple[type, ...], name: str) -> None:
    """Check the type of an argument; a bool is no int.

    Raises:
        TypeError: it has another type.
    """
    shown = '""' if isinstance(value, str) and not value else value
    if isinstance(value, bool) and int in types and bool not in types:
        raise TypeError(f"Argument {name} with value {shown} is not of type {types}, but got {type(value)}.")
    accepted = (*types, np.integer) if int in types else types
    if not isinstance(value, accepted):
        raise TypeError(f"Argument {name} with value {shown} is not of type {list(types)}, but got {type(value)}.")


def check_interval(
    value: float, interval: Sequence[float], name: str = "", *, left_open: bool = False, right_open: bool = False
) -> None:
    """Check that a number lies within an interval, whose ends belong to it unless they are open.

    Raises:
        ValueError: it lies outside.
    """
    low, high = interval
    inside = (low < value if left_open else low <= value) and (value < high if right_open else value <= high)
    if not inside:
        place = f"{'(' if left_open else '['}{low}, {high}{')' if right_open else ']'}"
        raise ValueError(f"Input {name + ' ' if name else ''}is not within the required interval of {place}.")


def check_positive(value: float, name: str) -> None:
    """Check that a number is above 0.

    Raises:
        ValueError: it is not.
    """
    if not value > 0:
        raise ValueError(f"Input {name} must be greater than 0.")


def check_probability(prob: float, name: str = "prob") -> float:
    """Check a probability and return it.

    Raises:
        TypeError: it is no number.
        ValueError: it lies outside of 0 and 1.
    """
    check_type(prob, (float, int), name)
    check_interval(prob, (0.0, 1.0), name)
    return float(prob)


def check_list(values: object, types: tuple[type, ...], name: str) -> None:
    """Check the types of the items of a list or tuple.

    Raises:
        TypeError: it is no list, or an item has another type.
    """
    check_type(values, (list, tuple), name)
    assert isinstance(values, list | tuple)  # noqa: S101 - checked above
    for number, value in enumerate(values):
        check_type(value, types, f"{name}[{number}]")


def check_ordered(values: Sequence[float], name: str) -> tuple[float, float]:
    """Check that a pair is a range, lowest first, and return it.

    Raises:
        TypeError: it is no pair of numbers.
        ValueError: its ends are in the wrong order.
    """
    check_list(values, (int, float), name)
    if len(values) != 2:
        raise TypeError(f"{name} should be a list/tuple of length 2.")
    if values[0] > values[1]:
        raise ValueError(f"{name} should be in (min,max) format. Got (max,min).")
    return float(values[0]), float(values[1])


def single(value: float) -> float:
    """A number rounded to Float32, in which MindSpore keeps the numbers of transforms."""
    return float(np.float32(value))
