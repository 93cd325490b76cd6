"""The binary frame of `docs/architecture/wire.md`: a header and columns.

The socket uses it for new points, the scalars API for views.
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mindinsight.store import Rows

VERSION = 1
# version, kind, dtype, flags, run, series, count, first, end, stored
HEADER = struct.Struct("<BBBBIIIQQd")


class Kind(enum.IntEnum):
    """The kinds of content of a frame."""

    POINTS = 1
    ENVELOPE = 2
    BUCKETS = 3
    HISTOGRAMS = 4
    GROUP = 8
    DENSITY = 9


class ValueType(enum.IntEnum):
    """The data type of a frame's values."""

    FLOAT32 = 1
    FLOAT64 = 2


JOINED = 1
"""The flag of a frame whose second column holds the values of another series instead of wall times."""


def encode(
    kind: Kind, run: int, series: int, first: int, end: int, stored: float, points: Rows, flags: int = 0
) -> bytes:
    """Returns a frame of points. Its values are float32 if that is exact, else float64.

    Args:
        kind: all points of the range, or a view of it.
        run: number of the run.
        series: number of the series.
        first: index of the first point covered.
        end: index after the last point covered.
        stored: seconds since 1970 when the newest point was stored.
        points: rows of type POINT.
        flags: 0, or `JOINED`.
    """
    dtype, values = _packed(points["value"])
    header = HEADER.pack(VERSION, kind, dtype, flags, run, series, len(points), first, end, stored)
    padding = bytes(-len(values) % 8)
    return b"".join((header, points["step"].tobytes(), points["wall"].tobytes(), values, padding))


def encode_buckets(
    run: int, series: int, first: int, end: int, stored: float, columns: Sequence[npt.NDArray[np.generic]]
) -> bytes:
    """Returns a frame of pixel columns, each a row of float64 numbers.

    Args:
        run: number of the run.
        series: number of the series.
        first: index of the first point covered.
        end: index after the last point covered.
        stored: seconds since 1970 when the newest point was stored.
        columns: arrays of equal length, in the order of `docs/architecture/wire.md`.
    """
    header = HEADER.pack(VERSION, Kind.BUCKETS, ValueType.FLOAT64, 0, run, series, len(columns[0]), first, end, stored)
    return b"".join((header, *(column.astype("<f8").tobytes() for column in columns)))


def _packed(value: npt.NDArray[np.float64]) -> tuple[ValueType, bytes]:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        narrow = value.astype("<f4")
    if bool(((narrow == value) | np.isnan(value)).all()):
        return ValueType.FLOAT32, narrow.tobytes()
    return ValueType.FLOAT64, value.tobytes()
