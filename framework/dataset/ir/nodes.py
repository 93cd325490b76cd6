"""Nodes of a pipeline: one per operator, with the last operator as root and the sources as leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

__all__ = ["Node", "Place", "Plan", "SamplerNode", "find", "rebuilt", "walk"]


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
class Place:
    """Where an operation of a Map stands in the pipeline as it was written.

    Passes may move it; its random numbers and its messages stay those of this place.

    Args:
        number: number of the Map.
        place: position of the operation in the Map.
        count: number of operations of the Map.
        where: file and line of the Map.
        first_row: number of the first row that comes in, where passes leave out the rows before.
    """

    number: int
    place: int
    count: int
    where: str
    first_row: int = 0


@dataclass(frozen=True)
class Plan:
    """What passes decided about the run of an operator.

    Args:
        number: number of the operator in the pipeline as it was written, from which its random numbers come; -1 for its
            position in the tree.
        places: the places of a Map's operations, if one was moved.
        start: number of the first row that a source reads, of those that its sampler chooses.
        stop: number of the row before which it ends; None for all rows.
    """

    number: int = -1
    places: tuple[Place, ...] = ()
    start: int = 0
    stop: int | None = None


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
        plan: what passes decided about its run; not a part of the pipeline's description.
    """

    op_type: str
    children: tuple[Node, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=_nothing)
    sampler: SamplerNode | None = None
    operations: tuple[Callable[..., Any], ...] = ()
    python: Mapping[str, Any] = field(default_factory=_nothing, compare=False)
    where: str = field(default="", compare=False)
    plan: Plan = field(default=Plan(), compare=False)


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


def rebuilt(root: Node, rule: Callable[[Node], Node]) -> Node:
    """The tree after a rule was applied to each node, children before parents.

    Args:
        root: the last node.
        rule: gives the node that stands in place of one whose children are done.
    """
    done: list[Node] = []
    for node in walk(root):
        first = len(done) - len(node.children)
        children = tuple(done[first:])
        del done[first:]
        same = all(new is old for new, old in zip(children, node.children, strict=True))
        done.append(rule(node if same else replace(node, children=children)))
    return done[0]


def find(root: Node, op_type: str) -> Node | None:
    """The node of a type that is nearest to the root, along the first children; None without one."""
    node: Node | None = root
    while node is not None and node.op_type != op_type:
        node = node.children[0] if node.children else None
    return node
