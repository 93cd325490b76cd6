"""Nodes of a pipeline: one per operator, with the last operator as root and the sources as leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

__all__ = ["Node", "SamplerNode", "find", "walk"]


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True)
class SamplerNode:
    """The sampler of a source.

    Args:
        sampler_name: MindSpore's name of the sampler's class.
        parameters: parameters that JSON can represent.
        child: sampler that chooses first; this one chooses among its rows.
        python: a user's sampler, which JSON cannot represent.
    """

    sampler_name: str
    parameters: Mapping[str, Any] = field(default_factory=_nothing)
    child: SamplerNode | None = None
    python: Any = field(default=None, compare=False)


@dataclass(frozen=True)
class Node:
    """One operator of a pipeline.

    Args:
        op_type: MindSpore's name of the operator: "Batch", "Map", "MnistDataset".
        children: nodes that the rows come from.
        parameters: parameters that JSON can represent, by MindSpore's names.
        sampler: sampler of a source that can be read in any order.
        operations: transforms and Python functions of a Map, applied in turn.
        python: objects by name that JSON cannot represent: the source of rows, the user's functions.
        where: file and line of the user's program that created the node.
    """

    op_type: str
    children: tuple[Node, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=_nothing)
    sampler: SamplerNode | None = None
    operations: tuple[Callable[..., Any], ...] = ()
    python: Mapping[str, Any] = field(default_factory=_nothing, compare=False)
    where: str = field(default="", compare=False)


def walk(root: Node) -> Iterator[Node]:
    """All nodes, children before parents; a node's number is its position in this order."""
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, entered = stack.pop()
        if entered:
            yield node
            continue
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(node.children))


def find(root: Node, op_type: str) -> Node | None:
    """The node of a type that is nearest to the root, along the first children; None without one."""
    node: Node | None = root
    while node is not None and node.op_type != op_type:
        node = node.children[0] if node.children else None
    return node
