"""How large the loss is made before gradients are taken, so that small ones survive in float16; `Model` asks."""

from __future__ import annotations

from typing import Any

from framework.nn.wrap.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell

__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]


class LossScaleManager:
    """The base of loss scales: a subclass defines the scale, and how it changes after a step."""

    def get_loss_scale(self) -> float:
        """What the loss is multiplied by."""
        raise NotImplementedError

    def update_loss_scale(self, overflow: bool) -> None:
        """Report whether the gradients of a step overflowed."""
        raise NotImplementedError

    def get_update_cell(self) -> Any:
        """The Cell that changes the scale within a training step; None where the optimizer divides by a fixed one."""
        raise NotImplementedError


class FixedLossScaleManager(LossScaleManager):
    """A scale that stays.

    Args:
        loss_scale: the scale, at least 1.
        drop_overflow_update: leave out steps whose gradients overflow; if not, give the optimizer the same
            `loss_scale`, which divides by it.

    Raises:
        ValueError: the scale is below 1.

    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        if loss_scale < 1:
            raise ValueError(f"a loss scale is at least 1, not {loss_scale!r}")
        self._loss_scale = float(loss_scale)
        self._drop_overflow_update = drop_overflow_update

    def get_loss_scale(self) -> float:
        """The scale."""
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether steps that overflow are left out."""
        return self._drop_overflow_update

    def update_loss_scale(self, overflow: bool) -> None:
        """Nothing: it stays."""

    def get_update_cell(self) -> FixedLossScaleUpdateCell | None:
        """A Cell that keeps the scale; None where steps that overflow are not left out."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """A scale that becomes smaller after an overflow, and larger after a time without.

    Args:
        init_loss_scale: the first scale, at least 1.
        scale_factor: Factor of each change of the scale, above 1.
        scale_window: Steps without an overflow after which the scale grows.

    Raises:
        ValueError: an argument is out of its range.

    """

    def __init__(self, init_loss_scale: float = 2.0**24, scale_factor: int = 2, scale_window: int = 2000) -> None:
        if init_loss_scale < 1:
            raise ValueError(f"a loss scale is at least 1, not {init_loss_scale!r}")
        if scale_factor <= 1 or scale_window <= 0:
            given = f"{scale_factor!r} and {scale_window!r}"
            raise ValueError(f"scale_factor is above 1 and scale_window above 0, not {given}")
        self.loss_scale = float(init_loss_scale)
        self.scale_factor = scale_factor
        self.scale_window = scale_window
        self._steps = 0

    def get_loss_scale(self) -> float:
        """The scale of now."""
        return self.loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether steps that overflow are left out: always."""
        return True

    def update_loss_scale(self, overflow: bool) -> None:
        """Report whether a step overflowed, in a hand-written training loop."""
        if overflow:
            self.loss_scale, self._steps = max(self.loss_scale / self.scale_factor, 1.0), 0
            return
        self._steps += 1
        if self._steps >= self.scale_window:
            self.loss_scale, self._steps = self.loss_scale * self.scale_factor, 0

    def get_update_cell(self) -> DynamicLossScaleUpdateCell:
        """A Cell that does the same within a training step."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
