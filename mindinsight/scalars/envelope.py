"""A view of many points in few: what a chart of a given width can show, with nothing that stands out left out.

Of every pixel column the first, the lowest, the highest and the last finite point (the M4 aggregation: Jugel et al.,
"M4: A visualization-oriented time series data aggregation", VLDB 2014), and the first of each kind that is not
finite. Asked by the API.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight.scalars.columns import pick, standing_out
from mindinsight.scalars.curve import Curve
from mindinsight.scalars.pixels import Indices, Pixels, cut
from mindinsight.store import Rows


@dataclass(frozen=True)
class View:
    """What is shown of a series.

    Attributes:
        points: rows of POINT in order of x.
        first: index of the first point covered.
        end: index behind the last point covered.
        whole: whether `points` are all there are between `first` and `end`.
    """

    points: Rows
    first: int
    end: int
    whole: bool


def view(curve: Curve, width: int, low: float | None = None, high: float | None = None) -> View:
    """Returns a view of a curve.

    Args:
        curve: the curve.
        width: pixel columns; up to twice as many points are given as they are.
        low: x of the chart's left edge; that of the first point by default.
        high: x of the chart's right edge; that of the last point by default.

    Returns:
        The points between the edges and one on either side, so that lines run on to the edges.
    """
    pixels = cut(curve, width, low, high)
    count = len(curve.points)
    first, end = max(0, pixels.first - 1), min(count, pixels.end + 1)
    whole = pixels.end - pixels.first <= 2 * width
    if whole:
        shown = curve.points[first:end]
    else:
        shown = pick(curve.points, _with_neighbours(standing_out(curve, pixels), pixels, count))
    return View(shown, first, curve.total if end == count else end, whole)


def _with_neighbours(chosen: Indices, pixels: Pixels, count: int) -> Indices:
    before = [pixels.first - 1] if pixels.first else []
    after = [pixels.end] if pixels.end < count else []
    return np.concatenate([np.array(before, np.int64), chosen, np.array(after, np.int64)])
