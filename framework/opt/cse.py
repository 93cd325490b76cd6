"""Common subexpression elimination: a graph does not repeat what it, or a graph around it, has already computed."""

from __future__ import annotations

from typing import Any

from framework.ir.anf import CNode, FuncGraph, Node, ValueNode
from framework.ir.manager import Manager
from framework.ir.operators import LOAD, UPDATE_STATE, Structural
from framework.ops.primitive import Primitive
from framework.opt.rewrite import replace_all

__all__ = ["share_expressions"]


def share_expressions(root: FuncGraph) -> int:
    """Merge equal applications; returns how many were removed.

    Applications are equal if they apply the same operator with the same attributes to the same inputs. Calls and side
    effects are never shared.

    Args:
        root: the program, which is changed.
    """
    manager = Manager(root)
    order = sorted(manager.graphs, key=lambda graph: len(manager.ancestors(graph)))
    tables: dict[FuncGraph, dict[Any, Node]] = {}
    instead: dict[Node, Node] = {}
    for graph in order:
        around = manager.parent(graph)
        table = tables[graph] = dict(tables[around]) if around is not None and around in tables else {}
        for node in manager.nodes(graph):
            node.inputs = [instead.get(item, item) for item in node.inputs]
            key = _key(node)
            if key is None:
                continue
            first = table.setdefault(key, node)
            if first is not node:
                instead[node] = first
                if isinstance(first, CNode) and node.full_name:
                    first.also = tuple(dict.fromkeys((*first.also, node.full_name, *node.also)))
    if instead:
        replace_all(root, instead)
    return len(instead)


def _key(node: CNode) -> Any:
    operator = node.operator
    if operator in (LOAD, UPDATE_STATE):
        return None
    if isinstance(operator, Primitive):
        if operator.side_effect:
            return None
        kind: Any = (type(operator), operator.name, repr(operator.attrs))
    elif isinstance(operator, Structural):
        kind = operator
    else:
        return None
    return (kind, *(_input_key(item) for item in node.arguments))


def _input_key(node: Node) -> Any:
    if not isinstance(node, ValueNode):
        return node
    if isinstance(node.value, bool | int | float | str | tuple | type(None)):
        return (type(node.value), repr(node.value))
    return id(node.value)
