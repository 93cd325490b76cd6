"""Selects the series of a tag that count: a restarted run has recorded some steps twice.

Used for curves and for histograms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Piece:
    """A series, and the part of it that counts.

    Attributes:
        series: number of the series.
        segment: number of its segment (between two restarts).
        before: only points before this step count; infinite if nothing newer replaces the series.
    """

    series: int
    segment: int
    before: float


def pieces(
    rows: Iterable[Mapping[str, Any]], segments: Iterable[Mapping[str, Any]], segment: int | None, superseded: bool
) -> list[Piece]:
    """Returns the series of one run and tag in the order in which they are joined.

    Args:
        rows: the series as the dashboard lists them.
        segments: the run's segments as the dashboard lists them.
        segment: return only this segment, in full.
        superseded: also keep what a newer segment replaces.
    """
    ordered = sorted(rows, key=_order)
    chosen = [row for row in ordered if segment is None or row["segment"] == segment]
    if segment is not None or superseded:
        return [Piece(row["series"], row["segment"], math.inf) for row in chosen]
    starts = _starts(ordered, segments)
    return [Piece(row["series"], row["segment"], _replaced_from(starts, row["segment"])) for row in chosen]


def _order(row: Mapping[str, Any]) -> tuple[int, float, int]:
    first = row["first_step"]
    return row["segment"], -math.inf if first is None else first, row["series"]


def _starts(rows: Iterable[Mapping[str, Any]], segments: Iterable[Mapping[str, Any]]) -> dict[int, float]:
    """Returns the first step of each segment that has series of this tag."""
    starts: dict[int, float] = {}
    for row in rows:
        if row["first_step"] is not None:
            starts[row["segment"]] = min(starts.get(row["segment"], math.inf), row["first_step"])
    for known in segments:
        # A value that is logged every hundred steps starts later than its segment.
        if known["number"] in starts and known["first_step"] is not None:
            starts[known["number"]] = min(starts[known["number"]], known["first_step"])
    return starts


def _replaced_from(starts: Mapping[int, float], segment: int) -> float:
    return min((start for number, start in starts.items() if number > segment), default=math.inf)
