"""Learning rates as lists with one rate per step, which optimizers take."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from framework.common.validator import check_bool, check_float, check_positive_int, check_type

__all__ = [
    "cosine_decay_lr",
    "exponential_decay_lr",
    "inverse_decay_lr",
    "natural_exp_decay_lr",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "warmup_lr",
]

#: Rates that may be 0; all others are above.
_FROM_ZERO = ("min_lr", "end_learning_rate", "warmed_rate")


def piecewise_constant_lr(milestone: Sequence[int], learning_rates: Sequence[float]) -> list[float]:
    """The first rate before step milestone[0], the next one before milestone[1], and so on.

    Args:
        milestone: increasing step numbers above 0.
        learning_rates: as many rates above 0.

    Returns:
        One rate per step, milestone[-1] in all.

    Raises:
        ValueError: the numbers of rates and milestones differ, milestones do not increase, or a rate is not above 0.
    """
    check_type("piecewise_constant_lr: milestone", milestone, (tuple, list))
    check_type("piecewise_constant_lr: learning_rates", learning_rates, (tuple, list))
    if len(milestone) != len(learning_rates) or not milestone:
        raise ValueError(
            f"piecewise_constant_lr: {len(milestone)} milestones need as many rates, not {len(learning_rates)}"
        )
    for step, rate in zip(milestone, learning_rates, strict=True):
        check_positive_int(step, "piecewise_constant_lr: each milestone")
        check_float(rate, "piecewise_constant_lr: each rate")
    starts = [0, *milestone[:-1]]
    if any(end <= start for start, end in zip(starts, milestone, strict=True)):
        raise ValueError(f"piecewise_constant_lr: milestones must be above 0 and increase, not {list(milestone)}")
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
    """learning_rate * decay_rate^(epoch / decay_epoch).

    Args:
        learning_rate: first rate, above 0.
        decay_rate: factor of the rate every `decay_epoch` epochs.
        total_step: number of steps in all.
        step_per_epoch: number of steps in an epoch.
        decay_epoch: number of epochs of a decay.
        is_stair: round epoch / decay_epoch down, so that the rate changes every `decay_epoch` epochs only.

    Returns:
        One rate per step.
    """
    _check("exponential_decay_lr", **locals())
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
    """learning_rate * exp(-decay_rate * epoch).

    Args:
        learning_rate: first rate, above 0.
        decay_rate: rate of the decay.
        total_step: number of steps in all.
        step_per_epoch: number of steps in an epoch.
        decay_epoch: number of epochs between changes, if `is_stair`.
        is_stair: round epochs down to multiples of `decay_epoch`.

    Returns:
        One rate per step.
    """
    _check("natural_exp_decay_lr", **locals())
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
    """learning_rate / (1 + decay_rate * epoch / decay_epoch).

    Args:
        learning_rate: first rate, above 0.
        decay_rate: rate of the decay.
        total_step: number of steps in all.
        step_per_epoch: number of steps in an epoch.
        decay_epoch: number of epochs of a decay.
        is_stair: round epoch / decay_epoch down.

    Returns:
        One rate per step.
    """
    _check("inverse_decay_lr", **locals())
    part = _part(is_stair)
    return _by_epoch(
        total_step, step_per_epoch, lambda epoch: learning_rate / (1 + decay_rate * part(epoch / decay_epoch))
    )


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """From max_lr to min_lr along half a cosine wave, over `decay_epoch` epochs (Loshchilov and Hutter 2017).

    Args:
        min_lr: last rate, at least 0.
        max_lr: first rate, above `min_lr`.
        total_step: number of steps in all.
        step_per_epoch: number of steps in an epoch.
        decay_epoch: number of epochs of the decay.

    Returns:
        One rate per step.

    Raises:
        ValueError: `min_lr` is negative or not below `max_lr`.
    """
    _check("cosine_decay_lr", **locals())
    if not min_lr < max_lr:
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

    Args:
        learning_rate: first rate, above 0.
        end_learning_rate: rate after `decay_epoch` epochs.
        total_step: number of steps in all.
        step_per_epoch: number of steps in an epoch.
        decay_epoch: number of epochs of the decay.
        power: exponent, above 0.
        update_decay_epoch: restart after `decay_epoch` epochs, over two, three, ... times as many.

    Returns:
        One rate per step.

    Raises:
        TypeError: an argument is of another type; a rate is a float, not an int.
        ValueError: a rate or a count is out of its range.
    """
    _check("polynomial_decay_lr", **locals())

    def rate(epoch: int) -> float:
        period = decay_epoch * max(math.ceil(epoch / decay_epoch), 1) if update_decay_epoch else decay_epoch
        remaining = 1 - min(epoch, period) / period
        return float((learning_rate - end_learning_rate) * remaining**power + end_learning_rate)

    return _by_epoch(total_step, step_per_epoch, rate)


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """learning_rate * epoch / warmup_epoch before that epoch, then `learning_rate`.

    Args:
        learning_rate: rate after the warm-up, at least 0.
        total_step: number of steps in all.
        step_per_epoch: number of steps in an epoch.
        warmup_epoch: number of epochs of the warm-up.

    Returns:
        One rate per step.

    Raises:
        TypeError: an argument is of another type; a rate is a float, not an int.
        ValueError: the rate is negative, or a count is not above 0.
    """
    counts = {"total_step": total_step, "step_per_epoch": step_per_epoch, "warmup_epoch": warmup_epoch}
    _check("warmup_lr", warmed_rate=learning_rate, **counts)
    return _by_epoch(
        total_step,
        step_per_epoch,
        lambda epoch: learning_rate * min(epoch, warmup_epoch) / warmup_epoch,
    )


def _by_epoch(total_step: int, step_per_epoch: int, rate: Callable[[int], float]) -> list[float]:
    return [rate(step // step_per_epoch) for step in range(total_step)]


def _part(is_stair: bool) -> Callable[[float], float]:
    return math.floor if is_stair else lambda value: value


def _check(name: str, **arguments: object) -> None:
    """Check arguments by their names: rates are floats above 0, counts are ints above 0, `is_` and `update_` flags."""
    for argument, value in arguments.items():
        if argument.startswith(("is_", "update_")):
            check_bool(value, f"{name}: {argument}")
        elif argument.endswith(("_step", "_epoch")) or argument == "step_per_epoch":
            check_positive_int(value, f"{name}: {argument}")
        elif argument in _FROM_ZERO:
            check_float(value, f"{name}: {argument}", least=0.0)
        else:
            check_float(value, f"{name}: {argument}", above=0.0)
