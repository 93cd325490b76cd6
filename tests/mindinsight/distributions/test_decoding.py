"""Histograms of every writer are converted to one form; invalid ones are refused with a reason."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight.distributions.decoding import MAX_BUCKETS, decode_histogram
from summaries.schema import summary_pb2
from summaries.schema.tensorboard_pb2 import DataType, HistogramProto, Summary, TensorProto

BIGGEST = float(np.finfo(np.float64).max)


def old(limits: list[float], counts: list[float], low: float, high: float) -> bytes:
    """A value of TensorBoard's older writers."""
    histo = HistogramProto(
        min=low, max=high, num=sum(counts), sum=1.5, bucket_limit=limits, bucket=counts, sum_squares=3
    )
    return Summary.Value(tag="w", histo=histo).SerializeToString()


def modern(tensor: TensorProto) -> bytes:
    """A value of TensorFlow 2, with the metadata that the first one of a tag has."""
    value = Summary.Value(tag="w", tensor=tensor)
    value.metadata.plugin_data.plugin_name = "histograms"
    return value.SerializeToString()


def rows_of(data: bytes) -> list[tuple[float, float, float]]:
    found = decode_histogram(data)
    return list(zip(found.left.tolist(), (found.left + found.width).tolist(), found.count.tolist(), strict=True))


@pytest.mark.parametrize(
    ("limits", "counts", "expected"),
    [
        # The outermost limits are open, as TensorFlow 1 writes them.
        ([-BIGGEST, 0.0, 1.0, BIGGEST], [0.0, 2.0, 3.0, 4.0], [(-0.5, 0.0, 2), (0.0, 1.0, 3), (1.0, 2.0, 4)]),
        # An empty bucket before the first, as PyTorch writes it.
        ([-1.0, 0.0, 1.0, 2.0], [0.0, 1.0, 0.0, 2.0], [(-0.5, 0.0, 1), (0.0, 1.0, 0), (1.0, 2.0, 2)]),
        ([0.5, 3.0], [1.0, 1.0], [(-0.5, 0.5, 1), (0.5, 2.0, 1)]),
        ([-1.0, 1.0, 5.0, 9.0], [0.0, 1.0, 0.0, 0.0], [(-0.5, 1.0, 1)]),
        ([], [], []),
        ([1.0, 2.0], [0.0, 0.0], []),
    ],
)
def test_upper_limits_become_edges(
    limits: list[float], counts: list[float], expected: list[tuple[float, float, float]]
) -> None:
    data = old(limits, counts, -0.5, 2.0)
    assert rows_of(data) == expected
    found = decode_histogram(data)
    assert (found.min, found.max, found.sum) == ((-0.5, 2.0, 1.5) if expected else (None, None, 1.5))
    assert (found.squares, found.norm) == (3, 3**0.5)


def test_a_norm_is_that_of_the_buckets_where_squares_are_not_told() -> None:
    values = np.random.default_rng(0).normal(size=10_000)
    counts, edges = np.histogram(values, 90)
    histogram = summary_pb2.Summary.Histogram(count=len(values), min=values.min(), max=values.max(), sum=values.sum())
    for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True):
        histogram.buckets.add(left=left, width=right - left, count=count)

    def norm() -> float:
        message = summary_pb2.Summary.Value(tag="w", histogram=histogram)
        return decode_histogram(message.SerializeToString()).norm

    assert norm() == pytest.approx(np.linalg.norm(values), rel=1e-3)
    histogram.nan_count = 1
    assert np.isnan(norm())


def test_a_single_number_has_a_bucket_without_width() -> None:
    assert rows_of(old([0.0, 1e-12], [0.0, 144.0], 0.0, 0.0)) == [(0.0, 0.0, 144.0)]


TABLE = [[-1.0, -0.5, 0.0], [-0.5, 0.0, 3.0], [0.0, 0.5, 4.0]]


