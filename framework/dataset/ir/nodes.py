"""Nodes of a pipeline: one per operator, the last operator as root, the sources as leaves."""

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
    """Which rows of a source are read, in which order.

    Args:
        sampler_name: MindSpore's name of the sampler's class.
        parameters: what JSON can hold of it.
        child: The sampler that chooses first; this one chooses among its rows.
        python: a user's sampler, which JSON cannot hold.

    """

    sampler_name: str
    parameters: Mapping[str, Any] = field(default_factory=_nothing)
    child: SamplerNode | None = None
    python: Any = field(default=None, compare=False)


@dataclass(frozen=True)
class Node:
    """One operator of a pipeline.

    Args:
        op_type: MindSpore's name of it: "Batch", "Map", "MnistDataset".
        children: the nodes that rows come from.
        parameters: what JSON can hold of it, by MindSpore's names.
        sampler: of a source that can be read in any order.
        operations: of a Map: transforms and Python functions, applied in turn.
        python: what JSON cannot hold: the source of rows, functions of the user; by name.
        where: file and line of the user's program that made it.

    """

    op_type: str
    children: tuple[Node, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=_nothing)
    sampler: SamplerNode | None = None
    operations: tuple[Callable[..., Any], ...] = ()
    python: Mapping[str, Any] = field(default_factory=_nothing, compare=False)
    where: str = field(default="", compare=False)


def walk(root: Node) -> Iterator[Node]:
    """All nodes, children before parents; the order gives each node its number."""
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, entered = stack.pop()
        if entered:
            yield node
            continue
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(node.children))


def find(root: Node, op_type: str) -> Node | None:
    """The node of a type that is nearest to the root, along the first children; None where there is none."""
    node: Node | None = root
    while node is not None and node.op_type != op_type:
        node = node.children[0] if node.children else None
    return node
