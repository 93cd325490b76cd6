"""In-place updates: which Parameters an operator can overwrite because nothing reads the old value again."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from framework.ir.anf import CNode, Node, Parameter
from framework.ir.operators import UPDATE_STATE
from framework.ops.primitive import Primitive

__all__ = ["updates_in_place"]


def updates_in_place(
    nodes: Sequence[CNode], live_out: Iterable[Node], tapped: Container[CNode] = ()
) -> dict[CNode, dict[int, Parameter]]:
    """Decide which outputs may overwrite Parameters in place.

    Args:
        nodes: the nodes of the outermost graph, in the order in which they run.
        live_out: nodes whose values are read outside of it.
        tapped: nodes whose inputs a tap reads after they have run.

    Returns:
        For each node that writes Parameters, the Parameters that its outputs overwrite, by the number of the output.
    """
    last_reader: dict[Node, CNode] = {}
    for node in nodes:
        if node.operator is not UPDATE_STATE:
            last_reader.update((item, node) for item in node.inputs)
    elsewhere = set(live_out)
    updates: dict[CNode, dict[int, Parameter]] = {}
    for node in nodes:
        primitive = node.operator
        if node in tapped or not isinstance(primitive, Primitive):
            continue
        for position, output in primitive.writes.items():
            item = node.arguments[position]
            is_weight = isinstance(item, Parameter) and item.default is not None and item not in elsewhere
            if is_weight and last_reader[item] is node and node.inputs.count(item) == 1:
                updates.setdefault(node, {})[output] = item  # type: ignore[assignment]
    return updates
