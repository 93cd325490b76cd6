"""Runs the steps of a redistribution on the ranks of a communicator."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from framework.common.device import Array
from framework.communication.contract import Communicator
from framework.parallel.layouts.cuts import Cut, members_of
from framework.parallel.layouts.redistribution import Step

__all__ = ["part_of", "redistributed"]


def part_of(whole: Array, cut: Cut, rank: int) -> Array:
    """The part of a tensor that a rank holds.

    Args:
        whole: the whole tensor.
        cut: how it is cut.
        rank: the rank.

    Returns:
        A view or a copy, with as many dimensions as the tensor.
    """
    return whole.reshape(cut.whole_in_levels())[cut.index_of(rank)].reshape(_part_shape(cut))


def redistributed(part: Array, steps: Sequence[Step], ranks: Communicator) -> Array:
    """The part of this rank after a redistribution; every rank calls this with the same steps.

    Args:
        part: the part of this rank before.
        steps: the steps of `redistribution`.
        ranks: all ranks of the mesh.
    """
    for step in steps:
        x = part.reshape(step.before.part_in_levels())
        part = _RUN[step.kind](x, step, ranks).reshape(_part_shape(step.after))
    return part


def _sliced(x: Array, step: Step, ranks: Communicator) -> Array:
    places = step.after.coordinates(ranks.rank)
    for axis in step.axes:
        level = step.after.assigned[axis]
        if level is not None:
            x = np.take(x, [places[axis]], step.after.place_of(level))
    return x


def _gathered(x: Array, step: Step, ranks: Communicator) -> Array:
    whole = _group(step, ranks).all_gather(x[np.newaxis])
    return _joined(whole, step)


def _exchanged(x: Array, step: Step, ranks: Communicator) -> Array:
    lengths = [range(step.before.mesh[axis]) for axis in step.axes]
    targets = [step.after.place_of(level) for axis in step.axes if (level := step.after.assigned[axis]) is not None]
    parts = []
    for places in itertools.product(*lengths):
        part = x
        for place, target in zip(places, targets, strict=True):
            part = np.take(part, [place], target)
        parts.append(part)
    return _joined(np.stack(_group(step, ranks).all_to_all(parts)), step)


_RUN = {"slice": _sliced, "all_gather": _gathered, "all_to_all": _exchanged}


def _joined(parts: Array, step: Step) -> Array:
    """Parts by the rank in the group, joined along the levels that the axes have cut before."""
    parts = parts.reshape(*[step.before.mesh[axis] for axis in step.axes], *parts.shape[1:])
    for axis in step.axes:
        level = step.before.assigned[axis]
        if level is not None:
            # The first dimension goes to that of the level, which has the length 1 in each part.
            first = parts.ndim - len(step.before.whole_in_levels())
            place = first + step.before.place_of(level)
            parts = np.moveaxis(parts, 0, place).squeeze(place - 1)
    return parts


def _group(step: Step, ranks: Communicator) -> Communicator:
    """The group of this rank in a step."""
    return ranks.kept_subgroup(members_of(step.before.mesh, step.axes, ranks.rank))


def _part_shape(cut: Cut) -> tuple[int, ...]:
    """The shape of a rank's part."""
    lengths = iter(cut.part_in_levels())
    return tuple(math.prod(itertools.islice(lengths, len(levels) + 1)) for levels in cut.levels)
