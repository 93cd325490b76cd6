"""Scheduling: orders the nodes of a block, within their dependencies, so that it needs less memory.

Called by `FunctionCode` for each block before its memory is planned. Nodes with side effects keep their order.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final

from framework.engine.memory.liveness import Liveness, nbytes_of
from framework.ir.anf import CNode, Node, Parameter
from framework.ir.operators import DEPEND, TUPLE_GETITEM
from framework.ops.primitive import Primitive

__all__ = ["schedule_for_memory", "schedule_reads_before_writes"]

MAX_GROUP: Final = 4
"""The most nodes that are scheduled together because they read the same memory."""


def schedule_for_memory(nodes: Sequence[CNode], live_out: Iterable[Node], read_at_end: Iterable[Node]) -> list[CNode]:
    """Order nodes so that each runs as soon as it frees at least as much memory as it takes.

    In the backward pass, the gradient of a weight frees the activation of its layer and the gradient of its output. But
    gradients are returned in the order of layers, so without scheduling all would stay alive until the first layer's.

    Args:
        nodes: the nodes of a block, in an order in which they can run.
        live_out: nodes whose values are read outside of the block.
        read_at_end: nodes whose values the end of the block reads.

    Returns:
        The same nodes in another order.
    """
    return _MemoryScheduler(nodes, Liveness(nodes, live_out, read_at_end), read_at_end).order


class _MemoryScheduler:
    """Goes through the nodes of a block in order, and takes later nodes first as soon as they are profitable."""

    def __init__(self, nodes: Sequence[CNode], liveness: Liveness, read_at_end: Iterable[Node]) -> None:
        self.liveness = liveness
        self.place = {node: place for place, node in enumerate(nodes)}
        self.users: dict[Node, list[CNode]] = {node: [] for node in nodes}
        #: For each buffer that is free at the end, the nodes that have yet to read it.
        self.readers: dict[CNode, set[CNode]] = {}
        self.order: list[CNode] = []
        self.scheduled: set[Node] = set()
        for node in nodes:
            for item in node.inputs:
                if item in self.users:
                    self.users[item].append(node)
                for buffer in liveness.buffers_of(item):
                    self.readers.setdefault(buffer, set()).add(node)
        for buffer in liveness.escaping.union(*map(liveness.buffers_of, read_at_end)):
            self.readers.pop(buffer, None)
        for node in nodes:
            if node not in self.scheduled:
                self._run(node)

    def _run(self, node: CNode) -> None:
        """Schedule a node, then all nodes that have become profitable."""
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if one in self.scheduled:
                continue
            self.scheduled.add(one)
            self.order.append(one)
            read = self._buffers_read_by(one)
            for buffer in read:
                self.readers[buffer].discard(one)
            ready = [user for user in self.users[one] if self._is_ready(user)]
            groups = [{user} for user in ready]
            groups += [self.readers[buffer] for buffer in dict.fromkeys((*read, *self._buffers_read_by_all(ready)))]
            profitable = set().union(*(group for group in groups if self._is_profitable(group)))
            waiting.extend(sorted(profitable, key=self.place.__getitem__, reverse=True))

    def _is_profitable(self, group: set[CNode]) -> bool:
        """Whether nodes can run now, and together free at least as much memory as they take."""
        if not 0 < len(group) <= MAX_GROUP or not all(map(self._is_ready, group)):
            return False
        own = [nbytes_of(node) for node in group if node in self.liveness.buffers_of(node)]
        freed = (nbytes_of(buffer) or 0 for buffer in self._buffers_read_by_all(group) if self.readers[buffer] <= group)
        return None not in own and sum(freed) >= sum(size or 0 for size in own)

    def _is_ready(self, node: CNode) -> bool:
        if node in self.scheduled or not _can_move(node):
            return False
        return all(item in self.scheduled for item in node.inputs if item in self.users)

    def _buffers_read_by_all(self, nodes: Iterable[CNode]) -> dict[CNode, None]:
        return dict.fromkeys(buffer for node in nodes for buffer in self._buffers_read_by(node))

    def _buffers_read_by(self, node: CNode) -> list[CNode]:
        """The buffers that a node reads and that are free at the end."""
        found = (buffer for item in node.inputs for buffer in self.liveness.buffers_of(item) if buffer in self.readers)
        return sorted(dict.fromkeys(found), key=self.place.__getitem__)


def schedule_reads_before_writes(nodes: Sequence[CNode]) -> list[CNode]:
    """Order nodes so that Parameters are read before they are written, if possible.

    A reader of the old value is correct anywhere, because it holds the old array. But while something holds that array,
    it cannot be overwritten in place.

    Args:
        nodes: the nodes of the outermost graph, in an order in which they can run.

    Returns:
        The same nodes in another order.
    """
    order = list(nodes)
    place = {node: at for at, node in enumerate(order)}
    readers: dict[Node, list[CNode]] = {}
    for node in order:
        for item in node.inputs:
            if isinstance(item, Parameter) and item.default is not None:
                readers.setdefault(item, []).append(node)
    scheduled: dict[CNode, None] = {}
    for node in order:
        for position in _written_positions(node):
            for reader in readers.get(node.arguments[position], ()):
                if place[reader] > place[node]:
                    scheduled.update(dict.fromkeys(_unscheduled_inputs(reader, place, scheduled) or ()))
        scheduled[node] = None
    return list(scheduled)


def _written_positions(node: CNode) -> Iterable[int]:
    return node.operator.writes if isinstance(node.operator, Primitive) else ()


def _can_move(node: CNode) -> bool:
    """Whether a node may run at any time after its inputs."""
    return node.operator in (TUPLE_GETITEM, DEPEND) or (isinstance(node.operator, Primitive) and node.operator.is_pure)


def _unscheduled_inputs(reader: CNode, place: Mapping[CNode, int], scheduled: Container[CNode]) -> list[CNode] | None:
    """A node and its inputs that are not yet scheduled, in order; None if one of them cannot be moved."""
    found: set[CNode] = set()
    waiting = [reader]
    while waiting:
        node = waiting.pop()
        if node in found or node in scheduled or node not in place:
            continue
        if not _can_move(node):
            return None
        found.add(node)
        waiting.extend(item for item in node.inputs if isinstance(item, CNode))
    return sorted(found, key=place.__getitem__)
