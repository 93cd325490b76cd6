"""Reduces many points to those that a chart of a given width can show. All extremes are kept.

For every pixel column it keeps the first, the lowest, the highest and the last finite point (the M4 aggregation: Jugel
et al., "M4: A visualization-oriented time series data aggregation", VLDB 2014), and the first of each kind that is not
finite. Called by the API.
"""

from __future__ import annotations

from dataclasses import dataclass

from mindinsight.scalars.curves.columns import shown_points
from mindinsight.scalars.curves.curve import Curve
from mindinsight.scalars.curves.pixels import cut
from mindinsight.store import Rows


@dataclass(frozen=True)
class View:
    """The shown points of a series.

    Attributes:
        points: rows of POINT in order of x.
        first: index of the first point covered.
        end: index after the last point covered.
        whole: whether `points` has all points between `first` and `end`.
    """

    points: Rows
    first: int
    end: int
    whole: bool


def view(curve: Curve, width: int, low: float | None = None, high: float | None = None) -> View:
    """Returns a view of a curve.

    Args:
        curve: the curve.
        width: number of pixel columns. Up to twice as many points are returned unreduced.
        low: x of the chart's left edge; default: that of the first point.
        high: x of the chart's right edge; default: that of the last point.

    Returns:
        The points between the edges and one more on either side, so that lines reach the edges.
    """
    pixels = cut(curve, width, low, high)
    count = len(curve.points)
    first, end = max(0, pixels.first - 1), min(count, pixels.end + 1)
    whole = pixels.end - pixels.first <= 2 * width
    shown = curve.points[first:end] if whole else shown_points(curve, pixels)
    return View(shown, first, curve.total if end == count else end, whole)
