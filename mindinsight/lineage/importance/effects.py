"""The average effect of one parameter over all runs: partial dependence, with bands. Called by `study.py`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight.lineage.importance.fits import Fits
from mindinsight.lineage.importance.forest import Codes, Rows
from mindinsight.lineage.importance.intervals import Interval, around

_POINTS = 16


@dataclass(frozen=True)
class Effect:
    """The mean of the target over the runs if all had the same value of one parameter (Friedman, Greedy function
    approximation, Annals of Statistics 29, 2001).

    Attributes:
        column: index of the parameter.
        codes: codes of the shown values.
        at: the mean target at each value, with intervals.
        missing: the same for runs without a value; None if all runs have one.
    """

    column: int
    codes: Codes
    at: list[Interval]
    missing: Interval | None


def effect(fits: Fits, column: int, rows: Rows) -> Effect:
    """Returns the partial dependence on a column, averaged over some runs."""
    layout = fits.layout
    what = layout.columns[column]
    values = _told(what.codes, what.distinct) if what.kind != "category" else np.arange(what.distinct)
    # The code after the last value means a missing value.
    asked = np.append(values, what.distinct) if what.levels > what.distinct else values
    codes = np.tile(layout.codes[rows], (len(asked), 1))
    codes[:, column] = np.repeat(asked, len(rows))
    curves = [found.predict(layout, codes).reshape(len(asked), -1).mean(axis=1) for found in (fits.whole, *fits.halves)]
    bands = around(curves[0], np.array(curves[1:]))
    return Effect(
        column, values.astype(np.int32), bands[: len(values)], bands[-1] if len(asked) > len(values) else None
    )


def _told(codes: Codes, distinct: int) -> Rows:
    """Returns all values if there are few; otherwise quantiles at equal steps."""
    if distinct <= _POINTS:
        return np.arange(distinct)
    known = np.sort(codes[codes >= 0])
    return np.unique(known[np.linspace(0, len(known) - 1, _POINTS).astype(int)]).astype(np.intp)
