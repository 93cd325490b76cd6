"""Chooses divisions one operator after another: where a strategy gives none, the one that costs least there.

This is `search_mode="sharding_propagation"`, and what SEMI_AUTO_PARALLEL does with operators that have no strategy.
"""

from __future__ import annotations

from collections.abc import Sequence

from framework.parallel.cost import Machine, redistribution_costs
from framework.parallel.divisions import Divisions, DivisionsOf
from framework.parallel.layouts.placements import Placement
from framework.parallel.network import Network, Operation
from framework.parallel.rules.indices import Division

__all__ = ["fitting", "propagated"]


def propagated(network: Network, machine: Machine, divisions_of: DivisionsOf | None = None) -> list[Division]:
    """A division for each operator, in the order of the program.

    Operators with a strategy come first with their Parameters, so that a Parameter that two operators read is where a
    strategy puts it.

    Args:
        network: the network.
        machine: the speed of a rank and its links.
        divisions_of: finds the divisions of operators, if that was made before.
    """
    divisions_of = DivisionsOf(network, machine) if divisions_of is None else divisions_of
    placements: list[Placement | None] = [value.placement for value in network.values]
    for operation in network.operations:
        if operation.given is not None:
            _place_free(network, operation, divisions_of(operation), 0, placements)
    chosen = []
    for operation in network.operations:
        options = fitting(operation, divisions_of(operation), placements)
        state = _cheapest(network, operation, options, placements, machine)
        _place_free(network, operation, options, state, placements)
        for number, left in zip(operation.outputs, options.outputs, strict=True):
            placements[number] = left[state]
        chosen.append(options.divisions[state])
    return chosen


def fitting(operation: Operation, options: Divisions, placements: Sequence[Placement | None]) -> Divisions:
    """The divisions for which the Parameters that an operator changes are where they must be: they are not moved."""
    states = [
        state
        for state in range(len(options.divisions))
        if all(placements[operation.inputs[at]] in (None, options.inputs[at][state]) for at in operation.written)
    ]
    return options if len(states) == len(options.divisions) else options.kept(states)


def _place_free(
    network: Network, operation: Operation, options: Divisions, state: int, placements: list[Placement | None]
) -> None:
    """Let the operator decide where values are that are nowhere yet: Parameters."""
    for number, wanted in zip(operation.inputs, options.inputs, strict=True):
        if placements[number] is None and network.values[number].name:
            placements[number] = wanted[state]


def _cheapest(
    network: Network, operation: Operation, options: Divisions, placements: list[Placement | None], machine: Machine
) -> int:
    costs = options.costs
    if len(costs) == 1:
        return 0
    for number, wanted in zip(operation.inputs, options.inputs, strict=True):
        value, source = network.values[number], placements[number]
        if source is not None:
            costs = (
                costs + redistribution_costs(network.mesh, value.nbytes, len(value.shape), [source], wanted, machine)[0]
            )
    return int(costs.argmin())
