"""Lowering of operators that compute nothing: they pass values on, select one of several, or order effects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from framework.engine.native.segments import Lowering, Segment
from framework.ir.abstract import AbstractTuple
from framework.ir.anf import CNode, Parameter, ValueNode
from framework.ir.operators import DEPEND, LOAD, MAKE_LIST, MAKE_TUPLE, TUPLE_GETITEM, UPDATE_STATE

__all__ = ["STRUCTURAL", "identity", "outputs_of"]


def identity(segment: Segment, node: CNode) -> None:
    """A node that hands its first argument on."""
    segment.define(node, segment.layouts(node.arguments[0]))


def item(segment: Segment, node: CNode) -> None:
    """One of several outputs."""
    whole = segment.layouts(node.arguments[0])
    index = node.arguments[1]
    if not isinstance(whole, tuple) or not isinstance(index, ValueNode):
        raise segment.cannot_lower()
    segment.define(node, whole[index.value])


def items(segment: Segment, node: CNode) -> None:
    """Several values as one, which is a tuple to those outside."""
    if node.operator is MAKE_LIST and segment.is_live_out(node):
        raise segment.cannot_lower()
    segment.define(node, tuple(map(segment.layouts, node.arguments)))


def load(segment: Segment, node: CNode) -> None:
    """The value of a Parameter as it is now."""
    weight = node.arguments[0]
    if not isinstance(weight, Parameter) or weight.default is None or not segment.context.is_root:
        raise segment.cannot_lower()
    segment.define(node, segment.weight(weight))


def nothing(segment: Segment, node: CNode) -> None:
    """The token that orders effects: the order is that of the nodes."""


STRUCTURAL: Final[dict[Any, Lowering]] = {
    DEPEND: identity,
    MAKE_LIST: items,
    MAKE_TUPLE: items,
    TUPLE_GETITEM: item,
    LOAD: load,
    UPDATE_STATE: nothing,
}


def outputs_of(node: CNode) -> Sequence[Any]:
    """What is known of each output of a node."""
    return node.abstract.elements if isinstance(node.abstract, AbstractTuple) else (node.abstract,)
