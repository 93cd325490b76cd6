"""Explains why a run is not the best one: the predicted effect of each differing parameter. Called by `__main__.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mindinsight.lineage.importance.columns import Column, Floats
from mindinsight.lineage.importance.fits import Fits, Progress, Size
from mindinsight.lineage.importance.intervals import Interval, around
from mindinsight.lineage.importance.study import (
    LEAST_RUNS,
    Question,
    fits_of,
    incomplete_names,
    notices_of,
    question,
    shown,
)

Document = dict[str, Any]


def gap(
    columns: Sequence[Column],
    target: Floats,
    run: int,
    better: str,
    progress: Progress = lambda share: None,
    size: Size | None = None,
    seed: int = 0,
) -> Document:
    """Explains the gap between the best run and another one.

    Args:
        columns: parameters of all runs.
        target: the result of each run; see `study.question`.
        run: index of the other run, which has a finite target.
        better: `min` or `max`: whether the lowest or the highest target is the best.
        progress: called with the finished share.
        size: size of the fits.
        seed: random seed.

    Returns:
        The result in the form of the lineage app's `api.md`.

    Raises:
        ValueError: the run has no finite target.
    """
    asked = question(columns, target)
    places = np.flatnonzero(asked.rows == run)
    if not len(places):
        raise ValueError("The run has no finite value of the target, so there is no gap to explain.")
    this = int(places[0])
    best = int(asked.target.argmin() if better == "min" else asked.target.argmax())
    whole = float(asked.target[best] - asked.target[this])
    document: Document = {
        "best": int(asked.rows[best]),
        "run": run,
        "better": better,
        "best_value": float(asked.target[best]),
        "run_value": float(asked.target[this]),
        "gap": whole,
        "parts": [],
        "together": None,
        "unexplained": whole,
        "notices": notices_of(asked),
    }
    varied = asked.found.varied
    differing = [at for at, column in enumerate(varied) if column.codes[this] != column.codes[best]]
    lacking = set(incomplete_names(asked)) & {varied[at].name for at in differing}
    if lacking and len(asked.rows) >= LEAST_RUNS:
        document["notices"].append({"code": "incomplete_gap", "names": sorted(lacking)})
        return document
    fits = fits_of(asked, progress, size, seed) if differing else None
    if fits is None:
        return document
    value = float(asked.target[this])
    room = (float(asked.target.min()) - value, float(asked.target.max()) - value)
    *parts, together = (_held(change, room) for change in _changes(fits, this, best, differing))
    document["parts"] = sorted(
        (_part(asked, at, this, best, change) for at, change in zip(differing, parts, strict=True)),
        key=lambda part: -abs(part["change"]),
    )
    document["together"] = {"change": shown(together.middle), "low": shown(together.low), "high": shown(together.high)}
    document["unexplained"] = shown(whole - together.middle)
    progress(1.0)
    return document


def _changes(fits: Fits, this: int, best: int, differing: Sequence[int]) -> list[Interval]:
    """The changes of a run's prediction with each of the best run's values, and with all of them."""
    codes = np.tile(fits.layout.codes[this], (2 + len(differing), 1))
    for row, column in enumerate(differing, start=1):
        codes[row, column] = fits.layout.codes[best, column]
    codes[-1, list(differing)] = fits.layout.codes[best, list(differing)]

    def changes(predicted: Floats) -> Floats:
        differences: Floats = predicted[1:] - predicted[0]
        return differences

    halves = np.array([changes(half.predict(fits.layout, codes)) for half in fits.halves])
    return around(changes(fits.whole.predict(fits.layout, codes)), halves)


def _held(change: Interval, room: tuple[float, float]) -> Interval:
    """A change that leads to no value outside those that were seen."""
    low, middle, high = (min(max(value, room[0]), room[1]) for value in (change.low, change.middle, change.high))
    return replace(change, low=low, middle=middle, high=high)


def _part(asked: Question, at: int, this: int, best: int, change: Interval) -> Document:
    column = asked.found.varied[at]
    values: list[object] = [*column.values, None]
    return {
        "name": column.name,
        "same": asked.found.same.get(column.name, []),
        "run_value": values[column.codes[this]],
        "best_value": values[column.codes[best]],
        "change": shown(change.middle),
        "low": shown(change.low),
        "high": shown(change.high),
    }
