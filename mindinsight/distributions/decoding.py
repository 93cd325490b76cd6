"""Converts histograms of all writers to one form. Called by `records.py` with the bytes of one value.

MindSpore's writer (and our own) stores buckets as left edge and width. TensorBoard's older writers, including
PyTorch's, store upper limits. TensorFlow 2 stores a tensor of shape (buckets, 3) with left edge, right edge and count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from summaries.schema.scan_pb2 import Value
from summaries.schema.summary_pb2 import Summary
from summaries.schema.tensorboard_pb2 import DataType, HistogramProto, TensorProto

Floats = npt.NDArray[np.float64]

MAX_BUCKETS = 1024
"""Maximum number of buckets in a histogram. With more, neighbouring buckets are merged."""
MAX_VALUE_BYTES = 8 << 20
"""Maximum bytes of a value. A parsed message takes several times its size."""

# Fields of a tensor: its type, and the list of numbers for tensors that do not store bytes.
_ELEMENTS = {DataType.DT_DOUBLE: ("<f8", "double_val"), DataType.DT_FLOAT: ("<f4", "float_val")}


@dataclass(frozen=True)
class Histogram:
    """The distribution of an array's elements.

    Attributes:
        left: float64 of shape (k,), the lower edge of each bucket, ascending.
        width: float64 of shape (k,); 0 for a bucket with a single value.
        count: float64 of shape (k,), the number of elements in each bucket.
        min: the lowest finite element; None if there is none.
        max: the highest finite element; None if there is none.
        sum: sum of the finite elements; None if the writer does not store it.
        squares: sum of their squares; None if the writer does not store it.
        nan_count: number of elements that are NaN; 0 if the writer does not store it. The same holds for the
        infinities.
    """

    left: Floats
    width: Floats
    count: Floats
    min: float | None
    max: float | None
    sum: float | None
    nan_count: int = 0
    pos_inf_count: int = 0
    neg_inf_count: int = 0
    squares: float | None = None

    @cached_property
    def norm(self) -> float:
        """The square root of the sum of squares. If the sum is not stored, elements are taken to be spread evenly in
        each bucket.

        NaN if an element is not finite.
        """
        if self.nan_count or self.pos_inf_count or self.neg_inf_count:
            return math.nan
        if self.squares:
            return math.sqrt(self.squares) if self.squares > 0 else math.nan
        reach = max(abs(self.min or 0.0), abs(self.max or 0.0)) or 1.0
        low, high = self.left / reach, (self.left + self.width) / reach
        return reach * math.sqrt(max(0.0, float((self.count * (low * low + low * high + high * high)).sum()) / 3))

    @cached_property
    def finite(self) -> float:
        """Number of elements in all buckets."""
        return float(self.count.sum())

    @cached_property
    def corners(self) -> tuple[Floats, Floats]:
        """The corners of the cumulative line: values, and the number of elements below each."""
        x, y = np.empty(2 * len(self.left)), np.empty(2 * len(self.left))
        x[::2], x[1::2] = self.left, self.left + self.width
        y[1::2] = np.cumsum(self.count)
        y[::2] = y[1::2] - self.count
        return np.maximum.accumulate(x), y

    @cached_property
    def zero_bucket(self) -> int:
        """The bucket that contains the number 0 and has elements, or -1."""
        at = int(np.searchsorted(self.left, 0.0, side="right")) - 1
        if at > 0 and self.width[at] > 0 and self.left[at - 1] == 0 == self.width[at - 1]:
            at -= 1  # A bucket with zeros only comes before the bucket that begins at zero.
        return at if at >= 0 and self.left[at] + self.width[at] >= 0 and self.count[at] > 0 else -1


EMPTY = Histogram(np.empty(0), np.empty(0), np.empty(0), min=None, max=None, sum=None)
"""The histogram of an unreadable record."""


def decode_histogram(data: bytes) -> Histogram:
    """Returns the histogram in a serialized `Summary.Value`.

    Raises:
        ValueError: the value is not a histogram, is broken or too large. The message completes "the value ...".
    """
    if len(data) > MAX_VALUE_BYTES:
        raise ValueError(f"has {len(data)} bytes; histograms of up to {MAX_VALUE_BYTES} are read")
    try:
        with np.errstate(invalid="ignore", over="ignore"):
            found = _taken_apart(Value.FromString(data))
            _check(found)
    except DecodeError as error:
        raise ValueError(f"cannot be understood: {error}") from None
    return _merged(found)


def _taken_apart(value: Value) -> Histogram:
    if value.HasField("histo"):
        return _of_limits(HistogramProto.FromString(value.histo))
    if value.HasField("tensor"):
        return _of_tensor(TensorProto.FromString(value.tensor))
    if value.HasField("histogram_or_metadata"):
        return _of_buckets(Summary.Histogram.FromString(value.histogram_or_metadata))
    raise ValueError("is not a histogram")


def _of_buckets(histogram: Summary.Histogram) -> Histogram:
    # One flat list, because numpy converts numbers faster than rows.
    rows = [number for bucket in histogram.buckets for number in (bucket.left, bucket.width, bucket.count)]
    left, width, count = np.array(rows, np.float64).reshape(-1, 3).T
    finite = histogram.count - histogram.nan_count - histogram.pos_inf_count - histogram.neg_inf_count
    known = finite > 0 or len(left) > 0
    return Histogram(
        left,
        width,
        count,
        min=histogram.min if known and histogram.HasField("min") else None,
        max=histogram.max if known and histogram.HasField("max") else None,
        sum=histogram.sum if histogram.HasField("sum") else None,
        nan_count=histogram.nan_count,
        pos_inf_count=histogram.pos_inf_count,
        neg_inf_count=histogram.neg_inf_count,
    )


def _of_limits(histogram: HistogramProto) -> Histogram:
    limits, counts = np.array(histogram.bucket_limit), np.array(histogram.bucket)
    if len(limits) != len(counts):
        raise ValueError(f"has {len(counts)} buckets, but {len(limits)} limits")
    (used,) = np.nonzero(counts)
    if not len(used):
        return replace(EMPTY, sum=histogram.sum, squares=histogram.sum_squares)
    # Writers add empty buckets on either side to mark empty space, and leave the outermost limits open.
    first, last = int(used[0]), int(used[-1])
    edges = np.concatenate(([-np.inf], limits))[first : last + 2]
    edges[0], edges[-1] = max(edges[0], histogram.min), min(edges[-1], histogram.max)
    edges = np.maximum.accumulate(edges)
    inner = counts[first : last + 1]
    return Histogram(
        edges[:-1],
        np.diff(edges),
        inner,
        histogram.min,
        histogram.max,
        histogram.sum,
        squares=histogram.sum_squares,
    )


def _of_tensor(tensor: TensorProto) -> Histogram:
    if tensor.dtype not in _ELEMENTS:
        raise ValueError("is a tensor of a type that histograms do not have")
    dtype, field = _ELEMENTS[tensor.dtype]
    size = np.dtype(dtype).itemsize
    if len(tensor.tensor_content) % (3 * size) or len(getattr(tensor, field)) % 3:
        raise ValueError("is a tensor whose rows are not left edge, right edge and count")
    if tensor.tensor_content:
        table = np.frombuffer(tensor.tensor_content, dtype).astype(np.float64).reshape(-1, 3)
    else:
        table = np.array(getattr(tensor, field), np.float64).reshape(-1, 3)
    left, right, count = table.T
    (used,) = np.nonzero(count)
    low, high = (float(left[used[0]]), float(right[used[-1]])) if len(used) else (None, None)
    return Histogram(left, right - left, count, low, high, None)


def _check(histogram: Histogram) -> None:
    right = histogram.left + histogram.width
    columns = (right, histogram.width, histogram.count)
    total = float((right + histogram.width + histogram.count).sum())
    # If any number is not finite, the sum is not finite either. Only then is each column checked.
    if not math.isfinite(total) and not all(np.isfinite(column).all() for column in columns):
        raise ValueError("has buckets whose edges or counts are not finite")
    if (histogram.width < 0).any():
        raise ValueError("has buckets that end before they begin")


def _merged(histogram: Histogram) -> Histogram:
    """Merges neighbouring buckets if there are too many to show."""
    rows = len(histogram.left)
    if rows <= MAX_BUCKETS:
        return histogram
    starts = np.arange(0, rows, -(-rows // MAX_BUCKETS))
    ends = np.append(starts[1:], rows) - 1
    left = histogram.left[starts]
    width = histogram.left[ends] + histogram.width[ends] - left
    return replace(histogram, left=left, width=width, count=np.add.reduceat(histogram.count, starts))
