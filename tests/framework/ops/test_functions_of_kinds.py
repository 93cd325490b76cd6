"""Special functions, boxes, putting at places, labels and draws against numpy and scipy, in both modes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import ndimage, special, stats

import framework as ms
from framework import Parameter, Tensor, nn, ops

RNG = np.random.default_rng(31)
X = RNG.standard_normal((3, 4))
Y = RNG.standard_normal((3, 4))
BOXES = np.sort(RNG.random((5, 2, 2)) * 20, 1).reshape(5, 4)
IMAGES = RNG.standard_normal((2, 5, 6, 3))
CUTS = np.array([[0.1, 0.2, 0.9, 0.7], [0.8, 0.0, 0.3, 1.0], [0.05, 0.3, 0.4, 1.2]])
LABELS = np.array([[3, 0, -1, 1], [2, -1, 0, 0], [-1, 0, 1, 2]])
THETA = RNG.standard_normal((2, 2, 3))


def cut(images: np.ndarray) -> np.ndarray:
    out = np.full((3, 4, 3, 3), 0.5)
    for number, (box, image) in enumerate(zip(CUTS, (1, 0, 1), strict=True)):
        down, right = np.linspace(box[0], box[2], 4) * 4, np.linspace(box[1], box[3], 3) * 5
        places = np.stack(np.meshgrid(down, right, indexing="ij"))
        inside = (places >= 0).all(0) & (places[0] <= 4) & (places[1] <= 5)
        for channel in range(3):
            seen = ndimage.map_coordinates(images[image, ..., channel], places, order=1, mode="nearest")
            out[number, ..., channel] = np.where(inside, seen, 0.5)
    return out


def margins(x: np.ndarray) -> np.ndarray:
    out = np.zeros(3)
    for sample, labels in enumerate(([3, 0], [2], [])):
        for label in labels:
            for other in set(range(4)) - set(labels):
                out[sample] += max(0.0, 1 - (x[sample, label] - x[sample, other])) / 4
    return out


def turned(theta: np.ndarray, aligned: bool) -> np.ndarray:
    down, right = ((np.linspace(-1, 1, n) * (1 if aligned else (n - 1) / n)) for n in (3, 4))
    places = np.stack(np.broadcast_arrays(right[None], down[:, None], np.ones((3, 4))), -1)
    return np.einsum("hwk,njk->nhwj", places, theta)


def sent(x: np.ndarray) -> np.ndarray:
    (left, top, right, down), (a, b, c, d) = x[:, :4].T, (x[:, :4] + [1, 0, 3, 2]).T
    width, height = right - left + 1, down - top + 1
    return np.stack([((a + c) / 2 - (left + right) / 2) / width, ((b + d) / 2 - (top + down) / 2) / height,
                     np.log((c - a + 1) / width), np.log((d - b + 1) / height)], 1) / 0.5  # fmt: skip


SOME = np.array([[True, False, False, True], [False, False, True, True], [False, True, False, False]])
STDS = (0.5, 0.5, 0.5, 0.5)

CASES: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any], np.ndarray]] = [
    ("i0", ops.i0, special.i0, np.array([[0.0, 0.1, -3.0], [30.0, -200.0, 500.0]]) / 100),
    (
        "i0-far",
        lambda x: ops.log(ops.bessel_i0(x)),
        lambda x: np.log(special.i0e(x)) + x,
        np.array([20.0, 300.0, 690.0]),
    ),
    ("mvlgamma", lambda x: ops.mvlgamma(x, 3), lambda x: special.multigammaln(x, 3), np.array([[1.2, 4.0, 9.5]])),
    ("zeta", lambda x: ops.zeta(x, x * 0.5), lambda x: special.zeta(x, x * 0.5), np.array([1.1, 2.0, 5.5, 20.0])),
    (
        "boxes",
        lambda x: ops.bounding_box_encode(x[:, :4], x[:, :4] + Tensor([1.0, 0.0, 3.0, 2.0]), stds=STDS),
        sent,
        BOXES,
    ),
    (
        "boxes-back",
        lambda x: ops.bounding_box_decode(
            x, ops.bounding_box_encode(x, x + Tensor([1.0, 0.0, 3.0, 2.0]), stds=STDS), (99, 99), stds=STDS
        ),
        lambda x: x + np.array([1, 0, 3, 2]),
        BOXES,
    ),
    (
        "crop_and_resize",
        lambda x: ops.crop_and_resize(x, Tensor(CUTS), Tensor([1, 0, 1]), (4, 3), "bilinear", 0.5),
        cut,
        IMAGES,
    ),
    ("affine_grid", lambda x: ops.affine_grid(x, (2, 1, 3, 4)), lambda x: turned(x, False), THETA),
    ("affine_grid-corners", lambda x: ops.affine_grid(x, (2, 1, 3, 4), True), lambda x: turned(x, True), THETA),
    (
        "masked_scatter",
        lambda x: ops.masked_scatter(x, Tensor(SOME), x * 2.0),
        lambda x: put(x, SOME, x.ravel() * 2),
        X,
    ),
    (
        "masked_scatter-row",
        lambda x: ops.masked_scatter(x, Tensor(SOME[0]), x[1:]),
        lambda x: put(x, np.broadcast_to(SOME[0], (3, 4)), x[1:].ravel()),
        X,
    ),
    (
        "inplace",
        lambda x: ops.inplace_add(ops.inplace_sub(x, x[:1], 2), ops.inplace_update(x, x[1:], (2, 0))[:2], (0, 1)),
        lambda x: np.stack((x[0] + x[2], x[1] * 2, x[2] - x[0])),
        X,
    ),
    ("padding", lambda x: ops.padding(x[..., :1], 4), lambda x: x * [1, 0, 0, 0], X),
    (
        "blocks",
        lambda x: ops.batch_to_space_nd(ops.space_to_batch_nd(x, (5, 3), [[0, 0], [0, 0]]), [5, 3], [[0, 0]] * 2),
        lambda x: x,
        IMAGES.transpose(0, 3, 1, 2),
    ),
    (
        "dsplit",
        lambda x: ops.dsplit(x, (2,))[1] * 2.0 + ops.reverse(x, (0, 2))[:, :, :4],
        lambda x: x[:, :, 2:] * 2 + x[::-1, :, ::-1][:, :, :4],
        IMAGES.transpose(0, 3, 2, 1)[:, :, :, 0].repeat(2, 2)[:, :, :6],
    ),
    ("labels", lambda x: nn.MultilabelMarginLoss("none")(x, Tensor(LABELS)), margins, X),
    ("labels-sum", lambda x: ops.multi_label_margin_loss(x[0], Tensor(LABELS[0]), "sum"), lambda x: margins(x)[0], X),
    (
        "soft-labels",
        lambda x: nn.MultiLabelSoftMarginLoss(Tensor([1.0, 2.0, 3.0, 4.0]))(x, Tensor(SOME * 1.0)),
        lambda x: -(np.where(SOME, np.log(special.expit(x)), np.log(special.expit(-x))) * [1, 2, 3, 4]).mean(),
        X,
    ),
]


def put(x: np.ndarray, mask: np.ndarray, source: np.ndarray) -> np.ndarray:
    out = x.copy()
    out[mask] = source[: mask.sum()]
    return out


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_like_numpy_with_derivatives(case: tuple[str, Any, Any, np.ndarray]) -> None:
    _, ours, theirs, x = case
    along, step = RNG.standard_normal(x.shape), 1e-6
    slope = (np.sin(theirs(x + step * along)).sum() - np.sin(theirs(x - step * along)).sum()) / (2 * step)
    gradient = ms.grad(lambda x: ops.sin(ours(x)).sum())
    for run, derive in ((ours, gradient), (ms.jit(ours), ms.jit(gradient))):
        np.testing.assert_allclose(run(Tensor(x)).asnumpy(), theirs(x), rtol=1e-7, atol=1e-7)
        assert float((derive(Tensor(x)) * Tensor(along)).sum()) == pytest.approx(slope, rel=1e-5, abs=1e-5)


ONE, OTHER = RNG.integers(-60, 60, (40,)), RNG.integers(-60, 60, (40,))

WHOLE: list[tuple[str, Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = [
    ("gcd", ops.gcd, np.gcd), ("lcm", ops.lcm, np.lcm),
    ("left", lambda x, y: ops.bitwise_left_shift(x, ops.abs(y) % 9), lambda x, y: x << (abs(y) % 9)),
    ("right", lambda x, y: ops.bitwise_right_shift(x, ops.abs(y) % 9), lambda x, y: x >> (abs(y) % 9)),
    ("invert", lambda x, _: ops.invert(x), lambda x, _: ~x),
    ("nextafter", lambda x, y: ops.nextafter(x / 7.0, y / 7.0),
     lambda x, y: np.nextafter((x / 7).astype(np.float32), (y / 7).astype(np.float32))),
    ("filled", lambda x, _: ops.fills(x, 7), lambda x, _: np.full_like(x, 7)),
    ("isreal", lambda x, _: ops.isreal(x), lambda x, _: np.isreal(x)),
    ("kaiser", lambda x, _: ops.stack((ops.kaiser_window(6, False, 2.0), ops.kaiser_window(7, True, 2.0)[:6])),
     lambda x, _: np.stack((np.kaiser(6, 2), np.kaiser(8, 2)[:6])).astype(np.float32)),
]  # fmt: skip


@pytest.mark.parametrize("case", WHOLE, ids=lambda case: case[0])
def test_whole_numbers(case: tuple[str, Any, Any]) -> None:
    _, ours, theirs = case
    for run in (ours, ms.jit(ours)):
        got = run(Tensor(ONE), Tensor(OTHER)).asnumpy()
        np.testing.assert_array_equal(got, theirs(ONE, OTHER))


@pytest.mark.parametrize("run", [lambda function: function, ms.jit], ids=["pynative", "graph"])
def test_parameters_are_changed_at_places(run: Any) -> None:
    start, places, updates = (
        np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        np.array([[0, 1], [2, 0], [0, 1]]),
        np.array([3.0, 8.0, 2.0]),
    )
    for ours, ufunc in (
        (ops.scatter_nd_mul, np.multiply), (ops.scatter_nd_div, np.divide), (ops.scatter_nd_max, np.maximum),
        (ops.scatter_nd_min, np.minimum),
    ):  # fmt: skip
        wanted = start.copy()
        ufunc.at(wanted, tuple(places.T), updates)
        changed = Parameter(Tensor(start), name="x")
        out = run(lambda changed=changed, ours=ours: ours(changed, Tensor(places), Tensor(updates)))()
        np.testing.assert_allclose(out.asnumpy(), wanted)
        np.testing.assert_allclose(changed.asnumpy(), wanted)


@pytest.mark.parametrize("run", [lambda function: function, ms.jit], ids=["pynative", "graph"])
def test_draws_follow_their_laws(run: Any) -> None:
    def drawn() -> Any:
        zeros = ops.zeros((20000,))
        return (
            ops.bernoulli(zeros, 0.3, 5), ops.gamma((20000,), Tensor(3.0), Tensor(2.0), 5),
            ops.random_gamma((20000,), Tensor(3.0), 6), ops.laplace((20000,), Tensor(1.0), Tensor(2.0), 5),
            ops.poisson((20000,), Tensor(4.0), 5), ops.random_poisson((20000,), Tensor(4.0), 6, ms.float64),
            ops.random_categorical(ops.log(Tensor([[1.0, 2.0, 1.0]])), 20000, 5)[0],
            ops.multinomial_with_replacement(Tensor([1.0, 2.0, 1.0]), 5, 0, 20000),
        )  # fmt: skip

    laws = [stats.bernoulli(0.3), stats.gamma(3, scale=0.5), stats.gamma(3), stats.laplace(1, 2), stats.poisson(4),
            stats.poisson(4), stats.binom(2, 0.5), stats.binom(2, 0.5)]  # fmt: skip
    for sample, law in zip(run(drawn)(), laws, strict=True):
        numbers = sample.asnumpy()
        assert numbers.mean() == pytest.approx(law.mean(), abs=4 * law.std() / 20000**0.5)
        assert numbers.std() == pytest.approx(law.std(), rel=0.04)
        if hasattr(law.dist, "pdf") and law.dist.name in ("gamma", "laplace"):
            assert stats.kstest(numbers, law.cdf).pvalue > 1e-4
    mixed = run(lambda x: ops.shuffle(x, 3))(Tensor(np.arange(50).reshape(25, 2))).asnumpy()
    np.testing.assert_array_equal(np.sort(mixed[:, 0]), np.arange(0, 50, 2))
    np.testing.assert_array_equal(mixed[:, 1], mixed[:, 0] + 1)
    assert not np.array_equal(mixed[:, 0], np.arange(0, 50, 2))
    slopes = run(lambda x: ops.rrelu(x, 0.1, 0.3))(Tensor(np.full(5000, -1.0))).asnumpy()
    assert -0.3 <= slopes.min() < -0.29
    assert -0.11 < slopes.max() <= -0.1


@pytest.mark.parametrize("run", [lambda function: function, ms.jit], ids=["pynative", "graph"])
def test_boxes_and_what_is_refused(run: Any) -> None:
    valid = run(ops.check_valid)(
        Tensor([[0.0, 0.0, 2.0, 5.0], [0.0, 0.0, 2.1, 5.0], [-1.0, 0.0, 1.0, 1.0]]), Tensor([2.0, 1.0, 3.0])
    )
    assert valid.tolist() == [True, False, False]
    cut_out = run(lambda x: ops.crop_and_resize(x, Tensor([[0.0, 0.0, 1.0, 1.0]]), Tensor([1]), (1, 6), "nearest"))(
        Tensor(IMAGES)
    )
    np.testing.assert_allclose(cut_out.asnumpy()[0, 0], IMAGES[1, 2], rtol=1e-6)
    for call, message in (
        (
            lambda x: ops.crop_and_resize(x, x[0, :, :4, 0], Tensor([0] * 5), (2, 2), "cubic"),
            "'bilinear_v2', not 'cubic'",
        ),
        (lambda x: ops.affine_grid(x, (1, 2, 3)), r"size must be \(N, C, H, W\) or \(N, C, D, H, W\), not \(1, 2, 3\)"),
        (lambda x: ops.padding(x), r"padding: x must be \(\.\.\., 1\)"),
        (lambda x: ops.mvlgamma(x, 0), "p must be at least 1, not 0"),
        (lambda x: ops.kaiser_window(-1), "window_length must be 0 or more, not -1"),
    ):
        with pytest.raises(ValueError, match=message):
            run(call)(Tensor(IMAGES))
