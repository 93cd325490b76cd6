"""A network as choices: each operator has divisions with costs, and each two neighbours a cost for each pair.

A Parameter that several operators read is a choice too: where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from framework.parallel.cost import Machine, redistribution_costs
from framework.parallel.divisions import Divisions, DivisionsOf
from framework.parallel.layouts.placements import Placement
from framework.parallel.network import Network
from framework.parallel.propagation import fitting

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


def choices_of(network: Network, machine: Machine, divisions_of: DivisionsOf) -> tuple[Choices, list[Divisions]]:
    """The choices of a network: those of its operators have their numbers. And the divisions of each operator."""
    placements = [value.placement for value in network.values]
    found = [fitting(operation, divisions_of(operation), placements) for operation in network.operations]
    choices = Choices({number: options.costs for number, options in enumerate(found)})
    readers: list[list[tuple[int, list[Placement]]]] = [[] for _ in network.values]
    for place, (operation, options) in enumerate(zip(network.operations, found, strict=True)):
        for number, wanted in zip(operation.inputs, options.inputs, strict=True):
            if (place, wanted) not in readers[number]:
                readers[number].append((place, wanted))
    makers = {
        number: (place, left)
        for place, (operation, options) in enumerate(zip(network.operations, found, strict=True))
        for number, left in zip(operation.outputs, options.outputs, strict=True)
    }
    for number in range(len(network.values)):
        _add_value(network, number, makers.get(number), readers[number], choices, machine)
    return choices, found


def _add_value(
    network: Network,
    number: int,
    maker: tuple[int, list[Placement]] | None,
    readers: list[tuple[int, list[Placement]]],
    choices: Choices,
    machine: Machine,
) -> None:
    """Add the costs of bringing a value from where it is to where it is read."""
    value = network.values[number]

    def costs(sources: Sequence[Placement], targets: Sequence[Placement]) -> Table:
        return redistribution_costs(network.mesh, value.nbytes, len(value.shape), sources, targets, machine)

    if maker is not None:
        place, left = maker
        for reader, targets in readers:
            choices.add_pair(place, reader, costs(left, targets))
        for target in [placement for source, placement in network.results if source == number]:
            choices.costs[place] = choices.costs[place] + costs(left, [target])[:, 0]
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
