"""A tensor's placement: which dimension each axis of the mesh cuts. Rules and the search think in placements.

A placement says as much as MindSpore's tensor map, without a shape: `(0, 0, None)` cuts dimension 0 by the first two
axes of a mesh, and ranks along the last axis hold the same. `cuts` knows the levels behind it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from framework.parallel.layouts.cuts import Cut, primes_of
from framework.parallel.layouts.redistribution import Step, redistribution

__all__ = ["Placement", "cut_of", "mesh_of", "part_shape", "parts_of", "steps_between", "whole_placement"]

#: For each axis of the mesh the dimension that it cuts, None where its ranks hold the same.
Placement = tuple[int | None, ...]


def mesh_of(ranks: int) -> tuple[int, ...]:
    """The mesh of a number of ranks: axes of prime lengths."""
    return tuple(primes_of(ranks))


def whole_placement(mesh: Sequence[int]) -> Placement:
    """The placement of a tensor that every rank holds whole."""
    return (None,) * len(mesh)


def parts_of(placement: Placement, mesh: Sequence[int], rank: int) -> tuple[int, ...]:
    """Into how many parts each of `rank` dimensions is cut."""
    counts = [1] * rank
    for length, dimension in zip(mesh, placement, strict=True):
        if dimension is not None:
            counts[dimension] *= length
    return tuple(counts)


def part_shape(shape: Sequence[int], placement: Placement, mesh: Sequence[int]) -> tuple[int, ...]:
    """The shape of a rank's part of a tensor."""
    return tuple(length // count for length, count in zip(shape, parts_of(placement, mesh, len(shape)), strict=True))


def cut_of(shape: Sequence[int], placement: Placement, mesh: Sequence[int]) -> Cut:
    """The cut of a tensor; of two axes that cut one dimension, the first cuts the outer level."""
    return _cut(tuple(shape), tuple(mesh), _lengths(placement, mesh, len(shape)), placement)


@functools.lru_cache(maxsize=4096)
def steps_between(
    shape: tuple[int, ...], mesh: tuple[int, ...], source: Placement, target: Placement
) -> tuple[Step, ...]:
    """The steps from one placement of a tensor to another, with the fewest bytes on the wire.

    Args:
        shape: the shape of the whole tensor.
        mesh: the lengths of the axes of the mesh.
        source, target: the placements.
    """
    of_source, of_target = (_lengths(placement, mesh, len(shape)) for placement in (source, target))
    levels = []
    for first, second in zip(of_source, of_target, strict=True):
        shorter, longer = sorted((first, second), key=len)
        if longer[: len(shorter)] != shorter:
            # Levels of different primes have no common refinement: by way of the whole tensor.
            whole = whole_placement(mesh)
            return (*steps_between(shape, mesh, source, whole), *steps_between(shape, mesh, whole, target))
        levels.append(longer)
    return tuple(redistribution(*(_cut(shape, mesh, tuple(levels), item) for item in (source, target))))


def _lengths(placement: Placement, mesh: Sequence[int], rank: int) -> tuple[tuple[int, ...], ...]:
    """For each dimension the lengths of the axes that cut it."""
    return tuple(
        tuple(length for length, cut in zip(mesh, placement, strict=True) if cut == dimension)
        for dimension in range(rank)
    )


def _cut(
    shape: tuple[int, ...], mesh: tuple[int, ...], levels: tuple[tuple[int, ...], ...], placement: Placement
) -> Cut:
    used = [0] * len(shape)
    assigned: list[tuple[int, int] | None] = []
    for dimension in placement:
        if dimension is None:
            assigned.append(None)
            continue
        assigned.append((dimension, used[dimension]))
        used[dimension] += 1
    if any(length % math.prod(of_dimension) for length, of_dimension in zip(shape, levels, strict=True)):
        raise ValueError(f"placement {placement} does not divide a tensor of shape {shape} over a mesh of {mesh}")
    return Cut(shape, mesh, levels, tuple(assigned))
