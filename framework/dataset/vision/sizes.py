"""Arguments that several image transforms take: sizes, paddings, fill values, angles, and ranges around a center."""

from __future__ import annotations

import math
from collections.abc import Sequence

from framework.dataset.transforms.checks import (
    FLOAT_INTEGER,
    INT32,
    UINT8,
    check_interval,
    check_list,
    check_ordered,
    check_positive,
    check_type,
    single,
)
from framework.dataset.vision.utils import Inter

__all__ = [
    "around",
    "corner_of",
    "crop_size",
    "degrees_of",
    "factors",
    "fill_of",
    "inter_of_warp",
    "padding_of",
    "resize_size",
    "scale_and_ratio",
    "shear_of",
]

_SIZE = "Size should be a single integer or a list/tuple (h, w) of length 2."


def crop_size(size: int | Sequence[int]) -> tuple[int, int]:
    """The height and width of an argument that is one number for both, or both.

    Raises:
        TypeError: it is neither.
        ValueError: it is below 1 or above 2^24.
    """
    check_type(size, (int, list, tuple), "size")
    if isinstance(size, int):
        check_interval(size, (1, FLOAT_INTEGER))
        return size, size
    if len(size) != 2:
        raise TypeError(_SIZE)
    for number, value in enumerate(size):
        check_type(value, (int,), f"size[{number}]")
        check_interval(value, (1, FLOAT_INTEGER))
    return int(size[0]), int(size[1])


def resize_size(size: int | Sequence[int]) -> tuple[int, ...]:
    """The height and width of an argument, or the shorter side alone.

    Raises:
        TypeError: it is neither.
        ValueError: it is below 1, or too large.
    """
    if isinstance(size, int) and not isinstance(size, bool):
        check_interval(size, (1, FLOAT_INTEGER))
        return (size,)
    if not isinstance(size, list | tuple) or len(size) not in (1, 2):
        raise TypeError(_SIZE)
    for number, value in enumerate(size):
        check_type(value, (int,), f"size at dim {number}")
        check_interval(value, (1, INT32), f"size at dim {number}")
    return tuple(int(value) for value in size)


def corner_of(coordinates: Sequence[int]) -> tuple[int, int]:
    """The top and left of an argument.

    Raises:
        TypeError: it is no pair of integers.
        ValueError: one is below 0.
    """
    check_type(coordinates, (list, tuple), "coordinates")
    if len(coordinates) != 2:
        raise TypeError("Coordinates should be a list/tuple (y, x) of length 2.")
    for number, value in enumerate(coordinates):
        check_type(value, (int,), f"coordinates[{number}]")
        check_interval(value, (0, INT32), f"coordinates[{number}]")
    return int(coordinates[0]), int(coordinates[1])


def padding_of(padding: int | Sequence[int]) -> tuple[int, int, int, int]:
    """The left, top, right and bottom padding of an argument.

    The argument is one number, (left and right, top and bottom), or all four.

    Raises:
        TypeError: it is none of these.
        ValueError: it has another length, or a number is below 0.
    """
    check_type(padding, (tuple, list, int, float), "padding")
    if isinstance(padding, int | float):
        check_interval(padding, (0, INT32), "padding")
        return (int(padding),) * 4
    if len(padding) not in (2, 4):
        raise ValueError("The size of the padding list or tuple should be 2 or 4.")
    for number, value in enumerate(padding):
        check_type(value, (int,), f"padding[{number}]")
        check_interval(value, (0, INT32), "pad_value")
    left, top, right, bottom = (*padding, *padding)[:4]
    return int(left), int(top), int(right), int(bottom)


def fill_of(fill_value: int | Sequence[int], name: str = "fill_value") -> tuple[int, int, int]:
    """The red, green and blue of an argument that is one number for all, or three.

    Raises:
        TypeError: it is neither.
        ValueError: a number lies outside of 0 and 255.
    """
    if isinstance(fill_value, int) and not isinstance(fill_value, bool):
        check_interval(fill_value, UINT8)
        return fill_value, fill_value, fill_value
    if not isinstance(fill_value, tuple | list) or len(fill_value) != 3:
        raise TypeError(f"{name} should be a single integer or a 3-tuple.")
    for number, value in enumerate(fill_value):
        check_type(value, (int,), f"{name}[{number}]")
        check_interval(value, UINT8)
    return int(fill_value[0]), int(fill_value[1]), int(fill_value[2])


