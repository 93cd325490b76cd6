"""Histograms: MindSpore's rule for buckets, and that no element is lost whatever the numbers are."""

import math
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from summaries.schema.summary_pb2 import Event, Summary
from summaries.writing.histogram import bucket_count, check_bins, fill_histogram


def histogram(array, bins=None) -> Summary.Histogram:
    value = Summary.Value(tag="h")
    fill_histogram(value, np.asarray(array), check_bins("h", bins))
    return value.histogram


def counts(found: Summary.Histogram) -> list[int]:
    return [bucket.count for bucket in found.buckets]


@pytest.mark.parametrize(
    ("finite", "buckets"),
    [(0, 1), (1, 2), (5, 2), (6, 3), (10, 3), (11, 2), (19, 2), (20, 3), (879, 88), (880, 89), (881, 90), (10**7, 90)],
)
def test_the_number_of_buckets_is_mindspore_s(finite, buckets):
    assert bucket_count(finite) == buckets


def test_real_histograms_follow_the_rule(real_data, facts, payloads):
    checked = 0
    for directory, files in facts.items():
        for name, fact in files.items():
            if not any(key.startswith("histogram:") for key in fact.get("tags", {})):
                continue
            for payload in payloads(real_data / "mindspore" / directory / name):
                for value in Event.FromString(payload).summary.value:
                    if value.HasField("histogram"):
                        _follows_the_rule(value.histogram)
                        checked += 1
    assert checked > 1000


def _follows_the_rule(theirs: Summary.Histogram) -> None:
    finite = theirs.count - theirs.nan_count - theirs.pos_inf_count - theirs.neg_inf_count
    assert len(theirs.buckets) == (bucket_count(finite) if finite else 0)
    assert sum(bucket.count for bucket in theirs.buckets) == finite


def test_equal_widths_from_minimum_to_maximum():
    found = histogram([0.0, 1.0, 2.0, 4.0])
    assert [(bucket.left, bucket.width, bucket.count) for bucket in found.buckets] == [(0, 2, 2), (2, 2, 2)]
    assert (found.min, found.max, found.sum, found.count) == (0, 4, 7, 4)


def test_numbers_that_are_not_finite_are_counted_apart():
    found = histogram([1.0, math.nan, math.inf, -math.inf, -math.inf, 3.0])
    assert (found.count, found.nan_count, found.pos_inf_count, found.neg_inf_count) == (6, 1, 1, 2)
    assert (found.min, found.max, found.sum) == (1, 3, 4)
    assert sum(counts(found)) == 2


@pytest.mark.parametrize("array", [[], [math.nan], [math.inf, -math.inf]])
def test_without_finite_numbers_there_are_no_buckets(array):
    found = histogram(np.array(array, np.float32))
    assert not found.buckets
    assert found.count == len(array)
    assert not found.HasField("min")


def test_a_single_value_gets_a_width_of_one():
    found = histogram(np.full(7, 3.0))
    assert found.buckets[0].left == 2.5
    assert sum(bucket.width for bucket in found.buckets) == pytest.approx(1)
    assert (found.min, found.max, sum(counts(found))) == (3, 3, 7)


@pytest.mark.parametrize(
    "array",
    [
        np.full(100, 1e300),
        np.array([-sys.float_info.max, 0, sys.float_info.max]),
        np.array([1e17, 1e17 + 16]),
        np.array([5e-324, 1e-323]),
        np.array([65504, -65504], np.float16),
        np.array([True, False, True]),
        np.array([2**63 - 1, -(2**63)], np.int64),
        np.array([2**64 - 1, 0], np.uint64),
        np.arange(256, dtype=np.uint8),
        np.array([-128, 127], np.int8),
        np.zeros((2, 3, 4), np.float32),
        np.arange(24).reshape(2, 12)[:, ::2],
    ],
)
def test_no_number_is_too_large_or_too_close(array):
    found = histogram(array)
    assert sum(counts(found)) == found.count == array.size
    assert all(math.isfinite(bucket.left) and bucket.width >= 0 for bucket in found.buckets)
    assert (found.min, found.max) == (float(array.min()), float(array.max()))


@given(hnp.arrays(st.sampled_from([np.float16, np.float32, np.float64]), st.integers(0, 60)))
@example(np.array([1.9775834e38, -1.4252402e38], np.float32))
@example(np.array([1.7976931348623157e308, 0.0, 0.0, 0.0, 0.0, 0.0]))
@example(np.array([-1.7976931348623157e308, 1.7976931348623157e308]))
def test_every_finite_element_is_in_a_bucket(array):
    found = histogram(array)
    known = int(np.isfinite(array).sum())
    assert sum(counts(found)) == known
    apart = found.nan_count + found.pos_inf_count + found.neg_inf_count
    assert known + apart == found.count == array.size


def test_buckets_and_edges_may_be_chosen():
    assert counts(histogram(np.arange(10), 5)) == [2] * 5
    assert counts(histogram(np.arange(10), np.int64(2))) == [5, 5]
    assert counts(histogram(np.arange(10), "tensorflow")) == counts(histogram(np.arange(10)))
    found = histogram(np.arange(10), [0, 2, 8])
    assert [(bucket.left, bucket.width, bucket.count) for bucket in found.buckets] == [(0, 2, 2), (2, 6, 7)]
    assert found.count == 10


@pytest.mark.parametrize(
    ("bins", "error"),
    [
        (0, ValueError),
        (-1, ValueError),
        (1 << 17, ValueError),
        ([1], ValueError),
        ([2, 1], ValueError),
        ([0, math.nan], ValueError),
        (np.zeros((2, 2)), ValueError),
        (["x", "y"], TypeError),
        (object(), TypeError),
    ],
)
def test_other_bins_are_refused(bins, error):
    with pytest.raises(error, match="'h'"):
        check_bins("h", bins)
