"""Statistics, histograms, tiles, search, differences and files of arrays, each against numpy."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindinsight.tensors.arrays import difference, downloads, search, tiles
from mindinsight.tensors.arrays import elements as walks
from mindinsight.tensors.arrays.statistics import histogram, statistics

FLOATS = arrays.arrays(
    st.sampled_from([np.float16, np.float32, np.float64]), arrays.array_shapes(max_dims=3, max_side=9)
)
NUMBERS = arrays.arrays(
    st.sampled_from([np.bool_, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float32, np.float64]),
    arrays.array_shapes(max_dims=3, max_side=9),
)


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """So small that arrays of tests have several."""
    for module in (walks, search, tiles):
        monkeypatch.setattr(module, "PORTION", 64)


def views(array: Any) -> list[Any]:
    """The array itself, and views that are not contiguous."""
    return [array, array.T, array[..., ::-1], array[::2]]


@given(NUMBERS)
def test_statistics_are_those_of_numpy(array: Any) -> None:
    for view in views(array):
        found = statistics(view)
        values = view.astype(float)
        finite = values[np.isfinite(values)]
        assert found.count == view.size
        assert found.zeros == int((view == 0).sum())
        assert found.nan == int(np.isnan(values).sum())
        assert (found.pos_inf, found.neg_inf) == (int((values == np.inf).sum()), int((values == -np.inf).sum()))
        assert found.finite == finite.size
        if not finite.size:
            assert found.min is found.max is found.mean is found.std is None
            continue
        whole = view[np.isfinite(values)]
        assert (found.min, found.max) == (whole.min().item(), whole.max().item())
        with np.errstate(all="ignore"):
            mean, std = finite.mean(), finite.std()
        assert found.mean is not None
        assert found.std is not None
        if np.isfinite(std) and np.abs(finite).max() < 1e150:
            assert found.mean == pytest.approx(mean, rel=1e-9, abs=1e-9 * float(np.abs(finite).max()))
            assert found.std == pytest.approx(std, rel=1e-6, abs=1e-9 * float(np.abs(finite).max()))


def test_complex_numbers_are_counted_by_magnitude() -> None:
    found = statistics(np.array([3 + 4j, 0, complex("nan"), complex("inf")]))
    assert (found.min, found.max, found.zeros, found.nan, found.pos_inf) == (0.0, 5.0, 1, 1, 1)


@given(NUMBERS, st.integers(1, 40))
@example(np.array([1.7976931348623157e308]), 40)
@example(np.array([-1.7976931348623157e308, -1.7976931348623155e308]), 40)
@example(np.array([1.79769313e308, 0.0]), 3)
def test_histograms_are_those_of_numpy(array: Any, bins: int) -> None:
    found = statistics(array)
    values = array.astype(float)
    finite = values[np.isfinite(values)]
    if found.min is None or found.max is None or not np.isfinite(float(found.max) - float(found.min)):
        return
    ours = histogram(array, float(found.min), float(found.max), bins)
    assert ours[1].sum() == finite.size
    assert (np.diff(ours[0]) > 0).all()
    if (ours[0][0], ours[0][-1]) != (found.min, found.max):  # Numbers so close that no buckets fit between them.
        assert ours[0][0] <= found.min <= found.max <= ours[0][-1]
        return
    # At the end of what a float64 can say, numpy's own edges overflow: of halves they do not.
    scale = 0.5 if max(abs(found.min), abs(found.max)) > 1e308 else 1.0
    counts, edges = np.histogram(finite * scale, bins, (float(found.min) * scale, float(found.max) * scale))
    np.testing.assert_array_equal(ours[1], counts)
    np.testing.assert_allclose(ours[0] * scale, edges)


def test_a_histogram_over_all_that_floats_can_say() -> None:
    array = np.array([-1.7e308, -1.0, 0.0, 1.0, 1.7e308])
    edges, counts = histogram(array, -1.7e308, 1.7e308, 4)
    assert counts.tolist() == [1, 1, 2, 1]
    np.testing.assert_allclose(edges, [-1.7e308, -0.85e308, 0, 0.85e308, 1.7e308])


def test_percentiles_are_those_of_an_even_sample() -> None:
    found = statistics(np.arange(1_000_001.0))
    assert (found.low, found.high) == (pytest.approx(10_000, rel=1e-3), pytest.approx(990_000, rel=1e-3))


# --- tiles


def taken_apart(tile: bytes) -> tuple[tuple[int, ...], list[Any]]:
    """Header and columns of a tile of blocks."""
    version, level, rows, columns, dtype, *_ = np.frombuffer(tile, "<u4", 8).tolist()
    element = np.dtype(tiles.DTYPES[dtype])
    size, parts, at = rows * columns, [], 32
    for kind in (element, element, element, "<u4", "<u4", "<u4"):
        parts.append(np.frombuffer(tile, kind, size, at).reshape(rows, columns))
        at += parts[-1].nbytes
    assert at == len(tile)
    return (version, level, rows, columns), parts


@pytest.mark.parametrize("dtype", tiles.DTYPES)
def test_a_tile_has_the_values_as_they_are(dtype: str) -> None:
    array = np.arange(200 * 150).reshape(200, 150).astype(dtype)
    tile = tiles.encode_values(tiles.ArrayPlane(array), 1, 1)
    version, level, rows, columns, number, *_ = np.frombuffer(tile, "<u4", 8).tolist()
    assert (version, level, rows, columns, tiles.DTYPES[number]) == (1, 0, 72, 22, dtype)
    np.testing.assert_array_equal(np.frombuffer(tile[32:], dtype).reshape(72, 22), array[128:, 128:])


@pytest.mark.parametrize(
    ("view", "rows", "columns"), [(np.float32(3), 1, 1), (np.arange(7), 1, 7), (np.ones((2, 3)), 2, 3)]
)
def test_a_plane_has_two_axes_whatever_is_left(view: Any, rows: int, columns: int) -> None:
    plane = tiles.ArrayPlane(np.asarray(view))
    assert (plane.rows, plane.columns) == (rows, columns)
    swapped = tiles.ArrayPlane(np.asarray(view), swapped=True)
    assert (swapped.rows, swapped.columns) == (columns, rows)


def test_a_plane_of_three_axes_is_none() -> None:
    with pytest.raises(ValueError, match="has 3"):
        tiles.ArrayPlane(np.ones((2, 2, 2)))


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("shape", [(131, 77), (1, 700), (700, 1), (64, 64), (3, 5)])
def test_blocks_are_what_numpy_finds_in_them(shape: tuple[int, int], odd: bool, level: int) -> None:
    random = np.random.default_rng(3)
    array = random.normal(size=shape).astype(np.float32)
    if odd:
        array[random.random(shape) < 0.2] = np.nan
        array[random.random(shape) < 0.2] = np.inf
        array[random.random(shape) < 0.2] = -np.inf
    plane = tiles.ArrayPlane(array)
    (_, found_level, rows, columns), parts = taken_apart(
        tiles.encode_blocks(plane, lambda: tiles.Pyramid(plane), level, 0, 0)
    )
    size = 1 << level
    assert found_level == level
    assert (rows, columns) == (min(128, -(-shape[0] // size)), min(128, -(-shape[1] // size)))
    low, high, mean, nan, pos_inf, neg_inf = parts
    for row in range(rows):
        for column in range(columns):
            block = array[row * size : (row + 1) * size, column * size : (column + 1) * size]
            finite = block[np.isfinite(block)].astype(float)
            at = (row, column)
            assert (nan[at], pos_inf[at], neg_inf[at]) == (
                np.isnan(block).sum(),
                (block == np.inf).sum(),
                (block == -np.inf).sum(),
            )
            if finite.size:
                assert (low[at], high[at]) == (np.float32(finite.min()), np.float32(finite.max()))
                assert mean[at] == pytest.approx(finite.mean(), rel=1e-5, abs=1e-6)
            else:
                assert np.isnan(mean[at])


def test_difference_tiles_have_a_sign() -> None:
    one, other = np.array([[1, 250], [3, 4]], np.uint8), np.array([[2, 4], [3, 0]], np.uint8)
    plane = tiles.DifferencePlane(tiles.ArrayPlane(one), tiles.ArrayPlane(other))
    tile = tiles.encode_values(plane, 0, 0)
    np.testing.assert_array_equal(np.frombuffer(tile[32:], float).reshape(2, 2), [[-1, 246], [0, 4]])


# --- search


@given(FLOATS, st.sampled_from(["nan", "inf", "not_finite", "min", "max", "zero"]), st.data())
def test_the_next_one_is_the_next_in_c_order(array: Any, name: str, data: st.DataObject) -> None:
    target = search.Target(name)
    start = data.draw(st.integers(-1, array.size - 1))
    backwards = data.draw(st.booleans())
    for view in views(array):
        if start >= view.size:
            continue
        found = statistics(view)
        extreme = found.min if name == "min" else found.max
        if name in ("min", "max") and extreme is None:
            continue
        test = search.matcher(target, extreme)
        marked = np.nonzero(test(view.reshape(-1)))[0].tolist()
        if backwards:
            order = [at for at in reversed(marked) if at < start] + [
                at for at in reversed(marked) if at >= max(0, start)
            ]
        else:
            order = [at for at in marked if at > start] + [at for at in marked if at <= start]
        assert search.find([view], test, start, backwards) == (order[0] if order else None)


def test_a_search_may_stop_at_the_end() -> None:
    array = np.array([np.nan, 1, 2])
    test = search.matcher(search.Target.NAN, None)
    assert search.find([array], test, 0, around=False) is None
    assert search.find([array], test, 0) == 0


# --- differences


@given(FLOATS, st.data(), st.floats(0, 1), st.floats(0, 1))
def test_the_tolerance_is_that_of_allclose(one: Any, data: st.DataObject, rtol: float, atol: float) -> None:
    changes = data.draw(arrays.arrays(one.dtype, one.shape))
    with np.errstate(all="ignore"):
        other = np.where(data.draw(arrays.arrays(bool, one.shape)), one, changes)
    with np.errstate(all="ignore"):
        close = np.isclose(one.astype(float), other.astype(float), rtol, atol, equal_nan=True)
    found = difference.difference(one, other, rtol, atol)
    assert found.outside == int((~close).sum())
    assert found.equal == int(((one == other) | (np.isnan(one) & np.isnan(other))).sum())
    both = np.isfinite(one) & np.isfinite(other)
    with np.errstate(all="ignore"):
        apart = np.abs(one.astype(float) - other.astype(float))
    assert found.max_absolute == (apart[both].max() if both.any() else 0)
    sizes = [np.inf if np.isnan(pair.absolute) else pair.absolute for pair in found.worst]
    assert sizes == sorted(sizes, reverse=True)
    different = ~((one == other) | (np.isnan(one) & np.isnan(other)))
    assert len(found.worst) == min(difference.WORST, int(different.sum()))
    expected = np.sort(np.where(np.isnan(apart), np.inf, apart)[different])[::-1][: difference.WORST]
    np.testing.assert_array_equal(sizes, expected)


@given(st.sampled_from([np.float16, np.float32, np.float64]), st.data())
def test_ulps_count_the_numbers_in_between(dtype: Any, data: st.DataObject) -> None:
    width = np.dtype(dtype).itemsize * 8
    start = data.draw(st.floats(width=width, allow_nan=False, allow_infinity=False))
    steps = data.draw(st.integers(0, 50))
    up = data.draw(st.booleans())
    one = np.array([start], dtype)
    other = one
    with np.errstate(all="ignore"):
        for _ in range(steps):
            other = np.nextafter(other, dtype(np.inf if up else -np.inf))
    if np.isfinite(other).all():
        # Both zeros are one number: nextafter passes from one side to the other in a single step as well.
        found = difference.ulps(one, other)
        assert found is not None
        assert int(found[0]) == steps


def test_ulps_over_the_whole_range_do_not_overflow() -> None:
    most = np.finfo(np.float64).max
    found = difference.ulps(np.array([-most]), np.array([most]))
    assert found is not None
    assert int(found[0]) == 2 * (0x7FEFFFFFFFFFFFFF)


def test_whole_numbers_differ_exactly() -> None:
    one = np.array([2**53 + 1, 5, -(2**63)])
    other = np.array([2**53, 5, 2**63 - 1])
    found = difference.difference(one, other, 0, 0)
    assert (found.equal, found.outside, found.max_ulp) == (1, 2, None)
    assert [pair.absolute for pair in found.worst] == [float(2**64 - 1), 1.0]


def test_what_is_not_finite_on_one_side_comes_first() -> None:
    one = np.array([1.0, np.nan, np.inf, np.nan, 5.0])
    other = np.array([1.5, 2.0, 3.0, np.nan, -5.0])
    found = difference.difference(one, other, 1e-3, 1e-6)
    assert [pair.number for pair in found.worst] == [1, 2, 4, 0]
    assert found.worst[0].ulp is None
    assert found.outside == 4


def test_cosine_and_mean() -> None:
    random = np.random.default_rng(1)
    one, other = random.normal(size=500), random.normal(size=500)
    found = difference.difference(one, other, 0, 0)
    assert found.cosine == pytest.approx(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
    assert found.mean_absolute == pytest.approx(np.abs(one - other).mean())
    assert difference.difference(np.zeros(3), np.zeros(3), 0, 0).cosine is None


# --- files


@given(NUMBERS)
def test_a_file_is_what_numpy_saves(array: Any) -> None:
    for view in views(array):
        found = np.load(io.BytesIO(b"".join(downloads.npy_pieces(view))))
        np.testing.assert_array_equal(found, view)
        assert (found.dtype, found.shape) == (view.dtype, view.shape)


@given(
    arrays.arrays(
        st.sampled_from([np.float16, np.float32, np.float64, np.int64, np.bool_]),
        st.sampled_from([(), (5,), (3, 4), (2, 3, 4)]),
    )
)
def test_csv_reads_back_bit_for_bit(array: Any) -> None:
    lines = list(csv.reader(io.StringIO(b"".join(downloads.csv_pieces(array)).decode())))
    if array.ndim > 2:
        assert lines.pop(0) == ["axis 0", "axis 1", "axis 2", "value"]
        for *index, text in lines:
            value = array[tuple(map(int, index))]
            assert np.isnan(value) or (text == "True" if array.dtype == bool else array.dtype.type(text)) == value
        assert len(lines) == array.size
        return
    texts = np.array(lines)
    found = (texts == "True") if array.dtype == bool else texts.astype(array.dtype)
    np.testing.assert_array_equal(found.reshape(array.shape), array)
