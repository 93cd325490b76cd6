"""The divisions that each operator of a network has, with their costs and placements. Equal operators share them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from framework.parallel.cost import Machine, division_cost
from framework.parallel.layouts.placements import Placement
from framework.parallel.network import Network, Operation
from framework.parallel.rules.indices import Division
from framework.parallel.strategies import all_divisions

__all__ = ["Divisions", "DivisionsOf"]


@dataclass(frozen=True)
class Divisions:
    """The divisions of an operator; the lists have an item for each.

    Attributes:
        divisions: the divisions.
        costs: what each costs by itself.
        inputs: for each input where it must be.
        outputs: for each output where it is for those that read it.
    """

    divisions: Sequence[Division]
    costs: npt.NDArray[np.float64]
    inputs: tuple[list[Placement], ...]
    outputs: tuple[list[Placement], ...]

    def kept(self, states: Sequence[int]) -> Divisions:
        """Some of them, by their numbers."""
        inputs, outputs = (
            tuple([of_one[state] for state in states] for of_one in items) for items in (self.inputs, self.outputs)
        )
        return Divisions([self.divisions[state] for state in states], self.costs[list(states)], inputs, outputs)


class DivisionsOf:
    """Finds the divisions of operators of a network.

    Args:
        network: the network.
        machine: the speed of a rank and its links.
    """

    def __init__(self, network: Network, machine: Machine) -> None:
        self._network, self._machine = network, machine
        self._gradients = network.with_gradients()
        self._known: dict[Hashable, Divisions] = {}

    def __call__(self, operation: Operation) -> Divisions:
        """All divisions of an operator, or the one that is given."""
        key = self._key(operation)
        if key not in self._known:
            self._known[key] = self._make(operation)
        return self._known[key]

    def _key(self, operation: Operation) -> Hashable:
        indices, values = operation.indices, self._network.values
        return (
            tuple(indices.lengths.items()),
            (indices.inputs, indices.outputs, indices.summed, tuple(indices.refused), indices.kept),
            (indices.work, indices.passes, operation.given, operation.moved),
            tuple((values[number].nbytes, number in self._gradients) for number in operation.inputs),
            tuple(values[number].nbytes for number in operation.outputs),
        )

    def _make(self, operation: Operation) -> Divisions:
        network, given = self._network, operation.given
        found = list(all_divisions(operation.indices, network.mesh)) if given is None else [given]
        costs = [division_cost(network, operation, item, self._machine, self._gradients) for item in found]
        left = [operation.left(item) for item in found]
        return Divisions(
            found,
            np.array(costs),
            tuple([item.placement(axes) for item in found] for axes in operation.indices.inputs),
            tuple([item[place] for item in left] for place in range(len(operation.outputs))),
        )