@pytest.mark.parametrize(
    "tensor",
    [
        TensorProto(dtype=DataType.DT_DOUBLE, tensor_content=np.array(TABLE).tobytes()),
        TensorProto(dtype=DataType.DT_DOUBLE, double_val=np.array(TABLE).ravel()),
        TensorProto(dtype=DataType.DT_FLOAT, tensor_content=np.array(TABLE, "<f4").tobytes()),
        TensorProto(dtype=DataType.DT_FLOAT, float_val=np.array(TABLE).ravel()),
    ],
    ids=["double bytes", "double list", "float bytes", "float list"],
)
def test_tensors_of_three_columns(tensor: TensorProto) -> None:
    tensor.tensor_shape.dim.add(size=3)
    tensor.tensor_shape.dim.add(size=3)
    found = decode_histogram(modern(tensor))
    assert rows_of(modern(tensor)) == [tuple(row) for row in TABLE]
    assert (found.min, found.max, found.sum) == (-0.5, 0.5, None)


def test_an_empty_tensor_has_no_buckets() -> None:
    tensor = TensorProto(dtype=DataType.DT_DOUBLE)
    tensor.tensor_shape.dim.add(size=0)
    tensor.tensor_shape.dim.add(size=3)
    found = decode_histogram(modern(tensor))
    assert (len(found.left), found.min, found.max) == (0, None, None)


def test_nothing_but_nan() -> None:
    value = summary_pb2.Summary.Value(tag="w")
    value.histogram.count = value.histogram.nan_count = 7
    found = decode_histogram(value.SerializeToString())
    assert (len(found.left), found.min, found.nan_count) == (0, None, 7)


@pytest.mark.parametrize("buckets", [MAX_BUCKETS, MAX_BUCKETS + 1, 5 * MAX_BUCKETS + 3])
def test_neighbours_are_put_together_where_there_are_too_many(buckets: int) -> None:
    value = summary_pb2.Summary.Value(tag="w")
    for index in range(buckets):
        value.histogram.buckets.add(left=index, width=1.0, count=index % 7)
    found = decode_histogram(value.SerializeToString())
    assert len(found.left) <= MAX_BUCKETS
    assert found.count.sum() == sum(index % 7 for index in range(buckets))
    assert found.left[0] == 0
    np.testing.assert_array_equal((found.left + found.width)[:-1], found.left[1:])
    assert found.left[-1] + found.width[-1] == buckets
    exact = [sum(index % 7 for index in range(int(left))) for left in found.left]
    np.testing.assert_array_equal(np.cumsum(found.count)[:-1], exact[1:])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is not a histogram"),
        (Summary.Value(tag="w", simple_value=1).SerializeToString(), "is not a histogram"),
        (b"\x4a\x05abc", "cannot be understood"),
        (b"\x4a\x03abc", "cannot be understood"),
        (old([1.0], [], 0, 1), "0 buckets, but 1 limits"),
        (old([1.0, float("nan")], [1.0, 1.0], 0, 1), "not finite"),
        (old([1.0], [float("inf")], 0, 1), "not finite"),
        (modern(TensorProto(dtype=DataType.DT_DOUBLE, double_val=[1, 0, 5])), "end before they begin"),
        (modern(TensorProto(dtype=DataType.DT_STRING)), "of a type"),
        (modern(TensorProto(dtype=DataType.DT_DOUBLE, tensor_content=bytes(25))), "rows are not"),
        (modern(TensorProto(dtype=DataType.DT_DOUBLE, double_val=[1, 2])), "rows are not"),
        (bytes(9 << 20), "has 9437184 bytes"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_what_is_no_histogram_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        decode_histogram(data)


@given(st.lists(st.tuples(st.floats(), st.floats())), st.floats(), st.floats())
def test_whatever_limits_there_are_edges_ascend(rows: list[tuple[float, float]], low: float, high: float) -> None:
    limits, counts = [row[0] for row in rows], [row[1] for row in rows]
    try:
        found = decode_histogram(old(limits, counts, low, high))
    except ValueError:
        return
    assert (found.width >= 0).all()
    assert np.isfinite(found.left + found.width).all()


@given(st.binary(max_size=300))
def test_any_bytes_are_understood_or_refused(data: bytes) -> None:
    for value in (data, b"\x2a" + bytes([len(data) % 128]) + data, b"\x42" + bytes([len(data) % 128]) + data):
        with contextlib.suppress(ValueError):
            assert (decode_histogram(value).width >= 0).all()
