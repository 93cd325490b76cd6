"""The difference of two graphs: which node is which, one graph of both with a status by node, and a list of changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from mindinsight.graphs.diff.comparing import Comparison, Difference
from mindinsight.graphs.diff.matching import match_pair
from mindinsight.graphs.diff.merging import merge
from mindinsight.graphs.diff.pair import GraphPair, Nodes
from mindinsight.graphs.model import Graph
from mindinsight.graphs.substructures.work import Bytes, Integers


class Status(IntEnum):
    """What became of a node or an edge."""

    SAME = 0
    CHANGED = 1
    ADDED = 2
    REMOVED = 3


@dataclass(frozen=True, slots=True)
class Change:
    """A node that is not the same in both graphs.

    Attributes:
        status: changed, added or removed.
        node: its number in the merged graph.
        name: by which inputs refer to it, in the right graph where it is there.
        op: its type there.
        what: in what a changed one differs.
    """

    status: Status
    node: int
    name: str
    op: str
    what: list[Difference]


@dataclass(eq=False)
class GraphDiff:
    """Two graphs held against each other.

    Attributes:
        left: the graph that comes first.
        right: the other one.
        right_of: for each left node the right one that takes its place, or -1.
        left_of: the same the other way round.
        merged: the nodes of the right graph under their own numbers, and behind them those that were removed; of
            matched nodes, all is as the right graph has it. Behind the edges of the right graph, each node has those
            that only the left one had.
        status: `Status` of each node of the merged graph.
        edge_status: of each of its edges; never CHANGED.
    """

    left: Graph = field(repr=False)
    right: Graph = field(repr=False)
    right_of: Integers = field(repr=False)
    left_of: Integers = field(repr=False)
    merged: Graph = field(repr=False)
    status: Bytes = field(repr=False)
    edge_status: Bytes = field(repr=False)
    _removed: Nodes = field(repr=False)
    _comparison: Comparison = field(repr=False)

    @property
    def counts(self) -> dict[str, int]:
        """How many nodes have each status, by its name in small letters."""
        found = np.bincount(self.status, minlength=len(Status)).tolist()
        return {status.name.lower(): found[status] for status in Status}

    def changes(self, first: int = 0, count: int | None = None, *, status: Status | None = None) -> list[Change]:
        """Returns some of the nodes that are not the same, in order of their number in the merged graph.

        Args:
            first: how many are passed over.
            count: how many are wanted at most; all unless given.
            status: only those of this status.
        """
        wanted = self.status != Status.SAME if status in (None, Status.SAME) else self.status == status
        nodes = np.flatnonzero(wanted)[first : None if count is None else first + count]
        return [self._change(node) for node in nodes.tolist()]

    def left_node(self, node: int) -> int:
        """Returns the left graph's number of a node of the merged one, or -1 for an added one."""
        behind = node - len(self.right)
        return int(self.left_of[node]) if behind < 0 else int(self._removed[behind])

    def _change(self, node: int) -> Change:
        status = Status(int(self.status[node]))
        what = self._comparison.differences(self.left_node(node), node) if status is Status.CHANGED else []
        return Change(status, node, self.merged.text("name", node), self.merged.text("op", node), what)


def compare(left: Graph, right: Graph) -> GraphDiff:
    """Returns what differs between two graphs, whose nodes are matched by structure and not by name.

    Args:
        left: the graph that comes first.
        right: the other one.
    """
    pair = GraphPair(left, right)
    right_of = match_pair(pair)
    lefts = np.flatnonzero(right_of >= 0)
    left_of = np.full(len(right), -1, np.int32)
    left_of[right_of[lefts]] = lefts
    comparison = Comparison(pair, right_of)
    merged, removed, gone = merge(left, right, comparison.named)
    status = np.full(len(merged), Status.REMOVED, np.uint8)
    status[: len(right)] = np.where(left_of >= 0, Status.SAME, Status.ADDED)
    status[comparison.changed()] = Status.CHANGED
    edges = _edge_status(left, merged, comparison.named, gone)
    return GraphDiff(left, right, right_of, left_of, merged, status, edges, removed, comparison)


def _edge_status(left: Graph, merged: Graph, named: Nodes, gone: Bytes) -> Bytes:
    """An edge is the same where the left graph had one between the same two nodes."""
    was = named[left.in_src] * len(merged) + named[left.in_dst]
    now = merged.in_src.astype(np.int64) * len(merged) + merged.in_dst
    known = was[(named[left.in_src] >= 0) & (named[left.in_dst] >= 0)]
    status = np.where(np.isin(now, known), Status.SAME, Status.ADDED).astype(np.uint8)
    status[gone == 1] = Status.REMOVED
    return status
