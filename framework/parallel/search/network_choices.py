"""A network as choices: each operator has divisions with costs, and each two neighbours a cost for each pair.

A Parameter that several operators read is a choice too: where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from framework.parallel.cost import Machine, division_cost, redistribution_costs
from framework.parallel.layouts.placements import Placement
from framework.parallel.network import Network, Operation
from framework.parallel.propagation import fits
from framework.parallel.rules.indices import Division
from framework.parallel.strategies import all_divisions

__all__ = ["Choices", "Table", "choices_of"]

Table = npt.NDArray[np.float64]


@dataclass
class Choices:
    """Choices with costs.

    Attributes:
        costs: for each choice, by its number, the cost of each state.
        pairs: for two choices, the first with the smaller number, the cost of each pair of states.
        places: for each choice of where a Parameter is the number of its value, and the placements.
    """

    costs: dict[int, Table] = field(default_factory=dict)
    pairs: dict[tuple[int, int], Table] = field(default_factory=dict)
    places: dict[int, tuple[int, list[Placement]]] = field(default_factory=dict)

    def add_pair(self, first: int, second: int, table: Table) -> None:
        """Add costs for pairs of states of two choices."""
        if first > second:
            first, second, table = second, first, table.T
        known = self.pairs.get((first, second))
        self.pairs[first, second] = table if known is None else known + table

    def neighbours(self, number: int) -> list[int]:
        """The choices that share a cost with one."""
        return [first + second - number for first, second in self.pairs if number in (first, second)]

    def pair(self, first: int, second: int) -> Table:
        """The costs of pairs of states, a row for each state of the first."""
        return self.pairs[first, second] if first < second else self.pairs[second, first].T


def choices_of(network: Network, machine: Machine) -> tuple[Choices, list[list[Division]]]:
    """The choices of a network: those of its operators have their numbers. And the divisions of each operator."""
    divisions = [_divisions(network, operation) for operation in network.operations]
    gradients = network.with_gradients()
    choices = Choices()
    for number, (operation, states) in enumerate(zip(network.operations, divisions, strict=True)):
        choices.costs[number] = np.array(
            [division_cost(network, operation, state, machine, gradients) for state in states]
        )
    for number in range(len(network.values)):
        _add_value(network, number, divisions, choices, machine)
    return choices, divisions


def _divisions(network: Network, operation: Operation) -> list[Division]:
    if operation.given is not None:
        return [operation.given]
    placements = [value.placement for value in network.values]
    found = [item for item in all_divisions(operation.indices, network.mesh) if fits(operation, item, placements)]
    return found or [Division(network.mesh, (None,) * len(network.mesh))]


def _add_value(
    network: Network, number: int, divisions: Sequence[list[Division]], choices: Choices, machine: Machine
) -> None:
    """Add the costs of bringing a value from where it is to where it is read."""
    value = network.values[number]
    readers = _readers(network, number, divisions)

    def costs(sources: Sequence[Placement], targets: Sequence[Placement]) -> Table:
        return redistribution_costs(network.mesh, value.nbytes, len(value.shape), sources, targets, machine)

    maker = next((place for place, item in enumerate(network.operations) if number in item.outputs), None)
    if maker is not None:
        at = network.operations[maker].outputs.index(number)
        left = [network.operations[maker].left(division)[at] for division in divisions[maker]]
        for reader, targets in readers:
            choices.add_pair(maker, reader, costs(left, targets))
        for target in [placement for source, placement in network.results if source == number]:
            choices.costs[maker] = choices.costs[maker] + costs(left, [target])[:, 0]
    elif value.placement is not None:
        for reader, targets in readers:
            choices.costs[reader] = choices.costs[reader] + costs([value.placement], targets)[0]
    elif len(readers) > 1:
        states = sorted({placement for _, targets in readers for placement in targets}, key=str)
        own = len(choices.costs)
        choices.costs[own] = np.zeros(len(states))
        choices.places[own] = number, states
        for reader, targets in readers:
            choices.add_pair(own, reader, costs(states, targets))


def _readers(network: Network, number: int, divisions: Sequence[list[Division]]) -> list[tuple[int, list[Placement]]]:
    """The operators that read a value, with the placements that their divisions want; equal ones once."""
    found: list[tuple[int, list[Placement]]] = []
    for place, operation in enumerate(network.operations):
        for source, axes in zip(operation.inputs, operation.indices.inputs, strict=True):
            if source == number:
                wanted = place, [division.placement(axes) for division in divisions[place]]
                if wanted not in found:
                    found.append(wanted)
    return found
