"""Losses against their formulas in float64, in both modes, and their gradients against central differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from framework import Tensor, jit, nn
from framework.common import dtype as mstype
from framework.pynative import value_and_gradient

RNG = np.random.default_rng(7)
X, Y = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3))
P, Q = RNG.uniform(0.05, 0.95, size=(4, 3)), RNG.integers(2, size=(4, 3)).astype(np.float64)
CLASSES, SIGNS = np.asarray([2, 0, 1, 2]), np.asarray([1, -1, 1, -1])
DISTRIBUTIONS = special.softmax(Y, axis=1)
WEIGHTS = np.asarray([0.5, 1.0, 2.0])
ELEMENTS, POSITIVE = RNG.uniform(0.5, 2, size=(4, 3)), np.asarray([1.0, 2.0, 3.0])
COUNTS = RNG.poisson(3, size=(4, 3)).astype(np.float64)
VOLUME, PIXELS = RNG.normal(size=(2, 3, 5)), RNG.integers(3, size=(2, 5))


def huber(delta: float) -> np.ndarray:
    return special.huber(delta, np.abs(X - Y))


def nll(likely: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Weighted losses, and what their mean divides by."""
    own = weights[CLASSES]
    return -likely[np.arange(4), CLASSES] * own, own.sum()


def bce(x: np.ndarray, y: np.ndarray, positive: Any = 1.0) -> np.ndarray:
    return -(positive * y * np.log(x) + (1 - y) * np.log1p(-x))


def focal(gamma: float) -> np.ndarray:
    likely = special.log_softmax(X, axis=1)[np.arange(4), CLASSES]
    return -((1 - np.exp(likely)) ** gamma) * likely


def cosine(margin: float) -> np.ndarray:
    found = (X * Y).sum(1) / np.linalg.norm(X, axis=1) / np.linalg.norm(Y, axis=1)
    return np.where(SIGNS == 1, 1 - found, np.maximum(found - margin, 0))


def triplet(p: float, swap: bool, margin: float) -> np.ndarray:
    def apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.linalg.norm(one - other + 1e-6, p, axis=1)

    far = np.minimum(apart(X, P), apart(Y, P)) if swap else apart(X, P)
    return np.maximum(apart(X, Y) - far + margin, 0)


LOG_P = special.log_softmax(X, axis=1)
BY_ELEMENT: list[tuple[type[nn.LossBase], dict[str, Any], tuple[np.ndarray, ...], np.ndarray]] = [
    (nn.MSELoss, {}, (X, Y), (X - Y) ** 2),
    (nn.L1Loss, {}, (X, Y), np.abs(X - Y)),
    (nn.MAELoss, {}, (X, Y), np.abs(X - Y)),
    (nn.SmoothL1Loss, {"beta": 0.5}, (X, Y), huber(0.5) / 0.5),
    (nn.HuberLoss, {"delta": 0.7}, (X, Y), huber(0.7)),
    (nn.BCELoss, {}, (P, Q), bce(P, Q)),
    (nn.BCELoss, {"weight": Tensor(ELEMENTS)}, (P, Q), bce(P, Q) * ELEMENTS),
    (nn.BCEWithLogitsLoss, {}, (X, Q), bce(special.expit(X), Q)),
    (
        nn.BCEWithLogitsLoss,
        {"weight": Tensor(ELEMENTS), "pos_weight": Tensor(POSITIVE)},
        (X, Q),
        bce(special.expit(X), Q, POSITIVE) * ELEMENTS,
    ),
    (nn.KLDivLoss, {}, (LOG_P, DISTRIBUTIONS), special.rel_entr(DISTRIBUTIONS, np.exp(LOG_P))),
    (nn.GaussianNLLLoss, {"full": True}, (X, Y, P), -stats.norm.logpdf(Y, X, np.sqrt(P))),
    (nn.PoissonNLLLoss, {}, (X, COUNTS), -stats.poisson.logpmf(COUNTS, np.exp(X)) - special.gammaln(COUNTS + 1)),
    (
        nn.PoissonNLLLoss,
        {"log_input": False},
        (P, COUNTS),
        -stats.poisson.logpmf(COUNTS, P) - special.gammaln(COUNTS + 1),
    ),
    (nn.CosineEmbeddingLoss, {"margin": 0.2}, (X, Y, SIGNS), cosine(0.2)),
    (nn.HingeEmbeddingLoss, {"margin": 0.5}, (X, 2 * Q - 1), np.where(Q == 1, X, np.maximum(0.5 - X, 0))),
    (nn.MarginRankingLoss, {"margin": 0.3}, (X, Y, 2 * Q - 1), np.maximum(0.3 - (2 * Q - 1) * (X - Y), 0)),
    (nn.SoftMarginLoss, {}, (X, 2 * Q - 1), np.log1p(np.exp(-(2 * Q - 1) * X))),
    (nn.TripletMarginLoss, {}, (X, Y, P), triplet(2, False, 1.0)),
    (nn.TripletMarginLoss, {"p": 3.0, "swap": True, "margin": 2.0}, (X, Y, P), triplet(3, True, 2.0)),
    (nn.FocalLoss, {"gamma": 1.5}, (X, CLASSES), focal(1.5)),
    (nn.FocalLoss, {"weight": Tensor(WEIGHTS)}, (X, CLASSES[:, None]), focal(2.0) * WEIGHTS[CLASSES]),
    (nn.CrossEntropyLoss, {}, (X, DISTRIBUTIONS), -(LOG_P * DISTRIBUTIONS).sum(1)),
    (nn.CrossEntropyLoss, {}, (X, CLASSES), nll(LOG_P, np.ones(3))[0]),
    (nn.CrossEntropyLoss, {}, (VOLUME, PIXELS), -np.take_along_axis(
        special.log_softmax(VOLUME, axis=1), PIXELS[:, None], 1)[:, 0]),
    (nn.NLLLoss, {}, (LOG_P, CLASSES), nll(LOG_P, np.ones(3))[0]),
]  # fmt: skip


