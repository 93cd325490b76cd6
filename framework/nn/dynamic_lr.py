"""Learning rates as lists, one for each step; an optimizer takes such a list."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

__all__ = [
    "cosine_decay_lr",
    "exponential_decay_lr",
    "inverse_decay_lr",
    "natural_exp_decay_lr",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "warmup_lr",
]


def piecewise_constant_lr(milestone: Sequence[int], learning_rates: Sequence[float]) -> list[float]:
    """The first rate up to step milestone[0], the next one up to milestone[1], and so on.

    Raises:
        ValueError: there are not as many rates as milestones, milestones do not grow, or a rate is not above 0.

    """
    if len(milestone) != len(learning_rates) or not milestone:
        raise ValueError(f"piecewise_constant_lr: {len(milestone)} milestones and {len(learning_rates)} learning_rates")
    starts = [0, *milestone[:-1]]
    if any(end <= start for start, end in zip(starts, milestone, strict=True)):
        raise ValueError(f"piecewise_constant_lr: milestones must be above 0 and grow, not {list(milestone)}")
    if min(learning_rates) <= 0:
        raise ValueError(f"piecewise_constant_lr: learning_rates must be above 0, not {list(learning_rates)}")
    stretches = zip(starts, milestone, learning_rates, strict=True)
    return [float(rate) for start, end, rate in stretches for _ in range(end - start)]


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate * decay_rate^(epoch / decay_epoch), whole powers only if `is_stair`."""
    _check("exponential_decay_lr", learning_rate, total_step, step_per_epoch, decay_epoch)
    power = _part(is_stair)
    return _by_epoch(total_step, step_per_epoch, lambda epoch: learning_rate * decay_rate ** power(epoch / decay_epoch))


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate * exp(-decay_rate * epoch); with `is_stair`, epochs are cut to multiples of `decay_epoch`."""
    _check("natural_exp_decay_lr", learning_rate, total_step, step_per_epoch, decay_epoch)
    part = _part(is_stair)
    return _by_epoch(
        total_step,
        step_per_epoch,
        lambda epoch: learning_rate * math.exp(-decay_rate * part(epoch / decay_epoch) * decay_epoch),
    )


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """learning_rate / (1 + decay_rate * epoch / decay_epoch), the quotient cut to a whole number if `is_stair`."""
    _check("inverse_decay_lr", learning_rate, total_step, step_per_epoch, decay_epoch)
    part = _part(is_stair)
    return _by_epoch(
        total_step, step_per_epoch, lambda epoch: learning_rate / (1 + decay_rate * part(epoch / decay_epoch))
    )


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """From max_lr to min_lr along half a wave of the cosine, over `decay_epoch` epochs (Loshchilov and Hutter 2017)."""
    _check("cosine_decay_lr", max_lr, total_step, step_per_epoch, decay_epoch)
    if not 0 <= min_lr < max_lr:
        raise ValueError(f"cosine_decay_lr: min_lr must lie between 0 and max_lr ({max_lr}), not {min_lr}")
    return _by_epoch(
        total_step,
        step_per_epoch,
        lambda epoch: (
            min_lr + 0.5 * (max_lr - min_lr) * (1 + math.cos(math.pi * min(epoch, decay_epoch) / decay_epoch))
        ),
    )


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
    update_decay_epoch: bool = False,
) -> list[float]:
    """(learning_rate - end_learning_rate) * (1 - epoch / decay_epoch)^power + end_learning_rate.

    After `decay_epoch` it stays; with `update_decay_epoch` it restarts over twice, three times as many epochs.
    """
    _check("polynomial_decay_lr", learning_rate, total_step, step_per_epoch, decay_epoch)
    if power <= 0:
        raise ValueError(f"polynomial_decay_lr: power must be above 0, not {power}")

    def rate(epoch: int) -> float:
        over = decay_epoch * max(math.ceil(epoch / decay_epoch), 1) if update_decay_epoch else decay_epoch
        left = 1 - min(epoch, over) / over
        return float((learning_rate - end_learning_rate) * left**power + end_learning_rate)

    return _by_epoch(total_step, step_per_epoch, rate)


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """learning_rate * epoch / warmup_epoch up to that epoch, then `learning_rate`."""
    _check("warmup_lr", learning_rate, total_step, step_per_epoch, 1)
    if warmup_epoch < 0:
        raise ValueError(f"warmup_lr: warmup_epoch must be at least 0, not {warmup_epoch}")
    return _by_epoch(
        total_step,
        step_per_epoch,
        lambda epoch: learning_rate * min(epoch, warmup_epoch) / warmup_epoch if warmup_epoch else learning_rate,
    )


def _by_epoch(total_step: int, step_per_epoch: int, rate: Callable[[int], float]) -> list[float]:
    return [rate(step // step_per_epoch) for step in range(total_step)]


def _part(is_stair: bool) -> Callable[[float], float]:
    return math.floor if is_stair else lambda value: value


def _check(name: str, rate: float, *counts: int) -> None:
    if rate <= 0:
        raise ValueError(f"{name}: the learning rate must be above 0, not {rate}")
    for count in counts:
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise ValueError(f"{name}: steps and epochs are ints above 0, not {count!r}")
