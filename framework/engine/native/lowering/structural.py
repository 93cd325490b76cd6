"""Lowering of operators that compute nothing: they pass values on, build and index tuples, or order side effects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from framework.engine.native.segments import Lowering, Segment
from framework.ir.abstract import Abstract, AbstractTuple
from framework.ir.anf import CNode, Parameter, ValueNode
from framework.ir.operators import DEPEND, LOAD, MAKE_LIST, MAKE_TUPLE, TUPLE_GETITEM, UPDATE_STATE

__all__ = ["STRUCTURAL", "identity", "outputs_of"]


def identity(segment: Segment, node: CNode) -> None:
    """The first argument of the node."""
    segment.define(node, segment.layouts(node.arguments[0]))


def item(segment: Segment, node: CNode) -> None:
    """An element of a tuple."""
    whole = segment.layouts(node.arguments[0])
    index = node.arguments[1]
    if not isinstance(whole, tuple) or not isinstance(index, ValueNode):
        raise segment.cannot_lower()
    segment.define(node, whole[index.value])


def items(segment: Segment, node: CNode) -> None:
    """A tuple of values. A list is lowered only if no code outside the segment reads it."""
    if node.operator is MAKE_LIST and segment.is_live_out(node):
        raise segment.cannot_lower()
    segment.define(node, tuple(map(segment.layouts, node.arguments)))


def load(segment: Segment, node: CNode) -> None:
    """The present value of a Parameter."""
    weight = node.arguments[0]
    if not isinstance(weight, Parameter) or weight.default is None or not segment.context.is_root:
        raise segment.cannot_lower()
    segment.define(node, segment.weight(weight))


def nothing(segment: Segment, node: CNode) -> None:
    """The state token: the order of the nodes is that of the side effects."""


STRUCTURAL: Final[dict[Any, Lowering]] = {
    DEPEND: identity,
    MAKE_LIST: items,
    MAKE_TUPLE: items,
    TUPLE_GETITEM: item,
    LOAD: load,
    UPDATE_STATE: nothing,
}


def outputs_of(node: CNode) -> Sequence[Abstract | None]:
    """The abstract value of each output of a node."""
    return node.abstract.elements if isinstance(node.abstract, AbstractTuple) else (node.abstract,)
