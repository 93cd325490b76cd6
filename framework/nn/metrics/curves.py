"""Confusion matrix, receiver operating characteristic, area under a curve, and similarities of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common.validator import check_bool, check_type
from framework.nn.metrics.metric import Array, Data, Metric, rearrange_inputs

__all__ = ["ROC", "ConfusionMatrix", "CosineSimilarity", "auc"]


class ConfusionMatrix(Metric):
    """The number of samples of each class (rows) that were predicted as each class (columns).

    Args:
        num_classes: number of classes.
        normalize: "no_norm" for counts; "target", "prediction" or "all" for fractions of the row, the column or all.
        threshold: least prediction of class 1, for predictions of one number per sample.

    Example:
        >>> metric = nn.ConfusionMatrix(2)
        >>> metric.update(Tensor([1, 0, 1]), Tensor([1, 0, 0]))
        >>> print(metric.eval())
        [[1. 1.]
         [0. 1.]]

    """

    def __init__(self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5) -> None:
        check_type("ConfusionMatrix: num_classes", num_classes, int)
        check_type("ConfusionMatrix: threshold", threshold, float)
        if normalize not in ("no_norm", "target", "prediction", "all"):
            raise ValueError(
                f"ConfusionMatrix: normalize must be 'no_norm', 'target', 'prediction' or 'all', not {normalize!r}"
            )
        self.num_classes, self.normalize, self.threshold = num_classes, normalize, threshold
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._counts = np.zeros((self.num_classes, self.num_classes))
        self._updated = False

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Add predictions, (N, C) or (N,), classes or numbers up to 1, and labels (N,)."""
        predicted, labels = self._inputs(inputs, 2, "predictions and labels")
        if predicted.ndim == labels.ndim + 1:
            predicted = predicted.argmax(axis=1)
        elif predicted.dtype.kind == "f":
            predicted = (predicted >= self.threshold).astype(np.int64)
        if predicted.shape != labels.shape:
            raise ValueError(f"ConfusionMatrix: predictions {predicted.shape} do not match labels {labels.shape}")
        np.add.at(self._counts, (labels.reshape(-1).astype(np.int64), predicted.reshape(-1)), 1)
        self._updated = True

    def eval(self) -> Array:
        """The matrix; fractions with a denominator of 0 are 0.

        Raises:
            RuntimeError: no batch was added.
        """
        if not self._updated:
            raise self._nothing()
        if self.normalize == "no_norm":
            return self._counts.copy()
        axis = {"target": 1, "prediction": 0, "all": None}[self.normalize]
        whole = self._counts.sum(axis=axis, keepdims=True)
        shares = np.zeros_like(self._counts)
        np.divide(self._counts, whole, out=shares, where=whole != 0)
        return shares


