"""Metrics against scikit-learn and numpy, and what they refuse."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from framework import Tensor, nn
from framework.nn.metrics import get_metrics, names


def batches(seed: int, classes: int, sizes: list[int]) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(seed)
    return [(rng.random((size, classes)).astype(np.float32), rng.integers(classes, size=size)) for size in sizes]


def evaluated(metric: nn.Metric, given: list[tuple[Any, ...]], **kwargs: Any) -> Any:
    for inputs in given:
        metric.update(*inputs)
    return metric.eval(**kwargs)  # type: ignore[call-arg]


@given(seed=st.integers(0, 10**6), classes=st.integers(2, 6), sizes=st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_metrics_of_classes_are_scikit_learns(seed: int, classes: int, sizes: list[int]) -> None:
    given = batches(seed, classes, sizes)
    scores, labels = (np.concatenate(part) for part in zip(*given, strict=True))
    guess, each = scores.argmax(axis=1), {"labels": range(classes), "average": None, "zero_division": 0}
    tensors = [(Tensor(predicted), Tensor(wanted)) for predicted, wanted in given]
    assert evaluated(nn.Accuracy(), tensors) == reference.accuracy_score(labels, guess)
    np.testing.assert_allclose(evaluated(nn.Precision(), tensors), reference.precision_score(labels, guess, **each))
    np.testing.assert_allclose(evaluated(nn.Recall(), tensors), reference.recall_score(labels, guess, **each))
    np.testing.assert_allclose(evaluated(nn.F1(), tensors), reference.f1_score(labels, guess, **each))
    wanted = reference.fbeta_score(labels, guess, beta=2.0, **each)
    np.testing.assert_allclose(evaluated(nn.Fbeta(2.0), tensors), wanted)
    assert evaluated(nn.F1(), tensors, average=True) == pytest.approx(reference.f1_score(labels, guess, **each).mean())
    matrix = reference.confusion_matrix(labels, guess, labels=range(classes))
    np.testing.assert_array_equal(evaluated(nn.ConfusionMatrix(classes), tensors), matrix)
    for k, metric in ((1, nn.Top1CategoricalAccuracy()), (2, nn.TopKCategoricalAccuracy(2))):
        best = [label in np.argsort(-row)[:k] for row, label in zip(scores, labels, strict=True)]
        assert evaluated(metric, tensors) == np.mean(best)


def test_one_hot_labels_are_taken_too() -> None:
    ((scores, labels),) = batches(1, 7, [20])
    for metric in (nn.Accuracy(), nn.Precision(), nn.Recall(), nn.F1(), nn.Top5CategoricalAccuracy()):
        np.testing.assert_array_equal(metric(scores, np.eye(7)[labels]), metric(scores, labels))


def test_pixels_are_samples() -> None:
    rng = np.random.default_rng(2)
    scores, labels = rng.random((2, 3, 4, 5)), rng.integers(3, size=(2, 4, 5))
    assert nn.Accuracy()(scores, labels) == (scores.argmax(axis=1) == labels).mean()


def test_several_classes_per_sample() -> None:
    predicted = np.asarray([[1, 0, 1], [0, 1, 0], [1, 1, 0]])
    labels = np.asarray([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert nn.Accuracy("multilabel")(predicted, labels) == 1 / 3
    np.testing.assert_allclose(nn.Precision("multilabel")(predicted, labels), [0.5, 1, 0])
    twice = nn.Recall("multilabel")
    for _ in range(2):
        twice.update(predicted, labels)
    np.testing.assert_allclose(twice.eval(), [1, 1, 0, 1, 1, 0])
    assert twice.eval(average=True) == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="must be 0 or 1"):
        nn.Accuracy("multilabel")(predicted * 2, labels)
    with pytest.raises(ValueError, match="must have the same shape"):
        nn.Recall("multilabel")(predicted, labels[:2])


def test_means() -> None:
    rng = np.random.default_rng(3)
    one, other = rng.random((6, 1)), rng.random((6, 1))
    assert nn.MAE()(Tensor(one), Tensor(other)) == pytest.approx(reference.mean_absolute_error(other, one))
    assert nn.MSE()(one, other[:, 0]) == pytest.approx(reference.mean_squared_error(other, one))
    assert evaluated(nn.Loss(), [(Tensor(2.0),), (np.asarray([1.0, 3.0]),), (5,)]) == 3.0
    probabilities, labels = np.asarray([[0.5, 0.5], [0.25, 0.75]]), np.asarray([0, 0])
    assert nn.Perplexity()(probabilities, labels) == pytest.approx(np.exp(-(np.log(0.5) + np.log(0.25)) / 2))
    masks = np.asarray([[1, 0, 1, 1]]), np.asarray([[1, 1, 0, 1]])
    assert nn.Dice()(*masks) == pytest.approx(4 / 6, abs=1e-5)
    with pytest.raises(ValueError, match="must have the same shape"):
        nn.Dice()(masks[0], masks[1][:, :2])
    with pytest.raises(ValueError, match="of shape"):
        nn.Loss()(np.zeros((2, 2)))


def test_the_matrix_as_shares() -> None:
    labels, guess = np.asarray([0, 0, 1, 1, 1]), np.asarray([0, 1, 1, 1, 0])
    for ours, theirs in (("target", "true"), ("prediction", "pred"), ("all", "all")):
        wanted = reference.confusion_matrix(labels, guess, normalize=theirs)
        np.testing.assert_allclose(nn.ConfusionMatrix(2, ours)(guess, labels), wanted)
    by_threshold = nn.ConfusionMatrix(2, threshold=0.7)(np.asarray([0.6, 0.8]), np.asarray([1, 1]))
    assert by_threshold.tolist() == [[0, 0], [1, 1]]


@given(seed=st.integers(0, 10**6), count=st.integers(4, 30))
def test_curves_are_scikit_learns(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    scores, labels = rng.integers(8, size=count) / 8, np.append([0, 1], rng.integers(2, size=count - 2))
    false, true, thresholds = evaluated(nn.ROC(), [(scores[:3], labels[:3]), (scores[3:], labels[3:])])
    wanted = reference.roc_curve(labels, scores, drop_intermediate=False)
    np.testing.assert_allclose(false, wanted[0])
    np.testing.assert_allclose(true, wanted[1])
    np.testing.assert_allclose(thresholds[1:], wanted[2][1:])
    assert nn.auc(false, true) == pytest.approx(reference.roc_auc_score(labels, scores))
    assert nn.auc(false[::-1], true[::-1]) == pytest.approx(reference.roc_auc_score(labels, scores))


def test_curves_of_several_classes() -> None:
    ((scores, labels),) = batches(5, 3, [30])
    false, true, _ = nn.ROC(class_num=3)(scores, labels)
    for number in range(3):
        wanted = reference.roc_curve(labels == number, scores[:, number], drop_intermediate=False)
        np.testing.assert_allclose(false[number], wanted[0])
        np.testing.assert_allclose(true[number], wanted[1])
    with pytest.raises(ValueError, match="no negative sample"):
        nn.ROC()(np.asarray([0.1, 0.2]), np.asarray([1, 1]))
    with pytest.raises(ValueError, match="shape"):
        nn.ROC(class_num=2)(scores, labels)


def test_areas() -> None:
    assert nn.auc([2, 0, 1], [1, 1, 1], reorder=True) == 2
    with pytest.raises(ValueError, match="monotonic"):
        nn.auc([2, 0, 1], [1, 1, 1])
    with pytest.raises(ValueError, match="one length"):
        nn.auc([1], [1])


def test_likeness_of_rows() -> None:
    rows = np.random.default_rng(4).random((4, 6))
    wanted = reference.pairwise.cosine_similarity(rows)
    np.testing.assert_allclose(nn.CosineSimilarity(zero_diagonal=False)(Tensor(rows)), wanted)
    np.testing.assert_allclose(nn.CosineSimilarity("dot", "sum", False)(rows), (rows @ rows.T).sum(axis=1))
    with pytest.raises(ValueError, match="'cosine' or 'dot'"):
        nn.CosineSimilarity("sine")


def test_translations() -> None:
    words = ["the", "cat", "is", "on", "the", "mat"]
    assert nn.BleuScore()([words], [[words]]) == 1
    assert nn.BleuScore()([["x"] * 6], [[words]]) == 0
    # Shares of 5 of 6, 3 of 5, and one word less than the reference.
    score = nn.BleuScore(2)([["the", "cat", "sat", "on", "the", "mat"]], [[[*words, "now"]]])
    assert score == pytest.approx(np.exp(1 - 7 / 6) * np.sqrt(5 / 6 * 3 / 5))
    assert 0 < nn.BleuScore(smooth=True)([["the", "x"]], [[words]]) < 1


class Second(nn.Metric):
    """Keeps what it is given."""

    def clear(self) -> None:
        self.seen: list[Any] = []

    @nn.rearrange_inputs
    def update(self, *inputs: Any) -> None:
        self.seen.append(inputs)

    def eval(self) -> Any:
        return self.seen


def test_inputs_can_be_chosen() -> None:
    metric = Second().set_indexes([2, 0])
    assert metric.indexes == [2, 0]
    assert metric("a", "b", "c") == [("c", "a")]
    with pytest.raises(ValueError, match="must be a list"):
        metric.set_indexes("ab")  # type: ignore[arg-type]
    chosen = nn.Accuracy().set_indexes([1, 2])
    chosen.update(None, np.eye(3), np.arange(3))
    assert chosen.eval() == 1


@pytest.mark.parametrize("name", [name for name in names() if name != "auc"])
def test_metrics_have_names_and_say_when_there_is_nothing(name: str) -> None:
    arguments = {"confusion_matrix": (3,), "topk": (2,)}.get(name, ())
    metric = nn.get_metric_fn(name, *arguments)
    with pytest.raises(RuntimeError, match="nothing to evaluate"):
        metric.eval()


def test_metrics_by_name() -> None:
    assert isinstance(nn.get_metric_fn("accuracy", "multilabel"), nn.Accuracy)
    assert nn.get_metric_fn("auc", [0, 1], [1, 1]) == 1
    assert set(get_metrics({"acc": nn.Accuracy()})) == {"acc"}
    assert {name: type(metric) for name, metric in get_metrics(["loss"]).items()} == {"loss": nn.Loss}
    assert get_metrics(None) == {}
    with pytest.raises(KeyError, match="no metric 'best'"):
        nn.get_metric_fn("best")
    with pytest.raises(TypeError, match="'acc' must be a metric"):
        get_metrics({"acc": 3})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: nn.Accuracy("ranking"), "eval_type"),
        (lambda: nn.Accuracy()(np.zeros((2, 3)), np.asarray([0, 3])), "labels must lie from 0 to 2"),
        (lambda: nn.Accuracy()(np.zeros((2, 3)), np.asarray([0])), "do not match"),
        (lambda: nn.Accuracy()(np.zeros((2, 3))), "predictions and labels, not 1 inputs"),
        (lambda: nn.Accuracy()("ab", "cd"), "takes tensors, arrays"),
        (lambda: nn.F1()(np.zeros((2, 3)), np.ones((2, 3))), "one-hot"),
        (lambda: nn.Fbeta(0), "beta"),
        (lambda: nn.TopKCategoricalAccuracy(0), "k must"),
        (lambda: nn.TopKCategoricalAccuracy(1.5), "k must"),
        (lambda: nn.ConfusionMatrix(2, "rows"), "normalize"),
        (lambda: nn.Dice(0), "smooth"),
        (lambda: nn.BleuScore(5), "n_gram"),
        (lambda: nn.MSE()(np.zeros(3), np.zeros(4)), "must have the same shape"),
    ],
)
def test_wrong_arguments_are_named(wrong: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        wrong()
