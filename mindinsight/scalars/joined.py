"""One scalar over another of the same run: the points of two series that have the same step. Asked by `looks`.

Exact: a step is a whole number and must be equal. Where x has several points at a step, the one that was recorded last
counts; every point of y at that step is kept. Points of y without an x, or with one that is not finite, have no place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mindinsight.scalars.curve import Axis, Curve, along
from mindinsight.store import Rows


def joined(y: Rows, x_parts: Sequence[Rows], total: int) -> Curve:
    """Returns the points of `y` in order of x; the column `wall` has x in it.

    Args:
        y: rows of POINT in order of step.
        x_parts: rows of POINT in order of step each, later ones recorded later.
        total: how many points the series of `y` has.
    """
    x = np.concatenate(x_parts) if x_parts else y[:0]
    x = x[np.argsort(x["step"], kind="stable")]
    place = np.searchsorted(x["step"], y["step"], side="right") - 1
    known = place >= 0
    known[known] = x["step"][place[known]] == y["step"][known]
    rows = y[known].copy()
    rows["wall"] = x["value"][place[known]]
    # What is not finite is left out with the points whose x is.
    curve = along(rows, Axis.WALL)
    return Curve(curve.points, curve.axis, total)
