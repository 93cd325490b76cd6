"""The compiled loops against numpy: pooling, softmax, normalization, with bounds for each; rows by indices."""

from pathlib import Path

import numpy as np
import pytest

from framework.common import threads
from framework.kernels import gathering, loops, normalization, pooling, softmax
from framework.kernels.loops.library import LOOPS, Loops
from framework.kernels.windows import Window
from summaries.kernel.loading import UnusableError

pytestmark = pytest.mark.skipif(LOOPS is None, reason="nothing was compiled here")
RNG = np.random.default_rng(3)

WINDOWS = {
    "2 x 2": ((3, 2, 8, 10), Window((2, 2), (2, 2))),
    "2 x 2, five in a row": ((2, 3, 6, 10), Window((2, 2), (2, 2))),
    "2 x 2, two in a row": ((2, 3, 6, 5), Window((2, 2), (2, 2))),
    "2 x 2, many in a row": ((2, 2, 4, 39), Window((2, 2), (2, 2))),
    "2 x 2 with rows left over": ((2, 3, 9, 7), Window((2, 2), (2, 2))),
    "3 x 3 by 2, padded": ((2, 3, 11, 12), Window((3, 3), (2, 2), (1, 1, 1, 1))),
    "overlapping": ((1, 2, 7, 9), Window((3, 2), (1, 1))),
    "with gaps": ((2, 1, 9, 11), Window((2, 1), (3, 4))),
    "same": ((2, 2, 9, 8), Window((3, 2), (2, 3), same=True)),
    "over the edge": ((2, 2, 8, 7), Window((3, 3), (2, 2), (1, 1, 1, 1), ceil=True)),
    "all of it": ((2, 5, 6, 40), Window((6, 40), (6, 40))),
    "more padding than image": ((1, 1, 1, 2), Window((3, 3), (1, 1), (2, 2, 2, 2))),
}


@pytest.fixture(params=[1, 3], ids=["one thread", "three threads"], autouse=True)
def _threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_LEAST_WORK", 0)
    monkeypatch.setattr(threads, "_wanted", request.param)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape, np.float32)


@pytest.mark.parametrize("case", WINDOWS)
def test_pooling_is_numpys(case: str) -> None:
    shape, window = WINDOWS[case]
    # Few values, so that windows have several largest elements, of which the first counts.
    x = np.round(floats(*shape) * 2)
    largest = pooling.max_pool(np, x, window)
    dout = floats(*largest.shape)
    np.testing.assert_array_equal(loops.max_pool(x, window), largest)
    np.testing.assert_allclose(
        loops.max_pool_grad(x, largest, dout, window), pooling.max_pool_grad(np, x, largest, dout, window), atol=1e-6
    )
    for counts, divisor in ((False, None), (True, None), (False, 7)):
        made = loops.avg_pool(x, window, counts, divisor)
        np.testing.assert_allclose(made, pooling.avg_pool(np, x, window, counts, divisor), rtol=1e-5, atol=1e-6)
        made = loops.avg_pool_grad(dout, shape, window, counts, divisor)
        wanted = pooling.avg_pool_grad(np, dout, shape, window, counts, divisor)
        np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-6)


def test_what_is_no_number_wins() -> None:
    x = floats(1, 2, 4, 6)
    x[0, 0, 1, 2] = x[0, 1, 3, 3] = np.nan
    x[0, 0, 2, 0] = -np.inf
    window = Window((2, 3), (2, 3))
    np.testing.assert_array_equal(loops.max_pool(x, window), pooling.max_pool(np, x, window))


def test_results_are_where_they_are_wanted() -> None:
    x, window = floats(2, 3, 4, 4), Window((2, 2), (2, 2))
    rows, strided = np.empty((2, 3, 2, 2), np.float32), np.empty((2, 3, 2, 4), np.float32)[..., ::2]
    for out in (rows, strided):
        assert loops.max_pool(x, window, out) is out
        np.testing.assert_array_equal(out, pooling.max_pool(np, x, window))
    out = floats(5, 33)
    wanted = softmax.softmax(np, out.copy(), (-1,))
    assert loops.softmax(out, (1,), out) is out
    np.testing.assert_allclose(out, wanted, rtol=1e-5)


@pytest.mark.parametrize("width", [1, 10, 16, 100, 1031])
@pytest.mark.parametrize("scale", [1, 30, 1e4])
def test_softmax_within_a_millionth_and_what_its_input_is_rounded_by(width: int, scale: float) -> None:
    x = floats(7, width) * np.float32(scale)
    wide = x.astype(np.float64)
    wanted = softmax.softmax(np, wide, (-1,))
    # The difference to the largest number is rounded too.
    rounded = 2.0**-23 * (wide.max(axis=-1, keepdims=True) - wide)
    assert (abs(loops.softmax(x, (-1,)) - wanted) <= wanted * (1e-6 + rounded) + 1e-37).all()
    bound = 2e-7 * abs(wide).max() + 1e-6
    np.testing.assert_allclose(loops.log_softmax(x, -1), softmax.log_softmax(np, wide, -1), rtol=1e-6, atol=bound)


