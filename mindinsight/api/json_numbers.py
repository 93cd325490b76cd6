"""NaN and infinities in JSON. Used wherever recorded values go into answers or into the database."""

from __future__ import annotations

import math


def json_number(value: float | None) -> float | str | None:
    """JSON has no NaN and no infinities, so they are sent as the words that JavaScript's `Number` reads."""
    if value is None or math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
