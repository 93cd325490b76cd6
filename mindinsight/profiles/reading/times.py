"""Reads times exactly: decimal microseconds as whole nanoseconds. Called by `trace`."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

_FURTHEST = 1 << 62


def nanoseconds(text: bytes) -> int:
    """Returns a time.

    Args:
        text: microseconds as a JSON number, or as a text of one, as MindSpore writes it.

    Returns:
        Whole nanoseconds. Further digits are rounded.

    Raises:
        ValueError: it is not a finite number, or no profiler can mean it.
    """
    whole, point, part = text.strip(b'"').partition(b".")
    if whole.isdigit() and len(whole) < 16:
        if not point:
            return int(whole) * 1000
        if part.isdigit() and len(part) <= 3:
            return int(whole + part.ljust(3, b"0"))
    try:
        exact = Decimal(text.strip(b'" ').decode("ascii", "replace")) * 1000
        if not exact.is_finite() or abs(exact) >= _FURTHEST:
            raise ValueError
        return int(exact.to_integral_value(ROUND_HALF_EVEN))
    except InvalidOperation:
        raise ValueError(text) from None
