"""Where the arguments and results of a network are, by the settings `full_batch` and `dataset_strategy`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from framework import context
from framework.parallel.layouts.cuts import primes_of
from framework.parallel.layouts.placements import Placement, whole_placement

__all__ = ["argument_placement", "describes_parts", "result_placement"]


def describes_parts() -> bool:
    """Whether each rank passes its part of the arguments."""
    return bool(_strategy() != "full_batch")


def argument_placement(position: int, shape: tuple[int, ...], mesh: tuple[int, ...]) -> Placement:
    """Where an argument of a network is.

    Args:
        position: its position among the arguments.
        shape: its shape; its first dimension is the batch where each rank passes its part.
        mesh: the lengths of the axes of the mesh.

    Raises:
        ValueError: `dataset_strategy` has no entry for it, or one that does not fit.
    """
    strategy = _strategy()
    if strategy == "full_batch" or not shape:
        return whole_placement(mesh)
    if strategy == "data_parallel":
        return (0,) * len(mesh)
    return _of_numbers(strategy, position, shape, mesh)


def result_placement(shape: tuple[int, ...], mesh: tuple[int, ...]) -> Placement:
    """Where a result of a network is wanted: cut as a batch in data parallelism, if that is possible; else whole."""
    if _strategy() == "data_parallel" and shape and shape[0] % math.prod(mesh) == 0:
        return (0,) * len(mesh)
    return whole_placement(mesh)


def _of_numbers(strategy: Sequence[Any], position: int, shape: tuple[int, ...], mesh: tuple[int, ...]) -> Placement:
    if position >= len(strategy):
        raise ValueError(
            f"dataset_strategy has {len(strategy)} tuples, and the network has an argument {position} of shape "
            f"{shape}: write one for each argument"
        )
    numbers = tuple(strategy[position])
    if len(numbers) != len(shape):
        raise ValueError(
            f"dataset_strategy has {numbers} for argument {position}, of shape {shape}: write {len(shape)} numbers"
        )
    if math.prod(mesh) % math.prod(numbers):
        raise ValueError(
            f"dataset_strategy cuts argument {position} into {math.prod(numbers)} parts, which must divide the number "
            f"of ranks, {math.prod(mesh)}"
        )
    cuts: list[int | None] = [None] * len(mesh)
    for dimension, count in enumerate(numbers):
        for prime in primes_of(count):
            axis = next(place for place, length in enumerate(mesh) if cuts[place] is None and length == prime)
            cuts[axis] = dimension
    return tuple(cuts)


def _strategy() -> Any:
    """`dataset_strategy`, or "full_batch" where that setting says so."""
    if context.get_auto_parallel_context("full_batch"):
        return "full_batch"
    strategy = context.get_auto_parallel_context("dataset_strategy")
    if isinstance(strategy, str) and strategy not in ("full_batch", "data_parallel"):
        raise ValueError(f'dataset_strategy must be "data_parallel", "full_batch" or tuples, not {strategy!r}')
    return strategy
