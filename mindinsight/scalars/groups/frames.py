"""The frames of groups and of densities in `docs/architecture/wire.md`. Used by `api`.

Their `count` is the number of bytes after the header, so that clients can skip unknown kinds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight.api.frames import HEADER, VERSION, Kind, ValueType
from mindinsight.scalars.groups.bands import GroupBand
from mindinsight.scalars.groups.columns import Grid
from mindinsight.scalars.groups.density import Density


@dataclass(frozen=True)
class Shown:
    """The common part of both kinds of frames.

    Attributes:
        grid: the columns of the chart.
        members: number of runs with points of the tag.
        points: number of finite points in the columns.
    """

    grid: Grid
    members: int
    points: int


def encode_group(number: int, shown: Shown, band: GroupBand) -> bytes:
    """Returns the frame of a group.

    Args:
        number: index of the group in the request.
        shown: the common part.
        band: line and band of the group.
    """
    columns = (band.x, band.line, band.low, band.high, band.count)
    return _frame(Kind.GROUP, number, shown, b"", b"".join(column.astype("<f8").tobytes() for column in columns))


def encode_density(shown: Shown, density: Density) -> bytes:
    """Returns the frame of a density."""
    height, width = density.counts.shape
    more = np.array([density.low, density.high, width, height], "<f8").tobytes()
    counts = density.counts.astype("<u2").tobytes()
    return _frame(Kind.DENSITY, 0, shown, more, counts + bytes(-len(counts) % 8))


def _frame(kind: Kind, number: int, shown: Shown, more: bytes, columns: bytes) -> bytes:
    head = np.array([shown.grid.low, shown.grid.high, shown.members, shown.points], "<f8").tobytes()
    payload = head + more + columns
    return HEADER.pack(VERSION, kind, ValueType.FLOAT64, 0, number, 0, len(payload), 0, shown.points, 0.0) + payload
