"""Classification metrics: accuracy, precision, recall, F-scores and top-k accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.nn.metrics.metric import (
    EPS,
    Array,
    Data,
    EvaluationBase,
    Metric,
    classes_of,
    is_one_hot,
    one_hot,
    rearrange_inputs,
)

__all__ = [
    "F1",
    "Accuracy",
    "Fbeta",
    "Precision",
    "Recall",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
]


class Accuracy(EvaluationBase):
    """The fraction of samples that are right. With several labels per sample, all of them must be right.

    Args:
        eval_type: "classification" or "multilabel".

    Example:
        >>> metric = nn.Accuracy()
        >>> metric.update(Tensor([[0.2, 0.8], [0.9, 0.1]]), Tensor([1, 1]))
        >>> print(metric.eval())
        0.5

    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._right = 0
        self._count = 0

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Add predictions (N, C, ...) and labels: class indices (N, ...), one-hot, or 0 and 1 per class."""
        predicted, labels = self._pair(inputs)
        if self._type == "classification":
            right = predicted.argmax(axis=1) == labels
        else:
            same = np.moveaxis(predicted == labels, 1, -1)
            right = same.reshape(-1, same.shape[-1]).all(axis=1)
        self._right += int(right.sum())
        self._count += right.size

    def eval(self) -> float:
        """The number of right samples divided by the number of all.

        Raises:
            RuntimeError: no batch was added.

        """
        if not self._count:
            raise self._nothing()
        return self._right / self._count


class _Ratios(EvaluationBase):
    """Base class of precision and recall: true positives divided by a count, per class or per sample."""

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._true: Array | None = None
        self._all: Array | None = None

    def _denominator(self, predicted: Array, labels: Array) -> Array:
        raise NotImplementedError

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Add predictions (N, C, ...) and labels: class indices (N, ...), one-hot, or 0 and 1 per class."""
        predicted, labels = self._pair(inputs)
        classes = predicted.shape[1]
        if self._type == "classification":
            labels = one_hot(labels, classes)
            predicted = one_hot(predicted.argmax(axis=1), classes)
        else:
            predicted = predicted.swapaxes(1, 0).reshape(classes, -1)
            labels = labels.swapaxes(1, 0).reshape(classes, -1)
        true, of_all = (labels * predicted).sum(axis=0), self._denominator(predicted, labels).sum(axis=0)
        if self._true is None or self._all is None:
            self._true, self._all = true, of_all
        elif self._type == "multilabel":
            self._true, self._all = np.concatenate([self._true, true]), np.concatenate([self._all, of_all])
        elif len(true) != len(self._true):
            raise ValueError(
                f"{type(self).__name__}: this batch has {len(true)} classes, the ones before had {len(self._true)}"
            )
        else:
            self._true, self._all = self._true + true, self._all + of_all

    def eval(self, average: bool = False) -> Any:
        """The ratio of each class, or their mean.

        Raises:
            RuntimeError: no batch was added.

        """
        if self._true is None or self._all is None:
            raise self._nothing()
        ratios = self._true / (self._all + EPS)
        return float(ratios.mean()) if average else ratios


class Precision(_Ratios):
    """The fraction of the predictions of a class that are right, for each class.

    Args:
        eval_type: "classification"; or "multilabel" for a ratio per sample.

    Example:
        >>> metric = nn.Precision()
        >>> metric.update(Tensor([[0.2, 0.8], [0.9, 0.1], [0.3, 0.7]]), Tensor([1, 0, 0]))
        >>> print(metric.eval())
        [1.  0.5]

    """

    def _denominator(self, predicted: Array, labels: Array) -> Array:
        return predicted


class Recall(_Ratios):
    """The fraction of the samples of a class that are predicted as such, for each class.

    Args:
        eval_type: "classification"; or "multilabel" for a ratio per sample.

    Example:
        >>> metric = nn.Recall()
        >>> metric.update(Tensor([[0.2, 0.8], [0.9, 0.1], [0.3, 0.7]]), Tensor([1, 0, 0]))
        >>> print(metric.eval())
        [0.5 1. ]

    """

    def _denominator(self, predicted: Array, labels: Array) -> Array:
        return labels


