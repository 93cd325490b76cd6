"""The difference of two graphs: the matched nodes, a merged graph with a status per node, and a list of changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from mindinsight.graphs.diff.batch import BatchChange, batch_change
from mindinsight.graphs.diff.comparing import Comparison, Difference
from mindinsight.graphs.diff.matching import match_pair
from mindinsight.graphs.diff.merging import merge
from mindinsight.graphs.diff.pair import GraphPair, Nodes
from mindinsight.graphs.model import Graph
from mindinsight.graphs.substructures.work import Bytes, Integers


class Status(IntEnum):
    """The status of a node or an edge."""

    SAME = 0
    CHANGED = 1
    ADDED = 2
    REMOVED = 3


@dataclass(frozen=True, slots=True)
class Change:
    """A node that differs between the graphs.

    Attributes:
        status: changed, added or removed.
        node: number in the merged graph.
        name: name to which inputs refer, in the right graph if it exists there.
        op: operator type in the same graph.
        what: differences of a changed node.
    """

    status: Status
    node: int
    name: str
    op: str
    what: list[Difference]


@dataclass(eq=False)
class GraphDiff:
    """The comparison of two graphs.

    Attributes:
        left: the graph that comes first.
        right: the other one.
        right_of: the corresponding right node of each left node, or -1.
        left_of: the corresponding left node of each right node, or -1.
        merged: the nodes of the right graph with the same numbers, followed by the removed nodes. Matched nodes are as
        in the right graph. Each node has its edges of the right graph, followed by those that only the left one had.
        status: `Status` of each node of the merged graph. edge_status: `Status` of each edge; never CHANGED.
        batch: a change of the batch; nodes that differ in nothing else are the same.
    """

    left: Graph = field(repr=False)
    right: Graph = field(repr=False)
    right_of: Integers = field(repr=False)
    left_of: Integers = field(repr=False)
    merged: Graph = field(repr=False)
    status: Bytes = field(repr=False)
    edge_status: Bytes = field(repr=False)
    batch: BatchChange | None
    _removed: Nodes = field(repr=False)
    _comparison: Comparison = field(repr=False)

    @property
    def counts(self) -> dict[str, int]:
        """The number of nodes with each status, by its lower-case name."""
        found = np.bincount(self.status, minlength=len(Status)).tolist()
        return {status.name.lower(): found[status] for status in Status}

    def changes(self, first: int = 0, count: int | None = None, *, status: Status | None = None) -> list[Change]:
        """Returns some of the nodes that differ, in order of their number in the merged graph.

        Args:
            first: number of nodes to skip.
            count: maximum number of nodes; default: all.
            status: only nodes of this status.
        """
        wanted = self.status != Status.SAME if status in (None, Status.SAME) else self.status == status
        nodes = np.flatnonzero(wanted)[first : None if count is None else first + count]
        return [self._change(node) for node in nodes.tolist()]

    def left_node(self, node: int) -> int:
        """Returns the left graph's number of a node of the merged graph, or -1 for an added node."""
        behind = node - len(self.right)
        return int(self.left_of[node]) if behind < 0 else int(self._removed[behind])

    def _change(self, node: int) -> Change:
        status = Status(int(self.status[node]))
        what = self._comparison.differences(self.left_node(node), node) if status is Status.CHANGED else []
        return Change(status, node, self.merged.text("name", node), self.merged.text("op", node), what)


def compare(left: Graph, right: Graph) -> GraphDiff:
    """Returns the differences of two graphs. Nodes are matched by structure and not by name.

    Args:
        left: the graph that comes first.
        right: the other one.
    """
    pair = GraphPair(left, right)
    right_of = match_pair(pair)
    lefts = np.flatnonzero(right_of >= 0)
    left_of = np.full(len(right), -1, np.int32)
    left_of[right_of[lefts]] = lefts
    batch = batch_change(pair, right_of)
    comparison = Comparison(pair, right_of, batch)
    merged, removed, gone = merge(left, right, comparison.named)
    status = np.full(len(merged), Status.REMOVED, np.uint8)
    status[: len(right)] = np.where(left_of >= 0, Status.SAME, Status.ADDED)
    status[comparison.changed()] = Status.CHANGED
    edges = _edge_status(left, merged, comparison.named, gone)
    return GraphDiff(left, right, right_of, left_of, merged, status, edges, batch, removed, comparison)


def _edge_status(left: Graph, merged: Graph, named: Nodes, gone: Bytes) -> Bytes:
    """An edge is unchanged if the left graph has one between the same two nodes."""
    was = named[left.in_src] * len(merged) + named[left.in_dst]
    now = merged.in_src.astype(np.int64) * len(merged) + merged.in_dst
    known = was[(named[left.in_src] >= 0) & (named[left.in_dst] >= 0)]
    status = np.where(np.isin(now, known), Status.SAME, Status.ADDED).astype(np.uint8)
    status[gone == 1] = Status.REMOVED
    return status
