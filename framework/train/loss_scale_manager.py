"""Loss scales for `Model`: the loss is scaled before differentiation so that small gradients survive in float16."""

from __future__ import annotations

from typing import Any

from framework.nn.wrap.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell

__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]


class LossScaleManager:
    """Base class of loss scales. Subclasses define the scale and its change after a step."""

    def get_loss_scale(self) -> float:
        """The factor of the loss."""
        raise NotImplementedError

    def update_loss_scale(self, overflow: bool) -> None:
        """Update the scale after a step.

        Args:
            overflow: whether the gradients of the step overflowed.
        """
        raise NotImplementedError

    def get_update_cell(self) -> Any:
        """The Cell that updates the scale within a training step; None if the optimizer divides by a fixed scale."""
        raise NotImplementedError


class FixedLossScaleManager(LossScaleManager):
    """A fixed loss scale.

    Args:
        loss_scale: the scale, at least 1.
        drop_overflow_update: skip steps whose gradients overflow. If False, pass the same `loss_scale` to the
            optimizer, which divides by it.

    Raises:
        ValueError: the scale is below 1.
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        if loss_scale < 1:
            raise ValueError(f"a loss scale must be at least 1, not {loss_scale!r}")
        self._loss_scale = float(loss_scale)
        self._drop_overflow_update = drop_overflow_update

    def get_loss_scale(self) -> float:
        """The scale."""
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether steps that overflow are skipped."""
        return self._drop_overflow_update

    def update_loss_scale(self, overflow: bool) -> None:
        """Do nothing: the scale is fixed."""

    def get_update_cell(self) -> FixedLossScaleUpdateCell | None:
        """A Cell that keeps the scale; None if steps that overflow are not skipped."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """A dynamic loss scale: smaller after an overflow, larger after a number of steps without one.

    Args:
        init_loss_scale: initial scale, at least 1.
        scale_factor: factor of each change of the scale, above 1.
        scale_window: number of steps without overflow after which the scale grows.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(self, init_loss_scale: float = 2.0**24, scale_factor: int = 2, scale_window: int = 2000) -> None:
        if init_loss_scale < 1:
            raise ValueError(f"a loss scale must be at least 1, not {init_loss_scale!r}")
        if scale_factor <= 1 or scale_window <= 0:
            values = f"{scale_factor!r} and {scale_window!r}"
            raise ValueError(f"scale_factor must be above 1 and scale_window above 0, not {values}")
        self.loss_scale = float(init_loss_scale)
        self.scale_factor = scale_factor
        self.scale_window = scale_window
        self._steps = 0

    def get_loss_scale(self) -> float:
        """The current scale."""
        return self.loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether steps that overflow are skipped: always."""
        return True

    def update_loss_scale(self, overflow: bool) -> None:
        """Update the scale after a step of a hand-written training loop."""
        if overflow:
            self.loss_scale, self._steps = max(self.loss_scale / self.scale_factor, 1.0), 0
            return
        self._steps += 1
        if self._steps >= self.scale_window:
            self.loss_scale, self._steps = self.loss_scale * self.scale_factor, 0

    def get_update_cell(self) -> DynamicLossScaleUpdateCell:
        """The Cell that updates the scale within a training step."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
