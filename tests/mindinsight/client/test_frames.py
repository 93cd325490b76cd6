"""Frames of points become arrays; anything else is an error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mindinsight.client.frames import decode_points
from tests.mindinsight.client.conftest import frame


@pytest.mark.parametrize("dtype", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_one_frame(dtype: int, count: int) -> None:
    points = decode_points(frame(range(count), range(count), dtype))
    assert points.step.tolist() == list(range(count))
    assert points.wall_time.tolist() == [step + 0.5 for step in range(count)]
    assert points.value.tolist() == list(range(count))
    assert (points.step.dtype, points.wall_time.dtype, points.value.dtype) == (np.int64, np.float64, np.float64)


def test_frames_back_to_back() -> None:
    points = decode_points(frame([1, 2, 3], [1, math.nan, math.inf]) + frame([4], [0.1], dtype=2))
    assert points.step.tolist() == [1, 2, 3, 4]
    np.testing.assert_array_equal(points.value, [1, math.nan, math.inf, 0.1])


def test_nothing() -> None:
    assert len(decode_points(b"").step) == 0


WHOLE = frame([1, 2, 3], [1, 2, 3])


@pytest.mark.parametrize(
    "data",
    [
        *(WHOLE[:length] for length in range(1, len(WHOLE), 7)),
        frame([1], [1], kind=2),
        frame([1], [1], version=2),
        frame([1], [1], dtype=9),
        WHOLE + b"\0",
    ],
)
def test_anything_else(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"breaks off|does not hold points"):
        decode_points(data)
