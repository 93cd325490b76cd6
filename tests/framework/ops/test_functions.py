"""Functions and operators without gradients against numpy and scipy, and random numbers against their distributions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import ndimage, signal, special

import framework as ms
from framework import Tensor, ops
from framework.ops import operations as P  # noqa: N812

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, 4)).astype(np.float32)
CUBE = RNG.standard_normal((2, 3, 4)).astype(np.float32)
LINE = np.linspace(-3.7, 18, 41)

FUNCTIONS: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any], np.ndarray]] = [
    ("roll", lambda x: ops.roll(x, (1, -2), (0, 1)), lambda x: np.roll(x, (1, -2), (0, 1)), X),
    ("roll-flat", lambda x: ops.roll(x, 5), lambda x: np.roll(x, 5), X),
    ("moveaxis", lambda x: ops.moveaxis(x, (0, 1), (2, 0)), lambda x: np.moveaxis(x, (0, 1), (2, 0)), CUBE),
    ("repeat", lambda x: ops.repeat_interleave(x, (1, 0, 2), 0), lambda x: np.repeat(x, (1, 0, 2), 0), X),
    ("repeat-flat", lambda x: x.repeat_interleave(2), lambda x: np.repeat(x, 2), X),
    ("diagonal", lambda x: x.diagonal(-1, 1, 2), lambda x: np.diagonal(x, -1, 1, 2), CUBE),
    ("norm", ops.norm, np.linalg.norm, X),
    ("norm-inf", lambda x: ops.norm(x, np.inf, 1, True), lambda x: np.linalg.norm(x, np.inf, 1, True), X),
    ("norm-lowest", lambda x: ops.norm(x, -np.inf, 1), lambda x: np.linalg.norm(x, -np.inf, 1), X),
    ("norm-3", lambda x: ops.norm(x, 3, 0), lambda x: np.linalg.norm(x, 3, 0), X),
    ("norm-0", lambda x: ops.norm(x, 0, 0), lambda x: np.linalg.norm(x, 0, 0), X),
    ("tensordot", lambda x: ops.tensor_dot(x, x, ((0, 2), (0, 2))),
     lambda x: np.tensordot(x, x, ((0, 2), (0, 2))), CUBE),
    ("tensordot-1", lambda x: ops.tensor_dot(x, x.T, 1), lambda x: np.tensordot(x, x.T, 1), X),
    ("cross", lambda x: ops.cross(x, x + 1), lambda x: np.cross(x, x + 1, axis=0), X),
    ("histc", lambda x: ops.histc(x, 4, -1, 1), lambda x: np.histogram(x, 4, (-1, 1))[0], X),
    ("bincount", lambda x: ops.bincount(x, minlength=6), lambda x: np.bincount(x, minlength=6), np.array([3, 0, 3])),
    ("searchsorted", lambda x: ops.searchsorted(x, x + 0.1, right=True),
     lambda x: np.stack([np.searchsorted(row, row + np.float32(0.1), "right") for row in x]), np.sort(X)),
    ("meshgrid", lambda x: ops.meshgrid(x, x * 2)[1], lambda x: np.meshgrid(x, x * 2)[1], X[0]),
    ("nan_to_num", lambda x: ops.nan_to_num(x / ops.abs(x * 0), 5.0, 7.0, 3.0),
     lambda x: np.where(x > 0, 7, 3), np.array([1.0, -1.0], np.float32)),
    ("lgamma", ops.lgamma, special.gammaln, LINE),
    ("digamma", ops.digamma, special.digamma, LINE),
    ("polygamma", lambda x: ops.polygamma(3, x), lambda x: special.polygamma(3, x), np.linspace(0.1, 18, 30)),
    ("erfinv", ops.erfinv, special.erfinv, np.array([-1, -0.999999999, -0.5, 0, 1e-9, 0.7, 0.99999, 1])),
    ("isclose", lambda x: ops.isclose(x, x * 1.000001), lambda x: np.isclose(x, x * np.float32(1.000001)), X),
    ("cosine", lambda x: ops.cosine_similarity(x, x[::-1], 0),
     lambda x: (x * x[::-1]).sum(0) / (np.linalg.norm(x, axis=0) ** 2), X),
    ("conv2d", lambda x: ops.conv2d(x, x[:, :, :2, :2], padding=0), lambda x: np.array([[[[
        (x[0, 0, i : i + 2, j : j + 2] * x[0, 0, :2, :2]).sum() for j in range(3)] for i in range(2)]]]),
     X[None, None]),
    ("conv3d", lambda x: ops.conv3d(x, x[:, :, :1, :2, :2], ops.ones(1, ms.float32), 2, "pad", (0, 1, 1)),
     lambda x: 1 + signal.correlate(np.pad(x, ((0, 0), (0, 0), (0, 0), (1, 1), (1, 1))), x[:, :, :1, :2, :2], "valid")[
         ..., ::2, ::2, ::2], CUBE[None, None]),
    ("pad-apart", lambda x: P.PadV3("constant", False)(x, (0, 1, 2, 0), 0), lambda x: np.pad(x, ((1, 0), (0, 2))), X),
    ("max-of-axis", lambda x: x.max(axis=1), lambda x: x.max(1), X),
    ("max-kept", lambda x: x.max(1, keepdims=True) + x.min(-1, keepdims=True),
     lambda x: x.max(1, keepdims=True) + x.min(1, keepdims=True), X),
    ("max-of-axes", lambda x: x.max((0, 2)) + x.min(axis=(0, 2)), lambda x: x.max((0, 2)) + x.min((0, 2)), CUBE),
    ("max-from", lambda x: x.max(1, initial=0.5) - x.min(1, initial=0.5, where=x > 0),
     lambda x: x.max(1, initial=0.5) - x.min(1, initial=0.5, where=x > 0), X),
    ("max-and-place", lambda x: ops.stack(x.max(1, True)) + ops.stack(x.min(dim=1, keepdim=True)),
     lambda x: np.stack((x.max(1, keepdims=True) + x.min(1, keepdims=True),
                         x.argmax(1, keepdims=True) + x.argmin(1, keepdims=True))), X),
    ("min-and-place", lambda x: x.min(axis=1, return_indices=True)[1], lambda x: x.argmin(1), X),
    ("pool", lambda x: ops.max_pool2d(x, 2, 1) + ops.avg_pool2d(x, 2), lambda x: np.array([[[[
        x[0, 0, i : i + 2, j : j + 2].max() + x[0, 0, i : i + 2, j : j + 2].mean() for j in range(3)]
        for i in range(2)]]]), X[None, None]),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("case", FUNCTIONS, ids=lambda case: case[0])
def test_like_numpy(case: tuple[str, Callable[[Any], Any], Callable[[Any], Any], np.ndarray]) -> None:
    _, ours, theirs, x = case
    for run in (ours, ms.jit(ours)):
        got = run(Tensor(x)).asnumpy()
        np.testing.assert_allclose(got, theirs(x), rtol=1e-9 if x.dtype == np.float64 else 1e-5, atol=1e-6)


def test_losses_of_labels_count_weights() -> None:
    likely, labels, weight = Tensor(X), Tensor(np.array([1, 3, 0])), Tensor([1.0, 2.0, 3.0, 4.0])
    picked = -X[[0, 1, 2], [1, 3, 0]] * np.array([2, 4, 1])
    assert float(ops.nll_loss(likely, labels, weight)) == pytest.approx(picked.sum() / 7, rel=1e-5)
    assert float(ops.nll_loss(likely, labels, weight, 3, "sum")) == pytest.approx(picked[[0, 2]].sum(), rel=1e-5)
    smooth = ops.nll_loss(likely, labels, None, -100, "none", 0.4).asnumpy()
    np.testing.assert_allclose(smooth, -0.6 * X[[0, 1, 2], [1, 3, 0]] - 0.1 * X.sum(1), rtol=1e-5)
    spread = np.eye(4, dtype=np.float32)[[1, 3, 0]]
    assert float(ops.cross_entropy(likely, Tensor(spread))) == pytest.approx(
        float(ops.cross_entropy(likely, labels)), rel=1e-5
    )
    assert float(ops.cross_entropy(likely[0], Tensor(1))) == pytest.approx(
        float(np.log(np.exp(X[0]).sum()) - X[0, 1]), rel=1e-4
    )


COUNT = 20000
DRAWN: list[tuple[str, Callable[[], Any], float, float]] = [
    ("Gamma", lambda: P.Gamma(seed=3)((COUNT,), Tensor(3.0), Tensor(2.0)), 1.5, 0.866),
    ("Poisson", lambda: P.Poisson(seed=3)((COUNT,), Tensor(4.0)), 4.0, 2.0),
    ("StandardLaplace", lambda: P.StandardLaplace(seed=3)((COUNT,)), 0.0, 1.414),
    ("TruncatedNormal", lambda: P.TruncatedNormal(seed=3)((COUNT,)), 0.0, 0.8796),
    ("Bernoulli", lambda: P.Bernoulli(seed=3)(Tensor(np.zeros(COUNT, np.float32)), 0.25), 0.25, 0.433),
    ("Multinomial", lambda: P.Multinomial(seed=3)(Tensor([1.0, 0.0, 3.0]), COUNT), 1.5, 0.866),
    ("RandomCategorical", lambda: P.RandomCategorical()(Tensor(np.log([[1.0, 1.0, 2.0]])), COUNT, 3), 1.25, 0.829),
    ("RandpermV2", lambda: P.RandpermV2(seed=3)(COUNT), (COUNT - 1) / 2, COUNT / 12**0.5),
]


@pytest.mark.parametrize("case", DRAWN, ids=lambda case: case[0])
def test_random_numbers_are_distributed(case: tuple[str, Callable[[], Any], float, float]) -> None:
    _, draw, mean, deviation = case
    numbers = draw().asnumpy()
    assert numbers.mean() == pytest.approx(mean, abs=4 * deviation / COUNT**0.5)
    assert numbers.std() == pytest.approx(deviation, rel=0.03)
    np.testing.assert_array_equal(numbers, draw().asnumpy())


def test_choices() -> None:
    mask = np.array([[True, False], [True, True]])
    index, drawn = P.RandomChoiceWithMask(4)(Tensor(mask))
    assert drawn.tolist() == [True, True, True, False]
    assert sorted(map(tuple, index.tolist()[:3])) == [(0, 0), (1, 0), (1, 1)]
    assert np.abs(P.TruncatedNormal()((500,)).asnumpy()).max() <= 2
    assert sorted(ops.randperm(5).tolist()) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="must not be negative"):
        ops.multinomial(Tensor([-1.0, 2.0]), 3)


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
def test_print_shows_values(compiled: bool, capsys: pytest.CaptureFixture[str]) -> None:
    def shown(x: Any) -> Any:
        ops.print_("half", x)
        return x * 2

    run = ms.jit(shown) if compiled else shown
    assert run(Tensor([0.5])).tolist() == [1.0]
    assert capsys.readouterr().out == "half [0.5]\n"


def points(begin: float, size: float, parts: int, samples: int) -> np.ndarray:
    """Where the points of each part lie along one side: [parts, samples]."""
    count = samples if samples > 0 else max(int(size / parts), 1)
    return begin + size / parts * (np.arange(parts)[:, None] + (np.arange(count) + 0.5) / count)


@pytest.mark.parametrize(("samples", "end"), [(2, 1), (3, 0), (0, 1), (0, 0)])
def test_regions_are_means_of_interpolated_points(samples: int, end: int) -> None:
    images = RNG.standard_normal((2, 3, 7, 9))
    regions = np.array([[1, 1.5, 0, 9, 6.5], [0, -4, -3, 20, 30], [1, 3, 3, 3.2, 3.1], [0, 40, 40, 50, 50]])
    wanted = np.zeros((4, 3, 2, 4))
    for region, (image, left, top, right, bottom) in enumerate(regions):
        least = 0 if end else 1
        ys = points(top * 0.5, max((bottom + end - top) * 0.5, least), 2, samples)
        xs = points(left * 0.5, max((right + end - left) * 0.5, least), 4, samples)
        for (channel, row, column), _ in np.ndenumerate(wanted[region]):
            at = np.array(list(np.ndindex(len(ys[row]), len(xs[column]))))
            y, x = ys[row][at[:, 0]], xs[column][at[:, 1]]
            values = ndimage.map_coordinates(images[int(image), channel], [y, x], order=1, mode="nearest")
            wanted[region, channel, row, column] = np.where((y < -1) | (y > 7) | (x < -1) | (x > 9), 0, values).mean()
    out = P.ROIAlign(2, 4, 0.5, samples, end)(Tensor(images), Tensor(regions))
    np.testing.assert_allclose(out.asnumpy(), wanted, atol=1e-12)
    assert (wanted[0] != 0).all()
    assert (wanted[3] == 0).all()


def test_a_region_of_no_image() -> None:
    with pytest.raises(ValueError, match="must be an image, 0 to 0"):
        P.ROIAlign(2, 2, 1.0)(Tensor(X[None, None]), Tensor([[1.0, 0.0, 0.0, 2.0, 2.0]]))