def tensors(arrays: tuple[np.ndarray, ...]) -> list[Tensor]:
    return [Tensor(array, mstype.int32 if array.dtype.kind == "i" else mstype.float64) for array in arrays]


def run(cell: nn.LossBase, compiled: bool) -> Callable[..., Any]:
    def of(*given: Any) -> Any:
        return cell(*given)

    return jit(of) if compiled else of


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize("case", BY_ELEMENT, ids=lambda case: case[0].__name__)
def test_formulas_and_reductions(case: Any, compiled: bool) -> None:
    kind, kwargs, arrays, wanted = case
    for reduction, of in (("none", lambda x: x), ("mean", np.mean), ("sum", np.sum)):
        got = run(kind(**kwargs, reduction=reduction), compiled)(*tensors(arrays))
        np.testing.assert_allclose(got.asnumpy(), of(wanted), rtol=1e-6, err_msg=reduction)


@pytest.mark.parametrize("case", BY_ELEMENT, ids=lambda case: case[0].__name__)
def test_gradients(case: Any) -> None:
    kind, kwargs, arrays, _ = case
    cell = kind(**kwargs, reduction="sum")
    _, (gradient,), _ = value_and_gradient(cell, tensors(arrays), [0])
    step = 1e-6
    for place in list(np.ndindex(arrays[0].shape))[:6]:
        ends = []
        for sign in (1, -1):
            moved = arrays[0].copy()
            moved[place] += sign * step
            ends.append(cell(*tensors((moved, *arrays[1:]))).asnumpy())
        np.testing.assert_allclose(gradient.asnumpy()[place], (ends[0] - ends[1]) / (2 * step), rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
def test_means_of_weighted_classes_divide_by_the_weights(compiled: bool) -> None:
    losses, total = nll(LOG_P, WEIGHTS)
    for kind, logits in ((nn.CrossEntropyLoss, X), (nn.NLLLoss, LOG_P)):
        mean = run(kind(weight=Tensor(WEIGHTS)), compiled)(*tensors((logits, CLASSES)))
        np.testing.assert_allclose(mean.asnumpy(), losses.sum() / total, rtol=1e-6)
        kept = np.flatnonzero(CLASSES != 2)
        ignoring = run(kind(weight=Tensor(WEIGHTS), ignore_index=2), compiled)(*tensors((logits, CLASSES)))
        np.testing.assert_allclose(ignoring.asnumpy(), losses[kept].sum() / WEIGHTS[CLASSES[kept]].sum(), rtol=1e-6)


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
def test_smoothed_labels_are_distributions(compiled: bool) -> None:
    mixed = 0.8 * np.eye(3)[CLASSES] + 0.2 / 3
    wanted = -(LOG_P * mixed).sum(1)
    smoothing = nn.CrossEntropyLoss(label_smoothing=0.2)
    np.testing.assert_allclose(run(smoothing, compiled)(*tensors((X, CLASSES))).asnumpy(), wanted.mean(), rtol=1e-6)
    of_labels = run(nn.CrossEntropyLoss(), compiled)(*tensors((X, mixed))).asnumpy()
    np.testing.assert_allclose(of_labels, wanted.mean(), rtol=1e-6)
    weighted = nn.CrossEntropyLoss(weight=Tensor(WEIGHTS), label_smoothing=0.2)
    by_weight = -(LOG_P * mixed * WEIGHTS).sum() / WEIGHTS[CLASSES].sum()
    np.testing.assert_allclose(run(weighted, compiled)(*tensors((X, CLASSES))).asnumpy(), by_weight, rtol=1e-6)


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
def test_losses_of_all_elements(compiled: bool) -> None:
    root = run(nn.RMSELoss(), compiled)(*tensors((X, Y))).asnumpy()
    np.testing.assert_allclose(root, np.sqrt(np.mean((X - Y) ** 2)), rtol=1e-6)
    dice = run(nn.DiceLoss(1e-3), compiled)(*tensors((P, Q))).asnumpy()
    np.testing.assert_allclose(dice, 1 - 2 * (P * Q).sum() / ((P * P).sum() + (Q * Q).sum() + 1e-3), rtol=1e-6)
    rows = run(nn.KLDivLoss("batchmean"), compiled)(*tensors((LOG_P, DISTRIBUTIONS))).asnumpy()
    np.testing.assert_allclose(rows, special.rel_entr(DISTRIBUTIONS, np.exp(LOG_P)).sum() / 4, rtol=1e-6)
    one = run(nn.CrossEntropyLoss(), compiled)(*tensors((X[0], CLASSES[0]))).asnumpy()
    np.testing.assert_allclose(one, -LOG_P[0, CLASSES[0]], rtol=1e-6)


def test_factorials_of_counts_by_stirling() -> None:
    got = nn.PoissonNLLLoss(full=True, reduction="none")(*tensors((X, COUNTS))).asnumpy()
    exact = -stats.poisson.logpmf(COUNTS, np.exp(X))
    assert np.abs(got - exact)[COUNTS > 1].max() < 0.05


def test_certain_and_impossible_logits_stay_finite() -> None:
    far = np.asarray([[1000.0, -1000.0, 0.0]])
    for loss in (nn.BCEWithLogitsLoss(), nn.SoftMarginLoss()):
        assert np.isfinite(loss(*tensors((far, -np.sign(far)))).asnumpy())
    assert np.isfinite(nn.BCELoss()(*tensors((np.asarray([0.0, 1.0]), np.asarray([1.0, 0.0])))).asnumpy())
    assert nn.KLDivLoss()(*tensors((LOG_P, np.zeros((4, 3))))).asnumpy() == 0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: nn.L1Loss("median"), "reduction must be"),
        (lambda: nn.HuberLoss(delta=0), "delta must be above 0"),
        (lambda: nn.CrossEntropyLoss(label_smoothing=2), "label_smoothing"),
        (lambda: nn.CosineEmbeddingLoss(margin=2), "margin"),
        (lambda: nn.DiceLoss(0), "smooth"),
    ],
)
def test_wrong_arguments_are_named(wrong: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        wrong()


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (4, 1)])
def test_labels_are_one_for_each_row(shape: tuple[int, ...], reduction: str, compiled: bool) -> None:
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction=reduction)
    called = jit(lambda x, y: loss(x, y)) if compiled else loss
    with pytest.raises(ValueError, match=r"logits \(4, 3\).*labels"):
        called(Tensor(X, mstype.float32), Tensor(np.zeros(shape, np.int32)))
