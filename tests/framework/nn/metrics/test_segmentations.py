"""Metrics of segmentations against scipy's morphology and scikit-learn."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage
from sklearn import metrics as reference

from framework import Tensor, nn

FARS = {
    "euclidean": ndimage.distance_transform_edt,
    "chessboard": lambda mask: ndimage.distance_transform_cdt(mask, "chessboard"),
    "taxicab": lambda mask: ndimage.distance_transform_cdt(mask, "taxicab"),
}


def masks(seed: int, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    one, other = rng.random(shape) < 0.6, rng.random(shape) < 0.6
    one.flat[0] = other.flat[-1] = True
    return one, other


def distances(one: np.ndarray, other: np.ndarray, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """From the surface of each mask to that of the other."""
    edges = [mask ^ ndimage.binary_erosion(mask) for mask in (one, other)]
    there, back = (FARS[metric](~edge) for edge in (edges[1], edges[0]))
    return there[edges[0]], back[edges[1]]


@given(
    seed=st.integers(0, 10**6),
    shape=st.sampled_from([(5, 7), (12, 9), (3, 4, 5)]),
    metric=st.sampled_from(list(FARS)),
)
def test_distances_of_surfaces_are_those_of_scipy(seed: int, shape: tuple[int, ...], metric: str) -> None:
    one, other = masks(seed, shape)
    there, back = distances(one, other, metric)
    given: tuple[Any, ...] = (Tensor(one.astype(np.int32)), Tensor(other.astype(np.int32)), 1)
    assert nn.HausdorffDistance(metric)(*given) == pytest.approx(max(there.max(), back.max()))
    assert nn.HausdorffDistance(metric, 80.0, True)(*given) == pytest.approx(np.percentile(there, 80))
    assert nn.MeanSurfaceDistance(False, metric)(*given) == pytest.approx(there.mean())
    assert nn.MeanSurfaceDistance(True, metric)(*given) == pytest.approx((there.mean() + back.mean()) / 2)
    assert nn.RootMeanSquareDistance(False, metric)(*given) == pytest.approx((there**2.0).mean())


def test_surfaces_that_are_empty() -> None:
    full, empty = np.ones((3, 3)), np.zeros((3, 3))
    assert nn.HausdorffDistance()(full, empty, 1) == np.inf
    assert nn.MeanSurfaceDistance()(full, empty, 1) == np.inf
    assert nn.MeanSurfaceDistance()(empty, full, 1) == 0
    with pytest.raises(ValueError, match="the same shape"):
        nn.HausdorffDistance()(full, empty[:2], 1)
    with pytest.raises(ValueError, match="distance_metric"):
        nn.MeanSurfaceDistance(distance_metric="air")
    with pytest.raises(ValueError, match="percentile"):
        nn.HausdorffDistance(percentile=101.0)
    with pytest.raises(ValueError, match="prediction, label and class"):
        nn.HausdorffDistance()(full, empty)


RATES = {
    "sensitivity": lambda tn, fp, fn, tp: tp / (tp + fn),
    "selectivity": lambda tn, fp, fn, tp: tn / (tn + fp),
    "ppv": lambda tn, fp, fn, tp: tp / (tp + fp),
    "negative predictive value": lambda tn, fp, fn, tp: tn / (tn + fn),
    "miss rate": lambda tn, fp, fn, tp: fn / (tp + fn),
    "fall out": lambda tn, fp, fn, tp: fp / (tn + fp),
    "fdr": lambda tn, fp, fn, tp: fp / (tp + fp),
    "false omission rate": lambda tn, fp, fn, tp: fn / (tn + fn),
    "prevalence threshold": lambda tn, fp, fn, tp: 1 / (1 + np.sqrt(tp / (tp + fn) / (fp / (tn + fp)))),
    "threat score": lambda tn, fp, fn, tp: tp / (tp + fn + fp),
    "informedness": lambda tn, fp, fn, tp: tp / (tp + fn) + tn / (tn + fp) - 1,
    "markedness": lambda tn, fp, fn, tp: tp / (tp + fp) + tn / (tn + fn) - 1,
}


def test_rates_of_counts() -> None:
    rng = np.random.default_rng(6)
    predicted, labels = rng.integers(2, size=(9, 3)), rng.integers(2, size=(9, 3))
    said, true = predicted[:, 1:].ravel(), labels[:, 1:].ravel()
    counts = reference.confusion_matrix(true, said).ravel()
    wanted = {name: formula(*counts) for name, formula in RATES.items()}
    wanted["accuracy"] = reference.accuracy_score(true, said)
    wanted["balanced accuracy"] = reference.balanced_accuracy_score(true, said)
    wanted["f1 score"] = reference.f1_score(true, said)
    wanted["mcc"] = reference.matthews_corrcoef(true, said)
    wanted["fowlkes mallows index"] = np.sqrt(
        reference.precision_score(true, said) * reference.recall_score(true, said)
    )
    for name, value in wanted.items():
        metric = nn.ConfusionMatrixMetric(skip_channel=False, metric_name=name)
        metric.update(predicted[:4], labels[:4])
        metric.update(predicted[4:], labels[4:])
        np.testing.assert_allclose(metric.eval(), [value], err_msg=name)


def test_rates_of_samples() -> None:
    labels = np.asarray([[[1, 1, 0, 0]], [[0, 0, 0, 0]], [[1, 1, 1, 1]]])
    predicted = np.asarray([[[1, 0, 0, 0]], [[1, 0, 0, 0]], [[1, 1, 1, 1]]])
    # The second sample has nothing to find.
    assert nn.ConfusionMatrixMetric(calculation_method=True)(predicted, labels) == (0.5 + 1) / 2
    with pytest.raises(NotImplementedError, match="there is no rate 'luck'"):
        nn.ConfusionMatrixMetric(metric_name="luck")
    with pytest.raises(ValueError, match="decrease"):
        nn.ConfusionMatrixMetric(decrease="sum")
    with pytest.raises(ValueError, match="must be 0 or 1"):
        nn.ConfusionMatrixMetric()(predicted, labels * 2)
    with pytest.raises(ValueError, match=r"must be \(N, C"):
        nn.ConfusionMatrixMetric()(predicted, labels[:2])


def test_rates_are_those_of_mindspore() -> None:
    # Numbers of MindSpore 2.10.0: with all classes and without the first one, from sums of counts and from means.
    wanted = {
        "tpr": (0.515152, 0.558333, 0.52, 0.544444),
        "npv": (0.698113, 0.677083, 0.72093, 0.685185),
        "pt": (0.513673, 0.524435, 0.500737, 0.496942),
        "mcc": (-0.053556, -0.021647, -0.002759, 0.008488),
        "fm": (0.361538, 0.457581, 0.379249, 0.512974),
    }
    random = np.random.RandomState(0)
    batches = [[(random.rand(3, 4, 5) > limit).astype(int) for limit in (0.5, 0.6)] for _ in range(2)]
    batches[0][1][0, 1] = batches[1][1][2] = 0
    for name, numbers in wanted.items():
        found = []
        for skip_channel in (True, False):
            for calculation_method in (False, True):
                metric = nn.ConfusionMatrixMetric(skip_channel, name, calculation_method)
                for batch in batches:
                    metric.update(*batch)
                found.append(np.ravel(metric.eval())[0])
        np.testing.assert_allclose(found, numbers, atol=1e-6, err_msg=name)