class Fbeta(Metric):
    """The F-beta score: (1 + beta^2) true positives / (beta^2 labels + predictions), for each class.

    Args:
        beta: weight of recall relative to precision, above 0.

    Example:
        >>> metric = nn.Fbeta(2.0)
        >>> metric.update(Tensor([[0.2, 0.8], [0.9, 0.1], [0.3, 0.7]]), Tensor([1, 0, 0]))
        >>> print(np.round(metric.eval(), 3))
        [0.556 0.833]

    """

    def __init__(self, beta: float) -> None:
        if not beta > 0:
            raise ValueError(f"{type(self).__name__}: beta must be above 0, not {beta}")
        self._square = beta * beta
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._true: Array | float = 0.0
        self._labels: Array | float = 0.0
        self._predicted: Array | float = 0.0
        self._classes = 0

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Add predictions (N, C) and labels: class indices (N,) or one-hot (N, C)."""
        predicted, labels = self._inputs(inputs, 2, "predictions and labels")
        labels = classes_of(type(self).__name__, predicted, labels)
        classes = predicted.shape[1]
        if self._classes not in (0, classes):
            raise ValueError(
                f"{type(self).__name__}: this batch has {classes} classes, the ones before had {self._classes}"
            )
        self._classes = classes
        of_labels, of_predictions = one_hot(labels, classes), one_hot(predicted.argmax(axis=1), classes)
        self._true = self._true + (of_labels * of_predictions).sum(axis=0)
        self._labels = self._labels + of_labels.sum(axis=0)
        self._predicted = self._predicted + of_predictions.sum(axis=0)

    def eval(self, average: bool = False) -> Any:
        """The score of each class, or their mean.

        Raises:
            RuntimeError: no batch was added.

        """
        if not self._classes:
            raise self._nothing()
        figures = (1 + self._square) * self._true / (self._square * self._labels + self._predicted + EPS)
        return float(np.mean(figures)) if average else figures


class F1(Fbeta):
    """The F1 score: 2 true positives / (labels + predictions), for each class.

    Example:
        >>> metric = nn.F1()
        >>> metric.update(Tensor([[0.2, 0.8], [0.9, 0.1], [0.3, 0.7]]), Tensor([1, 0, 0]))
        >>> print(np.round(metric.eval(), 3))
        [0.667 0.667]

    """

    def __init__(self) -> None:
        super().__init__(1.0)


class TopKCategoricalAccuracy(Metric):
    """The fraction of samples whose class is among the k most likely ones.

    Args:
        k: number of most likely classes.

    Example:
        >>> metric = nn.TopKCategoricalAccuracy(2)
        >>> metric.update(Tensor([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]), Tensor([0, 2]))
        >>> print(metric.eval())
        0.5

    """

    def __init__(self, k: int) -> None:
        if not isinstance(k, int) or isinstance(k, bool):
            raise TypeError(f"{type(self).__name__}: k must be an int, not {k!r}")
        if k < 1:
            raise ValueError(f"{type(self).__name__}: k must be above 0, not {k}")
        self.k = k
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._right = 0
        self._count = 0

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Add predictions (N, C) and labels: class indices (N,) or one-hot (N, C)."""
        predicted, labels = self._inputs(inputs, 2, "predictions and labels")
        if labels.ndim == predicted.ndim and len(labels) == len(predicted) and is_one_hot(labels):
            labels = labels.argmax(axis=1)  # Of any number of classes, as in MindSpore.
        labels = classes_of(type(self).__name__, predicted, labels)
        best = np.argsort(-predicted, axis=1, kind="stable")[:, : self.k]
        self._right += int((best == labels[:, None]).sum())
        self._count += len(labels)

    def eval(self) -> float:
        """The number of right samples divided by the number of all.

        Raises:
            RuntimeError: no batch was added.

        """
        if not self._count:
            raise self._nothing()
        return self._right / self._count


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """The fraction of samples whose most likely class is right.

    Example:
        >>> metric = nn.Top1CategoricalAccuracy()
        >>> metric.update(Tensor([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]), Tensor([1, 2]))
        >>> print(metric.eval())
        0.5

    """

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """The fraction of samples whose class is among the 5 most likely ones.

    Example:
        >>> metric = nn.Top5CategoricalAccuracy()
        >>> metric.update(Tensor([[0.3, 0.2, 0.2, 0.15, 0.1, 0.05]]), Tensor([5]))
        >>> print(metric.eval())
        0.0

    """

    def __init__(self) -> None:
        super().__init__(5)
