"""Lowering of operators that update Parameters in place: optimizer steps, counters, assignments.

A segment first checks that nothing else holds a Parameter's array; if something does, it leaves the array alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from framework.engine.kernel_calls import inputs_of, known_value
from framework.engine.native.layouts import Layout
from framework.engine.native.lowering.generated import record
from framework.engine.native.lowering.symbolic_trace import Array, NotTracedError, trace
from framework.engine.native.segments import Lowering, Segment
from framework.ir.abstract import AbstractTensor, known
from framework.ir.anf import CNode
from framework.kernels import updates
from framework.kernels.fused import Cluster, Input, Output, Step, generated
from framework.ops import operations as P  # noqa: N812
from framework.ops.updates.momentum_steps import Update
from framework.opt.fusion.fusable import number_of

__all__ = ["LOWERINGS"]

_TYPES: Final = ("float32", "float64", "int32", "int64")
_UPDATES: Final = tuple(kind for kind in vars(P).values() if isinstance(kind, type) and issubclass(kind, Update))
_KERNELS: Final = {P.ApplyMomentum: updates.momentum, P.Adam: updates.adam}
"""What the table of kernels calls the updates that it has."""


def update(segment: Segment, node: CNode) -> None:
    """A step of an optimizer, in one pass over memory."""
    operator: Any = node.operator
    kernel = _KERNELS.get(type(operator), generated)
    if not kernel.is_fast:
        raise segment.cannot_lower()
    written = dict(operator.writes)
    shape = segment.layout(node.arguments[next(iter(written))]).shape
    layouts: dict[int, Layout] = {}
    given: list[Any] = []
    for position, item in enumerate(inputs_of(node)):
        if isinstance(item.abstract, AbstractTensor):
            layouts[position] = layout = segment.contiguous(item)
            if layout.shape != shape and layout.size != 1:
                raise segment.cannot_lower()
            given.append(Array(layout.dtype, layout.shape != shape))
        elif item.abstract is not None and known(item.abstract):
            given.append(known_value(item.abstract))
        else:
            raise segment.cannot_lower()
    try:
        found = trace(operator.compute, given)
    except NotTracedError:
        raise segment.cannot_lower() from None
    positions = {output: position for position, output in written.items()}
    if any(place not in (None, positions[output]) for output, place in enumerate(found.passed_through)):
        raise segment.cannot_lower()
    for position in written:
        layouts[position] = segment.overwrite_parameter(node, position)
    handed: list[Layout] = []
    if found.scalar_cluster is not None:
        handed = [
            segment.scratch((), _type_of(found.scalar_cluster, output)) for output in found.scalar_cluster.outputs
        ]
        record(segment, found.scalar_cluster, [layouts[place] for place in found.scalar_inputs], handed)
    outputs = [layouts[positions[output]] for output in range(len(found.computed))]
    made = {place: layout for place, layout in zip(found.computed, outputs, strict=True) if place is not None}
    read = [layouts[place] for place in (*found.array_inputs, *found.direct_scalars)]
    record(segment, found.array_cluster, [*read, *handed], [made[place] for place in range(len(made))])
    segment.define(node, tuple(outputs) if len(outputs) > 1 else outputs[0])


def _type_of(cluster: Cluster, output: Output) -> str:
    """The element type of an output that is no input."""
    return cluster.steps[output.value - len(cluster.inputs)].dtype


def assign(segment: Segment, node: CNode) -> None:
    """Another value for a Parameter."""
    variable, value = node.arguments[:2]
    number = number_of(value)
    dtype = segment.layout(variable).dtype
    given = segment.layout(value) if number is None else segment.constant(np.array(number, dtype))
    target = segment.overwrite_parameter(node, 0)
    if given.dtype != dtype or (given.shape != target.shape and given.size != 1):
        raise segment.cannot_lower()
    if given.shape != target.shape:
        given = replace(given, shape=target.shape, strides=(0,) * len(target.shape))
    segment.copy(given, target)
    segment.define(node, target)


def _add_or_subtract(operator: str) -> Lowering:
    def lowering(segment: Segment, node: CNode) -> None:
        number = number_of(node.arguments[1])
        variable = segment.layout(node.arguments[0])
        name = variable.dtype.name
        if name not in _TYPES:
            raise segment.cannot_lower()
        operand: Any = 1
        given = []
        if number is not None:
            if not np.can_cast(type(number), variable.dtype, "same_kind"):
                raise segment.cannot_lower()
            operand = (number,)
        else:
            given = [segment.contiguous(node.arguments[1])]
            if given[0].shape != variable.shape or given[0].dtype != variable.dtype:
                raise segment.cannot_lower()
        segment.overwrite_parameter(node, 0)
        shape = variable.shape or (1,)
        inputs = tuple(Input(name, shape, variable.shape) for _ in (variable, *given))
        steps = (Step(operator, name, (0, operand), name),)
        cluster = Cluster(shape, inputs, steps, (Output(len(inputs)),))
        record(segment, cluster, (variable, *given), (variable,))
        segment.define(node, variable)

    return lowering


LOWERINGS: Final[dict[Any, Lowering]] = {
    **dict.fromkeys(_UPDATES, update),
    P.Assign: assign,
    P.AssignAdd: _add_or_subtract("Add"),
    P.AssignSub: _add_or_subtract("Sub"),
}
