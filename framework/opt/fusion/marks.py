"""Marks clusters of element-wise operators, each to be computed by one generated kernel.

The nodes of a cluster get the same number as their mark `fusion`. All have outputs of one shape, except for sums of
these over the last axes. Smaller inputs are broadcast. A value that is read several times inside is computed once, a
value that is read outside is an output of the kernel, and any other value takes no memory.

A kernel runs at one moment, so a cluster must not depend on itself through other operators. Operators that are not
element-wise have an order. An element-wise node can run after the last of those it needs (`low`) and before the first
that needs it (`high`). Clusters are merged while low < high. Each merge is passed on to the clusters before and after,
so that low never decreases and high never increases along the program. Then no merge makes another impossible: whatever
comes later has at least the same `high`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from framework.ir.abstract import AbstractTensor, Shape
from framework.ir.anf import FUSION, CNode, FuncGraph, Node, graphs_in
from framework.ir.manager import Manager
from framework.opt.fusion.fusable import operands_of, reduction_of, seen_through, step_type, worth_alone

__all__ = ["mark_fusion"]

MOST_NODES: Final = 64
"""The largest cluster. Larger ones would need more registers than a processor has."""
_NEVER: Final = 1 << 60


def mark_fusion(root: FuncGraph) -> int:
    """Mark the clusters in each graph of a program; returns how many nodes have a different mark now.

    Args:
        root: the graph that the program is; typed, after all passes that change what is computed.
    """
    manager = Manager(root)
    clusters: list[list[CNode]] = []
    for graph in manager.graphs:
        clusters += _Clusters(manager, graph).found()
    numbers = {node: number for number, cluster in enumerate(clusters) for node in cluster}
    changed = 0
    for node in manager.all_nodes():
        before = node.marks.pop(FUSION, None)
        if node in numbers:
            node.marks[FUSION] = numbers[node]
        changed += before != node.marks.get(FUSION)
    return changed


class _Cluster:
    """Nodes that may become one kernel, and the positions of the program between which it can run."""

    __slots__ = ("after", "before", "high", "low", "nodes", "shape")

    def __init__(self, node: CNode, shape: Shape, low: int) -> None:
        self.nodes = [node]
        self.shape = shape
        self.low, self.high = low, _NEVER
        self.before: set[_Cluster] = set()
        self.after: set[_Cluster] = set()


class _Clusters:
    """Finds the clusters of one graph."""

    def __init__(self, manager: Manager, graph: FuncGraph) -> None:
        self.manager = manager
        self.nodes = manager.nodes(graph)
        #: The cluster of each element-wise node, the position of any other.
        self.of: dict[CNode, _Cluster] = {}
        self.position: dict[Node, int] = {}
        for place, node in enumerate(self.nodes):
            self._add(place, node)

    def found(self) -> list[list[CNode]]:
        """The clusters that are worth a kernel, in the order of their first nodes."""
        self._merge_with_inputs()
        self._merge_readers()
        clusters = {id(cluster): cluster for node in self.nodes if (cluster := self.of.get(node)) is not None}
        self._append_reductions()
        order = {node: place for place, node in enumerate(self.nodes)}
        for cluster in clusters.values():
            cluster.nodes.sort(key=order.__getitem__)
        return [c.nodes for c in clusters.values() if len(c.nodes) > 1 or worth_alone(c.nodes[0])]

    def _merge_with_inputs(self) -> None:
        """Merge the cluster of each node with those of its inputs."""
        for node in self.nodes:
            for item in self._read(node):
                if node in self.of and item in self.of:
                    self._try(self.of[item], self.of[node])

    def _merge_readers(self) -> None:
        """Merge clusters that read the same value, if it is as large as their outputs, so that it is read once."""
        readers: dict[Node, CNode] = {}
        for node in self.of:
            for item in self._read(node):
                if getattr(item.abstract, "shape", None) == self.of[node].shape:
                    self._try(self.of[readers.setdefault(item, node)], self.of[node])

    def _append_reductions(self) -> None:
        """Append sums of a cluster's values to it. Nothing in the cluster waits for them."""
        for node in self.nodes:
            added = node.arguments[0] if reduction_of(node) is not None else None
            if isinstance(added, CNode) and added in self.of:
                self.of[added].nodes.append(node)

    def _read(self, node: CNode) -> Iterator[Node]:
        """The nodes that must be computed before a node, including those that functions among its inputs use."""
        items = map(seen_through, operands_of(node)) if node in self.of else iter(node.inputs)
        for item in items:
            yield item
            for inner in graphs_in([item]):
                yield from self.manager.free_variables(inner)

    def _add(self, place: int, node: CNode) -> None:
        if step_type(node) is not None and isinstance(node.abstract, AbstractTensor):
            self.of[node] = cluster = _Cluster(node, node.abstract.shape, -1)
            for item in self._read(node):
                if item in self.of:
                    before = self.of[item]
                    cluster.before.add(before)
                    before.after.add(cluster)
                    cluster.low = max(cluster.low, before.low)
                else:
                    cluster.low = max(cluster.low, self.position.get(item, -1))
            return
        self.position[node] = place
        for item in self._read(node):
            if item in self.of:
                self._lower(self.of[item], place)

    def _lower(self, cluster: _Cluster, high: int) -> None:
        """Note that a cluster, and all that it needs, runs before a position."""
        waiting = [cluster]
        while waiting:
            one = waiting.pop()
            if one.high > high:
                one.high = high
                waiting.extend(one.before)

    def _raise(self, cluster: _Cluster, low: int) -> None:
        waiting = [cluster]
        while waiting:
            one = waiting.pop()
            if one.low < low:
                one.low = low
                waiting.extend(one.after)

    def _try(self, first: _Cluster, second: _Cluster) -> None:
        """Merge two clusters if one kernel can compute both."""
        low, high = max(first.low, second.low), min(first.high, second.high)
        if first is second or first.shape != second.shape or low >= high:
            return
        if len(first.nodes) + len(second.nodes) > MOST_NODES:
            return
        if self._around(first, second) or self._around(second, first):
            return
        for node in second.nodes:
            self.of[node] = first
        first.nodes += second.nodes
        for side, other in (("before", "after"), ("after", "before")):
            merged = (getattr(first, side) | getattr(second, side)) - {first, second}
            for neighbour in merged:
                getattr(neighbour, other).discard(second)
                getattr(neighbour, other).add(first)
            setattr(first, side, merged)
        self._raise(first, low)
        self._lower(first, high)

    @staticmethod
    def _around(first: _Cluster, second: _Cluster) -> bool:
        """Whether a path leads from one cluster to the other through a third one."""
        waiting = [cluster for cluster in first.after if cluster is not second]
        seen = set(waiting)
        while waiting:
            cluster = waiting.pop()
            if cluster is second:
                return True
            more = [after for after in cluster.after if after not in seen and after.low <= second.low]
            seen.update(more)
            waiting += more
        return False
