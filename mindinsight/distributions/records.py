"""Reads histograms at their places into the rows of `api.md`, with an error for each unreadable one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np

from mindinsight.api.json_numbers import json_number
from mindinsight.api.problems import Problem
from mindinsight.distributions.decoding import EMPTY, Floats, Histogram, decode_histogram
from mindinsight.runs.recorded_values import named_problems, read_value
from summaries.beneath import FilePath


class HistogramRow(TypedDict):
    """One histogram. If `error` is set, all fields but step and wall time are empty."""

    step: int
    wall_time: float | str | None
    left: Floats | list[float]
    width: Floats | list[float]
    count: Any
    min: float | str | None
    max: float | str | None
    sum: float | str | None
    nan_count: int
    pos_inf_count: int
    neg_inf_count: int
    error: dict[str, object] | None


def histogram_row(path: FilePath, file: str, place: Mapping[str, Any]) -> HistogramRow:
    """Reads one histogram from its event file.

    Args:
        path: path of the event file.
        file: the event file relative to the base directory, for errors.
        place: a row of places.
    """
    try:
        with named_problems(file, place["offset"]):
            return _row(place, decode_histogram(read_value(path, place)))
    except Problem as problem:
        return _row(place, EMPTY, problem.body)


def _row(place: Mapping[str, Any], found: Histogram, error: dict[str, object] | None = None) -> HistogramRow:
    whole = (found.count == found.count.round()).all() and (np.abs(found.count) < 1 << 53).all()
    return {
        "step": place["step"],
        "wall_time": json_number(place["wall"]),
        "left": np.ascontiguousarray(found.left),
        "width": np.ascontiguousarray(found.width),
        "count": found.count.astype(np.int64) if whole else np.ascontiguousarray(found.count),
        "min": json_number(found.min),
        "max": json_number(found.max),
        "sum": json_number(found.sum),
        "nan_count": found.nan_count,
        "pos_inf_count": found.pos_inf_count,
        "neg_inf_count": found.neg_inf_count,
        "error": error,
    }
