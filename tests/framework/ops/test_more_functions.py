"""Functions composed of others, compared with numpy and scipy, in both modes."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from scipy import linalg, signal, spatial, special, stats

import framework as ms
from framework import Tensor, nn, ops

RNG = np.random.default_rng(3)
X = RNG.standard_normal((3, 4))
Y = RNG.standard_normal((3, 4))
SIGNS = np.array([[1.0, -1.0, 1.0, -1.0]])
SQUARE = RNG.standard_normal((3, 3)) @ np.diag([1, 2, 3.0]) + 4 * np.eye(3)
BATCH = RNG.standard_normal((2, 4, 3, 2))
EXTREMES = np.array([[0.0, -0.0, np.inf, -np.inf], [np.nan, 1.0, -2.5, 3.0]])
Two = Callable[[Any, Any], Any]


def cross_entropy(p: Any, y: Any) -> Any:
    return -(y * np.log(p) + (1 - y) * np.log(1 - p)).mean()


def rows_convolved(x: Any, y: Any) -> Any:
    spread = np.zeros((*y.shape[:2], 2 * y.shape[2] - 1))
    spread[..., ::2] = y
    windows = sliding_window_view(np.pad(x, ((0, 0), (0, 0), (2, 2))), spread.shape[2], axis=2)
    return np.einsum("nclk,ock->nol", windows, spread) + y[:, :1, 0]


PROBABLE = special.expit(Y)

WINDOWS = (ops.hann_window, ops.hamming_window, ops.blackman_window, ops.bartlett_window)

#: Ours and numpy's, and what both get.
CASES: list[tuple[str, Two, Two, Any, Any]] = [
    ("log2", lambda x, _: ops.log2(x), lambda x, _: np.log2(x), X**2, Y),
    ("log10", lambda x, _: ops.log10(x), lambda x, _: np.log10(x), X**2, Y),
    ("logaddexp", ops.logaddexp, np.logaddexp, X * 900, Y * 900),
    ("logaddexp2", ops.logaddexp2, np.logaddexp2, X, Y),
    ("logit", lambda x, _: ops.logit(x, 0.1), lambda x, _: special.logit(x.clip(0.1, 0.9)), PROBABLE, Y),
    ("hypot", ops.hypot, np.hypot, X, Y),
    ("frac", lambda x, _: ops.frac(x * 3), lambda x, _: np.modf(x * 3)[0], X, Y),
    ("angles", lambda x, _: ops.rad2deg(ops.deg2rad(x) * 2), lambda x, _: x * 2, X, Y),
    ("fmax", lambda x, _: ops.fmax(x, 0.5), lambda x, _: np.fmax(x, 0.5), EXTREMES, Y),
    ("fmin", ops.fmin, np.fmin, X, Y),
    ("heaviside", lambda x, y: ops.heaviside(x[0], y[0]), lambda x, y: np.heaviside(x[0], y[0]), EXTREMES, X),
    ("signbit", lambda x, _: ops.signbit(x[0]), lambda x, _: np.signbit(x[0]), EXTREMES, Y),
    ("copysign", ops.copysign, np.copysign, X, Y),
    ("ldexp", lambda x, y: ops.ldexp(x, ops.round(y)), lambda x, y: x * 2 ** np.round(y), X, Y),
    ("sinc", lambda x, _: ops.sinc(x), lambda x, _: np.sinc(x), np.array([0, 0.5, 1.25]), Y),
    ("infinite", lambda x, _: ops.stack((ops.isposinf(x), ops.isneginf(x))),
     lambda x, _: np.stack((np.isposinf(x), np.isneginf(x))), EXTREMES, Y),
    ("addc", lambda x, y: ops.addcmul(x, x, y, 3) + ops.addcdiv(x, x, y, 2), lambda x, y: x + 3 * x * y + x + 2 * x / y,
     X, Y),
    ("names", lambda x, y: ops.subtract(ops.absolute(x), ops.negative(y), alpha=2) + ops.arcsin(ops.clip(x, -1, 1)),
     lambda x, y: np.abs(x) + 2 * y + np.arcsin(x.clip(-1, 1)), X, Y),
    ("remainders", lambda x, y: ops.stack((ops.fmod(x, y), ops.remainder(x, y), ops.floor_divide(x, y))),
     lambda x, y: np.stack((np.fmod(x, y), np.mod(x, y), np.floor(x / y))), X * 5, Y),
    ("addmm", lambda x, y: ops.addmm(x, y, ops.mm(ops.t(y), x), beta=2, alpha=3),
     lambda x, y: 2 * x + 3 * (y @ y.T @ x), X, Y),
    ("vectors", lambda x, y: ops.addmv(x[:, 0], x, y[0]) + ops.mv(x, y[1]), lambda x, y: x[:, 0] + x @ (y[0] + y[1]),
     X, Y),
    ("addr", lambda x, y: ops.addr(x, y[:, 0], y[0], alpha=2), lambda x, y: x + 2 * np.outer(y[:, 0], y[0]), X, Y),
    ("batches", lambda x, y: ops.baddbmm(x, x, y),
     lambda x, y: x + x @ y, RNG.standard_normal((2, 3, 3)), RNG.standard_normal((2, 3, 3))),
    ("addbmm", lambda x, y: ops.addbmm(x[0], x, y), lambda x, y: x[0] + (x @ y).sum(0),
     RNG.standard_normal((2, 3, 3)), RNG.standard_normal((2, 3, 3))),
    ("products", lambda x, y: x.mm(ops.t(y)) + x.mv(y[0]), lambda x, y: x @ y.T + x @ y[0], X, Y),
    ("full_like", lambda x, _: ops.full_like(x, 2.5), lambda x, _: np.full_like(x, 2.5), X, Y),
    ("conv1d", lambda x, y: ops.conv1d(x, y, y[:, 0, 0], 1, "pad", 2, 2),
     rows_convolved,
     RNG.standard_normal((2, 3, 9)), RNG.standard_normal((4, 3, 3))),
    ("accumulate_n", lambda x, y: ops.accumulate_n((x, y, x)), lambda x, y: x + y + x, X, Y),
    ("clip_by_norm", lambda x, y: ops.concat(ops.clip_by_norm((x, y), 0.5)) + ops.clip_by_norm(x[0], 1e9),
     lambda x, y: np.concatenate((x, y)) * 0.5 / (np.sqrt((x**2).sum() + (y**2).sum()) + 1e-6) + x[0], X, Y),
    ("clip_by_norm-largest", lambda x, y: ops.stack(ops.clip_by_norm((x, y), 0.5, float("inf"))),
     lambda x, y: np.stack((x, y)) * 0.5 / (max(abs(x).max(), abs(y).max()) + 1e-6), X, Y),
    ("renorm", lambda x, _: ops.renorm(x, 2, 1, 1.0),
     lambda x, _: x * np.minimum(1, 1 / np.sqrt((x**2).sum((0, 2), keepdims=True))), BATCH[0], Y),
    ("nanmean", lambda x, _: ops.nanmean(x[:, :2], 1, True), lambda x, _: np.nanmean(x[:, :2], 1, keepdims=True),
     np.array([[np.nan, 1.0, 2.0], [3.0, 5.0, 1.0]]), Y),
    ("trapz", lambda x, y: ops.trapz(x, ops.cumsum(y * y, 0), dim=0) + ops.trapz(x[0], dx=0.5),
     lambda x, y: np.trapezoid(x, np.cumsum(y * y, 0), axis=0) + np.trapezoid(x[0], dx=0.5), X, Y),
    ("cumulative_trapezoid", lambda x, _: ops.cumulative_trapezoid(x, dx=2.0, dim=0),
     lambda x, _: np.cumsum((x[1:] + x[:-1]), 0), X, Y),
    ("cov", lambda x, _: ops.cov(x) + ops.cov(x[0]), lambda x, _: np.cov(x) + np.cov(x[0]), X, Y),
    ("cov-weighted", lambda x, y: ops.cov(x, correction=0, fweights=Tensor([1, 2, 1, 3]), aweights=y[0] * y[0]),
     lambda x, y: np.cov(x, ddof=0, fweights=[1, 2, 1, 3], aweights=y[0] ** 2), X, Y),
    ("windows", lambda x, _: ops.stack([window(9, dtype=ms.float64) for window in WINDOWS]),
     lambda x, _: np.stack([signal.get_window(name, 9) for name in ("hann", "hamming", "blackman", "bartlett")]), X, Y),
    ("windows-symmetric", lambda x, _: ops.stack([window(6, False, dtype=ms.float64) for window in WINDOWS]),
     lambda x, _: np.stack((np.hanning(6), np.hamming(6), np.blackman(6), np.bartlett(6))), X, Y),
    ("logspace", lambda x, _: ops.logspace(-1.0, 2.0, 7), lambda x, _: np.logspace(-1, 2, 7), X, Y),
    ("vander", lambda x, _: ops.concat((ops.vander(x[0]), ops.vander(x[0], 2)), 1),
     lambda x, _: np.concatenate((np.vander(x[0]), np.vander(x[0], 2)), 1), X, Y),
    ("diag_embed", lambda x, _: ops.diag_embed(x, -1, 0, 2), lambda x, _: np.stack([np.diag(r, -1) for r in x], 1),
     X, Y),
    ("diagflat", lambda x, _: ops.diagflat(x, 2) + ops.diagflat(x, -2),
     lambda x, _: np.diagflat(x, 2) + np.diagflat(x, -2), EXTREMES, Y),
    ("block_diag", lambda x, y: ops.block_diag(x, y[:2], x[0]), lambda x, y: linalg.block_diag(x, y[:2], x[0]), X, Y),
    ("triangles", lambda x, _: ops.concat((ops.tril_indices(3, 4, 1), ops.triu_indices(3, 4, -1)), 1),
     lambda x, _: np.concatenate((np.tril_indices(3, 1, 4), np.triu_indices(3, -1, 4)), 1), X, Y),
    ("atleast_3d", lambda x, y: ops.concat([ops.ravel(a) * a.shape[1] for a in ops.atleast_3d((x, y[0], x[0, 0]))]),
     lambda x, y: np.concatenate((x.ravel() * 4, y[0] * 4, x[:1, 0])), X, Y),
    ("cartesian_prod", lambda x, y: ops.cartesian_prod(x[0], y[1], ops.cartesian_prod(x[:, 1])),
     lambda x, y: np.array(list(itertools.product(x[0], y[1], x[:, 1]))), X, Y),
    ("combinations", lambda x, _: ops.combinations(x[0], 3), lambda x, _: np.array([*itertools.combinations(x[0], 3)]),
     X, Y),
    ("combinations-replaced", lambda x, _: ops.combinations(x[0], 2, True),
     lambda x, _: np.array([*itertools.combinations_with_replacement(x[0], 2)]), X, Y),
    ("pdist", lambda x, _: ops.pdist(x), lambda x, _: np.stack([spatial.distance.pdist(rows) for rows in x]),
     BATCH[0], Y),
    ("pdist-orders", lambda x, _: ops.concat((ops.pdist(x, 3.0), ops.pdist(x, float("inf")), ops.pdist(x, 1.0))),
     lambda x, _: np.concatenate([spatial.distance.pdist(x, "minkowski", p=3), spatial.distance.pdist(x, "chebyshev"),
                                  spatial.distance.pdist(x, "cityblock")]), X, Y),
    ("index_fill", lambda x, _: ops.index_fill(x, -1, Tensor([0, -2]), 0.25), lambda x, _: np.stack(
        (np.full(3, 0.25), x[:, 1], np.full(3, 0.25), x[:, 3]), 1), X, Y),
    ("select_scatter", lambda x, y: ops.select_scatter(x, y[:, 0] * x[:, 1], -1, -3), lambda x, y: np.stack(
        (x[:, 0], y[:, 0] * x[:, 1], x[:, 2], x[:, 3]), 1), X, Y),
    ("slice_scatter", lambda x, y: ops.slice_scatter(x, y[1:2] * x[:1], 0, -1)
     + ops.slice_scatter(x, y[:, :2] * x[:, 1:3], 1, 0, 4, 2) + ops.slice_scatter(x, y[:0], 0, 5),
     lambda x, y: np.concatenate((x[:2], y[1:2] * x[:1])) + x + np.stack(
        (y[:, 0] * x[:, 1], x[:, 1], y[:, 1] * x[:, 2], x[:, 3]), 1), X, Y),
    ("inner", ops.inner, np.inner, BATCH, RNG.standard_normal((3, 2))),
    ("kron", ops.kron, np.kron, X, Y),
    ("dense", lambda x, y: ops.dense(x, y, x[:, 0]), lambda x, y: x @ y.T + x[:, 0], X, Y),
    ("bidense", lambda x, y: ops.bidense(x, x, y, x[0, :2]),
     lambda x, y: np.einsum("ni,oij,nj->no", x, y, x) + x[0, :2], X, RNG.standard_normal((2, 4, 4))),
    ("dist", lambda x, y: ops.dist(x, y, 3), lambda x, y: (np.abs(x - y) ** 3).sum() ** (1 / 3), X, Y),
    ("matrix_power", lambda x, _: ops.matrix_power(x, 3) + ops.matrix_power(x, -2) + ops.matrix_power(x, 0),
     lambda x, _: sum(np.linalg.matrix_power(x, n) for n in (3, -2, 0)), SQUARE, Y),
    ("logdet", lambda x, _: ops.logdet(x @ ops.t(x)), lambda x, _: np.log(linalg.det(x @ x.T)), SQUARE, Y),
    ("stacks", lambda x, y: ops.concat((ops.hstack((x, y)), ops.column_stack((x[:, 0], y, x[:, :3]))), 0),
     lambda x, y: np.concatenate((np.hstack((x, y)), np.column_stack((x[:, 0], y, x[:, :3]))), 0), X, Y),
    ("vstack", lambda x, y: ops.vstack((x[0], y)), lambda x, y: np.vstack((x[0], y)), X, Y),
    ("dstack", lambda x, y: ops.dstack((x, y)), lambda x, y: np.dstack((x, y)), X, Y),
    ("turns", lambda x, y: ops.concat([ops.ravel(ops.rot90(x, k, (0, 1))) for k in (0, 1, 2, 3)], 0),
     lambda x, y: np.concatenate([np.rot90(x, k).ravel() for k in (0, 1, 2, 3)]), X, Y),
    ("flips", lambda x, y: ops.fliplr(x) + ops.flipud(y), lambda x, y: np.fliplr(x) + np.flipud(y), X, Y),
    ("tensor_split", lambda x, _: ops.tensor_split(x, 3, 1)[0] * 2 + ops.tensor_split(x, (2, -1), 1)[0],
     lambda x, _: np.array_split(x, 3, 1)[0] * 2 + x[:, :2], X, Y),
    ("hsplit", lambda x, _: ops.hsplit(x, 2)[1] + ops.vsplit(x, (1,))[0][:, :2],
     lambda x, _: x[:, 2:] + x[:1, :2], X, Y),
    ("diff", lambda x, y: ops.diff(x, 2, 1, y[:, :1], y[:, 1:2]),
     lambda x, y: np.diff(x, 2, 1, y[:, :1], y[:, 1:2]), X, Y),
    ("repeat_elements", lambda x, _: ops.repeat_elements(x, 2, 1), lambda x, _: np.repeat(x, 2, 1), X, Y),
    ("channel_shuffle", lambda x, _: ops.channel_shuffle(x, 2), lambda x, _: x[:, [0, 2, 1, 3]], BATCH, Y),
    ("reduce", lambda x, _: ops.reduce_max(x, 0) + ops.reduce_min(x, 0) * ops.reduce_prod(x, 0),
     lambda x, _: x.max(0) + x.min(0) * x.prod(0), X, Y),
    ("counted", lambda x, _: ops.count_nonzero(x, 0) + ops.nansum(x * x, 0),
     lambda x, _: np.count_nonzero(x, 0) + np.nansum(x * x, 0), EXTREMES, Y),
    ("var_mean", lambda x, _: ops.stack(ops.var_mean(x, 1, 1) + ops.std_mean(x, 1)),
     lambda x, _: np.stack((x.var(1, ddof=1), x.mean(1), x.std(1), x.mean(1))), X, Y),
    ("median", lambda x, _: ops.median(x, 0)[0], lambda x, _: np.median(x, 0), X, Y),
    ("layer_norm", lambda x, y: ops.layer_norm(x, (4,), y[0], y[1], 0.1),
     lambda x, y: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 0.1) * y[0] + y[1], X, Y),
    ("rms_norm", lambda x, y: ops.rms_norm(x, y[0], 0.1)[0],
     lambda x, y: x / np.sqrt((x * x).mean(1, keepdims=True) + 0.1) * y[0], X, Y),
    ("group_norm", lambda x, y: ops.group_norm(x, 2, y[0], y[1], 0.0), lambda x, y: stats.zscore(
        x.reshape(2, 2, -1), 2).reshape(x.shape) * y[0][:, None, None] + y[1][:, None, None], BATCH, Y),
    ("binary", lambda x, y: ops.binary_cross_entropy(ops.sigmoid(x), y) - ops.binary_cross_entropy_with_logits(x, y),
     lambda x, y: 0.0, X, PROBABLE),
    ("binary-weights", lambda x, y: ops.binary_cross_entropy_with_logits(x, y, y, y + 1, "none"),
     lambda x, y: -y * ((y + 1) * y * np.log(special.expit(x)) + (1 - y) * np.log(special.expit(-x))), X, PROBABLE),
    ("binary-mean", lambda x, y: ops.binary_cross_entropy(y, x), lambda x, y: cross_entropy(y, x), X, PROBABLE),
    ("multi_margin", lambda x, _: ops.multi_margin_loss(x, Tensor([1, 0, 3]), 2, 0.5, reduction="sum"),
     lambda x, _: sum(max(0, 0.5 - row[label] + other) ** 2 / 4 for row, label in zip(x, (1, 0, 3), strict=True)
                      for i, other in enumerate(row) if i != label), X, Y),
    ("unflatten", lambda x, _: nn.Unflatten(-1, (2, 2))(x), lambda x, _: x.reshape(3, 2, 2), X, Y),
    ("softmax2d", lambda x, _: nn.Softmax2d()(x), lambda x, _: special.softmax(x, 1), BATCH, Y),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_like_numpy(case: tuple[str, Two, Two, Any, Any]) -> None:
    _, ours, theirs, x, y = case
    for run in (ours, ms.jit(ours)):
        np.testing.assert_allclose(run(Tensor(x), Tensor(y)).asnumpy(), theirs(x, y), rtol=1e-6, atol=1e-9)


SMOOTH = (
    "accumulate_n", "clip_by_norm", "renorm", "trapz", "cumulative_trapezoid", "cov", "cov-weighted", "vander",
    "diag_embed", "block_diag", "cartesian_prod", "combinations", "pdist", "index_fill", "select_scatter",
    "slice_scatter",
)  # fmt: skip


@pytest.mark.parametrize("case", [case for case in CASES if case[0] in SMOOTH], ids=lambda case: case[0])
def test_derivatives_of_both_orders_are_those_of_differences(case: tuple[str, Two, Two, Any, Any]) -> None:
    _, ours, theirs, x, y = case
    along, step = RNG.standard_normal(x.shape), 1e-5
    other, direction = Tensor(y), Tensor(along)

    def slope(x: Any) -> Any:
        return (ms.grad(lambda x: ops.sin(ours(x, other)).sum())(x) * direction).sum()

    def of_numpy(x: Any) -> float:
        return float(np.sin(theirs(x, y)).sum())

    first = (of_numpy(x + step * along) - of_numpy(x - step * along)) / (2 * step)
    second = (of_numpy(x + 1e-3 * along) - 2 * of_numpy(x) + of_numpy(x - 1e-3 * along)) / 1e-6
    for run in (slope, ms.jit(slope)):
        assert float(run(Tensor(x))) == pytest.approx(first, rel=1e-5, abs=1e-6)
        again = float((ms.grad(run)(Tensor(x)) * direction).sum())
        assert again == pytest.approx(second, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("run", [lambda function: function, ms.jit], ids=["pynative", "graph"])
def test_parts_that_do_not_fit_are_refused(run: Any) -> None:
    x = Tensor(X)
    for asked, message in (
        (lambda x: ops.slice_scatter(x, x, 1, 0, 2), r"src must have the shape of the part, \(3, 2\), not \(3, 4\)"),
        (lambda x: ops.slice_scatter(x, x, 1, 0, 4, 0), "step must be at least 1, not 0"),
        (lambda x: ops.select_scatter(x, x[0], 0, 3), r"index 3 is out of range for dimension 0 of shape \(3, 4\)"),
        (lambda x: ops.combinations(x), r"takes a vector and r >= 0, not a tensor of shape \(3, 4\)"),
        (lambda x: ops.pdist(x, -1.0), "p >= 0"),
    ):
        with pytest.raises(ValueError, match=message):
            run(asked)(x)
    assert run(lambda x: ops.combinations(x, 5))(x[0]).shape == (0, 5)
    assert run(lambda x: ops.index_fill(x, 0, Tensor([1]), 7))(Tensor([1, 2, 3])).tolist() == [1, 7, 3]


def test_kinds_of_elements() -> None:
    x = Tensor([1.0, 2.0])
    assert (ops.is_tensor(x), ops.is_tensor(1), ops.numel(x)) == (True, False, 2)
    assert (ops.is_floating_point(x), ops.is_complex(x), bool(ops.is_nonzero(x[0]))) == (True, False, True)


def drawn(x: Any) -> Any:
    return (
        ops.rand(1000, 20), ops.rand_like(x), ops.randn((1000, 20)), ops.randn_like(x, dtype=ms.float64),
        ops.randint(-3, 4, (1000, 20)), ops.randint_like(x, 5, 7), ops.rand(3, seed=5), ops.rand(3, seed=5),
    )  # fmt: skip


@pytest.mark.parametrize("run", [drawn, ms.jit(drawn)], ids=["pynative", "graph"])
def test_draws_have_the_shape_the_type_and_the_law_that_are_asked_for(run: Any) -> None:
    ms.set_seed(2)
    made = run(ops.zeros((4000, 5), ms.float16))
    assert [str(item.dtype) for item in made[:6]] == ["Float32", "Float16", "Float32", "Float64", "Int64", "Float16"]
    assert [item.shape for item in made[:6]] == [(1000, 20), (4000, 5)] * 3
    even, like_even, normal, like_normal, whole, like_whole, once, again = (item.asnumpy().ravel() for item in made)
    for sample, law in ((even, "uniform"), (normal, "norm"), (like_normal, "norm")):
        assert stats.kstest(sample, law).pvalue > 1e-4
    assert 0 <= like_even.min() < 0.01 < 0.99 < like_even.max() <= 1
    assert stats.chisquare(np.unique(whole, return_counts=True)[1]).pvalue > 1e-4
    assert (set(whole), set(like_whole)) == (set(range(-3, 4)), {5, 6})
    np.testing.assert_array_equal(once, again)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def test_dropped_channels_and_draws(mode: int) -> None:
    ms.set_context(mode=mode)
    try:
        ms.set_seed(1)
        x = ops.ones((50, 40, 3, 2))
        dropped = ms.jit(lambda x: ops.dropout2d(x, 0.25))(x).asnumpy()
        assert ((dropped == 0) | np.isclose(dropped, 4 / 3)).all()
        assert (dropped.min((2, 3)) == dropped.max((2, 3))).all()
        assert dropped.mean() == pytest.approx(1, abs=0.05)
        drawn = ms.jit(lambda x: ops.gumbel_softmax(x, 1.0, True))(
            Tensor(np.log(np.full((4000, 3), [0.2, 0.3, 0.5])))
        ).asnumpy()
        np.testing.assert_allclose(drawn.mean(0), [0.2, 0.3, 0.5], atol=0.04)
        rectified = nn.RReLU(0.2, 0.4)(Tensor(np.full((1000,), -1.0, np.float32))).asnumpy()
        assert (rectified.min(), rectified.max()) == pytest.approx((-0.4, -0.2), abs=0.01)
        cells = nn.CellDict([("one", nn.Dense(2, 2)), ("other", nn.ReLU())])
        assert [p.name for p in cells.trainable_params()] == ["one.weight", "one.bias"]
        assert (len(cells), "other" in cells, cells.pop("other")(Tensor([-1.0])).tolist()) == (2, True, [0.0])
        with pytest.raises(TypeError, match="takes Cells, not int"):
            cells["two"] = 2  # type: ignore[assignment]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_losses_of_sequences_as_cells() -> None:
    likely = Tensor(np.log(special.softmax(RNG.standard_normal((5, 2, 4)), 2)))
    labels, steps, counts = Tensor([[1, 2], [3, 1]]), Tensor([5, 4]), Tensor([2, 1])
    both = nn.CTCLoss(reduction="none")(likely, labels, steps, counts)
    np.testing.assert_allclose(both.asnumpy(), ops.ctc_loss(likely, labels, steps, counts, 0, "none")[0].asnumpy())
    alone = ms.jit(nn.CTCLoss(reduction="none"))(likely[:, 1], labels[1], steps[1], counts[1])
    assert alone.shape == ()
    assert float(alone) == pytest.approx(float(both[1]))


def test_statistics_of_volumes() -> None:
    x = RNG.standard_normal((2, 3, 4, 2, 3)).astype(np.float32)
    volumes = nn.BatchNorm3d(3).set_train()
    wanted = (x - x.mean((0, 2, 3, 4), keepdims=True)) / np.sqrt(x.var((0, 2, 3, 4), keepdims=True) + 1e-5)
    np.testing.assert_allclose(volumes(Tensor(x)).asnumpy(), wanted, atol=1e-5)
    each = (x - x.mean((2, 3, 4), keepdims=True)) / np.sqrt(x.var((2, 3, 4), keepdims=True) + 1e-5)
    np.testing.assert_allclose(nn.InstanceNorm3d(3)(Tensor(x)).asnumpy(), each, atol=1e-5)
    together, own = nn.SyncBatchNorm(3).set_train(), nn.BatchNorm2d(3).set_train()
    np.testing.assert_array_equal(together(Tensor(x[..., 0])).asnumpy(), own(Tensor(x[..., 0])).asnumpy())
    np.testing.assert_array_equal(together.moving_mean.asnumpy(), own.moving_mean.asnumpy())


def test_vectors_and_counts_against_mindspore() -> None:
    """MindSpore 2.10 gives these numbers."""
    x, y = Tensor([[1.0, 3.0], [5.0, 7.0]]), Tensor([[4.0, 5.0], [3.0, 2.0]])
    z, w = (Tensor(np.array(item, np.complex64)) for item in ([1 + 1j, 2j], [1j, 2]))
    for wrap in (lambda function: function, ms.jit):
        assert wrap(lambda a, b: ops.vecdot(a, b))(x, y).asnumpy().tolist() == [19, 29]
        assert complex(wrap(lambda a, b: ops.vecdot(a, b))(z, w).asnumpy()) == 1 - 3j
        assert wrap(lambda a: ops.vector_norm(a, 1, 1, True))(x).asnumpy().tolist() == [[4], [12]]
        for order in (2, 3, -1.5, 0, np.inf, -np.inf):
            found = wrap(lambda a, order=order: ops.vector_norm(a, order))(x).asnumpy()
            np.testing.assert_allclose(found, np.linalg.norm(x.asnumpy().reshape(-1), order), rtol=1e-6)
        values, index = wrap(lambda a: ops.unique_with_pad(a, 8))(Tensor([1, 2, 2, 3, 5, 5]))
        assert (values.asnumpy().tolist(), index.asnumpy().tolist()) == ([1, 2, 3, 5, 8, 8], [0, 1, 1, 2, 3, 3])
        bits = wrap(lambda a: ops.population_count(a))(Tensor([0, 1, 3, -1], ms.int16))
        assert (bits.asnumpy().tolist(), bits.dtype) == ([0, 1, 2, 16], ms.uint8)
        assert wrap(lambda: ops.range(Tensor([0]), Tensor([10]), Tensor([4])))().asnumpy().tolist() == [0, 4, 8]
        loss = wrap(lambda a, b: ops.BinaryCrossEntropy()(a, b, None))(Tensor([0.3, 0.6]), Tensor([1.0, 0.0]))
        assert float(loss) == pytest.approx(1.0601318, rel=1e-6)
        found = wrap(lambda a: a.scatter(1, Tensor([[2, 4]]), 2.0))(Tensor([[1.0, 2.0, 3.0, 4.0, 5.0]]))
        assert found.asnumpy().tolist() == [[1, 2, 2, 4, 2]]


@pytest.mark.parametrize("kind", [ms.int8, ms.int16, ms.uint8, ms.float32, ms.bool_])
def test_scatter_takes_indices_of_32_or_64_bits(kind: Any) -> None:
    with pytest.raises(TypeError, match="indices must be Int32 or Int64"):
        ops.tensor_scatter_add(Tensor([1.0, 2.0]), Tensor(np.array([[0]]), kind), Tensor([1.0]))


def test_running_extremes_behind_nan() -> None:
    """The index is that of the last NaN, as in MindSpore 2.10."""
    x = Tensor(np.array([4, np.inf, 1.5, -np.inf, np.nan, 1, np.nan, 9], np.float32))
    for run in (lambda function: function, ms.jit):
        assert run(lambda a: ops.cummax(a, 0))(x)[1].asnumpy().tolist() == [0, 1, 1, 1, 4, 4, 6, 6]
        assert run(lambda a: ops.cummin(a, 0))(x)[1].asnumpy().tolist() == [0, 0, 2, 3, 4, 4, 6, 6]


def test_the_inverse_of_integers_is_an_integer() -> None:
    for run in (lambda function: function, ms.jit):
        found = run(lambda a: ops.inv(a))(Tensor([1, 2, -1, -3], ms.int32))
        assert (found.asnumpy().tolist(), found.dtype) == ([1, 0, -1, 0], ms.int32)
