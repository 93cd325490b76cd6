"""The value of each member of a group at each pixel column. Used by `bands` and `density`.

The columns are those of `pixels`. A member that has finite points in a column has a *knot* there: midway between the
x of the first and of the last of them, at their mean. Its last finite point before `low` and its first one after `high`
are further knots. In a column with points its value is their mean. In columns without points, between two knots, it is
interpolated linearly at the middle of the column. Before its first and after its last knot it has no value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight.scalars.curves.columns import fill_columns
from mindinsight.scalars.curves.pixels import Pixels, search
from mindinsight.scalars.curves.scales import LINEAR, Scale
from mindinsight.scalars.groups.points import GroupPoints, LongPart, Numbers
from mindinsight.scalars.kernel import library
from mindinsight.store import Rows

CELL = np.dtype(
    [
        *((name, "<i8") for name in ("member", "column", "count")),
        *((name, "<f8") for name in ("total", "first_x", "last_x", "first", "last", "min", "max")),
    ]
)
"""The points of a member in a column: the number of finite points, their sum, x and values of the first and last,
extremes.

`member` is its index in the group. Column -1 contains only the last point before the columns, and the column after the
last one contains only the first point after them.
"""

_SCAN = 4096


@dataclass(frozen=True)
class Grid:
    """The columns of a chart.

    Attributes:
        low: x of the left edge.
        high: x of the right edge.
        width: number of columns.
        scale: scale of the x axis.
    """

    low: float
    high: float
    width: int
    scale: Scale = LINEAR

    @property
    def edges(self) -> Numbers:
        """The starts of all columns but the first."""
        return self.scale.edges(self.low, self.high, self.width)

    @property
    def centres(self) -> Numbers:
        """The middle of each distinct column."""
        return self.scale.edges(self.low, self.high, 2 * self.width)[::2]


def cells(points: GroupPoints, grid: Grid) -> Rows:
    """Returns rows of CELL: the points of a group's members in the columns of a grid, by member, then by column."""
    found = [_of_points(points, grid), *(_of_long(long, grid) for long in points.longs)]
    rows = np.concatenate(found)
    if len(found) > 1:
        rows = _merged(rows[np.lexsort((rows["first_x"], rows["column"], rows["member"]))])
    return _bounded(rows, grid)


def values(rows: Rows, members: int, grid: Grid) -> Numbers:
    """Returns the value of each member at each column; NaN if it has none; shape (members, width)."""
    matrix = np.full((members, grid.width), np.nan)
    x, mean, centres = knots(rows), rows["total"] / rows["count"], grid.centres
    bounds = np.searchsorted(rows["member"], np.arange(members + 1))
    for place in np.unique(rows["member"]):
        own = slice(bounds[place], bounds[place + 1])
        # All columns in between are interpolated. Columns with points get their own means below.
        first, end = np.searchsorted(centres, [x[own][0], x[own][-1]])
        matrix[place, first:end] = np.interp(centres[first:end], x[own], mean[own])
    inside = (rows["column"] >= 0) & (rows["column"] < grid.width)
    matrix[rows["member"][inside], rows["column"][inside]] = mean[inside]
    return matrix


def knots(rows: Rows) -> Numbers:
    """Returns the x of the knots."""
    found: Numbers = rows["first_x"] + (rows["last_x"] - rows["first_x"]) / 2
    return found


