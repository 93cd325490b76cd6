"""Checks of the arguments of `SummaryWriter`: values, tags and steps. Run in the training's thread."""

import math
import operator
from typing import SupportsFloat, SupportsIndex

from summaries.limits import MAX_TAG_BYTES

_INT64 = range(-(1 << 63), 1 << 63)


def as_scalar(tag: str, value: object) -> float:
    """Return `value` as a float.

    Args:
        tag: named in the error.
        value: a Python or numpy number, or an array or tensor of one element (anything with `item()`).

    Raises:
        TypeError: `value` is not a single real number.
    """
    if type(value) is float:
        return value
    number = value
    if not isinstance(value, int | float):
        item = getattr(value, "item", None)
        if callable(item):
            number = _item(tag, value, item)
    if isinstance(number, str | bytes | bytearray) or not isinstance(number, SupportsFloat):
        raise TypeError(f"The value of {tag!r} must be one number, but it is of type {type_name(value)}.")
    try:
        return float(number)
    except OverflowError:
        return -math.inf if isinstance(number, int) and number < 0 else math.inf


def check_tag(tag: object) -> str:
    """Return `tag` if it can be written.

    Raises:
        TypeError: it is not a string.
        ValueError: it is empty, too long, has a zero character or is not valid Unicode.
    """
    if not isinstance(tag, str):
        raise TypeError(f"A tag must be a string, but {tag!r} is of type {type_name(tag)}.")
    try:
        length = len(tag.encode())
    except UnicodeEncodeError as error:
        raise ValueError(f"The tag {tag!r} is not valid text: {error.reason}.") from None
    if not tag or "\0" in tag:
        raise ValueError(f"The tag {tag!r} is empty or has a zero character; choose another.")
    if length > MAX_TAG_BYTES:
        raise ValueError(f"The tag {tag[:40]!r}... has {length} bytes; at most {MAX_TAG_BYTES} are allowed.")
    return tag


def check_step(tag: str, step: SupportsIndex) -> int:
    """Return `step` as an int.

    Raises:
        TypeError: it is not an integer.
        ValueError: it does not fit into 64 bits.
    """
    try:
        number = operator.index(step)
    except TypeError:
        message = f"The step of {tag!r} must be an integer, but {step!r} is of type {type_name(step)}."
        raise TypeError(message) from None
    if number not in _INT64:
        raise ValueError(f"The step {number} of {tag!r} does not fit into 64 bits.")
    return number


def type_name(value: object) -> str:
    """Return the name of a value's type, for messages."""
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _item(tag: str, value: object, item: object) -> object:
    try:
        return item()  # type: ignore[operator]
    except (ValueError, TypeError, RuntimeError) as error:
        shape = getattr(value, "shape", None)
        what = f"{type_name(value)} of shape {shape}" if shape is not None else type_name(value)
        raise TypeError(f"The value of {tag!r} must be one number, but it is a {what}.") from error
