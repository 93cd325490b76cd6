"""Learning rates as Cells, which compute the rate of a step. Optimizers take one in place of a number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.common.validator import check_bool, check_float, check_positive_int
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812

__all__ = [
    "CosineDecayLR",
    "ExponentialDecayLR",
    "InverseDecayLR",
    "LearningRateSchedule",
    "NaturalExpDecayLR",
    "PolynomialDecayLR",
    "WarmUpLR",
]


class LearningRateSchedule(Cell):
    """Base class of schedules: `construct(global_step)` returns the rate of a step, a Float32 tensor.

    Example:
        >>> class Halved(nn.LearningRateSchedule):
        ...     def construct(self, global_step):
        ...         return 0.1 * 0.5**global_step
        >>> print(round(float(Halved()(Tensor(2.0))), 4))
        0.025

    """

    def construct(self, global_step: Tensor) -> Tensor:
        """The learning rate of a step."""
        raise NotImplementedError(f"{type(self).__name__} must define construct(global_step)")


class _Decay(LearningRateSchedule):
    """Base class of schedules with a first rate and a rate of decay.

    Args:
        learning_rate: first rate, above 0.
        decay_rate: rate of the decay, above 0.
        decay_steps: number of steps of a decay.
        is_stair: change the rate every `decay_steps` steps only.
    """

    def __init__(self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False) -> None:
        super().__init__()
        name = type(self).__name__
        _check(name, steps=decay_steps, above={"learning_rate": learning_rate, "decay_rate": decay_rate}, from_zero={})
        check_bool(is_stair, f"{name}: is_stair")
        self.learning_rate = float(learning_rate)
        self.decay_rate = float(decay_rate)
        self.decay_steps = int(decay_steps)
        self.is_stair = bool(is_stair)

    def part(self, global_step: Tensor) -> Any:
        """global_step / decay_steps, rounded down if `is_stair`."""
        part = F.cast(global_step, mstype.float32) / self.decay_steps
        if self.is_stair:
            part = F.floor(part)
        return part


class ExponentialDecayLR(_Decay):
    """learning_rate * decay_rate^(step / decay_steps).

    Args:
        learning_rate: first rate, above 0.
        decay_rate: factor of the rate every `decay_steps` steps, above 0.
        decay_steps: number of steps of a decay.
        is_stair: round step / decay_steps down, so that the rate changes every `decay_steps` steps only.

    Example:
        >>> schedule = nn.ExponentialDecayLR(0.1, 0.5, 2)
        >>> print([round(float(schedule(Tensor(step))), 4) for step in range(5)])
        [0.1, 0.0707, 0.05, 0.0354, 0.025]

    """

    def construct(self, global_step: Tensor) -> Any:
        """The learning rate of a step."""
        return self.learning_rate * F.pow(self.decay_rate, self.part(global_step))


class NaturalExpDecayLR(_Decay):
    """learning_rate * exp(-decay_rate * step).

    Args:
        learning_rate: first rate, above 0.
        decay_rate: rate of the decay, above 0.
        decay_steps: number of steps between changes, if `is_stair`.
        is_stair: round steps down to multiples of `decay_steps`.

    Example:
        >>> schedule = nn.NaturalExpDecayLR(0.1, 0.5, 2)
        >>> print([round(float(schedule(Tensor(step))), 4) for step in range(5)])
        [0.1, 0.0607, 0.0368, 0.0223, 0.0135]

    """

    def construct(self, global_step: Tensor) -> Any:
        """The learning rate of a step."""
        step = F.cast(global_step, mstype.float32)
        if self.is_stair:
            step = self.part(global_step) * self.decay_steps
        return self.learning_rate * F.exp(step * -self.decay_rate)


class InverseDecayLR(_Decay):
    """learning_rate / (1 + decay_rate * step / decay_steps).

    Args:
        learning_rate: first rate, above 0.
        decay_rate: rate of the decay, above 0.
        decay_steps: number of steps of a decay.
        is_stair: round step / decay_steps down.

    Example:
        >>> schedule = nn.InverseDecayLR(0.1, 0.5, 2)
        >>> print([round(float(schedule(Tensor(step))), 4) for step in range(5)])
        [0.1, 0.08, 0.0667, 0.0571, 0.05]

    """

    def construct(self, global_step: Tensor) -> Any:
        """The learning rate of a step."""
        return self.learning_rate / (self.part(global_step) * self.decay_rate + 1.0)


class CosineDecayLR(LearningRateSchedule):
    """From max_lr to min_lr along half a cosine wave, over `decay_steps` steps (Loshchilov and Hutter 2017).

    Args:
        min_lr: last rate, at least 0.
        max_lr: first rate, above `min_lr`.
        decay_steps: number of steps of the decay.

    Example:
        >>> schedule = nn.CosineDecayLR(0.01, 0.1, 4)
        >>> print([round(float(schedule(Tensor(step))), 4) for step in range(5)])
        [0.1, 0.0868, 0.055, 0.0232, 0.01]

    """

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int) -> None:
        super().__init__()
        _check("CosineDecayLR", steps=decay_steps, above={"max_lr": max_lr}, from_zero={"min_lr": min_lr})
        if not min_lr < max_lr:
            raise ValueError(f"CosineDecayLR: min_lr must lie below max_lr ({max_lr}), not {min_lr}")
        self.min_lr, self.max_lr = min_lr, max_lr
        self.delta = 0.5 * (max_lr - min_lr)
        self.decay_steps = int(decay_steps)
        self.angle = math.pi / decay_steps

    def construct(self, global_step: Tensor) -> Any:
        """The learning rate of a step."""
        step = F.minimum(F.cast(global_step, mstype.float32), float(self.decay_steps))
        return self.min_lr + self.delta * (F.cos(step * self.angle) + 1.0)


class PolynomialDecayLR(LearningRateSchedule):
    """(learning_rate - end_learning_rate) * (1 - step / decay_steps)^power + end_learning_rate.

    Args:
        learning_rate: first rate, above 0.
        end_learning_rate: last rate, at least 0.
        decay_steps: number of steps of the decay.
        power: exponent, above 0; 1 for a line.
        update_decay_steps: restart after `decay_steps` steps, over two, three, ... times as many.

    Example:
        >>> schedule = nn.PolynomialDecayLR(0.1, 0.01, 4, 1.0)
        >>> print([round(float(schedule(Tensor(step))), 4) for step in range(5)])
        [0.1, 0.0775, 0.055, 0.0325, 0.01]

    """

    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ) -> None:
        super().__init__()
        above = {"learning_rate": learning_rate, "power": power}
        _check("PolynomialDecayLR", steps=decay_steps, above=above, from_zero={"end_learning_rate": end_learning_rate})
        check_bool(update_decay_steps, "PolynomialDecayLR: update_decay_steps")
        self.start_learning_rate, self.end_learning_rate = learning_rate, end_learning_rate
        self.diff_learning_rate = learning_rate - end_learning_rate
        self.decay_steps, self.power = decay_steps, power
        self.update_decay_steps = bool(update_decay_steps)

    def construct(self, global_step: Tensor) -> Any:
        """The learning rate of a step."""
        step = F.cast(global_step, mstype.float32)
        if self.update_decay_steps:
            period = F.maximum(F.ceil(step / self.decay_steps), 1.0) * self.decay_steps
            remaining = 1.0 - step / period
        else:
            remaining = 1.0 - F.minimum(step, float(self.decay_steps)) / self.decay_steps
        return self.diff_learning_rate * F.pow(remaining, self.power) + self.end_learning_rate


class WarmUpLR(LearningRateSchedule):
    """learning_rate * step / warmup_steps before that step, then `learning_rate` (Goyal et al. 2017).

    Args:
        learning_rate: rate after the warm-up, at least 0.
        warmup_steps: number of steps of the warm-up.

    Example:
        >>> schedule = nn.WarmUpLR(0.1, 4)
        >>> print([round(float(schedule(Tensor(step))), 4) for step in range(5)])
        [0.0, 0.025, 0.05, 0.075, 0.1]

    """

    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        _check("WarmUpLR", steps=warmup_steps, above={}, from_zero={"learning_rate": learning_rate})
        self.warmup_steps, self.learning_rate = warmup_steps, learning_rate

    def construct(self, global_step: Tensor) -> Any:
        """The learning rate of a step."""
        step = F.minimum(F.cast(global_step, mstype.float32), float(self.warmup_steps))
        return step / self.warmup_steps * self.learning_rate


def _check(name: str, *, steps: object, above: Mapping[str, object], from_zero: Mapping[str, object]) -> None:
    """Check a number of steps, rates above 0, and rates of at least 0; all rates are floats."""
    check_positive_int(steps, f"{name}: the number of steps")
    for argument, value in above.items():
        check_float(value, f"{name}: {argument}", above=0.0)
    for argument, value in from_zero.items():
        check_float(value, f"{name}: {argument}", least=0.0)
