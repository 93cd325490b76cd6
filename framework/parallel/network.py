"""A network as the choice of divisions sees it: values with shapes, and operators with indices between them.

`network_of_program` makes it of a program, `propagation` and `search` choose a division for each operator, `inserting`
writes the program of a rank.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from framework.ir.anf import Location
from framework.parallel.layouts.placements import Placement
from framework.parallel.rules.indices import Application, Division, Indices

__all__ = ["Network", "Operation", "Value"]


@dataclass
class Value:
    """A tensor.

    Attributes:
        shape: the whole shape.
        itemsize: the bytes of an element.
        placement: where it is, if that is given; None if the first operator that reads it decides.
        differentiable: whether it can have a gradient: it holds floating-point numbers.
        name: that of the Parameter or argument; empty for other tensors.
        is_weight: whether it is a Parameter.
    """

    shape: tuple[int, ...]
    itemsize: int = 4
    placement: Placement | None = None
    differentiable: bool = True
    name: str = ""
    is_weight: bool = False

    @property
    def nbytes(self) -> int:
        """The bytes of the whole tensor."""
        return math.prod(self.shape) * self.itemsize


@dataclass
class Operation:
    """An operator between values.

    Attributes:
        application: the operator and its operands.
        indices: what it runs over.
        inputs: the numbers of the values that it reads, one for each of its tensors.
        outputs: those of the values that it makes.
        given: the division that a strategy gives; None if it is to be chosen.
        location: the user's line.
        name: the operator's name in the program.
        written: the positions among the inputs of Parameters that it changes.
        moved: where its outputs go right after it, by `out_strategy`; empty if they stay where they are.
    """

    application: Application
    indices: Indices
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    given: Division | None = None
    location: Location | None = None
    name: str = ""
    written: frozenset[int] = frozenset()
    moved: tuple[Placement, ...] = ()

    def made(self, division: Division) -> list[Placement]:
        """Where its outputs are under a division, before they are moved."""
        return [division.placement(axes) for axes in self.indices.outputs]

    def left(self, division: Division) -> Sequence[Placement]:
        """Where its outputs are for those that read them."""
        return self.moved or self.made(division)


@dataclass
class Network:
    """All operators in the order of the program.

    Attributes:
        mesh: the lengths of the axes of the mesh of all ranks.
        values: the tensors, by number.
        operations: the operators.
        results: the numbers of values that leave the network, each with the placement that is wanted there.
    """

    mesh: tuple[int, ...]
    values: list[Value] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    results: list[tuple[int, Placement]] = field(default_factory=list)

    def add(self, value: Value) -> int:
        """Add a value; returns its number."""
        self.values.append(value)
        return len(self.values) - 1

    def with_gradients(self) -> frozenset[int]:
        """The numbers of values whose gradients training steps compute: what depends on Parameters.

        Without Parameters, gradients are those of the arguments.
        """
        trained = any(value.is_weight for value in self.values)
        made = {number for operation in self.operations for number in operation.outputs}
        found = {
            number
            for number, value in enumerate(self.values)
            if value.differentiable and (value.is_weight or (not trained and number not in made))
        }
        for operation in self.operations:
            if not found.isdisjoint(operation.inputs):
                found.update(number for number in operation.outputs if self.values[number].differentiable)
        return frozenset(found)

    def placements(self, divisions: Sequence[Division]) -> list[Placement]:
        """The placement of each value under a division of each operator.

        A Parameter that is free is where its first reader with a strategy needs it, or else its first reader.
        """
        found: list[Placement | None] = [value.placement for value in self.values]
        pairs = list(zip(self.operations, divisions, strict=True))
        for operation, division in sorted(pairs, key=lambda pair: pair[0].given is None):
            for number, axes in zip(operation.inputs, operation.indices.inputs, strict=True):
                if found[number] is None and self.values[number].name:
                    found[number] = division.placement(axes)
        for operation, division in pairs:
            for number, placement in zip(operation.outputs, operation.left(division), strict=True):
                found[number] = placement
        whole: Placement = (None,) * len(self.mesh)
        return [whole if item is None else item for item in found]
