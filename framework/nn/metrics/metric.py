"""The base of metrics: they are cleared, updated with batches of outputs, and evaluated."""

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

#: What denominators are kept above 0 with: the smallest normal float.
EPS = float(np.finfo(np.float64).tiny)

Update = TypeVar("Update", bound=Callable[..., Any])

Data = Tensor | np.ndarray[Any, Any] | Sequence[Any] | float
"""Inputs of metrics: a Tensor, an array, or numbers that make one."""


class Metric(ABC):
    """A measure of predictions over any number of batches.

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
        """Which inputs `update` takes, in which order; None for all as they come."""
        return self._indexes

    def set_indexes(self, indexes: Sequence[int]) -> Metric:
        """Choose which inputs `update` takes, in which order; gives the metric itself.

        Raises:
            TypeError: they are no list of ints.

        """
        if not isinstance(indexes, list | tuple) or not all(isinstance(index, int) for index in indexes):
            raise TypeError(f"{type(self).__name__}: indexes must be a list of ints, not {indexes!r}")
        self._indexes = list(indexes)
        return self

    def __call__(self, *inputs: Data) -> Any:
        """The result for these inputs alone."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    @abstractmethod
    def clear(self) -> None:
        """Forget all batches."""

    @abstractmethod
    def update(self, *inputs: Data) -> None:
        """Add a batch."""

    @abstractmethod
    def eval(self) -> Any:
        """The result over all batches.

        Raises:
            RuntimeError: there was none.

        """

    @staticmethod
    def _convert_data(data: Data) -> Array:
        """Inputs as an array.

        Raises:
            TypeError: they are neither tensor, array, list nor number.

        """
        if hasattr(data, "asnumpy"):
            return np.asarray(data.asnumpy())
        if isinstance(data, np.ndarray | list | tuple | int | float | np.generic):
            return np.asarray(data)
        raise TypeError(f"a metric takes tensors, arrays, lists and numbers, not {type(data).__name__}")

    def _inputs(self, inputs: Sequence[Any], count: int, what: str) -> list[Array]:
        if len(inputs) != count:
            raise ValueError(f"{type(self).__name__}: update takes {what}, not {len(inputs)} inputs")
        return [self._convert_data(item) for item in inputs]

    def _nothing(self) -> RuntimeError:
        return RuntimeError(f"{type(self).__name__}: nothing to evaluate; call update with at least one batch before")


def rearrange_inputs(func: Update) -> Update:
    """Let an `update` take the inputs that `set_indexes` has chosen."""

    @functools.wraps(func)
    def wrapper(self: Metric, *inputs: Data) -> Any:
        if self.indexes is not None:
            inputs = tuple(inputs[index] for index in self.indexes)
        return func(self, *inputs)

    return wrapper  # type: ignore[return-value]


class EvaluationBase(Metric):
    """The base of metrics that know classes of one kind or of many.

    Args:
        eval_type: "classification", each sample is of one class; or "multilabel", of any number of them.

    """

    def __init__(self, eval_type: str = "classification") -> None:
        if eval_type not in ("classification", "multilabel"):
            raise TypeError(f"{type(self).__name__}: eval_type must be classification or multilabel, not {eval_type!r}")
        self._type = eval_type

    def _pair(self, inputs: Sequence[Any]) -> tuple[Array, Array]:
        """Predictions and labels, whose shapes must go together."""
        predicted, labels = self._inputs(inputs, 2, "predictions and labels")
        if self._type == "multilabel":
            if predicted.ndim != labels.ndim or predicted.shape != labels.shape:
                name, shapes = type(self).__name__, f"predictions {predicted.shape} and labels {labels.shape}"
                raise ValueError(f"{name}: {shapes} must have one shape")
            for name, array in (("predictions", predicted), ("labels", labels)):
                if ((array != 0) & (array != 1)).any():
                    raise ValueError(f"{type(self).__name__}: {name} of many classes must be 0 or 1")
            return predicted, labels
        return predicted, classes_of(type(self).__name__, predicted, labels)


def classes_of(metric: str, predicted: Array, labels: Array) -> Array:
    """Labels as numbers of classes, also where they are one-hot vectors.

    Raises:
        ValueError: shapes do not match, or a label names no class.

    """
    if predicted.ndim == labels.ndim and labels.ndim > 1:
        if predicted.shape != labels.shape or not _is_one_hot(labels):
            raise ValueError(
                f"{metric}: labels {labels.shape} for predictions {predicted.shape} must be numbers of classes, or"
                " one-hot vectors"
            )
        labels = labels.argmax(axis=1)
    if predicted.ndim != labels.ndim + 1 or (predicted.shape[0], *predicted.shape[2:]) != labels.shape:
        raise ValueError(f"{metric}: predictions {predicted.shape} and labels {labels.shape} do not match")
    if labels.size and (labels.min() < 0 or labels.max() >= predicted.shape[1]):
        raise ValueError(f"{metric}: labels lie within 0 and {predicted.shape[1] - 1}, the classes of the predictions")
    return labels.astype(np.int64)


def _is_one_hot(labels: Array) -> bool:
    return bool(((labels == 0) | (labels == 1)).all() and (labels.sum(axis=1) == 1).all())


def one_hot(labels: Array, classes: int) -> Array:
    """A row for each label: 1 at its class, 0 elsewhere."""
    return np.eye(classes)[labels.reshape(-1)]
