"""Functions of matrices, their diagonals and of ranks, with their derivatives, against numpy, in both modes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import linalg

import framework as ms
from framework import Tensor, ops

RNG = np.random.default_rng(23)
X = RNG.standard_normal((3, 4))
SQUARE = RNG.standard_normal((3, 3)) + 2 * np.eye(3)
BATCH = RNG.standard_normal((2, 3, 3)) + 2 * np.eye(3)
CUBE = RNG.standard_normal((3, 2, 4))
FACTORS, PIVOTS = zip(*(linalg.lu_factor(matrix) for matrix in BATCH[:, ::-1]), strict=True)
HOLES = np.where(RNG.random((4, 7)) < 0.3, np.nan, RNG.standard_normal((4, 7)))
SHARES = np.array([0.1, 0.5, 1.0])


def dense(bands: np.ndarray) -> np.ndarray:
    """Diagonals 1, 0 and -1 of 4 x 4, those above aligned on the right, those below on the left."""
    out = np.diag(bands[1])
    return out + np.diag(bands[0, 1:], 1) + np.diag(bands[2, :3], -1)


def set_bands(x: np.ndarray, above: np.ndarray, main: np.ndarray) -> np.ndarray:
    out = x.copy()
    for row in range(3):
        out[row, row] = main[row]
        out[row, row + 1] = above[row]
    return out


CASES: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any], np.ndarray]] = [
    ("qr", lambda x: ops.abs(ops.qr(x)[1]), lambda x: abs(np.linalg.qr(x)[1]), X.T),
    ("svd", lambda x: ops.svd(x, compute_uv=False), lambda x: np.linalg.svd(x, compute_uv=False), X),
    ("svd-abs", lambda x: ops.abs(ops.svd(x)[2]), lambda x: abs(np.linalg.svd(x, False)[2].T), X),
    ("pinv", ops.pinv, np.linalg.pinv, X),
    ("pinv-batch", ops.pinv, np.linalg.pinv, CUBE),
    ("lstsq", lambda x: ops.lstsq(x, ops.ones((4,), ms.float64)),
     lambda x: np.linalg.lstsq(x, np.ones((4, 1)))[0], X.T),
    ("lstsq-wide", lambda x: ops.lstsq(x, x[:, :2]), lambda x: np.linalg.lstsq(x, x[:, :2])[0], X),
    ("slogdet", lambda x: ops.stack(ops.slogdet(x * -100.0)), lambda x: np.stack(np.linalg.slogdet(x * -100)), BATCH),
    ("matrix_exp", lambda x: ops.matrix_exp(x * 0.3), lambda x: linalg.expm(x * 0.3), BATCH),
    ("cholesky_inverse", ops.cholesky_inverse, lambda x: np.linalg.inv(np.tril(x) @ np.tril(x).T), SQUARE),
    ("cholesky_inverse-upper", lambda x: ops.cholesky_inverse(x, True),
     lambda x: np.linalg.inv(np.triu(x).T @ np.triu(x)), SQUARE),
    ("lu_solve", lambda b: ops.lu_solve(b, Tensor(np.stack(FACTORS)), Tensor(np.stack(PIVOTS) + 1)),
     lambda b: np.linalg.solve(BATCH[:, ::-1], b), RNG.standard_normal((2, 3, 2))),
    ("batch_dot", lambda x: ops.batch_dot(x, x, (2, 2)), lambda x: np.einsum("bij,bkj->bik", x, x), CUBE),
    ("batch_dot-vector", lambda x: ops.batch_dot(x[:, 0], x, (1, 2)),
     lambda x: np.einsum("bj,bkj->bk", x[:, 0], x), CUBE),
    ("band_part", lambda x: ops.matrix_band_part(x, 1, -1) + ops.matrix_band_part(x, Tensor(0), 1),
     lambda x: np.triu(x, -1) + np.triu(np.tril(x, 1)), CUBE),
    ("diag_part", lambda x: ops.matrix_diag_part(x, 1, 0.0), lambda x: np.diagonal(x, 1, 1, 2), CUBE),
    ("diag_part-bands", lambda x: ops.matrix_diag_part(x, (-1, 2), 7.0, "LEFT_RIGHT"), lambda x: np.array(
        [[x[0, 2], x[1, 3], 7.0], [x[0, 1], x[1, 2], x[2, 3]], [x[0, 0], x[1, 1], x[2, 2]],
         [7.0, x[1, 0], x[2, 1]]]), X),
    ("matrix_diag", lambda x: ops.matrix_diag(x, (-1, 1)), dense, RNG.standard_normal((3, 4))),
    ("matrix_diag-tall", lambda x: ops.matrix_diag(x, 0, 6, 4, 0.5), lambda x: np.stack(
        [np.where(np.eye(6, 4) > 0, row, 0.5) for row in x]), X),
    ("matrix_diag-there-and-back", lambda x: ops.matrix_diag_part(
        ops.matrix_diag(x, (-2, 0), 5, -1, 0, "RIGHT_RIGHT"), (-2, 0), 0, "RIGHT_RIGHT"),
     lambda x: np.where(np.arange(12).reshape(3, 4) == 8, 0, x), CUBE[:, [0, 1, 0]]),
    ("set_diag", lambda x: ops.matrix_set_diag(x, ops.stack((x[:, 3], x[:, 0] * 2.0)), (0, 1)),
     lambda x: set_bands(x, x[:, 3], x[:, 0] * 2), X),
    ("diagonal_scatter", lambda x: ops.diagonal_scatter(x, x[:, :, 0].T, 1, 0, 2),
     lambda x: scattered(x, x[:, :, 0].T), CUBE),
    ("fill_diagonal", lambda x: ops.fill_diagonal(x, 3.0), lambda x: np.where(np.eye(3, 4) > 0, 3, x), X),
    ("fill_diagonal-wrapped", lambda x: ops.fill_diagonal(x[:, :2].reshape((-1, 1)), 3.0, True).sum(1),
     lambda x: np.where(np.arange(6) % 2 == 0, 3, x[:, :2].ravel()), X),
    *((f"norm-{order}", lambda x, o=order: ops.norm(x, o, (2, 0)),
       lambda x, o=order: np.linalg.norm(x, o, (2, 0)), CUBE)
      for order in (None, "fro", "nuc", np.inf, -np.inf, 1, -1, 2, -2)),
    *((f"norm-{order}-kept", lambda x, o=order: x.norm(o, (0, 2), True),
       lambda x, o=order: np.linalg.norm(x, o, (0, 2), True), CUBE) for order in ("nuc", np.inf, 1)),
    ("norm-of-all", lambda x: ops.norm(x, 1) + ops.norm(x, np.inf), lambda x: np.linalg.norm(x, 1)
     + np.linalg.norm(x, np.inf), X),
    ("norm-of-a-volume", ops.norm, lambda x: np.linalg.norm(x.ravel()), CUBE),
    ("quantile", lambda x: ops.quantile(x, 0.3), lambda x: np.quantile(x, 0.3), CUBE),
    ("quantiles", lambda x: ops.quantile(x, Tensor(SHARES), 1, True),
     lambda x: np.quantile(x, SHARES, 1, keepdims=True), CUBE),
    ("quantiles-of-all", lambda x: ops.quantile(x, Tensor(SHARES), None, True),
     lambda x: np.quantile(x, SHARES, keepdims=True), CUBE),
    ("nanquantile", lambda x: ops.nanquantile(x, Tensor(SHARES), -1), lambda x: np.nanquantile(x, SHARES, -1), HOLES),
    ("nanquantile-first", lambda x: ops.nanquantile(x, 0.25, 0, True),
     lambda x: np.nanquantile(x, 0.25, 0, keepdims=True), HOLES),
    ("nanmedian", lambda x: ops.nanmedian(x, 1)[0], lambda x: np.nanquantile(x, 0.5, 1, method="inverted_cdf"), HOLES),
    ("logcumsumexp", lambda x: ops.logcumsumexp(x * 30.0, 1), lambda x: np.logaddexp.accumulate(x * 30, 1), X),
    ("logcumsumexp-first", lambda x: ops.logcumsumexp(x, 0), lambda x: np.logaddexp.accumulate(x, 0), CUBE),
]  # fmt: skip


def scattered(x: np.ndarray, src: np.ndarray) -> np.ndarray:
    out = x.copy()
    for place in range(src.shape[1]):
        out[place, :, place + 1] = src[:, place]
    return out


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_like_numpy_with_derivatives(case: tuple[str, Any, Any, np.ndarray]) -> None:
    _, ours, theirs, x = case
    along, step = RNG.standard_normal(x.shape), 1e-6
    slope = (np.sin(theirs(x + step * along)).sum() - np.sin(theirs(x - step * along)).sum()) / (2 * step)
    gradient = ms.grad(lambda x: ops.sin(ours(x)).sum())
    for run, derive in ((ours, gradient), (ms.jit(ours), ms.jit(gradient))):
        np.testing.assert_allclose(run(Tensor(x)).asnumpy(), theirs(x), rtol=1e-9, atol=1e-9)
        if not np.isnan(x).any():
            assert float((derive(Tensor(x)) * Tensor(along)).sum()) == pytest.approx(slope, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("run", [lambda function: function, ms.jit], ids=["pynative", "graph"])
def test_places_and_buckets(run: Any) -> None:
    values, places = run(lambda x: ops.nanmedian(x, 1, True))(Tensor(HOLES))
    np.testing.assert_array_equal(np.take_along_axis(HOLES, places.asnumpy(), 1), values.asnumpy())
    edges = [-1.0, 0.0, 0.5]
    x = np.array([[-1.0, 0.2], [0.5, 9.0]])
    for right in (False, True):
        found = run(lambda x, right=right: ops.bucketize(x, edges, right=right))(Tensor(x)).asnumpy()
        np.testing.assert_array_equal(found, np.searchsorted(edges, x, "right" if right else "left"))
    assert np.isnan(float(run(lambda x: ops.quantile(x, 0.5))(Tensor(HOLES))))
    q, r = run(lambda x: ops.qr(x, "complete"))(Tensor(X.T))
    assert (q.shape, r.shape) == ((4, 4), (4, 3))
    np.testing.assert_allclose((q @ r).asnumpy(), X.T, atol=1e-12)
    u, v = run(lambda x: ops.svd(x, True))(Tensor(X))[1:]
    assert (u.shape, v.shape) == ((3, 3), (4, 4))


@pytest.mark.parametrize("run", [lambda function: function, ms.jit], ids=["pynative", "graph"])
def test_what_does_not_fit_is_refused(run: Any) -> None:
    for asked, message in (
        (lambda x: ops.qr(x, "r"), "mode must be 'reduced' or 'complete', not 'r'"),
        (ms.grad(lambda x: ops.qr(x)[1].sum()), r"at least as many rows as columns, not \(3, 4\)"),
        (ms.grad(lambda x: ops.svd(x, True)[1].sum()), "with full_matrices has no gradient"),
        (lambda x: ops.matrix_diag_part(x, 4, 0.0), "3 rows and 4 columns has no diagonals 4 to 4"),
        (lambda x: ops.matrix_set_diag(x, x[0]), r"have shape \(3,\), not \(4,\)"),
        (lambda x: ops.matrix_diag(x, (0, 1)), "does not fit diagonals 0 to 1"),
        (lambda x: ops.batch_dot(x, x, (0, 1)), r"axes \(0, 1\) do not match in shapes \(3, 4\) and \(3, 4\)"),
        (lambda x: ops.quantile(x, 1.5), "q must lie from 0 to 1, not 1.5"),
    ):
        with pytest.raises(ValueError, match=message):
            run(asked)(Tensor(X))


@pytest.mark.parametrize("run", [lambda function: function, ms.jit], ids=["pynative", "graph"])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)], ids=["square", "tall", "wide"])
def test_factors_are_taken_out_of_their_form(run: Any, shape: tuple[int, int]) -> None:
    matrix = np.random.default_rng(5).standard_normal(shape)
    data, pivots = linalg.lu_factor(matrix)
    found = run(ops.lu_unpack)(Tensor(data), Tensor(pivots + 1))
    for got, wanted in zip(found, linalg.lu(matrix), strict=True):
        np.testing.assert_allclose(got.asnumpy(), wanted, atol=1e-12)
    assert ops.lu_unpack(Tensor(data), Tensor(pivots + 1), False)[1:] == (None, None)
    assert ops.lu_unpack(Tensor(data), Tensor(pivots + 1), True, False)[0] is None


@pytest.mark.parametrize("run", [lambda function: function, ms.jit], ids=["pynative", "graph"])
def test_numbers_and_shapes(run: Any) -> None:
    x = Tensor(X)
    assert run(lambda x: ops.dyn_shape(x))(x).tolist() == [3, 4]
    assert run(lambda: ops.range(1, 10, 3))().tolist() == [1, 4, 7]
    np.testing.assert_allclose(run(lambda x: x * ops.scalar_cast(2.9, ms.int32))(x).asnumpy(), X * 2)
    labels = Tensor(np.array([0, 1, 2], np.int32))
    wanted = [label in np.argsort(-row)[:2] for label, row in enumerate(X)]
    assert run(lambda x: ops.intopk(x, labels, 2))(x.astype(ms.float32)).tolist() == wanted


def test_norms_that_do_not_exist() -> None:
    assert float(ops.norm(Tensor([[1, 2], [3, 4]]))) == pytest.approx(30**0.5)
    for order, axes, error in ((3, None, ValueError), (1, (0, 1, 2), ValueError), ("nuc", 1, TypeError)):
        with pytest.raises(error, match="norm: "):
            ops.norm(Tensor(CUBE if axes else X), order, axes)
