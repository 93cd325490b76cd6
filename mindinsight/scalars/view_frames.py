"""Makes frames of views of many series in one call, without the GIL, on as many threads as the machine has processors.

Called by the API for binary points. In Python, preparing queries and frames would take longer than the compiled loops
need to find the points. Series that the loops cannot handle are left to `envelope`, which makes the same bytes one
series at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mindinsight.scalars.curves.curve import LEVELS_FROM, Axis
from mindinsight.scalars.kernel import library
from mindinsight.scalars.kernel.library import ASKED, REQUEST, series_of
from mindinsight.scalars.threads import THREADS, each
from mindinsight.store import ColumnStore, Levels, Rows, Table

# Memory is reserved for the longest possible frames. The system only allocates what is written.
_MOST_ROOM = 256 << 20


@dataclass(frozen=True)
class InView:
    """A requested series.

    Attributes:
        run: number of its run.
        series: number of the series.
        count: number of points.
        stored: time when the newest point was stored, in seconds since 1970.
        origin: x that the chart shows as 0.
    """

    run: int
    series: int
    count: int
    stored: float
    origin: float = 0.0


@dataclass(frozen=True)
class Window:
    """The range of the chart.

    Attributes:
        axis: quantity on the x axis, on a linear scale.
        width: number of pixel columns.
        low: x of the left edge; default: that of the first point.
        high: x of the right edge; default: that of the last point.
    """

    axis: Axis
    width: int
    low: float | None = None
    high: float | None = None


def view_frames(store: ColumnStore, asked: Sequence[InView], window: Window) -> list[memoryview | None]:
    """Returns a frame of points or an envelope for each series, as `docs/architecture/wire.md` describes them.

    Args:
        store: the store with the points.
        asked: the series.
        window: the range of the chart.

    Returns:
        The frames in the order of `asked`. None for a series that has to be sorted or has x beyond the range of exact
        comparison, and for all series without the compiled library.
    """
    if library.KERNEL is None:
        return [None] * len(asked)
    at_once = max(1, _MOST_ROOM // _room(window.width))
    parts = [asked[first : first + at_once] for first in range(0, len(asked), at_once)]
    return [frame for part in parts for frame in _made(library.KERNEL, store, part, window)]


def _room(width: int) -> int:
    """Maximum bytes of a frame: seven points for each column, one on either side, and the header."""
    return (7 * width + 4) * Table.POINTS.dtype.itemsize


def _made(
    kernel: library.Kernel, store: ColumnStore, asked: Sequence[InView], window: Window
) -> list[memoryview | None]:
    room, parts = _room(window.width), [_load(store, one) for one in asked]
    frames = np.empty(room * len(asked), np.uint8)
    places = range(frames.ctypes.data, frames.ctypes.data + frames.nbytes, room)
    rows = np.array(
        [
            (*series_of(points, levels), one.run, one.series, one.stored, one.origin, place, 0)
            for one, (points, levels), place in zip(asked, parts, places, strict=True)
        ],
        ASKED,
    )
    low, high = window.low, window.high
    question = (low or 0.0, high or 0.0, low is not None, high is not None, window.axis is Axis.WALL, window.width, 0)
    request = np.array([question], REQUEST)
    # Each call handles series until none is left.
    each(range(min(THREADS, len(asked))), lambda _: kernel.show_frames(request, rows))
    ends = (rows["frame"] + rows["size"] - frames.ctypes.data).tolist()
    return [
        None if size < 0 else frames.data[at * room : end]
        for at, (size, end) in enumerate(zip(rows["size"].tolist(), ends, strict=True))
    ]


def _load(store: ColumnStore, one: InView) -> tuple[Rows, Levels | None]:
    points = store.read(Table.POINTS, one.run, one.series, 0, one.count)
    return points, store.levels(one.run, one.series, points) if len(points) >= LEVELS_FROM else None
