"""Frames: what `docs/architecture/wire.md` says, taken apart by hand."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from mindinsight.api.frames import Kind, encode, encode_buckets
from mindinsight.store import Rows, Table

HEADER = struct.Struct("<BBBBIIIQQd")


def points(values: list[float]) -> Rows:
    rows = np.zeros(len(values), Table.POINTS.dtype)
    rows["step"] = np.arange(len(values)) + 2**40
    rows["wall"] = 0.5
    rows["value"] = values
    return rows


@pytest.mark.parametrize(
    ("values", "dtype", "width"),
    [
        ([], 1, 4),
        ([1.5], 1, 4),
        ([1.5, float("nan"), float("inf"), float("-inf"), -0.0], 1, 4),
        ([float(np.float32(0.1)), 3.0], 1, 4),
        ([0.1, 3.0], 2, 8),
        ([1e300], 2, 8),
        ([1e-320], 2, 8),
        ([float("nan"), 2.0**53 - 1], 2, 8),
    ],
)
def test_values_take_four_bytes_where_that_is_exact(values: list[float], dtype: int, width: int) -> None:
    data = encode(Kind.ENVELOPE, 3, 2**32 - 1, 5, 2**33, 1234.5, points(values))
    count = len(values)
    assert HEADER.unpack_from(data) == (1, 2, dtype, 0, 3, 2**32 - 1, count, 5, 2**33, 1234.5)
    assert np.frombuffer(data, "<i8", count, 40).tolist() == [2**40 + n for n in range(count)]
    assert np.frombuffer(data, "<f8", count, 40 + 8 * count).tolist() == [0.5] * count
    found = np.frombuffer(data, f"<f{width}", count, 40 + 16 * count).astype("f8")
    assert found.tobytes() == np.array(values, "f8").tobytes()
    assert len(data) == 40 + 16 * count + width * count + -(width * count) % 8
    assert not any(data[40 + 16 * count + width * count :])


def test_rows_of_a_strided_view_are_packed() -> None:
    whole = points([float(n) for n in range(10)])
    data = encode(Kind.POINTS, 1, 1, 0, 5, 0.0, whole[::2])
    assert np.frombuffer(data, "<f4", 5, 40 + 80).tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_buckets_are_columns_of_doubles() -> None:
    data = encode_buckets(1, 7, 0, 9, 2.5, [np.array([1, 2, 3]), np.array([0.5, np.nan, np.inf])])
    assert HEADER.unpack_from(data) == (1, 3, 2, 0, 1, 7, 3, 0, 9, 2.5)
    assert np.frombuffer(data, "<f8", 3, 40).tolist() == [1.0, 2.0, 3.0]
    assert np.frombuffer(data, "<f8", 3, 64).tobytes() == np.array([0.5, np.nan, np.inf]).tobytes()
    assert len(data) == 40 + 48
