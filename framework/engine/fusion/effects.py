"""Effects: which Parameters an operator writes, directly or through aliases of them."""

from __future__ import annotations

from collections.abc import Iterator

from framework.ir.anf import CNode, Node, Parameter, ValueNode, is_operator
from framework.ir.operators import TUPLE_GETITEM
from framework.ops.primitive import Primitive

__all__ = ["parameter_behind", "written_parameters"]


def written_parameters(node: CNode) -> Iterator[tuple[int, Parameter]]:
    """The Parameters that an operator writes, each with its position among the arguments."""
    for position in node.operator.writes if isinstance(node.operator, Primitive) else ():
        yield position, parameter_behind(node.arguments[position])


def parameter_behind(node: Node) -> Parameter:
    """The Parameter of a Cell that an operator writes.

    Args:
        node: the operator's argument: the Parameter itself, a value loaded from it, or the result of an earlier write.
    """
    while isinstance(node, CNode) and node.arguments:
        node = _aliased_input(node)
    assert isinstance(node, Parameter)  # noqa: S101
    return node


def _aliased_input(node: CNode) -> Node:
    if is_operator(node, TUPLE_GETITEM) and isinstance(node.arguments[0], CNode):
        made, index = node.arguments
        assert isinstance(made, CNode) and isinstance(index, ValueNode)  # noqa: S101, PT018
        position: int = next(p for p, output in dict(made.operator.writes).items() if output == index.value)
        return made.arguments[position]
    if isinstance(node.operator, Primitive):
        first: int = next(iter(dict(node.operator.writes)))
        return node.arguments[first]
    return node.arguments[0]
