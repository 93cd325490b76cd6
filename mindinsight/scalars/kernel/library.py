"""Finds and loads the compiled library once per process, and calls its functions with arrays."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.scalars.kernel.build import PART
from mindinsight.store import Levels, Rows
from summaries.kernel.loading import find, load

Indices = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]

_SERIES = [(name, "<i8") for name in ("points", "count", "ones", "ones_count", "twos", "twos_count")]

ASKED = np.dtype(
    [
        *_SERIES,
        *((n, "<i8") for n in ("run", "number")),
        ("stored", "<f8"),
        ("origin", "<f8"),
        ("frame", "<i8"),
        ("size", "<i8"),
    ]
)
"""`struct asked` of frames.h: a requested series, the address of its frame, and the size of the frame in bytes."""

REQUEST = np.dtype(
    [("low", "<f8"), ("high", "<f8"), *((n, "<i8") for n in ("has_low", "has_high", "by_wall", "width", "next"))]
)
"""`struct request` of frames.h: the common parameters of the requested series."""


class _Series(ctypes.Structure):
    """`struct series` of pixels.c."""

    _fields_ = [
        ("points", c_void_p),
        ("count", c_int64),
        ("ones", c_void_p),
        ("ones_count", c_int64),
        ("twos", c_void_p),
        ("twos_count", c_int64),
    ]


class _Chart(ctypes.Structure):
    """`struct chart` of members.h."""

    _fields_ = [("inner", c_void_p), ("edges", c_int64), ("low", c_double), ("high", c_double), ("width", c_int64)]


class Kernel:
    """The functions of pixels.c.

    Args:
        path: the library.

    Raises:
        UnusableError: the library cannot be used.
    """

    def __init__(self, path: Path = PART.target) -> None:
        library = load(PART, path, "mindinsight.scalars.kernel")
        self._fill_columns = library.fill_columns
        self._show_points = library.show_points
        self._show_frames = library.show_frames
        self._smooth = library.smooth
        self._smooth_each = library.smooth_each
        self._smooth_mean = library.smooth_mean
        self._smooth_gaussian = library.smooth_gaussian
        self._fill_cells = library.fill_cells
        self._members_extent = library.members_extent
        self._count_members = library.count_members
        self._search = {"step": library.search_steps, "wall": library.search_walls}
        library.pixels_source.restype = c_char_p
        self._fill_columns.argtypes = [POINTER(_Series), c_void_p, c_int64, c_void_p]
        self._fill_columns.restype = None
        self._show_points.argtypes = [POINTER(_Series), c_void_p, c_int64, c_void_p]
        self._show_points.restype = c_int64
        self._show_frames.argtypes = [c_void_p, c_void_p, c_int64]
        self._show_frames.restype = c_int
        self._smooth.argtypes = [c_void_p, c_int64, c_double, c_double, c_void_p]
        self._smooth.restype = None
        self._smooth_each.argtypes = [c_void_p, c_void_p, c_int64, c_double, c_double, c_void_p]
        self._smooth_each.restype = None
        self._smooth_mean.argtypes = [c_void_p, c_int64, c_double, c_double, c_void_p]
        self._smooth_gaussian.argtypes = [c_void_p, c_int64, *[c_double] * 4, c_void_p]
        self._smooth_mean.restype = self._smooth_gaussian.restype = c_int
        self._fill_cells.argtypes = [c_void_p, c_void_p, c_void_p, c_int64, POINTER(_Chart), c_void_p]
        self._fill_cells.restype = c_int64
        self._members_extent.argtypes = [c_void_p, c_int64, c_void_p, c_int64, c_void_p]
        self._count_members.argtypes = [c_void_p, c_int64, c_void_p, c_int64, c_int64, c_double, c_double, c_void_p]
        self._members_extent.restype = self._count_members.restype = c_int
        for search in self._search.values():
            search.argtypes = [POINTER(_Series), c_void_p, c_int64, c_void_p]
            search.restype = None

    def search(self, points: Rows, levels: Levels | None, axis: str, sought: npt.NDArray[Any]) -> Indices:
        """Returns the index of the first point at or after each of these places.

        Args:
            points: rows of POINT in order of x.
            levels: their levels, if there are any.
            axis: `step` or `wall`.
            sought: the places; int64 for steps, float64 for wall times.
        """
        sought = np.ascontiguousarray(sought, np.int64 if axis == "step" else np.float64)
        found = np.empty(len(sought), np.int64)
        self._search[axis](_series(points, levels), sought.ctypes.data, len(sought), found.ctypes.data)
        return found

    def fill_columns(self, points: Rows, levels: Levels | None, starts: Indices, columns: Rows) -> None:
        """Fills a row for each pixel column.

        Args:
            points: rows of POINT in order of x.
            levels: their levels, if there are any.
            starts: index of the first point of each column, followed by the index after the last point.
            columns: rows of COLUMN, one fewer than entries of `starts`.
        """
        starts = np.ascontiguousarray(starts, np.int64)
        self._fill_columns(_series(points, levels), starts.ctypes.data, len(columns), columns.ctypes.data)

    def show_points(self, points: Rows, levels: Levels | None, starts: Indices) -> Rows:
        """Returns the extreme points of each pixel column, and the neighbours on either side of all columns, in order.

        Args:
            points: rows of POINT in order of x.
            levels: their levels, if there are any.
            starts: index of the first point of each column, followed by the index after the last point.
        """
        starts = np.ascontiguousarray(starts, np.int64)
        columns = len(starts) - 1
        shown = np.empty(7 * columns + 2, points.dtype)
        series = _series(points, levels)
        count = self._show_points(series, starts.ctypes.data, columns, shown.ctypes.data)
        return shown[:count]

    def show_frames(self, request: Rows, asked: Rows) -> None:
        """Makes the frames of those series that no other call with the same request has started.

        Args:
            request: one row of REQUEST.
            asked: rows of ASKED. All memory to which they point must live until this returns.

        Raises:
            MemoryError: out of memory.
        """
        if not self._show_frames(request.ctypes.data, asked.ctypes.data, len(asked)):
            raise MemoryError

    def smooth(self, points: Rows, log_weight: float, unit: float) -> Rows:
        """Returns the points with smoothed values.

        Args:
            points: rows of POINT in order of step.
            log_weight: logarithm of the weight of earlier values.
            unit: distance in steps from which points count fully.
        """
        smoothed = np.empty(len(points), points.dtype)
        self._smooth(points.ctypes.data, len(points), log_weight, unit, smoothed.ctypes.data)
        return smoothed

    def smooth_each(self, points: Rows, ends: Indices, log_weight: float, units: float) -> Rows:
        """Returns the points of several series with smoothed values.

        Args:
            points: rows of POINT, grouped by series and in order of step.
            ends: index after the last point of each series.
            log_weight: logarithm of the weight of earlier values.
            units: number of units in a series.
        """
        smoothed, ends = np.empty(len(points), points.dtype), np.ascontiguousarray(ends, np.int64)
        asked = points.ctypes.data, ends.ctypes.data, len(ends), log_weight, units
        self._smooth_each(*asked, smoothed.ctypes.data)
        return smoothed

    def smooth_mean(self, points: Rows, unit: float, reach: float) -> Rows:
        """Returns the points with the means of the windows around them.

        Args:
            points: rows of POINT in order of step.
            unit: distance in steps from which points count fully.
            reach: reach of a window to either side, in units.
        """
        smoothed = np.empty(len(points), points.dtype)
        if not self._smooth_mean(points.ctypes.data, len(points), unit, reach, smoothed.ctypes.data):
            raise MemoryError
        return smoothed

    def smooth_gaussian(self, points: Rows, unit: float, sigma: float, width: float, cut: float) -> Rows:
        """Returns the points with means weighted by a bell curve.

        Args:
            points: rows of POINT in order of step.
            unit: distance in steps from which points count fully.
            sigma: standard deviation of the curve, in units.
            width: width of the bins in which points are merged, in units.
            cut: reach of the curve in standard deviations.
        """
        smoothed = np.empty(len(points), points.dtype)
        if not self._smooth_gaussian(points.ctypes.data, len(points), unit, sigma, width, cut, smoothed.ctypes.data):
            raise MemoryError
        return smoothed

    def fill_cells(
        self, x: Numbers, value: Numbers, member: Indices, edges: Numbers, between: tuple[float, float], width: int,
        cells: Rows,
    ) -> int:  # fmt: skip
        """Fills a row for each column of each member with points there. Returns the number of rows.

        Args:
            x: x of the points, ascending within a member; shape (n,).
            value: finite values of the points.
            member: member of each point. Points of one member are adjacent.
            edges: starts of all columns but the first.
            between: x of the left and the right edge.
            width: number of columns.
            cells: space for n rows of CELL.
        """
        x, value, edges = (np.ascontiguousarray(one, np.float64) for one in (x, value, edges))
        member = np.ascontiguousarray(member, np.int64)
        chart = _Chart(edges.ctypes.data, len(edges), *between, width)
        points = x.ctypes.data, value.ctypes.data, member.ctypes.data, len(x)
        return int(self._fill_cells(*points, chart, cells.ctypes.data))

    def members_extent(self, cells: Rows, edges: Numbers) -> tuple[float, float]:
        """Returns the lowest and the highest position of lines; inf and -inf if there are none.

        Args:
            cells: rows of CELL by member, then by column.
            edges: all edges of the columns, including those of the chart.

        Raises:
            MemoryError: out of memory.
        """
        cells, edges, extent = np.ascontiguousarray(cells), np.ascontiguousarray(edges, np.float64), np.empty(2)
        width = len(edges) - 1
        if not self._members_extent(cells.ctypes.data, len(cells), edges.ctypes.data, width, extent.ctypes.data):
            raise MemoryError
        return float(extent[0]), float(extent[1])

    def count_members(
        self, cells: Rows, edges: Numbers, height: int, between: tuple[float, float]
    ) -> npt.NDArray[np.uint16]:
        """Returns the number of lines that pass each pixel; shape (height, columns), rows from the top.

        Args:
            cells: rows of CELL by member, then by column.
            edges: all edges of the columns, including those of the chart.
            height: number of pixel rows.
            between: positions of the lower and the upper edge.

        Raises:
            MemoryError: out of memory.
        """
        cells, edges = np.ascontiguousarray(cells), np.ascontiguousarray(edges, np.float64)
        width = len(edges) - 1
        counts = np.empty((height, width), np.uint16)
        asked = cells.ctypes.data, len(cells), edges.ctypes.data, width, height
        if not self._count_members(*asked, *between, counts.ctypes.data):
            raise MemoryError
        return counts


def series_of(points: Rows, levels: Levels | None) -> tuple[int, int, int, int, int, int]:
    """Returns a `struct series`: addresses and numbers of the points and levels of a series.

    The arrays must live as long as the result is used.
    """
    if levels is None:
        return points.ctypes.data, len(points), 0, 0, 0, 0
    ones, twos = levels.one, levels.two
    return points.ctypes.data, len(points), ones.ctypes.data, len(ones), twos.ctypes.data, len(twos)


def _series(points: Rows, levels: Levels | None) -> _Series:
    return _Series(*series_of(points, levels))


KERNEL: Kernel | None
"""Returns the loaded library, or None if numpy does the work."""

MISSING: str
"""The reason why there is no library; empty if there is one."""

KERNEL, MISSING = find(Kernel)
