"""Reads the binary frames of points that a dashboard sends."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# Version, kind, type of the values, flags, run, series, rows, first index, end index, time of storing.
_HEADER = struct.Struct("<BBBBIIIQQd")
_VERSION = 1
_POINTS = 1
_TYPES = {1: "<f4", 2: "<f8", 3: "<i8"}


@dataclass(frozen=True)
class Points:
    """Points of a series in order.

    Attributes:
        step: int64 of shape (n,).
        wall_time: float64 of shape (n,), seconds since 1970.
        value: float64 of shape (n,).
    """

    step: npt.NDArray[np.int64]
    wall_time: npt.NDArray[np.float64]
    value: npt.NDArray[np.float64]


NO_POINTS = Points(np.empty(0, np.int64), np.empty(0), np.empty(0))
"""The points of an empty series."""


def decode_points(data: bytes) -> Points:
    """Returns the concatenated points of all frames in `data`.

    Raises:
        ValueError: `data` has other content, or is truncated.
    """
    parts, position = [NO_POINTS], 0
    while position < len(data):
        points, position = _decode_frame(data, position)
        parts.append(points)
    return Points(
        np.concatenate([part.step for part in parts]),
        np.concatenate([part.wall_time for part in parts]),
        np.concatenate([part.value for part in parts]),
    )


def _decode_frame(data: bytes, position: int) -> tuple[Points, int]:
    """Returns the points of the frame at `position`, and the position of the next frame."""
    if len(data) - position < _HEADER.size:
        raise ValueError("the answer breaks off inside a header")
    version, kind, dtype, _, _, _, count, _, _, _ = _HEADER.unpack_from(data, position)
    if version != _VERSION or kind != _POINTS or dtype not in _TYPES:
        raise ValueError(f"a frame of version {version}, kind {kind} and type {dtype} does not hold points")
    type_of_values = np.dtype(_TYPES[dtype])
    walls = position + _HEADER.size + 8 * count
    values = walls + 8 * count
    end = values + -(-type_of_values.itemsize * count // 8) * 8
    if end > len(data):
        raise ValueError("the answer breaks off inside a frame")
    points = Points(
        np.frombuffer(data, "<i8", count, position + _HEADER.size),
        np.frombuffer(data, "<f8", count, walls),
        np.frombuffer(data, type_of_values, count, values).astype(np.float64),
    )
    return points, end
