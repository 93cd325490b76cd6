"""Statistics of tensors against numpy's in Float64, with the compiled loops and without them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from debugging.tensors import statistics
from debugging.tensors.kernel.library import KERNEL
from debugging.tensors.statistics import change_between, is_finite, message_of, statistics_of, within, zeros_in
from debugging.tensors.tensor_names import TensorName

DTYPES = (np.float16, np.float32, np.float64, np.int8, np.int32, np.int64, np.uint8, np.bool_)


@pytest.fixture(params=["compiled", "numpy"], autouse=True)
def _loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "numpy":
        monkeypatch.setattr(statistics, "_kernel", None)
    elif statistics._kernel is None:
        pytest.skip("nothing was compiled here, or the fast paths are off")


def check(array: np.ndarray) -> None:
    """Every number against numpy's reading of its definition."""
    found = statistics_of(array)
    flat = array.reshape(-1).astype(np.float64)
    finite = flat[np.isfinite(flat)]
    assert found.count == array.size
    assert found.finite == finite.size
    assert found.zeros == zeros_in(array) == np.count_nonzero(flat == 0)
    assert is_finite(array) == (finite.size == flat.size)
    assert (found.negative, found.positive) == (np.count_nonzero(finite < 0), np.count_nonzero(finite > 0))
    assert (found.nans, found.pos_infs) == (np.count_nonzero(np.isnan(flat)), np.count_nonzero(flat == np.inf))
    assert found.neg_infs == np.count_nonzero(flat == -np.inf)
    if not finite.size:
        assert math.isnan(found.min)
        assert math.isnan(found.mean)
        return
    assert (found.min, found.max) == (finite.min(), finite.max())
    most = float(np.abs(finite).max())
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(found.mean, finite.mean(), rtol=1e-12, atol=1e-12 * most)
        np.testing.assert_allclose(found.abs_mean, np.abs(finite).mean(), rtol=1e-12)
        np.testing.assert_allclose(found.sum_squares, np.square(finite).sum(), rtol=1e-12)
    some = np.abs(finite)[finite != 0]
    assert found.abs_min == (some.min() if some.size else math.inf)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (15,), (16,), (17,), (3, 5, 7), (2047,), (2048,), (5003,)])
def test_of_all_types_and_sizes(dtype: Any, shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(len(shape))
    check(np.asarray(random.standard_normal(shape) * 5).astype(dtype))


@given(arrays.arrays(np.float32, st.integers(0, 70), elements=st.floats(width=32)))
def test_of_anything(array: np.ndarray) -> None:
    check(array)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 7, 2048, 4999])
def test_one_that_is_not_finite_is_found_wherever_it_is(bad: float, place: int) -> None:
    array = np.random.default_rng(1).standard_normal(5000).astype(np.float32)
    array[place] = bad
    check(array)
    assert message_of(array).bad_at == place


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_are_the_same_for_any_number_of_threads(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    now = random.standard_normal(1_300_007).astype(dtype)
    then = now + random.standard_normal(now.size).astype(dtype) * dtype(1e-3)
    now[[3, 700_001, 1_300_006]] = np.nan, np.inf, -np.inf
    check(now)
    found = set()
    for count in (1, 2, 3, 100):
        if KERNEL is not None:
            monkeypatch.setattr(KERNEL, "threads_for", lambda operations, count=count: count)
        found.add((statistics_of(now), change_between(now, then)))
    assert len(found) == 1


def test_rows_that_do_not_lie_behind_each_other() -> None:
    array = np.arange(60, dtype=np.float32).reshape(6, 10) - 17
    check(array[::2, 1::3])
    check(array.T)


def test_places_and_deviation() -> None:
    array = np.random.default_rng(2).standard_normal((40, 70)).astype(np.float32) + np.float32(1000)
    array[3, 5], array[9, 1] = -7, 5000
    made = message_of(array, TensorName("Default/Add-op0", 1, 2))
    assert (made.min_at, made.max_at, made.bad_at) == (3 * 70 + 5, 9 * 70 + 1, -1)
    np.testing.assert_allclose(made.std, array.astype(np.float64).std(), rtol=1e-9)
    assert list(made.shape) == [40, 70]
    assert (made.tensor.full_name, made.tensor.slot, made.tensor.iteration) == ("Default/Add-op0", 1, 2)


def test_change_is_numpys_allclose_and_mindinsights_ratio() -> None:
    random = np.random.default_rng(3)
    before = random.standard_normal(3001).astype(np.float32)
    now = before + np.where(random.random(3001) < 0.3, np.float32(1e-3), np.float32(0))
    before[7] = now[7] = np.nan
    before[8], now[8] = np.inf, 1.0
    before[9] = now[9] = -np.inf
    found = change_between(now, before, 1e-5, 1e-8)
    close = np.isclose(now.astype(np.float64), before.astype(np.float64), 1e-5, 1e-8)
    assert found.apart == np.count_nonzero(~close)
    both = np.isfinite(now) & np.isfinite(before)
    one, other = now[both].astype(np.float64), before[both].astype(np.float64)
    np.testing.assert_allclose(found.ratio(), np.abs(one - other).mean() / (np.abs(other).mean() + 1e-9), rtol=1e-12)


def test_how_many_are_within_a_range() -> None:
    array = np.array([-1.0, 0.0, 0.5, 1.0, 1.5, np.nan, np.inf], np.float32)
    assert within(array, 0.0, 1.0) == 3
    assert within(array, -np.inf, np.inf) == 6
    assert within(np.arange(10), 2, 4) == 3


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
def test_changes_of_several_tensors_at_once(dtype: Any) -> None:
    rng = np.random.default_rng(11)
    now = [rng.integers(-50, 50, size).astype(dtype) for size in (0, 1, 33, 5000)]
    if np.issubdtype(dtype, np.floating):
        now[2][5], now[3][4000] = np.nan, np.inf
    before: list[Any] = [array + array.dtype.type(1) for array in now]
    before[1] = None
    found = statistics.changes_between(now, before)
    for place, (array, former) in enumerate(zip(now, before, strict=True)):
        wide = array.astype(np.float64)
        assert found.finite[place] == np.isfinite(wide).all()
        numbers = found.sum_change[place], found.sum_before[place], found.both[place], found.apart[place]
        if former is None:
            assert numbers == (0, 0, 0, 0)
            continue
        then = former.astype(np.float64)
        known = np.isfinite(wide) & np.isfinite(then)
        sums = np.abs(wide[known] - then[known]).sum(), np.abs(then[known]).sum()
        np.testing.assert_allclose(numbers[:2], sums, rtol=1e-12)
        apart = np.count_nonzero((wide != then) & known) + np.count_nonzero(~known & (wide != then))
        assert numbers[2:] == (np.count_nonzero(known), apart)
