"""Loss scales for hand-written training steps: `scaler.unscale(gradients)`; public in `ms.amp`.

Source: Micikevicius et al., Mixed Precision Training, 2018.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.ops import functional as F  # noqa: N812

__all__ = ["DynamicLossScaler", "LossScaler", "StaticLossScaler", "all_finite"]


def all_finite(inputs: Any) -> Any:
    """Whether all elements of all tensors are finite, neither NaN nor infinite.

    Args:
        inputs: a tuple or list of tensors.

    Returns:
        A Bool tensor of shape ().

    Example:
        >>> print(ms.amp.all_finite((Tensor([1.0]), Tensor([2.0, 1 / 3]))))
        True

    """
    finite = F.all(F.isfinite(inputs[0]))
    for item in inputs[1:]:
        finite = F.logical_and(finite, F.all(F.isfinite(item)))
    return finite


def _times(inputs: Any, factor: Any) -> Any:
    """A tensor, or each of a tuple or list of tensors, times a factor, in its own element type."""
    if isinstance(inputs, list | tuple):
        return tuple([item * F.cast(factor, item.dtype) for item in inputs])
    return inputs * F.cast(factor, inputs.dtype)


class LossScaler(ABC):
    """Base class of loss scales.

    The loss is multiplied by the scale so that small gradients survive; then the gradients are divided by it.
    """

    @abstractmethod
    def scale(self, inputs: Any) -> Any:
        """Multiply a loss, or several tensors, by the scale.

        Args:
            inputs: a tensor, or a tuple or list of tensors.

        Returns:
            The scaled tensor or tensors.
        """

    @abstractmethod
    def unscale(self, inputs: Any) -> Any:
        """Divide gradients by the scale.

        Args:
            inputs: a tensor, or a tuple or list of tensors.

        Returns:
            The divided tensor or tensors.
        """

    @abstractmethod
    def adjust(self, grads_finite: Any) -> Any:
        """Update the scale by whether gradients were finite.

        Args:
            grads_finite: whether all gradients were finite, a Bool tensor.

        Returns:
            Whether the scale was updated.
        """


class StaticLossScaler(LossScaler):
    """A fixed loss scale.

    Args:
        scale_value: the scale, at least 1.

    Raises:
        ValueError: the scale is below 1.

    Example:
        >>> scaler = ms.amp.StaticLossScaler(1024)
        >>> print(scaler.scale(Tensor(0.5)), scaler.unscale((Tensor([2048.0]),))[0])
        512.0 [2.]

    """

    def __init__(self, scale_value: float) -> None:
        if scale_value < 1:
            raise ValueError(f"scale_value must be at least 1, not {scale_value}")
        self.scale_value = Parameter(Tensor(scale_value, mstype.float32), name="scale_value", requires_grad=False)

    def scale(self, inputs: Any) -> Any:
        """Multiply a loss, or several tensors, by the scale."""
        return _times(inputs, self.scale_value)

    def unscale(self, inputs: Any) -> Any:
        """Divide gradients by the scale."""
        return _times(inputs, 1 / self.scale_value)

    def adjust(self, grads_finite: Any) -> Any:
        """Return False: the scale is fixed."""
        del grads_finite
        return False


class DynamicLossScaler(StaticLossScaler):
    """A scale that falls when gradients overflow, and grows after a time without.

    Args:
        scale_value: the first scale, at least 1.
        scale_factor: Factor of each change of the scale, above 0.
        scale_window: Steps without an overflow after which the scale grows.

    Raises:
        ValueError: one of them is too small.

    Example:
        >>> scaler = ms.amp.DynamicLossScaler(1024, 2, 1)
        >>> _ = scaler.adjust(Tensor(False))
        >>> print(scaler.scale_value.asnumpy())
        512.0

    """

    def __init__(self, scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__(scale_value)
        if scale_factor <= 0 or scale_window <= 0:
            raise ValueError(f"scale_factor and scale_window are above 0, not {scale_factor} and {scale_window}")
        self.scale_factor = float(scale_factor)
        self.scale_window = int(scale_window)
        self.counter = Parameter(Tensor(0, mstype.int32), name="counter", requires_grad=False)

    def adjust(self, grads_finite: Any) -> Any:
        """Change the scale by whether gradients were finite, a Bool tensor; True."""
        counted = F.select(grads_finite, self.counter + 1, self.counter * 0)
        long_enough = F.equal(counted, self.scale_window)
        raised = F.select(long_enough, self.scale_value * self.scale_factor, self.scale_value * 1.0)
        lowered = F.maximum(self.scale_value / self.scale_factor, 1.0)
        F.assign(self.scale_value, F.select(grads_finite, raised, lowered))
        F.assign(self.counter, F.select(long_enough, counted * 0, counted))
        return True