def test_softmax_of_infinities_is_numpys() -> None:
    x = np.array([[0, -np.inf, 1], [np.nan, 0, 1], [1e38, -1e38, 0]], np.float32)
    np.testing.assert_allclose(loops.softmax(x, (-1,)), softmax.softmax(np, x, (-1,)), rtol=1e-6)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize(("rows", "classes"), [(32, 10), (3, 1000), (1, 1)])
def test_cross_entropy(rows: int, classes: int, kind: type) -> None:
    logits, labels = floats(rows, classes) * 5, RNG.integers(0, classes, rows).astype(kind)
    wide = logits.astype(np.float64)
    wanted = softmax.cross_entropy(np, wide, labels)
    np.testing.assert_allclose(loops.cross_entropy(logits, labels), wanted, rtol=1e-6, atol=1e-6)
    made = loops.cross_entropy_grad(logits, labels, np.float32(0.25))
    np.testing.assert_allclose(made, softmax.cross_entropy_grad(np, wide, labels, 0.25), rtol=2e-5, atol=1e-7)


@pytest.mark.parametrize(("shape", "begin"), [((4, 6), 1), ((3, 5, 33), 2), ((20, 3, 16), 1)])
def test_layer_normalization(shape: tuple[int, ...], begin: int) -> None:
    x, dy, gamma, beta = floats(*shape) + 2, floats(*shape), floats(*shape[begin:]), floats(*shape[begin:])
    given = loops.layer_norm(x, gamma, beta, begin, 1e-5)
    wide = [part.astype(np.float64) for part in (x, dy, gamma, beta)]
    wanted = normalization.layer_norm(np, wide[0], wide[2], wide[3], begin, 1e-5)
    back = loops.layer_norm_grad(x, dy, given[2], given[1], gamma, begin, 1e-5)
    wanted += normalization.layer_norm_grad(np, wide[0], wide[1], wanted[2], wanted[1], wide[2], begin, 1e-5)
    for made, exact in zip(given + back, wanted, strict=True):
        assert made.shape == exact.shape
        np.testing.assert_allclose(made, exact, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(8, 3), (4, 5, 7), (3, 4, 9, 10)])
def test_batch_normalization(shape: tuple[int, ...]) -> None:
    x, dy, scale, bias = floats(*shape) + 2, floats(*shape), floats(shape[1]), floats(shape[1])
    given = loops.batch_norm(x, scale, bias, 1e-5)
    wide = [part.astype(np.float64) for part in (x, dy, scale, bias)]
    wanted = normalization.batch_norm(np, wide[0], wide[2], wide[3], 1e-5)
    back = loops.batch_norm_grad(dy, x, scale, given[1], given[2], 1e-5)
    wanted += normalization.batch_norm_grad(np, wide[1], wide[0], wide[2], wanted[1], wanted[2], 1e-5)
    for made, exact in zip(given + back, wanted, strict=True):
        assert made.shape == exact.shape
        np.testing.assert_allclose(made, exact, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize(("shape", "at"), [((9, 5), 0), ((3, 9, 4), 1), ((2, 3, 9), 2)])
def test_slices_are_added_where_indices_point(shape: tuple[int, ...], at: int, kind: type) -> None:
    indices = RNG.integers(-9, 9, (4, 6)).astype(kind)
    dout = floats(*shape[:at], 4, 6, *shape[at + 1 :])
    wanted = gathering.gather_grad(np, dout.astype(np.float64), indices, at, shape, 0)
    np.testing.assert_allclose(loops.gather_grad(dout, indices, at, shape, 0), wanted, rtol=1e-5, atol=1e-5)
    indices[2, 3] = 9
    assert loops.gather_grad(dout, indices, at, shape, 0) is NotImplemented


def test_what_is_left_to_numpy() -> None:
    x, row = floats(2, 3, 4, 4), floats(3)
    assert loops.max_pool(x.astype(np.float64), Window((2, 2))) is NotImplemented
    assert loops.max_pool(x, Window((2, 2), dilation=(2, 2))) is NotImplemented
    assert loops.max_pool(x[:0], Window((2, 2))) is NotImplemented
    assert loops.softmax(x, (1,)) is NotImplemented
    labels = np.zeros(3, np.int32)
    assert loops.cross_entropy(floats(4, 5), labels) is NotImplemented
    assert loops.cross_entropy_grad(floats(3, 5), labels, np.float64(1)) is NotImplemented
    assert loops.layer_norm(x, row, row, 1, 1e-5) is NotImplemented
    assert loops.batch_norm(x, row.astype(np.float16), row, 1e-5) is NotImplemented


def test_a_library_of_another_source_is_not_used(tmp_path: Path) -> None:
    other = tmp_path / "_loops.so"
    other.write_bytes(b"something")
    with pytest.raises(UnusableError, match=r"another version of loops\.c"):
        Loops(other)
