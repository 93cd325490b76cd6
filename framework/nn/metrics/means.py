"""Metrics that are means over samples or batches: loss, errors, Dice coefficient and perplexity."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from framework.common.validator import check_type
from framework.nn.metrics.metric import Array, Data, Metric, rearrange_inputs

__all__ = ["MAE", "MSE", "Dice", "Loss", "Perplexity"]


class _Mean(Metric):
    """Base class of metrics that divide a sum by a count."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._sum = 0.0
        self._count = 0

    def eval(self) -> float:
        """The mean.

        Raises:
            RuntimeError: no batch was added.

        """
        if not self._count:
            raise self._nothing()
        return self._sum / self._count


class Loss(_Mean):
    """The mean of the losses of batches.

    Example:
        >>> metric = nn.Loss()
        >>> metric.update(Tensor(1.0))
        >>> metric.update(Tensor(3.0))
        >>> print(metric.eval())
        2.0

    """

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Add the loss of a batch: a number, or one for each sample."""
        (loss,) = self._inputs(inputs, 1, "a loss")
        if loss.ndim > 1:
            raise ValueError(
                f"Loss: a loss must be a number or a vector with one number per sample, not of shape {loss.shape}"
            )
        self._sum += float(loss.mean())
        self._count += 1


class _Distance(_Mean):
    @abstractmethod
    def _distance(self, difference: Array) -> Array:
        """The distance of each element."""

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Add predictions (N, ...) and targets of the same shape."""
        predicted, targets = self._inputs(inputs, 2, "predictions and targets")
        if predicted.size != targets.size:
            raise ValueError(
                f"{type(self).__name__}: predictions {predicted.shape} and targets {targets.shape} must have the same "
                "shape"
            )
        self._sum += float(self._distance(targets.reshape(predicted.shape) - predicted).sum())
        self._count += len(targets)


class MAE(_Distance):
    """The mean absolute error: the mean over samples of the sum of |target - prediction|.

    Example:
        >>> metric = nn.MAE()
        >>> metric.update(Tensor([1.0, 2.0]), Tensor([2.0, 4.0]))
        >>> print(metric.eval())
        1.5

    """

    def _distance(self, difference: Array) -> Array:
        return np.abs(difference)


class MSE(_Distance):
    """The mean squared error: the mean over samples of the sum of (target - prediction)^2.

    Example:
        >>> metric = nn.MSE()
        >>> metric.update(Tensor([1.0, 2.0]), Tensor([2.0, 4.0]))
        >>> print(metric.eval())
        2.5

    """

    def _distance(self, difference: Array) -> Array:
        return np.square(difference)


class Dice(_Mean):
    """The Dice coefficient: twice the intersection divided by the sum of predictions and labels, averaged over batches.

    Args:
        smooth: number added to the denominator.

    Example:
        >>> metric = nn.Dice()
        >>> metric.update(Tensor([[1.0, 1.0], [0.0, 0.0]]), Tensor([[1.0, 0.0], [0.0, 0.0]]))
        >>> print(round(metric.eval(), 3))
        0.333

    """

    def __init__(self, smooth: float = 1e-5) -> None:
        if not smooth > 0:
            raise ValueError(f"Dice: smooth must be above 0, not {smooth}")
        super().__init__()
        self.smooth = smooth

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Add predictions and labels of one shape."""
        predicted, labels = self._inputs(inputs, 2, "predictions and labels")
        if predicted.shape != labels.shape:
            raise ValueError(f"Dice: predictions {predicted.shape} and labels {labels.shape} must have the same shape")
        shared = float(np.vdot(predicted, labels))
        total = float(np.vdot(predicted, predicted) + np.vdot(labels, labels))
        self._sum += 2 * shared / (total + self.smooth)
        self._count += len(labels)


class Perplexity(_Mean):
    """Perplexity: exp of the mean of -log(probability of the label).

    Args:
        ignore_label: label that is left out; None for none.

    Example:
        >>> metric = nn.Perplexity()
        >>> metric.update(Tensor([[0.5, 0.5], [0.25, 0.75]]), Tensor([0, 0]))
        >>> print(round(metric.eval(), 3))
        2.828

    """

    def __init__(self, ignore_label: int | None = None) -> None:
        check_type("Perplexity: ignore_label", ignore_label, (int, type(None)))
        super().__init__()
        self.ignore_label = ignore_label

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Add probabilities (..., C) and labels (...)."""
        predicted, labels = self._inputs(inputs, 2, "probabilities and labels")
        if predicted.shape[:-1] != labels.shape:
            raise RuntimeError(f"Perplexity: probabilities {predicted.shape} do not match labels {labels.shape}")
        flat = labels.reshape(-1)
        likely = predicted.reshape(-1, predicted.shape[-1])[np.arange(flat.size), flat]
        if self.ignore_label is not None:
            likely = likely[flat != self.ignore_label]
        self._sum -= float(np.log(np.maximum(likely, 1e-10)).sum())
        self._count += likely.size

    def eval(self) -> float:
        """The perplexity.

        Raises:
            RuntimeError: no batch was added.

        """
        return math.exp(super().eval())
