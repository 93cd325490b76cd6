"""Connectionist temporal classification against its definition: the sum over every single path."""

import itertools

import numpy as np
import pytest

from framework import Tensor, grad, jit, ops
from framework.ops import operations as P  # noqa: N812

X = np.random.default_rng(0).standard_normal((5, 3, 4))
PLACES = np.array([[0, 0], [0, 1], [2, 0], [2, 1]])
STEPS = (5, 3, 4)


def spelled(path: tuple[int, ...], merged: bool) -> list[int]:
    """What a path spells; the last class, 3, is the blank."""
    kept = [k for at, k in enumerate(path) if not (merged and at and path[at - 1] == k)]
    return [k for k in kept if k != 3]


def loss_of(x: np.ndarray, labels: list[int], merged: bool) -> float:
    """-log of the sum of the likelihoods of all paths that spell the labels."""
    likely = np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)
    paths = itertools.product(range(4), repeat=len(x))
    with np.errstate(divide="ignore"):
        return -float(np.log(sum(np.prod(likely[np.arange(len(x)), p]) for p in paths if spelled(p, merged) == labels)))


@pytest.mark.parametrize("merged", [True, False])
@pytest.mark.parametrize("collapsed", [True, False])
@pytest.mark.parametrize("last", [2, 0])
def test_sum_over_all_paths(collapsed: bool, merged: bool, last: int) -> None:
    given = Tensor(PLACES), Tensor([1, 1, 2, last]), Tensor(STEPS)
    loss, _ = P.CTCLoss(collapsed, merged)(Tensor(X), *given)
    labels = [[1] if collapsed else [1, 1], [], [2] if collapsed and last == 2 else [2, last]]
    wanted = [loss_of(X[:steps, n], labels[n], merged) for n, steps in enumerate(STEPS)]
    np.testing.assert_allclose(loss.asnumpy(), wanted, rtol=1e-12)


def test_likelihoods_that_are_no_number() -> None:
    x = np.zeros((400, 1, 3), np.float32)
    x[..., 2] = 900.0
    given = Tensor([[0, 0], [0, 1]]), Tensor([0, 1]), Tensor([400])
    loss, gradient = P.CTCLoss()(Tensor(x), *given)
    # Two steps of 400 are no blank: 400 * 399 / 2 paths, each of exp(-1800); others are e ** 900 times less likely.
    np.testing.assert_allclose(loss.asnumpy(), [1800 - np.log(400 * 399 / 2)], rtol=1e-6)
    np.testing.assert_allclose(gradient.asnumpy().sum(axis=0), [[-1.0, -1.0, 2.0]], rtol=1e-3)


def test_labels_that_nothing_spells() -> None:
    given = Tensor([[0, 0], [0, 1]]), Tensor([1, 1])
    loss, gradient = P.CTCLoss()(Tensor(X[:, :1]), *given, Tensor([2]))
    assert loss.asnumpy().tolist() == [np.inf]
    assert not gradient.asnumpy().any()
    with pytest.raises(ValueError, match="sequence 0 has 2 labels and 1 steps"):
        P.CTCLoss()(Tensor(X[:, :1]), *given, Tensor([1]))
    loss, gradient = P.CTCLoss(ignore_longer_outputs_than_inputs=True)(Tensor(X[:, :1]), *given, Tensor([1]))
    assert loss.asnumpy().tolist() == [0.0]
    assert not gradient.asnumpy().any()


def test_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="labels must lie from 0 to 2; 3 is the blank"):
        P.CTCLoss()(Tensor(X), Tensor([[0, 0]]), Tensor([3]), Tensor(STEPS))
    with pytest.raises(ValueError, match="must lie from 1 to 5"):
        P.CTCLoss()(Tensor(X), Tensor([[0, 0]]), Tensor([0]), Tensor([6, 1, 1]))
    with pytest.raises(ValueError, match="must be \\(T, N, C\\)"):
        P.CTCLoss()(Tensor(X[0]), Tensor([[0, 0]]), Tensor([0]), Tensor(STEPS))


def test_rows_of_labels_from_logarithms() -> None:
    scores = ops.log_softmax(Tensor(X), -1)
    rows = Tensor([[1, 1], [0, 0], [2, 0]])
    each, log_alpha = ops.ctc_loss(scores, rows, STEPS, (2, 0, 2), blank=3, reduction="none")
    given = Tensor(PLACES), Tensor([1, 1, 2, 0]), Tensor(STEPS)
    wanted, gradient = P.CTCLoss()(Tensor(X), *given)
    np.testing.assert_allclose(each.asnumpy(), wanted.asnumpy(), rtol=1e-12)
    ends = log_alpha.asnumpy()[0, STEPS[0] - 1, -2:]
    np.testing.assert_allclose(-np.logaddexp(*ends), each.asnumpy()[0], rtol=1e-12)

    def total(x: Tensor) -> Tensor:
        return ops.ctc_loss(ops.log_softmax(x, -1), rows, STEPS, (2, 0, 2), 3, "sum")[0]

    for function in (grad(total), jit(grad(total))):
        np.testing.assert_allclose(function(Tensor(X)).asnumpy(), gradient.asnumpy(), atol=1e-12)
    mean, _ = ops.ctc_loss(scores, rows, Tensor(STEPS), Tensor([2, 0, 2]), 3)
    np.testing.assert_allclose(mean.asnumpy(), (each.asnumpy() / [2, 1, 2]).mean(), rtol=1e-12)


def test_infinite_losses_of_rows() -> None:
    given = Tensor(X[:, :1]), Tensor([[1, 1]]), Tensor([2]), Tensor([2])
    assert P.CTCLossV2(3)(*given)[0].asnumpy().tolist() == [np.inf]
    assert P.CTCLossV2(3, zero_infinity=True)(*given)[0].asnumpy().tolist() == [0.0]
    assert not P.CTCLossV2Grad(3)(*given).asnumpy().any()
    with pytest.raises(ValueError, match="sequence 0 cannot have 3 labels: it has 2 steps"):
        P.CTCLossV2(3)(*given[:3], Tensor([3]))
    with pytest.raises(ValueError, match="blank must be a class from 0 to 3, not 4"):
        P.CTCLossV2(4)(*given)
