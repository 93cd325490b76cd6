"""Checks of arguments, which say what was wrong with which; MindSpore's `validator`."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

__all__ = ["check_bool", "check_float", "check_non_negative_int", "check_positive_int", "check_string", "check_type"]


def check_type(arg_name: str, arg_value: object, valid_types: Any) -> Any:
    """The value, which must be of one of the types; True and False count as bool only.

    Raises:
        TypeError: it is of another type.

    """
    types = tuple(valid_types) if isinstance(valid_types, list | tuple | set) else (valid_types,)
    if not isinstance(arg_value, types) or (isinstance(arg_value, bool) and bool not in types):
        names = " or ".join(kind.__name__ for kind in types)
        raise TypeError(f"{arg_name} must be of type {names}, not {type(arg_value).__name__}")
    return arg_value


def check_bool(arg_value: object, arg_name: str) -> bool:
    """The value, which must be True or False.

    Raises:
        TypeError: it is something else.

    """
    return bool(check_type(arg_name, arg_value, bool))


def check_positive_int(arg_value: object, arg_name: str) -> int:
    """The value, which must be an int above 0.

    Raises:
        TypeError: it is no int.
        ValueError: it is 0 or less.

    """
    value = int(check_type(arg_name, arg_value, int))
    if value <= 0:
        raise ValueError(f"{arg_name} must be above 0, not {arg_value}")
    return value


def check_non_negative_int(arg_value: object, arg_name: str) -> int:
    """The value, which must be an int of at least 0.

    Raises:
        TypeError: it is no int.
        ValueError: it is less than 0.

    """
    value = int(check_type(arg_name, arg_value, int))
    if value < 0:
        raise ValueError(f"{arg_name} must be at least 0, not {arg_value}")
    return value


def check_float(
    arg_value: object,
    arg_name: str,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
) -> float:
    """The value, which must be a finite float, not an int, within limits.

    Args:
        arg_value: the value.
        arg_name: what messages call it.
        above: the value must be greater.
        least: the value must be at least this.
        below: the value must be less.
        most: the value must be at most this.

    Raises:
        TypeError: it is no float.
        ValueError: it is infinite, NaN, or outside of the limits.

    """
    value = float(check_type(arg_name, arg_value, float))
    limits = {"above": above, "at least": least, "below": below, "at most": most}
    wanted = " and ".join(f"{word} {limit}" for word, limit in limits.items() if limit is not None)
    inside = (
        (above is None or value > above)
        and (least is None or value >= least)
        and (below is None or value < below)
        and (most is None or value <= most)
    )
    if not inside or not math.isfinite(value):
        raise ValueError(f"{arg_name} must be {wanted or 'finite'}, not {value}")
    return value


def check_string(arg_value: object, valid_values: Collection[str], arg_name: str) -> str:
    """The value, which must be one of those that are possible.

    Raises:
        ValueError: it is another.

    """
    if arg_value not in valid_values:
        raise ValueError(f"{arg_name} must be one of {', '.join(valid_values)}, not {arg_value!r}")
    return str(arg_value)
