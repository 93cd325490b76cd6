"""Counts the members whose lines pass each pixel, for charts of too many runs to distinguish. Called by `api`.

The line of a member goes through its points in order of x. In each column it covers everything from its lowest to its
highest position there: its points, and its lines to the neighbouring columns up to the common edge. A pixel counts each
member that covers a part of it once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.scalars.curves.scales import LINEAR, Scale, ScaleKind
from mindinsight.scalars.groups.columns import Grid
from mindinsight.scalars.groups.points import Numbers
from mindinsight.scalars.kernel import library
from mindinsight.store import Rows

_INF = float("inf")


@dataclass(frozen=True)
class Density:
    """The number of members that cover each pixel.

    Attributes:
        low: axis position of the lower edge; an exponent of ten on a logarithmic axis.
        high: axis position of the upper edge.
        counts: members by row from the top and column, uint16 of shape (height, width).
    """

    low: float
    high: float
    counts: npt.NDArray[np.uint16]


def density(
    rows: Rows, members: int, grid: Grid, height: int, scale: Scale = LINEAR, between: tuple[float, float] | None = None
) -> Density:
    """Returns the number of members that cover each pixel.

    Args:
        rows: rows of CELL, the members' cells of the grid.
        members: number of members.
        grid: the columns.
        height: number of pixel rows.
        scale: scale of the y axis. Values that are not above zero do not appear on a logarithmic one.
        between: axis positions of the lower and the upper edge; default: around all lines.
    """
    rows = _on_axis(rows, scale)
    # If edges exceed the range of numbers, there are fewer of them than columns.
    if library.KERNEL is not None and len(edges := _all_edges(grid)) == grid.width + 1:
        low, high = between or _bounds(*library.KERNEL.members_extent(rows, edges))
        return Density(low, high, library.KERNEL.count_members(rows, edges, height, (low, high)))
    lows, highs = _reach(rows, members, grid)
    low, high = between or _bounds(*_extent(lows, highs))
    covered = lows <= highs
    per_row = height / (high - low)
    with np.errstate(invalid="ignore"):
        bottoms = np.floor((np.where(covered, lows, 0) - low) * per_row)
        tops = np.floor((np.where(covered, highs, 0) - low) * per_row)
    # The upper edge belongs to the topmost row.
    top_row, bottom_row = np.where(highs == high, height - 1, tops), np.where(lows == high, height - 1, bottoms)
    inside = covered & (top_row >= 0) & (bottom_row < height)
    _, column = np.nonzero(inside)
    ends, begins = top_row[inside].clip(0, height - 1), bottom_row[inside].clip(0, height - 1)
    # Each line adds one at its beginning and subtracts one after its end.
    steps = np.bincount((begins.astype(np.int64)) * grid.width + column, minlength=(height + 1) * grid.width)
    steps -= np.bincount((ends.astype(np.int64) + 1) * grid.width + column, minlength=(height + 1) * grid.width)
    counts = np.cumsum(steps.reshape(height + 1, grid.width), axis=0)[:height]
    return Density(low, high, np.minimum(counts[::-1], 65_535).astype(np.uint16))


def _on_axis(rows: Rows, scale: Scale) -> Rows:
    """The cells with axis positions of their values. If only a part of a cell is on the axis, that part counts."""
    if scale.kind is ScaleKind.LINEAR:
        return rows
    rows = (rows[rows["max"] > 0] if scale.kind is ScaleKind.LOG else rows).copy()
    for name in ("first", "last", "min", "max"):
        with np.errstate(divide="ignore", invalid="ignore"):
            rows[name] = scale.to(rows[name])
    for name in ("first", "last", "min"):
        rows[name] = np.where(np.isfinite(rows[name]), rows[name], rows["max"])
    return rows


def _reach(rows: Rows, members: int, grid: Grid) -> tuple[Numbers, Numbers]:
    """The lowest and the highest position of each member in each column; inf and -inf if it has none."""
    lows, highs = np.full((members, grid.width), _INF), np.full((members, grid.width), -_INF)
    inside = (rows["column"] >= 0) & (rows["column"] < grid.width)
    at = rows["member"][inside], rows["column"][inside]
    lows[at], highs[at] = rows["min"][inside], rows["max"][inside]
    crossings = _crossings(rows, members, grid)
    for beside in (crossings[:, :-1], crossings[:, 1:]):
        np.fmin(lows, beside, out=lows)
        np.fmax(highs, beside, out=highs)
    return lows, highs


def _crossings(rows: Rows, members: int, grid: Grid) -> Numbers:
    """The positions at which each member's line crosses the edges of columns; NaN if it does not; shape (members, width
    + 1).
    """
    found = np.full((members, grid.width + 1), np.nan)
    here, there = rows[:-1], rows[1:]
    joined = here["member"] == there["member"]
    here, there = here[joined], there[joined]
    # The line from one cell to the next crosses every edge between their columns, and no other line of the member does.
    first = here["column"] + 1
    lengths = np.minimum(there["column"], grid.width) + 1 - first
    way = np.repeat(np.arange(len(lengths)), lengths)
    edge = np.arange(len(way)) - np.repeat(np.cumsum(lengths) - lengths - first, lengths)
    start = here["last_x"]
    slope = (there["first"] - here["last"]) / (there["first_x"] - start)
    x = _all_edges(grid)[edge]
    found[here["member"][way], edge] = here["last"][way] + slope[way] * (x - start[way])
    return found


def _all_edges(grid: Grid) -> Numbers:
    return np.concatenate([[grid.low], grid.edges, [grid.high]])


def _extent(lows: Numbers, highs: Numbers) -> tuple[float, float]:
    covered = lows <= highs
    return (float(lows[covered].min()), float(highs[covered].max())) if covered.any() else (_INF, -_INF)


def _bounds(low: float, high: float) -> tuple[float, float]:
    """The margin around the lines."""
    if not low <= high:
        return 0.0, 1.0
    room = (high - low) * 0.05 or abs(high) * 0.1 or 1.0
    return low - room, high + room
