"""What changing one parameter does on the average of all runs: partial dependence, with bands. Called by `study.py`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight.lineage.importance.fits import Fits
from mindinsight.lineage.importance.forest import Codes, Rows
from mindinsight.lineage.importance.intervals import Interval, around

_POINTS = 16


@dataclass(frozen=True)
class Effect:
    """The target's mean over the runs, had they all the same value of one parameter (Friedman, Greedy function
    approximation, Annals of Statistics 29, 2001).

    Attributes:
        column: which parameter, by place.
        codes: its values that are shown.
        at: the mean target at each, with intervals.
        missing: the same without a value; None where all runs have one.
    """

    column: int
    codes: Codes
    at: list[Interval]
    missing: Interval | None


def effect(fits: Fits, column: int, rows: Rows) -> Effect:
    """Returns the partial dependence on a column, on the average of some runs."""
    layout = fits.layout
    what = layout.columns[column]
    values = _told(what.codes, what.distinct) if what.kind != "category" else np.arange(what.distinct)
    # The place behind the last value means none.
    asked = np.append(values, what.distinct) if what.levels > what.distinct else values
    codes = np.tile(layout.codes[rows], (len(asked), 1))
    codes[:, column] = np.repeat(asked, len(rows))
    curves = [found.predict(layout, codes).reshape(len(asked), -1).mean(axis=1) for found in (fits.whole, *fits.halves)]
    bands = around(curves[0], np.array(curves[1:]))
    return Effect(
        column, values.astype(np.int32), bands[: len(values)], bands[-1] if len(asked) > len(values) else None
    )


def _told(codes: Codes, distinct: int) -> Rows:
    """All values of a few; of many, those at equal steps of how many runs have less."""
    if distinct <= _POINTS:
        return np.arange(distinct)
    known = np.sort(codes[codes >= 0])
    return np.unique(known[np.linspace(0, len(known) - 1, _POINTS).astype(int)]).astype(np.intp)
