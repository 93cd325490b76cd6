"""A tensor's placement: which dimension each axis of the mesh cuts. Rules and the search think in placements.

A placement says as much as MindSpore's tensor map, without a shape: `(0, 0, None)` cuts dimension 0 by the first two
axes of a mesh, and ranks along the last axis hold the same. `cuts` knows the levels behind it.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from framework.parallel.layouts.cuts import Cut, primes_of
from framework.parallel.layouts.redistribution import Step, redistribution

__all__ = [
    "Placement",
    "axis_groups",
    "cut_of",
    "grouped",
    "mesh_of",
    "part_shape",
    "parts_of",
    "steps_between",
    "whole_placement",
]

#: For each axis of the mesh the dimension that it cuts, None where its ranks hold the same.
Placement = tuple[int | None, ...]
#: The most axes of a mesh that are divided one by one, and the number of groups where there are more.
_MOST_AXES, _GROUPS = 4, 3


def mesh_of(ranks: int) -> tuple[int, ...]:
    """The mesh of a number of ranks: axes of prime lengths."""
    return tuple(primes_of(ranks))


def axis_groups(mesh: Sequence[int]) -> list[range]:
    """The axes of a mesh in groups that are divided alike: each alone, or three groups of more than four axes.

    Without them the number of divisions would grow with a power of the number of ranks.
    """
    if len(mesh) <= _MOST_AXES:
        return [range(axis, axis + 1) for axis in range(len(mesh))]
    ends = [round(len(mesh) * part / _GROUPS) for part in range(_GROUPS + 1)]
    return [range(first, last) for first, last in itertools.pairwise(ends)]


def grouped(placement: Placement, groups: Sequence[range]) -> Placement | None:
    """A placement over groups of axes; None if a group is not divided alike."""
    if any(len({placement[axis] for axis in group}) > 1 for group in groups):
        return None
    return tuple(placement[group[0]] for group in groups)


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
    groups = axis_groups(mesh)
    if len(groups) < len(mesh):
        of_groups = tuple(math.prod(mesh[axis] for axis in group) for group in groups)
        first, second = grouped(source, groups), grouped(target, groups)
        if first is None or second is None:
            return _by_whole(shape, mesh, source, target)
        return steps_between(shape, of_groups, first, second)
    of_source, of_target = (_lengths(placement, mesh, len(shape)) for placement in (source, target))
    levels = []
    for of_first, of_second in zip(of_source, of_target, strict=True):
        shorter, longer = sorted((of_first, of_second), key=len)
        if longer[: len(shorter)] != shorter:
            # Levels of different primes have no common refinement.
            return _by_whole(shape, mesh, source, target)
        levels.append(longer)
    return tuple(redistribution(*(_cut(shape, mesh, tuple(levels), item) for item in (source, target))))


def _by_whole(shape: tuple[int, ...], mesh: tuple[int, ...], source: Placement, target: Placement) -> tuple[Step, ...]:
    """The steps by way of the whole tensor: one gather, one slice."""
    steps = []
    used = [tuple(axis for axis, dimension in enumerate(item) if dimension is not None) for item in (source, target)]
    for kind, axes, cut in (("all_gather", used[0], source), ("slice", used[1], target)):
        if axes:
            pair = cut_of(shape, cut, mesh), replace(cut_of(shape, cut, mesh), assigned=(None,) * len(mesh))
            steps.append(Step(kind, axes, *(pair if kind == "all_gather" else pair[::-1])))
    return tuple(steps)


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
