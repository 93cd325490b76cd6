"""Studies which parameters mattered for a target, and returns a document. Called by `__main__.py`.

The document has importance, rank correlation, interactions and effects with their 95 % intervals, and warnings as codes
that pages translate. docs/architecture/lineage.md describes the method.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mindinsight.lineage.importance.columns import Column, Floats
from mindinsight.lineage.importance.effects import Effect, effect
from mindinsight.lineage.importance.fits import Fits, Progress, Size, fit, size_for
from mindinsight.lineage.importance.intervals import Interval, around, growing
from mindinsight.lineage.importance.notices import FEW, Notice, Sorted, confounded, sort
from mindinsight.lineage.importance.ranks import spearman

Document = dict[str, Any]

LEAST_RUNS = FEW
"""Minimum number of runs. With fewer, what a model says is chance."""
_PAIRED = 6
_EFFECTS = 12
_AVERAGED = 40
_DIGITS = 6


@dataclass(frozen=True)
class Question:
    """The data of a study.

    Attributes:
        rows: indices of the runs with a finite target.
        target: (rows,) the target.
        found: parameters of these runs.
        left_out: number of excluded runs by reason.
    """

    rows: np.ndarray[tuple[int], np.dtype[np.intp]]
    target: Floats
    found: Sorted
    left_out: dict[str, int]


def question(columns: Sequence[Column], target: Floats) -> Question:
    """Prepares the data of a study.

    Args:
        columns: parameters of all runs.
        target: the result of each run; NaN if it has none, infinity if it is not a number that can be explained.
    """
    finite, none = np.isfinite(target), np.isnan(target)
    rows = np.flatnonzero(finite)
    left_out = {"no_target": int(none.sum()), "not_finite": int((~finite & ~none).sum())}
    found = sort([column for column in (column.rows(rows) for column in columns) if column.set])
    return Question(rows, target[rows], found, {why: count for why, count in left_out.items() if count})


def fits_of(asked: Question, progress: Progress, size: Size | None = None, seed: int = 0) -> Fits | None:
    """Fits the forests of a study, or returns None if there is nothing to fit."""
    varied = asked.found.varied
    if len(asked.rows) < LEAST_RUNS or not varied or float(np.ptp(asked.target)) == 0.0:
        return None
    size = size or size_for(len(asked.rows), len(varied))
    return fit(varied, asked.target, _PAIRED, size, seed, progress)


def study(
    columns: Sequence[Column],
    target: Floats,
    progress: Progress = lambda share: None,
    size: Size | None = None,
    seed: int = 0,
) -> Document:
    """Returns which parameters mattered.

    Args:
        columns: parameters of all runs.
        target: the result of each run; see `question`.
        progress: called with the finished share, 0 to 1.
        size: size of the fits; by default some seconds of work.
        seed: random seed, so that the same study gives the same result.

    Returns:
        The result in the form of the lineage app's `api.md`.
    """
    asked = question(columns, target)
    fits = fits_of(asked, progress, size, seed)
    document: Document = {
        "n": len(asked.rows),
        "left_out": asked.left_out,
        "fit": None,
        "parameters": [],
        "interactions": [],
        "effects": [],
        "notices": notices_of(asked),
    }
    if fits is None:
        return document
    whole = fits.whole.shares
    r2 = around(np.array([whole.r2]), np.array([[half.shares.r2] for half in fits.halves]))[0]
    document["fit"] = {"r2": shown(r2.middle), "low": shown(r2.low), "high": shown(min(1.0, r2.high))}
    if r2.low <= 0:
        document["notices"].append({"code": "no_signal", "r2": shown(r2.middle)})
    singles = growing(whole.sets, np.array([half.shares.sets for half in fits.halves]), 1 - whole.r2)
    if incomplete := incomplete_names(asked):
        document["notices"].append({"code": "incomplete", "names": incomplete})
    order = sorted(range(len(singles)), key=lambda place: -singles[place].middle)
    document["parameters"] = [_parameter(asked, place, singles[place]) for place in order]
    document["interactions"] = _interactions(fits)
    seen = (float(asked.target.min()), float(asked.target.max()))
    document["effects"] = _effects(fits, order[:_EFFECTS], seen, progress)
    return document


def incomplete_names(asked: Question) -> list[str]:
    """Returns the parameters that some of the runs lack. What they did cannot be told from what the lack did."""
    return [column.name for column in asked.found.varied if column.set < len(asked.rows)]


def _parameter(asked: Question, place: int, share: Interval) -> Document:
    column = asked.found.varied[place]
    rank = spearman(column.numbers, asked.target) if column.kind != "category" else None
    return {
        "name": column.name,
        "same": asked.found.same.get(column.name, []),
        "kind": column.kind,
        "importance": shown(share.middle),
        "low": shown(share.low),
        "high": shown(share.high),
        "rank": shown(rank.rank) if rank else None,
        "rank_low": shown(rank.low) if rank else None,
        "rank_high": shown(rank.high) if rank else None,
        "set": column.set,
        "distinct": column.distinct,
    }


def _interactions(fits: Fits) -> list[Document]:
    whole, halves = fits.whole.strengths, np.array([half.strengths for half in fits.halves])
    names = [column.name for column in fits.layout.columns]
    found = zip(fits.pairs, growing(whole, halves, 1 - fits.whole.shares.r2), strict=True)
    return [
        {
            "a": names[a],
            "b": names[b],
            "strength": shown(share.middle),
            "low": shown(share.low),
            "high": shown(share.high),
        }
        for (a, b), share in sorted(found, key=lambda pair: -pair[1].middle)
    ]


def _effects(fits: Fits, places: Sequence[int], seen: tuple[float, float], progress: Progress) -> list[Document]:
    runs = len(fits.layout.codes)
    rows = np.unique(np.linspace(0, runs - 1, min(runs, _AVERAGED)).astype(np.intp))
    documents = []
    for at, place in enumerate(places):
        documents.append(_effect(fits.layout.columns[place], effect(fits, place, rows), seen))
        progress(0.9 + 0.1 * (at + 1) / len(places))
    return documents


def _effect(column: Column, found: Effect, seen: tuple[float, float]) -> Document:
    values = [column.values[code] for code in found.codes]
    return {
        "name": column.name,
        "kind": column.kind,
        "categories" if column.kind == "category" else "x": values,
        **_curve(found.at, seen),
        "missing": None
        if found.missing is None
        else {key: ends[0] for key, ends in _curve([found.missing], seen).items()},
    }


def _curve(bands: Sequence[Interval], seen: tuple[float, float]) -> dict[str, list[float]]:
    """The predictions with their intervals. Nothing is predicted outside the values that were seen."""

    def held(value: float) -> float:
        return min(max(float(f"{value:.{_DIGITS}g}"), seen[0]), seen[1])

    return {
        "mean": [held(band.middle) for band in bands],
        "low": [held(band.low) for band in bands],
        "high": [held(band.high) for band in bands],
    }


def notices_of(asked: Question) -> list[Notice]:
    """Returns the warnings that do not depend on the fits."""
    notices: list[Notice] = []
    counts = Counter(asked.left_out)
    if not len(asked.rows):
        code = "not_numeric" if counts["not_finite"] else "no_target"
        notices.append({"code": code, "runs": counts.total()})
    elif float(np.ptp(asked.target)) == 0.0:
        notices.append({"code": "constant_target", "value": float(asked.target[0])})
    if len(asked.rows) < FEW:
        notices.append({"code": "too_few", "n": len(asked.rows), "least": FEW})
    return [*notices, *confounded(asked.found.varied), *asked.found.notices]


def shown(number: float) -> float:
    """Returns a number rounded to a useful number of digits."""
    return round(number, _DIGITS)
