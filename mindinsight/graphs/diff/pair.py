"""Two graphs as one set of arrays, with the right graph's nodes after the left one's. All matching uses it."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import Graph, NodeKind
from mindinsight.graphs.model.order import outgoing
from mindinsight.graphs.substructures.equivalence import combine, port_classes, structural_attributes
from mindinsight.graphs.substructures.work import Integers, Offsets, dense

Labels = npt.NDArray[np.int64]
Nodes = npt.NDArray[np.int64]


class Strictness(IntEnum):
    """How much of two nodes must agree: everything; everything but output types and readers; the operator only."""

    ALL = 0
    ATTRIBUTES = 1
    OPERATOR = 2


class GraphPair:
    """Two graphs with a common numbering of nodes.

    Args:
        left: the graph that comes first.
        right: the other one.

    Attributes:
        split: number of nodes in the left graph, and index of the right graph's first node.
        in_ptr, in_src, in_dst, in_slot, in_kind: as in `Graph`.
        in_class: the input port, or its class if the order of inputs does not matter.
        out_ptr, out_edge: the outgoing edges of each node.
        numbers: for each column, the number of each node's text, common to both graphs.
        labels: for each strictness, the label of each node. Equal nodes have equal labels.
    """

    def __init__(self, left: Graph, right: Graph) -> None:
        self.left, self.right = left, right
        self.split = len(left)
        self.kind = np.concatenate([left.kind, right.kind])
        self.in_ptr: Offsets = np.concatenate([left.in_ptr, right.in_ptr[1:] + left.edge_count])
        self.in_src: Integers = np.concatenate([left.in_src, right.in_src + np.int32(self.split)])
        self.in_dst: Integers = np.concatenate([left.in_dst, right.in_dst + np.int32(self.split)])
        self.in_slot = np.concatenate([left.in_slot, right.in_slot])
        self.in_kind = np.concatenate([left.in_kind, right.in_kind])
        self.in_class = np.concatenate([port_classes(left), port_classes(right)])
        self.out_ptr, self.out_edge = outgoing(len(self), self.in_ptr, self.in_src)
        self.numbers = {
            "op": self._joined("op"),
            "type": self._joined("type"),
            "attributes": self._joined("attributes", structural_attributes),
            "value": self._joined("value"),
        }
        self.numbers["value"][self.kind != NodeKind.CONSTANT] = 0
        operator = combine([self.kind, self.numbers["op"]])
        attributes = combine([operator, self.numbers["attributes"], self.numbers["value"]])
        given = np.zeros(len(self), np.uint8)
        given[np.concatenate([left.outputs, right.outputs + np.int32(self.split)])] = 1
        everything = combine([attributes, self.numbers["type"], given])
        self.labels = [label.astype(np.int64) for label in (everything, attributes, operator)]

    def __len__(self) -> int:
        return len(self.kind)

    def text(self, column: str, node: int) -> str:
        """Returns the text of a column for a node of either graph."""
        return self.left.text(column, node) if node < self.split else self.right.text(column, node - self.split)

    def _joined(self, column: str, convert: Callable[[str], str] = str) -> Labels:
        """Numbers of a column's converted texts, common to both graphs."""
        numbers: dict[str, int] = {}
        parts = []
        for graph in (self.left, self.right):
            used, place = dense(np.asarray(getattr(graph, column)))
            texts = map(convert, graph.strings.many(used))
            parts.append(np.asarray([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)[place])
        return np.concatenate(parts)


def edges_of(starts: Offsets, nodes: Nodes) -> tuple[Offsets, Nodes]:
    """Returns the edges of some nodes: the start of each node's edges in the result, and the edges' positions.

    Args:
        starts: start of the edges of every node.
        nodes: the nodes.
    """
    sizes = starts[nodes + 1] - starts[nodes]
    ends = np.zeros(len(nodes) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    return ends, np.repeat(starts[nodes] - ends[:-1], sizes) + np.arange(ends[-1])
