"""The base class of metrics: a metric is cleared, updated with batches of outputs, and evaluated."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from framework.common.tensor import Tensor

__all__ = ["EPS", "Array", "EvaluationBase", "Metric", "classes_of", "one_hot", "rearrange_inputs"]

Array = npt.NDArray[Any]

#: Number added to denominators to keep them above 0: the smallest normal float.
EPS = float(np.finfo(np.float64).tiny)

Update = TypeVar("Update", bound=Callable[..., Any])

Data = Tensor | np.ndarray[Any, Any] | Sequence[Any] | float
"""Inputs of metrics: a Tensor, an array, or numbers."""


class Metric(ABC):
    """Base class of metrics: a measure of predictions over any number of batches.

    Example:
        >>> class Largest(nn.Metric):
        ...     def clear(self):
        ...         self.largest = 0.0
        ...     def update(self, *inputs):
        ...         self.largest = max(self.largest, float(inputs[0].max()))
        ...     def eval(self):
        ...         return self.largest
        >>> metric = Largest()
        >>> metric.clear()
        >>> metric.update(Tensor([1.0, 5.0]))
        >>> print(metric.eval())
        5.0

    """

    _indexes: Sequence[int] | None = None

    @property
    def indexes(self) -> Sequence[int] | None:
        """Indices of the inputs that `update` takes, in order; None for all."""
        return self._indexes

    def set_indexes(self, indexes: Sequence[int]) -> Metric:
        """Choose the inputs that `update` takes, and their order.

        Args:
            indexes: indices of the inputs.

        Returns:
            The metric.

        Raises:
            ValueError: `indexes` is not a list of ints.
        """
        if not isinstance(indexes, list | tuple) or not all(isinstance(index, int) for index in indexes):
            raise ValueError(
                f"For 'set_indexes', the argument 'indexes' must be a list and all its elements must be int, please "
                f"check whether it is correct. {type(self).__name__} got {indexes!r}"
            )
        self._indexes = list(indexes)
        return self

    def __call__(self, *inputs: Data) -> Any:
        """Reset the metric, add the inputs and return the result."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    @abstractmethod
    def clear(self) -> None:
        """Reset the metric."""

    @abstractmethod
    def update(self, *inputs: Data) -> None:
        """Add a batch.

        Args:
            inputs: predictions and labels, as the metric needs them.
        """

    @abstractmethod
    def eval(self) -> Any:
        """The result over all batches.

        Raises:
            RuntimeError: no batch was added.
        """

    @staticmethod
    def _convert_data(data: Data) -> Array:
        """Convert an input to an array.

        Raises:
            TypeError: it is neither a tensor, an array, a list nor a number.
        """
        if hasattr(data, "asnumpy"):
            return np.asarray(data.asnumpy())
        if isinstance(data, np.ndarray | list | tuple | int | float | np.generic):
            return np.asarray(data)
        raise TypeError(f"a metric takes tensors, arrays, lists and numbers, not {type(data).__name__}")

    def _inputs(self, inputs: Sequence[Any], count: int, description: str) -> list[Array]:
        if len(inputs) != count:
            raise ValueError(f"{type(self).__name__}: update takes {description}, not {len(inputs)} inputs")
        return [self._convert_data(item) for item in inputs]

    def _nothing(self) -> RuntimeError:
        return RuntimeError(f"{type(self).__name__}: nothing to evaluate; call update with at least one batch before")


def rearrange_inputs(func: Update) -> Update:
    """A decorator that lets `update` take the inputs that `set_indexes` has chosen."""

    @functools.wraps(func)
    def wrapper(self: Metric, *inputs: Data) -> Any:
        if self.indexes is not None:
            inputs = tuple(inputs[index] for index in self.indexes)
        return func(self, *inputs)

    return wrapper  # type: ignore[return-value]


class EvaluationBase(Metric):
    """Base class of metrics for one label or several labels per sample.

    Args:
        eval_type: "classification" for one label per sample, "multilabel" for any number.
    """

    def __init__(self, eval_type: str = "classification") -> None:
        if eval_type not in ("classification", "multilabel"):
            raise TypeError(
                f"{type(self).__name__}: eval_type must be 'classification' or 'multilabel', not {eval_type!r}"
            )
        self._type = eval_type

    def _pair(self, inputs: Sequence[Any]) -> tuple[Array, Array]:
        """Predictions and labels, with their shapes checked."""
        predicted, labels = self._inputs(inputs, 2, "predictions and labels")
        if self._type == "multilabel":
            if predicted.ndim != labels.ndim or predicted.shape != labels.shape:
                name, shapes = type(self).__name__, f"predictions {predicted.shape} and labels {labels.shape}"
                raise ValueError(f"{name}: {shapes} must have the same shape")
            for name, array in (("predictions", predicted), ("labels", labels)):
                if ((array != 0) & (array != 1)).any():
                    raise ValueError(f"{type(self).__name__}: {name} must be 0 or 1 for 'multilabel'")
            return predicted, labels
        return predicted, classes_of(type(self).__name__, predicted, labels)


def classes_of(metric: str, predicted: Array, labels: Array) -> Array:
    """Labels as class indices, also from one-hot vectors.

    Args:
        metric: name of the metric, for messages.
        predicted: predictions of shape (N, C, ...).
        labels: class indices or one-hot vectors.

    Returns:
        Class indices of shape (N, ...).

    Raises:
        ValueError: the shapes do not match, or a label is out of range.
    """
    if predicted.ndim == labels.ndim and labels.ndim > 1:
        if predicted.shape != labels.shape or not is_one_hot(labels):
            raise ValueError(
                f"{metric}: labels {labels.shape} for predictions {predicted.shape} must be class indices or "
                "one-hot vectors"
            )
        labels = labels.argmax(axis=1)
    if predicted.ndim != labels.ndim + 1 or (predicted.shape[0], *predicted.shape[2:]) != labels.shape:
        raise ValueError(f"{metric}: predictions {predicted.shape} and labels {labels.shape} do not match")
    if labels.size and (labels.min() < 0 or labels.max() >= predicted.shape[1]):
        raise ValueError(
            f"{metric}: labels must lie from 0 to {predicted.shape[1] - 1}, the classes of the predictions"
        )
    return labels.astype(np.int64)


def is_one_hot(labels: Array) -> bool:
    return bool(((labels == 0) | (labels == 1)).all() and (labels.sum(axis=1) == 1).all())


def one_hot(labels: Array, classes: int) -> Array:
    """One-hot vectors: a row for each label, 1 at its class and 0 elsewhere."""
    return np.eye(classes)[labels.reshape(-1)]
