"""The native forms of operators that change Parameters, in place: steps of optimizers, counters, assignments.

The arrays of Parameters that others hold too are left alone: the segment looks for that before it runs.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from framework.engine.native.clusters import record
from framework.engine.native.layouts import Layout
from framework.engine.native.segments import Form, Segment
from framework.ir.anf import CNode, Node
from framework.kernels import updates
from framework.kernels.fused import Cluster, Input, Output, Step
from framework.ops import operations as P  # noqa: N812
from framework.opt.fusable import number_of

__all__ = ["FORMS"]

_TYPES: Final = ("float32", "float64", "int32", "int64")


def momentum(segment: Segment, node: CNode) -> None:
    """A step of momentum, in one pass over memory."""
    operator: Any = node.operator
    if operator.use_nesterov or operator.gradient_scale != 1.0 or not updates.momentum.is_fast:
        raise segment.refuse()
    rate, gradient, factor = node.arguments[2:5]
    dtype = segment.layout(node.arguments[0]).dtype
    given = [segment.whole(gradient), _number(segment, rate, dtype), _number(segment, factor, dtype)]
    variable, kept = segment.written(node, 0), segment.written(node, 1)
    if dtype.name not in ("float32", "float64") or any(item.dtype != dtype for item in (kept, *given)):
        raise segment.refuse()
    if given[0].shape != variable.shape or kept.shape != variable.shape:
        raise segment.refuse()
    record(segment, updates.momentum_cluster(dtype.name), (variable, kept, *given), (variable, kept))
    segment.set(node, (variable, kept))


def _number(segment: Segment, node: Node, dtype: Any) -> Layout:
    """The array of a number that is one of the update."""
    number = number_of(node)
    layout = segment.layout(node) if number is None else segment.constant(np.array(number, dtype))
    if layout.size != 1 or layout.dtype != dtype:
        raise segment.refuse()
    return layout


def _added(operator: str) -> Form:
    def form(segment: Segment, node: CNode) -> None:
        number = number_of(node.arguments[1])
        variable = segment.layout(node.arguments[0])
        name = variable.dtype.name
        if name not in _TYPES:
            raise segment.refuse()
        operand: Any = 1
        given = []
        if number is not None:
            if not np.can_cast(type(number), variable.dtype, "same_kind"):
                raise segment.refuse()
            operand = (number,)
        else:
            given = [segment.whole(node.arguments[1])]
            if given[0].shape != variable.shape or given[0].dtype != variable.dtype:
                raise segment.refuse()
        segment.written(node, 0)
        shape = variable.shape or (1,)
        inputs = tuple(Input(name, shape, variable.shape) for _ in (variable, *given))
        steps = (Step(operator, name, (0, operand), name),)
        cluster = Cluster(shape, inputs, steps, (Output(len(inputs)),))
        record(segment, cluster, (variable, *given), (variable,))
        segment.set(node, variable)

    return form


FORMS: Final[dict[Any, Form]] = {
    P.ApplyMomentum: momentum,
    P.AssignAdd: _added("Add"),
    P.AssignSub: _added("Sub"),
}
