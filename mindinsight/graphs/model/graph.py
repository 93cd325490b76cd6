"""The graph: columns by node and by edge. Made by a builder or opened from disk, and used by all other code."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model.defects import Defect
from mindinsight.graphs.model.strings import StringTable

if TYPE_CHECKING:
    import networkx as nx

Integers = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

TEXT_COLUMNS = ("name", "op", "scope", "full_name", "instance", "type", "attributes", "value", "source")
"""The columns by node whose entries are numbers of texts."""


class NodeKind(IntEnum):
    """The kind of a node."""

    OPERATOR = 0
    PARAMETER = 1
    CONSTANT = 2
    MISSING = 3


class EdgeKind(IntEnum):
    """The kind of an edge: a value, only an order, or the state that orders side effects."""

    DATA = 0
    CONTROL = 1
    MONAD = 2


DATA, CONTROL, MONAD = EdgeKind.DATA, EdgeKind.CONTROL, EdgeKind.MONAD


@dataclass(frozen=True, slots=True)
class Node:
    """One node with its texts, for people and for tests.

    Attributes:
        name: name to which inputs refer.
        full_name: name that is used outside the graph.
        instance: the operator's name in its cell.
        type: output type, such as `Float32[32,64]`, or `(Float32[2],Int32[])` for several outputs; may be empty.
        attributes: a JSON object.
        value: the value of a constant as JSON.
        source: lines of the program that created it; empty if unknown.
    """

    index: int
    kind: NodeKind
    name: str
    op: str
    scope: str
    full_name: str
    instance: str
    type: str
    attributes: str
    value: str
    source: str


@dataclass(eq=False)
class Graph:
    """A computation graph in columns.

    Nodes are operators, parameters, constants, and placeholders for missing sources of inputs. The inputs of node `i`
    are the edges from `in_ptr[i]` to `in_ptr[i + 1]`, in order of their ports.

    Attributes:
        title: the graph's own name.
        kind: `NodeKind` of each node.
        name, op, scope, full_name, instance, type, attributes, value, source: numbers of texts in `strings`;
            `Node` has their texts.
        in_ptr: start of each node's inputs, followed by the end of the last node's.
        in_src: source node of each input.
        in_slot: number of the source's output.
        in_kind: `EdgeKind` of each input.
        outputs: the nodes that give the graph's outputs.
        strings: all texts.
        defects: the graph's defects; only the first ones of each kind.
        defect_counts: number of defects by code.
    """

    title: str
    kind: Bytes
    name: Integers
    op: Integers
    scope: Integers
    full_name: Integers
    instance: Integers
    type: Integers
    attributes: Integers
    value: Integers
    source: Integers
    in_ptr: Offsets
    in_src: Integers
    in_slot: Integers
    in_kind: Bytes
    outputs: Integers
    strings: StringTable
    defects: list[Defect] = field(default_factory=list)
    defect_counts: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return len(self.in_src)

    @cached_property
    def in_dst(self) -> Integers:
        """The target node of each edge."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.in_ptr))

    def text(self, column: str, node: int) -> str:
        """Returns the text of a column for a node."""
        return self.strings[int(getattr(self, column)[node])]

    def node(self, index: int) -> Node:
        """Returns a node with its texts."""
        texts = {column: self.text(column, index) for column in TEXT_COLUMNS}
        return Node(index=index, kind=NodeKind(int(self.kind[index])), **texts)

    def inputs(self, node: int) -> list[tuple[int, int, EdgeKind]]:
        """Returns the source of each input of a node: node, output slot, kind."""
        span = slice(int(self.in_ptr[node]), int(self.in_ptr[node + 1]))
        rows = zip(self.in_src[span].tolist(), self.in_slot[span].tolist(), self.in_kind[span].tolist(), strict=True)
        return [(source, slot, EdgeKind(kind)) for source, slot, kind in rows]

    def count(self, kind: NodeKind) -> int:
        """Returns the number of nodes of a kind."""
        return int((self.kind == kind).sum())

    @property
    def networkx(self) -> nx.MultiDiGraph[int]:
        """The same as a networkx graph: nodes by index, edges keyed by input port."""
        from mindinsight.graphs.model.views import as_networkx

        return as_networkx(self)
