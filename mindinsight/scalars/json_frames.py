"""The frames of the wire protocol as JSON. Used by the API."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.api.frames import Kind
from mindinsight.api.json_numbers import json_number
from mindinsight.scalars.curves.buckets import Buckets, BucketView
from mindinsight.scalars.curves.envelope import View


def points_frame(run: int, series: int, shown: View, is_joined: bool = False) -> dict[str, object]:
    """Returns a view of a series in the form of `api.md`. If x is another scalar, it replaces the time."""
    kind = Kind.POINTS if shown.whole and not is_joined else Kind.ENVELOPE
    return {
        **_head(kind, run, series, shown.first, shown.end),
        "step": np.ascontiguousarray(shown.points["step"]),
        "x" if is_joined else "wall_time": numbers(shown.points["wall"]),
        "value": numbers(shown.points["value"]),
    }


def buckets_frame(run: int, series: int, shown: BucketView) -> dict[str, object]:
    """Returns the pixel columns of a series in the form of `api.md`."""
    columns = {field.name: numbers(getattr(shown.buckets, field.name)) for field in fields(Buckets)}
    return {**_head(Kind.BUCKETS, run, series, shown.first, shown.end), "columns": columns}


def numbers(column: npt.NDArray[Any]) -> npt.NDArray[Any] | list[float | str | None]:
    """Returns a column for the JSON renderer, with words for values that are not finite."""
    if np.isfinite(column).all():
        return np.ascontiguousarray(column)
    return [json_number(number) for number in column.tolist()]


def _head(kind: Kind, run: int, series: int, first: int, end: int) -> dict[str, object]:
    return {"run": run, "series": series, "kind": kind.name.lower(), "first": first, "end": end}
