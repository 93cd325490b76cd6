"""Which Parameters an operator can change in place: those whose old value nothing reads any more."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from framework.engine.kernel_calls import kernel_call
from framework.ir.anf import CNode, Node, Parameter
from framework.ir.operators import TUPLE_GETITEM, UPDATE_STATE
from framework.ops.primitive import Primitive

__all__ = ["readers_first", "updates_in_place"]


def updates_in_place(
    nodes: Sequence[CNode], kept: Iterable[Node], shown: Container[CNode] = ()
) -> dict[CNode, dict[int, Parameter]]:
    """For each operator that writes Parameters, which of its outputs may overwrite which of them.

    Args:
        nodes: those of the program's outermost graph, in the order in which they run.
        kept: nodes whose values are read elsewhere.
        shown: those whose inputs somebody looks at when they have run.
    """
    last: dict[Node, CNode] = {}
    for node in nodes:
        if node.operator is not UPDATE_STATE:
            last.update((item, node) for item in node.inputs)
    elsewhere = set(kept)
    found: dict[CNode, dict[int, Parameter]] = {}
    for node in nodes:
        primitive, call = node.operator, kernel_call(node)
        if node in shown or call is None or not call.takes_out or not isinstance(primitive, Primitive):
            continue
        for position, output in primitive.writes.items():
            item = node.arguments[position]
            is_weight = isinstance(item, Parameter) and item.default is not None and item not in elsewhere
            if is_weight and last[item] is node and node.inputs.count(item) == 1:
                found.setdefault(node, {})[output] = item  # type: ignore[assignment]
    return found


def readers_first(nodes: Sequence[CNode]) -> list[CNode]:
    """The same nodes in an order in which Parameters are read before they are changed, wherever that is possible.

    What reads the old value of a Parameter is right at any time, since it holds the old array. But as long as somebody
    holds that, it cannot be overwritten.

    Args:
        nodes: those of the program's outermost graph, in an order in which they can run.
    """
    order = list(nodes)
    place = {node: at for at, node in enumerate(order)}
    readers: dict[Node, list[CNode]] = {}
    for node in order:
        for item in node.inputs:
            if isinstance(item, Parameter) and item.default is not None:
                readers.setdefault(item, []).append(node)
    made: dict[CNode, None] = {}
    for node in order:
        for position in _written(node):
            for reader in readers.get(node.arguments[position], ()):
                if place[reader] > place[node]:
                    made.update(dict.fromkeys(_needed(reader, place, made) or ()))
        made[node] = None
    return list(made)


def _written(node: CNode) -> Iterable[int]:
    return node.operator.writes if isinstance(node.operator, Primitive) else ()


def _is_pure(operator: object) -> bool:
    return isinstance(operator, Primitive) and not operator.side_effect and not operator.writes


def _needed(reader: CNode, place: Mapping[CNode, int], made: Container[CNode]) -> list[CNode] | None:
    """A node and what it needs that has not run; None if that includes anything but operators without side effects."""
    found: set[CNode] = set()
    waiting = [reader]
    while waiting:
        node = waiting.pop()
        if node in found or node in made or node not in place:
            continue
        if node.operator is not TUPLE_GETITEM and not _is_pure(node.operator):
            return None
        found.add(node)
        waiting.extend(item for item in node.inputs if isinstance(item, CNode))
    return sorted(found, key=place.__getitem__)