def _of_points(points: GroupPoints, grid: Grid) -> Rows:
    if library.KERNEL is not None:
        cells = np.empty(len(points.x), CELL)
        between = grid.low, grid.high
        asked = points.x, points.value, points.member, grid.edges, between, grid.width
        return cells[: library.KERNEL.fill_cells(*asked, cells)]
    column = np.searchsorted(grid.edges, points.x, side="right")
    column[points.x < grid.low] = -1
    column[points.x > grid.high] = grid.width
    starts = np.flatnonzero(np.diff(points.member * (grid.width + 2) + column, prepend=-2))
    rows = np.empty(len(starts), CELL)
    if not len(starts):
        return rows
    lasts = np.append(starts[1:], len(column)) - 1
    rows["member"], rows["column"], rows["count"] = points.member[starts], column[starts], lasts + 1 - starts
    rows["first_x"], rows["last_x"] = points.x[starts], points.x[lasts]
    rows["first"], rows["last"] = points.value[starts], points.value[lasts]
    for name, ufunc in (("total", np.add), ("min", np.minimum), ("max", np.maximum)):
        rows[name] = ufunc.reduceat(points.value, starts)
    return rows


def _of_long(long: LongPart, grid: Grid) -> Rows:
    x, value, origin = long.curve.x, long.curve.points["value"], long.curve.origin
    if not len(value):
        return np.empty(0, CELL)
    places = search(long.curve, np.array([grid.low, *grid.edges, np.nextafter(grid.high, np.inf)]))
    held = np.flatnonzero(places[1:] > places[:-1])
    pixels = Pixels(int(places[0]), int(places[-1]), places[:-1][held])
    filled = fill_columns(long.curve, pixels)
    held, filled = held[filled["finite"] > 0], filled[filled["finite"] > 0]
    rows = np.empty(len(held), CELL)
    rows["member"], rows["column"], rows["count"], rows["total"] = long.member, held, filled["finite"], filled["sum"]
    rows["first_x"], rows["last_x"] = x[filled["first"]] - origin, x[filled["last"]] - origin
    rows["first"], rows["last"] = value[filled["first"]], value[filled["last"]]
    rows["min"], rows["max"] = filled["min"], filled["max"]
    outside = ((-1, _last_before(value, pixels.first)), (grid.width, _first_behind(value, pixels.end)))
    alone = [_alone(long, column, place) for column, place in outside if place is not None]
    return np.concatenate([rows, *alone])


def _alone(long: LongPart, column: int, place: int) -> Rows:
    x, value = long.x_of(place), float(long.curve.points["value"][place])
    return np.array([(long.member, column, 1, value, x, x, value, value, value, value)], CELL)


def _last_before(value: Numbers, place: int) -> int | None:
    """The last finite value before a place."""
    for end in range(place, 0, -_SCAN):
        found = np.flatnonzero(np.isfinite(value[max(0, end - _SCAN) : end]))
        if len(found):
            return int(max(0, end - _SCAN) + found[-1])
    return None


def _first_behind(value: Numbers, place: int) -> int | None:
    """The first finite value from a place on."""
    for start in range(place, len(value), _SCAN):
        found = np.flatnonzero(np.isfinite(value[start : start + _SCAN]))
        if len(found):
            return int(start + found[0])
    return None


def _merged(rows: Rows) -> Rows:
    """Merges the rows of a member's parts in the same column."""
    if not len(rows):
        return rows
    starts = np.flatnonzero((np.diff(rows["member"], prepend=-1) != 0) | (np.diff(rows["column"], prepend=-9) != 0))
    lasts = np.append(starts[1:], len(rows)) - 1
    merged = rows[starts]
    merged["last"] = rows["last"][lasts]
    for name, ufunc in (("count", np.add), ("total", np.add), ("min", np.minimum), ("max", np.maximum)):
        merged[name] = ufunc.reduceat(rows[name], starts)
    merged["last_x"] = np.maximum.reduceat(rows["last_x"], starts)
    return merged


def _bounded(rows: Rows, grid: Grid) -> Rows:
    """Keeps one point outside on either side: the last one before the columns and the first one after them."""
    for column, end in ((-1, "last"), (grid.width, "first")):
        outside = rows["column"] == column
        if not outside.any():
            continue
        rows["count"][outside] = 1
        for name in ("total", "first", "last", "min", "max"):
            rows[name][outside] = rows[end][outside]
        for name in ("first_x", "last_x"):
            rows[name][outside] = rows[f"{end}_x"][outside]
    return rows
