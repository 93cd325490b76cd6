"""Checks the graphs of a model before nodes are made of them, and sorts their nodes.

Every name must be made once and before it is used; a name within a body must not hide one around it. The nodes of a
graph may be stored in any order. `framework.onnx.loading` calls `check_structure`, and `translating` uses the order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from framework.ir.model_values import ModelError
from framework.onnx.limits import Limits
from framework.schema.onnx_pb2 import Attribute, Function, Graph, Model, Node

__all__ = ["Order", "bodies", "check_structure", "listing", "title"]

LISTED: Final = 20
"""The most problems that one message lists."""


def title(node: Node) -> str:
    """A node for messages: its operator, and its name or what it makes."""
    name = node.name or next((output for output in node.output if output), "")
    return f"{node.domain + '.' if node.domain else ''}{node.op_type} {name!r}"


def bodies(node: Node) -> Iterator[Graph]:
    """The graphs among a node's attributes."""
    for attribute in node.attribute:
        if attribute.type == Attribute.GRAPH:
            yield attribute.g


class Order:
    """The nodes of every graph of a model in an order in which they can run.

    Args:
        model: the model; its structure is checked while the order is found.
        limits: what it may ask for.

    Raises:
        ModelError: a name is made twice or never, nodes need each other, or a bound is exceeded.
    """

    def __init__(self, model: Model, limits: Limits) -> None:
        self._limits = limits
        self._nodes = 0
        #: Messages are identified by address, so they must stay.
        self._kept: list[Graph | Function] = []
        self._orders: dict[int, list[Node]] = {}
        self._free: dict[int, set[str]] = {}
        self.problems: list[str] = []
        self._graph(model.graph, set(), 1)
        for function in model.functions:
            self._body(function, function.node, {*function.input}, set(), [*function.output], 1)
        if self.problems:
            raise ModelError(listing("its graph is not sound", self.problems))

    def nodes(self, graph: Graph | Function) -> list[Node]:
        """The nodes of a graph."""
        return self._orders[id(graph)]

    def _graph(self, graph: Graph, around: set[str], depth: int) -> None:
        stored = [item.name for item in graph.initializer] + [item.values.name for item in graph.sparse_initializer]
        given = {item.name for item in graph.input} | set(stored)
        for name, times in Counter(stored).items():
            if times > 1:
                self.problems.append(f"{times} weights have the name {name!r}")
        for name, times in Counter(item.name for item in graph.input).items():
            if times > 1:
                self.problems.append(f"{times} inputs have the name {name!r}")
        self._hidden(given, around)
        self._body(graph, graph.node, given, around, [item.name for item in graph.output], depth)

    def _hidden(self, names: Iterable[str], around: set[str]) -> None:
        for name in names:
            if name in around:
                self.problems.append(f"the name {name!r} in a body hides the same name around it")

    def _body(
        self, owner: Graph | Function, nodes: Iterable[Node], given: set[str], around: set[str], outputs: list[str],
        depth: int,
    ) -> None:  # fmt: skip
        self._kept.append(owner)
        listed = list(nodes)
        self._bounds(listed, depth)
        maker = self._makers(listed, given)
        self._hidden(maker, around)
        visible = around | given
        for place, node in enumerate(listed):
            for body in bodies(node):
                # What the node itself makes is not there yet within it.
                self._graph(body, visible | {name for name in maker if maker[name] != place}, depth + 1)
        needs = [self._needed(node) for node in listed]
        for node, names in zip(listed, needs, strict=True):
            for name in sorted(names - visible - maker.keys()):
                self.problems.append(f"{title(node)} reads {name!r}, which nothing makes")
        self.problems.extend(
            f"the output {name!r} is made by nothing" for name in outputs if name not in visible and name not in maker
        )
        self._free[id(owner)] = set().union(outputs, *needs) - maker.keys() - given
        self._orders[id(owner)] = self._sorted(listed, needs, maker)

    def _makers(self, nodes: list[Node], given: set[str]) -> dict[str, int]:
        """Which node makes each name."""
        maker: dict[str, int] = {}
        for place, node in enumerate(nodes):
            for name in filter(None, node.output):
                if name in maker or name in given:
                    self.problems.append(f"{title(node)} makes {name!r}, which is made already")
                maker[name] = place
        return maker

    def _bounds(self, nodes: list[Node], depth: int) -> None:
        self._nodes += len(nodes)
        if self._nodes > self._limits.nodes:
            raise ModelError(f"it has more than {self._limits.nodes:,} nodes")
        if depth > self._limits.depth:
            raise ModelError(f"its graphs are nested more than {self._limits.depth} deep")
        for node in nodes:
            for name in (node.name, node.op_type, *node.input, *node.output):
                if len(name) > self._limits.name_bytes:
                    raise ModelError(f"the name {name[:40]!r}... is longer than {self._limits.name_bytes:,} bytes")

    def _needed(self, node: Node) -> set[str]:
        """What a node reads, its bodies included."""
        names = set(filter(None, node.input))
        for body in bodies(node):
            names |= self._free.get(id(body), set())
        return names

    def _sorted(self, nodes: list[Node], needs: list[set[str]], maker: dict[str, int]) -> list[Node]:
        """The nodes, each after those that it needs, else in their own order (Kahn's algorithm)."""
        before = [{maker[name] for name in names if name in maker} for names in needs]
        if all(max(places, default=-1) < place for place, places in enumerate(before)):
            return nodes
        ready, missing = _kahn(before)
        if len(ready) < len(nodes):
            circle = [title(node) for place, node in enumerate(nodes) if missing[place]]
            self.problems.append(f"these nodes need each other, directly or not: {', '.join(circle[:LISTED])}")
        return [nodes[place] for place in ready]


def _kahn(before: list[set[int]]) -> tuple[list[int], list[int]]:
    """An order of places, each after those before it, and how many of these each lacks in the end."""
    readers: dict[int, list[int]] = {}
    for place, places in enumerate(before):
        for needed in places:
            readers.setdefault(needed, []).append(place)
    missing = [len(places) for places in before]
    ready = [place for place, count in enumerate(missing) if not count]
    for place in ready:
        for reader in readers.get(place, ()):
            missing[reader] -= 1
            if not missing[reader]:
                ready.append(reader)
    return ready, missing


def check_structure(model: Model, limits: Limits) -> Order:
    """Check the graphs of a model.

    Returns:
        The order of the nodes of each graph.

    Raises:
        ModelError: a name is made twice or never, nodes need each other, or a bound is exceeded.
    """
    return Order(model, limits)


def listing(what: str, problems: list[str]) -> str:
    """A message with several problems, the first ones written out."""
    more = f"; and {len(problems) - LISTED} more" if len(problems) > LISTED else ""
    return f"{what}: {'; '.join(problems[:LISTED])}{more}"
