"""Chooses divisions one operator after another: where a strategy gives none, the one that costs least there.

This is `search_mode="sharding_propagation"`, and what SEMI_AUTO_PARALLEL does with operators that have no strategy.
"""

from __future__ import annotations

from framework.parallel.cost import Machine, division_cost, redistribution_cost
from framework.parallel.layouts.placements import Placement
from framework.parallel.network import Network, Operation
from framework.parallel.rules.indices import Division
from framework.parallel.strategies import all_divisions

__all__ = ["fits", "propagated"]


def propagated(network: Network, machine: Machine) -> list[Division]:
    """A division for each operator, in the order of the program.

    Operators with a strategy come first with their Parameters, so that a Parameter that two operators read is where a
    strategy puts it.
    """
    placements: list[Placement | None] = [value.placement for value in network.values]
    for operation in network.operations:
        if operation.given is not None:
            _place_free(network, operation, operation.given, placements)
    gradients = network.with_gradients()
    chosen = []
    for operation in network.operations:
        division = operation.given
        if division is None:
            found = [
                item for item in all_divisions(operation.indices, network.mesh) if fits(operation, item, placements)
            ]
            division = min(found, key=lambda item: _cost(network, operation, item, placements, machine, gradients))
        _place_free(network, operation, division, placements)
        for number, placement in zip(operation.outputs, operation.left(division), strict=True):
            placements[number] = placement
        chosen.append(division)
    return chosen


def fits(operation: Operation, division: Division, placements: list[Placement | None]) -> bool:
    """Whether the Parameters that an operator changes are where a division needs them: they are not moved."""
    return all(
        placements[operation.inputs[place]] in (None, division.placement(operation.indices.inputs[place]))
        for place in operation.written
    )


def _place_free(network: Network, operation: Operation, division: Division, placements: list[Placement | None]) -> None:
    """Let the operator decide where values are that are nowhere yet: Parameters."""
    for number, axes in zip(operation.inputs, operation.indices.inputs, strict=True):
        if placements[number] is None and network.values[number].name:
            placements[number] = division.placement(axes)


def _cost(
    network: Network,
    operation: Operation,
    division: Division,
    placements: list[Placement | None],
    machine: Machine,
    gradients: frozenset[int],
) -> float:
    time = division_cost(network, operation, division, machine, gradients)
    for number, axes in zip(operation.inputs, operation.indices.inputs, strict=True):
        value, source = network.values[number], placements[number]
        if source is not None:
            target = division.placement(axes)
            time += redistribution_cost(network.mesh, value.nbytes, len(value.shape), source, target, machine)
    return time