class CosineSimilarity(Metric):
    """The similarity of each pair of rows of a matrix: the cosine of the angle between them.

    Args:
        similarity: "cosine", or "dot" for the inner product.
        reduction: "none"; or the "sum" or "mean" of each row.
        zero_diagonal: set the similarity of a row to itself to 0.

    Example:
        >>> metric = nn.CosineSimilarity()
        >>> metric.update(np.array([[1.0, 0.0], [3.0, 4.0]]))
        >>> print(np.round(metric.eval(), 3))
        [[0.  0.6]
         [0.6 0. ]]

    """

    def __init__(self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True) -> None:
        check_type("CosineSimilarity: similarity", similarity, str)
        check_type("CosineSimilarity: reduction", reduction, str)
        check_bool(zero_diagonal, "CosineSimilarity: zero_diagonal")
        if similarity not in ("cosine", "dot") or reduction not in ("none", "sum", "mean"):
            raise ValueError(
                "CosineSimilarity: similarity must be 'cosine' or 'dot' and reduction 'none', 'sum' or 'mean',"
                f" not {similarity!r} and {reduction!r}"
            )
        self.similarity, self.reduction, self.zero_diagonal = similarity, reduction, zero_diagonal
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._matrix: Array | None = None

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Set the matrix; the last one counts."""
        (rows,) = self._inputs(inputs, 1, "a matrix")
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self._matrix = rows @ rows.T

    def eval(self) -> Array:
        """The matrix of similarities, or a vector.

        Raises:
            RuntimeError: no matrix was added.

        """
        if self._matrix is None:
            raise self._nothing()
        matrix = self._matrix.copy()
        if self.zero_diagonal:
            np.fill_diagonal(matrix, 0)
        if self.reduction == "none":
            return matrix
        return np.asarray(matrix.mean(axis=-1) if self.reduction == "mean" else matrix.sum(axis=-1))


class ROC(Metric):
    """The receiver operating characteristic: false and true positive rates by threshold.

    Args:
        class_num: number of classes of predictions (N, C); None for one number per sample.
        pos_label: positive label; None for 1.

    Example:
        >>> metric = nn.ROC(pos_label=1)
        >>> metric.update(Tensor([0.1, 0.4, 0.8]), Tensor([0, 1, 1]))
        >>> print(metric.eval()[1])
        [0.  0.5 1.  1. ]

    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        check_type("ROC: class_num", class_num, (int, type(None)))
        check_type("ROC: pos_label", pos_label, (int, type(None)))
        self.class_num = class_num
        self.pos_label = 1 if pos_label is None else pos_label
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._predicted: list[Array] = []
        self._labels: list[Array] = []

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Add predictions (N, C) and labels (N,), or for one class predictions and labels of one shape."""
        predicted, labels = self._inputs(inputs, 2, "predictions and labels")
        if self.class_num in (None, 1) and predicted.ndim == labels.ndim:
            if predicted.shape != labels.shape:
                raise ValueError(
                    f"ROC: predictions {predicted.shape} and labels {labels.shape} must have the same shape"
                )
            predicted, labels = predicted.reshape(-1), labels.reshape(-1)
        expected = (len(labels),) if self.class_num in (None, 1) else (len(labels), self.class_num)
        if labels.ndim != 1 or predicted.shape != expected:
            raise ValueError(f"ROC: predictions must have the shape {expected}, not {predicted.shape}")
        self._predicted.append(predicted)
        self._labels.append(labels)

    def eval(self) -> tuple[Any, Any, Any]:
        """False positive rates, true positive rates, thresholds; for several classes, a list of each.

        Raises:
            RuntimeError: no batch was added.
            ValueError: there is no positive or no negative sample.

        """
        if not self._predicted:
            raise self._nothing()
        predicted, labels = np.concatenate(self._predicted), np.concatenate(self._labels)
        if self.class_num in (None, 1):
            return _curve(predicted, labels == self.pos_label)
        curves = [_curve(predicted[:, number], labels == number) for number in range(predicted.shape[1])]
        return tuple(list(part) for part in zip(*curves, strict=True))  # type: ignore[return-value]


def _curve(predicted: Array, positive: Array) -> tuple[Array, Array, Array]:
    order = np.argsort(-predicted, kind="stable")
    predicted, positive = predicted[order], positive[order]
    last = np.append(np.flatnonzero(np.diff(predicted)), len(predicted) - 1)
    true = np.cumsum(positive)[last]
    false = 1 + last - true
    if not true[-1] or not false[-1]:
        missing = "negative" if true[-1] else "positive"
        raise ValueError(f"ROC: there is no {missing} sample, so its rate is undefined")
    thresholds = np.append(predicted[0] + 1, predicted[last])
    return np.append(0, false) / false[-1], np.append(0, true) / true[-1], thresholds


def auc(x: Data, y: Data, reorder: bool = False) -> float:
    """The area under a curve, by the trapezoidal rule.

    Args:
        x: x coordinates of the points, monotonic unless `reorder`.
        y: as many y coordinates.
        reorder: sort the points by x first.

    Returns:
        The area.

    Raises:
        ValueError: there are fewer than two points, or x is not monotonic.
    """
    places, heights = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if places.ndim != 1 or places.shape != heights.shape or len(places) < 2:
        raise ValueError(
            f"auc: x and y must be vectors of one length of at least 2, not {places.shape} and {heights.shape}"
        )
    if reorder:
        order = np.lexsort((heights, places))
        places, heights = places[order], heights[order]
    steps = np.diff(places)
    if (steps < 0).any() and (steps > 0).any():
        raise ValueError("auc: x must be monotonic; pass reorder=True to sort it")
    area = float(np.trapezoid(heights, places))
    return -area if (steps < 0).any() else area