def degrees_of(degrees: float | Sequence[float]) -> tuple[float, float]:
    """The range of an angle: an argument d means -d to d.

    Raises:
        TypeError: it is no number and no pair.
        ValueError: the number is below 0, or the ends are in the wrong order.
    """
    check_type(degrees, (int, float, list, tuple), "degrees")
    if isinstance(degrees, int | float):
        check_interval(degrees, (0, FLOAT_INTEGER), "degrees")
        return single(-degrees), single(degrees)
    if len(degrees) != 2:
        raise TypeError("If degrees is a sequence, the length must be 2.")
    check_list(degrees, (int, float), "degrees")
    for value in degrees:
        check_interval(value, (-FLOAT_INTEGER, FLOAT_INTEGER), "degrees")
    low, high = check_ordered(degrees, "degrees")
    return single(low), single(high)


def around(value: float | Sequence[float], name: str, center: float, low: float, high: float) -> tuple[float, float]:
    """The range of an argument that is a distance from a center, or the range itself.

    Raises:
        TypeError: it is no number and no pair.
        ValueError: the range exceeds the limits, or its ends are in the wrong order.
    """
    check_type(value, (int, float, list, tuple), name)
    if isinstance(value, int | float):
        if value < 0:
            raise ValueError(f"The input value of {name} cannot be negative.")
        check_interval(center + value, (low, high), name)
        return single(max(center - value, low)), single(center + value)
    if len(value) != 2:
        raise TypeError(f"If {name} is a sequence, the length must be 2.")
    if value[0] > value[1]:
        raise ValueError(f"{name} value should be in (min,max) format. Got ({value[0]}, {value[1]}).")
    for end in value:
        check_interval(end, (low, high))
    return single(value[0]), single(value[1])


def factors(degrees: Sequence[float]) -> tuple[float, float]:
    """A range of factors of at least 0.

    Raises:
        TypeError: it is no list of numbers.
        ValueError: it has another length, a number is below 0, or the ends are in the wrong order.
    """
    if not isinstance(degrees, list | tuple):
        raise TypeError("degrees must be either a tuple or a list.")
    check_list(degrees, (int, float), "degrees")
    if len(degrees) != 2:
        raise ValueError("degrees must be a sequence with length 2.")
    for degree in degrees:
        check_interval(degree, (0, FLOAT_INTEGER))
    low, high = check_ordered(degrees, "degrees")
    return single(low), single(high)


def scale_and_ratio(
    scale: Sequence[float], ratio: Sequence[float], max_attempts: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ranges of a random part's share of the area and of its shape.

    Raises:
        TypeError: one is no pair of numbers, or `max_attempts` no integer.
        ValueError: one is out of range, or its ends are in the wrong order.
    """
    low, high = check_ordered(scale, "scale")
    for end in (low, high):
        check_interval(end, (0, FLOAT_INTEGER))
    check_positive(high, "scale[1]")
    least, most = check_ordered(ratio, "ratio")
    check_interval(least, (0, FLOAT_INTEGER), "ratio[0]", left_open=True)
    check_interval(most, (0, FLOAT_INTEGER), "ratio[1]", left_open=True)
    check_type(max_attempts, (int,), "max_attempts")
    check_interval(max_attempts, (1, INT32), "max_attempts")
    return (single(low), single(high)), (single(least), single(most))


def inter_of_warp(operator: str, resample: Inter, name: str = "resample") -> Inter:
    """An interpolation that maps of positions can use.

    Raises:
        TypeError: it is no interpolation.
        ValueError: it is ANTIALIAS or PILCUBIC, which only resize.
    """
    check_type(resample, (Inter,), name)
    if resample in (Inter.ANTIALIAS, Inter.PILCUBIC):
        raise ValueError(f"{operator}: {name} must be NEAREST, LINEAR, CUBIC or AREA, not {resample.name}")
    return resample


def shear_of(shear: float | Sequence[float] | None) -> tuple[float, float, float, float]:
    """The ranges of the shear along x and y: one number s for -s to s along x, one range, or both; None for none.

    Raises:
        TypeError: it is none of these.
        ValueError: a range has its ends in the wrong order.
    """
    if shear is None:
        return 0.0, 0.0, 0.0, 0.0
    check_type(shear, (int, float, tuple, list), "shear")
    if isinstance(shear, int | float):
        check_positive(shear, "shear")
        return -single(shear), single(shear), 0.0, 0.0
    check_list(shear, (int, float), "shear")
    if len(shear) not in (2, 4):
        raise TypeError("shear must be of length 2 or 4.")
    ends = [single(value) for value in shear] + [0.0, 0.0]
    if ends[0] > ends[1]:
        raise ValueError("Input shear[1] must be equal to or greater than shear[0]")
    if ends[2] > ends[3]:
        raise ValueError("Input shear[3] must be equal to or greater than shear[2].")
    if any(abs(value) >= 90 or not math.isfinite(value) for value in ends):
        raise ValueError("Input shear is not within the required interval of (-90, 90).")
    return ends[0], ends[1], ends[2], ends[3]
