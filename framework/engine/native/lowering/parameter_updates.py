"""Lowering of operators that update Parameters in place: optimizer steps, counters, assignments.

A segment first checks that nothing else holds the array of a Parameter; if something does, the fallback runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from framework.engine.kernel_calls import inputs_of, known_value
from framework.engine.native.layouts import Layout
from framework.engine.native.lowering.generated import record
from framework.engine.native.lowering.symbolic_trace import Array, NotTracedError, TracedKernel, trace
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
"""The updates that are rows of the table of kernels; the others belong to the row of generated kernels."""


@dataclass(frozen=True)
class _Operands:
    """The inputs of an optimizer's operator.

    Attributes:
        layouts: the layouts of tensors, by position.
        traced: all inputs as `trace` takes them: the types of tensors, and the values of others.
    """

    layouts: dict[int, Layout]
    traced: list[object]


def update(segment: Segment, node: CNode) -> None:
    """A step of an optimizer, in one pass over memory."""
    operator: Update = node.operator
    if not _KERNELS.get(type(operator), generated).is_fast:
        raise segment.cannot_lower()
    written = dict(operator.writes)
    operands = _operands(segment, node, segment.layout(node.arguments[next(iter(written))]).shape)
    try:
        traced = trace(operator.compute, operands.traced)
    except NotTracedError:
        raise segment.cannot_lower() from None
    positions = {output: position for position, output in written.items()}
    if any(place not in (None, positions[output]) for output, place in enumerate(traced.passed_through)):
        raise segment.cannot_lower()
    for position in written:
        operands.layouts[position] = segment.overwrite_parameter(node, position)
    outputs = [operands.layouts[positions[output]] for output in range(len(traced.computed))]
    _record_clusters(segment, traced, operands.layouts, outputs)
    segment.define(node, tuple(outputs) if len(outputs) > 1 else outputs[0])


def _operands(segment: Segment, node: CNode, shape: tuple[int, ...]) -> _Operands:
    """The inputs of a node: tensors of one shape, tensors with a single element, and known values."""
    operands = _Operands({}, [])
    for position, item in enumerate(inputs_of(node)):
        if isinstance(item.abstract, AbstractTensor):
            operands.layouts[position] = layout = segment.contiguous(item)
            if layout.shape != shape and layout.size != 1:
                raise segment.cannot_lower()
            operands.traced.append(Array(layout.dtype, layout.shape != shape))
        elif item.abstract is not None and known(item.abstract):
            operands.traced.append(known_value(item.abstract))
        else:
            raise segment.cannot_lower()
    return operands


def _record_clusters(
    segment: Segment, traced: TracedKernel, layouts: Mapping[int, Layout], outputs: Sequence[Layout]
) -> None:
    """Record a traced kernel: the cluster of scalars, whose results are scratch memory, then that of arrays.

    Args:
        segment: the segment.
        traced: the kernel.
        layouts: the layouts of its inputs, by position.
        outputs: the layouts of its outputs.
    """
    scalars = traced.scalar_cluster
    computed_scalars: list[Layout] = []
    if scalars is not None:
        computed_scalars = [segment.scratch((), _type_of(scalars, output)) for output in scalars.outputs]
        record(segment, scalars, [layouts[place] for place in traced.scalar_inputs], computed_scalars)
    made = {place: layout for place, layout in zip(traced.computed, outputs, strict=True) if place is not None}
    read = [layouts[place] for place in (*traced.array_inputs, *traced.direct_scalars)]
    record(segment, traced.array_cluster, [*read, *computed_scalars], [made[place] for place in range(len(made))])


def _type_of(cluster: Cluster, output: Output) -> str:
    """The element type of an output that a step computes."""
    return cluster.steps[output.value - len(cluster.inputs)].dtype


def assign(segment: Segment, node: CNode) -> None:
    """The assignment of a value to a Parameter."""
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
        operand: int | tuple[bool | int | float] = 1
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
