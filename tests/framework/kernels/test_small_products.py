"""Small products of matrices by the compiled loops against numpy in Float64, as the matrices lie in memory."""

import numpy as np
import pytest

from framework.kernels.loops.library import LOOPS, address

if LOOPS is None:
    pytest.skip("there are no compiled loops here", allow_module_level=True)

RNG = np.random.default_rng(4)


def matrix(rows: int, columns: int, *, turned: bool, apart: int = 0) -> np.ndarray:
    shape = (columns, rows + apart) if turned else (rows, columns + apart)
    made = RNG.standard_normal(shape, np.float32)
    return made[:, :rows].T if turned else made[:, :columns]


@pytest.mark.parametrize("turned_b", [False, True])
@pytest.mark.parametrize("turned_a", [False, True])
@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [(1, 1, 1), (3, 5, 7), (8, 16, 32), (9, 17, 33), (32, 16, 10), (13, 100, 48), (70, 33, 65), (5, 40, 16)],
)
@pytest.mark.parametrize("apart", [0, 3])
def test_products(rows: int, inner: int, columns: int, apart: int, *, turned_a: bool, turned_b: bool) -> None:
    a = matrix(rows, inner, turned=turned_a, apart=apart)
    b = matrix(inner, columns, turned=turned_b, apart=apart)
    made, room = np.full((rows, columns + 2), 7, np.float32), np.empty((inner, 32), np.float32)
    steps = (step // 4 for array in (a, b) for step in array.strides)
    LOOPS.small_product(*map(address, (a, b, made, room)), rows, inner, columns, *steps, columns + 2)
    wide = a.astype(np.float64), b.astype(np.float64)
    assert (abs(made[:, :-2] - np.matmul(*wide)) <= 1e-6 * np.matmul(*map(abs, wide)) + 1e-30).all()
    assert (made[:, -2:] == 7).all()


def test_batches() -> None:
    a, b = RNG.standard_normal((3, 6, 9), np.float32), RNG.standard_normal((3, 9, 20), np.float32)
    made, room = np.empty((3, 6, 20), np.float32), np.empty((9, 32), np.float32)
    sizes = np.array([6, 9, 20, 9, 1, 20, 1, 20], np.int64)
    LOOPS.small_products(*map(address, (a, b, made, room, sizes)), 3, 54, 180, 120)
    np.testing.assert_allclose(made, np.matmul(a, b), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [(1, 5, 1), (3, 700, 1), (1, 5003, 1), (2, 3, 4), (1, 1000, 17)])
def test_sums_over_an_axis(shape: tuple[int, int, int]) -> None:
    x = RNG.standard_normal(shape, np.float32)
    made = np.empty((shape[0], shape[2]), np.float32)
    LOOPS.sum_axis(address(x), address(made), *shape, 1.0)
    np.testing.assert_array_equal(made, x.sum(1))
    LOOPS.sum_axis(address(x), address(made), *shape, float(shape[1]))
    np.testing.assert_array_equal(made, x.mean(1))
