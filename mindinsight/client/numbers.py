"""Decodes NaN and infinities, which JSON transports as words."""

from __future__ import annotations

import math
from typing import Any

_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def as_float(value: float | str | None) -> float:
    """Returns the number of a JSON value, or NaN if it is not a number."""
    if value is None:
        return math.nan
    return _WORDS[value] if isinstance(value, str) else float(value)


def as_noted(value: Any) -> Any:
    """Returns a parameter as it was recorded, with its NaN and infinities."""
    if isinstance(value, list):
        return [as_noted(item) for item in value]
    return _WORDS.get(value, value) if isinstance(value, str) else value
