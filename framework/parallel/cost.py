"""What a division costs: the time of a training step on one rank, by a model that anybody can check.

    kernel          passes x flops of the part / peak + 2 x bytes of the parts read and written / memory
                    (of several outputs the first counts)
    collective      alpha + bytes on the wire / link, for a rank with s bytes in a group of k:
                    AllReduce 2(k-1)/k s, AllGather (k-1) s, AlltoAll (k-1)/k s

A redistribution is counted forward and backward. Between two placements it takes the cheapest sequence of slices,
exchanges and gathers; that of `placements` counts the same bytes, except where the order of levels costs another step.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from framework.parallel.layouts.placements import Placement, axis_groups, grouped
from framework.parallel.network import Network, Operation
from framework.parallel.rules.indices import Division

__all__ = ["Machine", "division_cost", "network_cost", "redistribution_cost", "redistribution_costs"]


@dataclass(frozen=True)
class Machine:
    """The speed of a rank and of its links.

    Attributes:
        peak: floating-point operations in a second.
        memory: bytes read or written in a second.
        link: bytes sent in a second.
        alpha: seconds that a collective takes besides.
    """

    peak: float = 10e12
    memory: float = 500e9
    link: float = 25e9
    alpha: float = 10e-6

    def reduce(self, group: int, nbytes: float) -> float:
        """The time of an AllReduce of `nbytes` bytes in a group of ranks."""
        return self.alpha + 2 * (group - 1) / group * nbytes / self.link if group > 1 else 0.0


def division_cost(
    network: Network, operation: Operation, division: Division, machine: Machine, gradients: frozenset[int]
) -> float:
    """The time of an operator under a division: its kernels, the sums of its results and of its inputs' gradients.

    Args:
        network: the network.
        operation: the operator.
        division: its division.
        machine: the speed of a rank and its links.
        gradients: the numbers of values that have gradients (`Network.with_gradients`).
    """
    indices = operation.indices
    cut = math.prod(network.mesh[axis] for axis, index in enumerate(division.cuts) if index is not None)
    time = indices.passes * indices.work / cut / machine.peak
    touched = 0.0
    for number, axes in zip(operation.inputs, indices.inputs, strict=True):
        value = network.values[number]
        part = _part_bytes(value.nbytes, division, division.placement(axes))
        touched += part
        group = math.prod(network.mesh[axis] for axis in division.without(axes))
        if number in gradients:
            time += machine.reduce(group, part)
    for place, (number, axes) in enumerate(zip(operation.outputs, indices.outputs, strict=True)):
        part = _part_bytes(network.values[number].nbytes, division, division.placement(axes))
        touched += part if place == 0 else 0.0
        if indices.summed:
            group = math.prod(network.mesh[axis] for axis in division.axes(*indices.summed))
            time += machine.reduce(group, part)
    return time + 2 * touched / machine.memory


def _part_bytes(nbytes: int, division: Division, placement: Placement) -> float:
    parts = math.prod(
        length for length, dimension in zip(division.mesh, placement, strict=True) if dimension is not None
    )
    return nbytes / parts


def network_cost(network: Network, divisions: Sequence[Division], machine: Machine) -> float:
    """The time of a training step of a network in seconds, under a division of each operator."""
    placements = network.placements(divisions)
    gradients = network.with_gradients()
    time = 0.0
    for operation, division in zip(network.operations, divisions, strict=True):
        time += division_cost(network, operation, division, machine, gradients)
        wanted = {
            (number, division.placement(axes))
            for number, axes in zip(operation.inputs, operation.indices.inputs, strict=True)
        }
        time += sum(_moved(network, number, placements[number], target, machine) for number, target in wanted)
        for number, made in zip(operation.outputs, operation.made(division), strict=True):
            time += _moved(network, number, made, placements[number], machine)
    return time + sum(
        _moved(network, number, placements[number], target, machine) for number, target in network.results
    )


def _moved(network: Network, number: int, source: Placement, target: Placement, machine: Machine) -> float:
    value = network.values[number]
    return redistribution_cost(network.mesh, value.nbytes, len(value.shape), source, target, machine)


def redistribution_cost(
    mesh: tuple[int, ...], nbytes: int, rank: int, source: Placement, target: Placement, machine: Machine
) -> float:
    """The time of a redistribution and of that of the gradient back.

    Args:
        mesh: the lengths of the axes of the mesh.
        nbytes: the bytes of the whole tensor.
        rank: the number of its dimensions.
        source, target: the placements.
        machine: the speed of links.
    """
    if source == target:
        return 0.0
    return float(redistribution_costs(mesh, nbytes, rank, [source], [target], machine)[0, 0])


def redistribution_costs(
    mesh: tuple[int, ...],
    nbytes: int,
    rank: int,
    sources: Sequence[Placement],
    targets: Sequence[Placement],
    machine: Machine,
) -> npt.NDArray[np.float64]:
    """As `redistribution_cost`, from each of some placements to each of others: a row for each source.

    On a mesh of many axes ways are found over groups of them. A placement by a strategy may divide a group; for it the
    way is one exchange and one gather.
    """
    groups = axis_groups(mesh)
    if len(groups) < len(mesh):
        of_sources, of_targets = ([grouped(item, groups) for item in items] for items in (sources, targets))
        if None in of_sources or None in of_targets:
            return np.array([[_simple_cost(mesh, nbytes, a, b, machine) for b in targets] for a in sources])
        mesh = tuple(math.prod(mesh[axis] for axis in group) for group in groups)
        sources, targets = ([item for item in items if item is not None] for items in (of_sources, of_targets))
    number, table = _all_costs(mesh, nbytes, rank, machine)
    rows, columns = ([number[item] for item in items] for items in (sources, targets))
    return table[np.ix_(rows, columns)] + table[np.ix_(columns, rows)].T


def _simple_cost(mesh: tuple[int, ...], nbytes: int, source: Placement, target: Placement, machine: Machine) -> float:
    """The time of slices, one exchange and one gather from one placement to another, and back."""
    time = 0.0
    for first, second in ((source, target), (target, source)):
        pairs = list(zip(mesh, first, second, strict=True))
        held = nbytes / math.prod(length for length, a, b in pairs if a is not None or b is not None)
        moved = math.prod(length for length, a, b in pairs if None not in (a, b) and a != b)
        gathered = math.prod(length for length, a, b in pairs if a is not None and b is None)
        for group, share in ((moved, (moved - 1) / moved), (gathered, gathered - 1)):
            time += (machine.alpha + share * held / machine.link) if group > 1 else 0.0
    return time


@functools.lru_cache(maxsize=256)
def _all_costs(
    mesh: tuple[int, ...], nbytes: int, rank: int, machine: Machine
) -> tuple[dict[Placement, int], npt.NDArray[np.float64]]:
    """The number of each placement, and the time of the cheapest way between any two (Floyd and Warshall 1962)."""
    number, messages, share = _steps(mesh, rank)
    times = messages * machine.alpha + share * (nbytes / machine.link)
    for middle in range(len(number)):
        np.minimum(times, times[:, middle, np.newaxis] + times[np.newaxis, middle], out=times)
    return number, times


@functools.lru_cache(maxsize=64)
def _steps(
    mesh: tuple[int, ...], rank: int
) -> tuple[dict[Placement, int], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Placements, and for single steps the messages and the bytes for each byte of the whole; infinite where none."""
    placements: list[Placement] = list(itertools.product((None, *range(rank)), repeat=len(mesh)))
    number = {placement: place for place, placement in enumerate(placements)}
    messages = np.full((len(placements), len(placements)), np.inf)
    share = np.zeros_like(messages)
    np.fill_diagonal(messages, 0.0)
    for source in placements:
        held = 1.0 / math.prod(length for length, cut in zip(mesh, source, strict=True) if cut is not None)
        for target in placements:
            changed = [axis for axis in range(len(mesh)) if source[axis] != target[axis]]
            kinds = {(source[axis] is None, target[axis] is None) for axis in changed}
            if len(kinds) != 1:
                continue
            (kind,) = kinds
            group = math.prod(mesh[axis] for axis in changed)
            i, j = number[source], number[target]
            messages[i, j] = 0.0 if kind == (True, False) else 1.0
            if kind == (False, True):
                share[i, j] = (group - 1) * held
            elif kind == (False, False):
                share[i, j] = (group - 1) / group * held
    return number, messages, share
