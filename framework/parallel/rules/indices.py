"""What a rule says about an operator: the indices that it runs over. Rules make it; strategies and costs read it."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from framework.ops.primitive import Attributes, Primitive
from framework.parallel.layouts.placements import Placement

__all__ = ["Application", "Axes", "Division", "Indices", "Rebuilt", "Rule", "unchanged", "whole", "with_attributes"]

#: For each dimension of a tensor the index that it has there; None for a dimension that is never cut.
Axes = tuple[str | None, ...]


@dataclass(frozen=True)
class Application:
    """An operator with its operands.

    Attributes:
        primitive: the operator.
        shapes: the whole shapes of its tensors, in the order of the arguments; tuples of tensors one by one.
        values: for each argument its value if it is a known Python value, else None.
        outputs: the whole shapes of its outputs.
    """

    primitive: Primitive
    shapes: tuple[tuple[int, ...], ...]
    values: tuple[Any, ...]
    outputs: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Division:
    """How the work of an operator is divided: for each axis of the mesh the index that it cuts; None: ranks repeat it.

    Attributes:
        mesh: the lengths of the axes.
        cuts: the index of each axis.
    """

    mesh: tuple[int, ...]
    cuts: tuple[str | None, ...]

    def axes(self, *indices: str) -> tuple[int, ...]:
        """The axes of the mesh that cut some indices."""
        return tuple(axis for axis, index in enumerate(self.cuts) if index in indices)

    def parts(self, index: str | None) -> int:
        """Into how many parts an index is cut."""
        return math.prod(self.mesh[axis] for axis in self.axes(index)) if index is not None else 1

    def placement(self, axes: Axes) -> Placement:
        """The placement of a tensor with these indices."""
        return tuple(axes.index(index) if index is not None and index in axes else None for index in self.cuts)

    def without(self, axes: Axes) -> tuple[int, ...]:
        """The axes of the mesh that cut an index which a tensor lacks."""
        return tuple(axis for axis, index in enumerate(self.cuts) if index is not None and index not in axes)


#: A rule; None where it does not apply.
Rule = Callable[["Application"], "Indices | None"]
#: Makes the operator for parts, and its values.
Rebuilt = Callable[[Application, Division], tuple[Primitive, tuple[Any, ...]]]
_NONE: Mapping[str, str] = MappingProxyType({})


def unchanged(application: Application, division: Division) -> tuple[Primitive, tuple[Any, ...]]:
    """The operator itself, which fits tensors of all lengths."""
    return application.primitive, application.values


@dataclass(frozen=True)
class Indices:
    """The indices that an operator runs over.

    Attributes:
        lengths: the indices that may be cut, in the order of a strategy's numbers, with a number that the parts divide.
        inputs: the indices of each tensor.
        outputs: the indices of each output.
        summed: the indices that are summed over: a rank with a part of one has a partial sum.
        mean: whether the sum is a mean.
        refused: indices that an operator works along, with a reason why no strategy may cut them.
        kept: indices that are computed whole even where a strategy cuts them.
        work: floating-point operations of the whole.
        passes: how often the work is done in a training step, forward and backward.
        rebuilt: the operator for parts.
        named: for an operator whose strategies do not name the dimensions of its inputs: the indices of what they name,
            and its shape.
    """

    lengths: Mapping[str, int]
    inputs: tuple[Axes, ...]
    outputs: tuple[Axes, ...]
    summed: frozenset[str] = frozenset()
    mean: bool = False
    refused: Mapping[str, str] = field(default_factory=lambda: _NONE)
    kept: frozenset[str] = frozenset()
    work: float = 0.0
    passes: int = 2
    rebuilt: Rebuilt = unchanged
    named: tuple[tuple[Axes, tuple[int, ...]], ...] | None = None


def whole(application: Application) -> Indices:
    """The indices of an operator that every rank computes whole: none."""
    return Indices(
        {},
        tuple((None,) * len(shape) for shape in application.shapes),
        tuple((None,) * len(shape) for shape in application.outputs),
    )


def with_attributes(primitive: Primitive, **changes: Any) -> Primitive:
    """A copy of a primitive with other attributes."""
    made = copy.copy(primitive)
    made.__dict__["attrs"] = Attributes(primitive.attrs)
    for name, value in changes.items():
        made.add_prim_attr(name, value)
    return made
