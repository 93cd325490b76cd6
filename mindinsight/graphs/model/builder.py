"""Builds a graph from nodes that name their inputs. All adapters use it, and it finds all defects."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindinsight.graphs.model.defects import DefectCode, DefectList
from mindinsight.graphs.model.graph import TEXT_COLUMNS, EdgeKind, Graph, NodeKind
from mindinsight.graphs.model.order import find_cycle
from mindinsight.graphs.model.strings import Interner, sound

Input = tuple[str, int, EdgeKind]
"""Name of the source, number of its output, and what the edge carries."""
DEEPEST_SCOPE = 100
"""Maximum depth of nested scopes. Deeper nodes are in the last of these scopes."""


class GraphBuilder:
    """Takes nodes in the order of the file and resolves their inputs at the end.

    Args:
        title: the graph's own name.
    """

    def __init__(self, title: str) -> None:
        self.defects = DefectList()
        self.title = title
        self._texts = Interner()
        self._kind = bytearray()
        self._columns = {column: array("i") for column in TEXT_COLUMNS}
        self._first: dict[str, int] = {}
        self._ends = array("q", [0])
        self._input_names = array("i")
        self._slots = array("i")
        self._edge_kinds = bytearray()
        self._names: list[str] = [""]
        self._outputs: list[str] = []

    def __len__(self) -> int:
        return len(self._kind)

    def add(self, kind: NodeKind, name: str, op: str, inputs: Sequence[Input] = (), **texts: str) -> int:
        """Adds a node and returns its index.

        Args:
            kind: its kind.
            name: name to which inputs refer.
            op: type of the operator.
            inputs: inputs by port.
            texts: values of further columns of TEXT_COLUMNS.
        """
        index = len(self._kind)
        number = self._texts.number
        name, op = sound(name), sound(op)
        scope = sound(texts.get("scope", ""))
        if scope.count("/") >= DEEPEST_SCOPE:
            texts["scope"] = self._cut(index, name, scope)
        self._kind.append(kind)
        for column, values in self._columns.items():
            values.append(number(sound(texts.get(column, ""))))
        self._columns["name"][index] = number(name)
        self._columns["op"][index] = number(op)
        if not name:
            self.defects.add(DefectCode.NO_NAME, index, f"Node {index} ({op or 'no type'}) has no name.")
        elif self._first.setdefault(name, index) != index:
            message = f"The name {name!r} is used twice; inputs with this name refer to the first node."
            self.defects.add(DefectCode.DUPLICATE_NAME, index, message)
        for source, slot, edge in inputs:
            self._input_names.append(number(sound(source)))
            self._slots.append(slot)
            self._edge_kinds.append(edge)
        self._ends.append(len(self._slots))
        return index

    def _cut(self, node: int, name: str, scope: str) -> str:
        """Cuts a scope that is too deep to be shown."""
        parts = scope.split("/", DEEPEST_SCOPE)
        deep = DEEPEST_SCOPE + 1 + parts[-1].count("/")
        message = f"The scope of node {name[:80]!r} is {deep} levels deep; the first {DEEPEST_SCOPE} are shown."
        self.defects.add(DefectCode.DEEP_SCOPE, node, message)
        return "/".join(parts[:DEEPEST_SCOPE])

    def add_output(self, name: str) -> None:
        """Marks this node's output as an output of the graph."""
        self._outputs.append(sound(name))

    def finish(self) -> Graph:
        """Resolves all names and returns the graph with its defects."""
        sources = self._resolve(list(self._texts.table()))
        outputs = self._resolve_outputs()
        columns: dict[str, Any] = {
            column: np.frombuffer(values, np.int32).copy() for column, values in self._columns.items()
        }
        graph = Graph(
            title=self.title,
            kind=np.frombuffer(bytes(self._kind), np.uint8),
            in_ptr=np.frombuffer(self._ends, np.int64).copy(),
            in_src=sources,
            in_slot=np.frombuffer(self._slots, np.int32).copy(),
            in_kind=np.frombuffer(bytes(self._edge_kinds), np.uint8),
            outputs=np.asarray(outputs, np.int32),
            strings=self._texts.table(),
            **columns,
        )
        cycle = find_cycle(graph.in_ptr, graph.in_src)
        if cycle:
            names = " → ".join(repr(graph.text("name", node)) for node in cycle[:6])
            more = f" and {len(cycle) - 6} more" if len(cycle) > 6 else ""
            self.defects.add(DefectCode.CYCLE, cycle[0], f"These nodes wait for each other: {names}{more}.")
        graph.defects, graph.defect_counts = self.defects.listed, self.defects.counts
        return graph

    def _resolve(self, texts: list[str]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        """The source node of each input. A missing source gets a placeholder node."""
        node_of: dict[int, int] = {}
        ends = np.frombuffer(self._ends, np.int64)
        users = np.repeat(np.arange(len(ends) - 1), ends[1:] - ends[:-1])
        del ends  # An array cannot grow while a view of it exists.
        sources = np.empty(len(self._slots), np.int32)
        for edge, number in enumerate(self._input_names):
            node = node_of.get(number)
            if node is None:
                name = texts[number]
                node = self._first.get(name)
                if node is None:
                    user = int(users[edge])
                    message = (
                        f"Node {texts[self._columns['name'][user]]!r} has the input {name!r}, which does not exist."
                    )
                    node = self.add(NodeKind.MISSING, name, "Missing")
                    self.defects.add(DefectCode.MISSING_INPUT, user, message)
                node_of[number] = node
            sources[edge] = node
        return sources

    def _resolve_outputs(self) -> list[int]:
        found = []
        for name in self._outputs:
            node = self._first.get(name)
            if node is None:
                self.defects.add(DefectCode.MISSING_OUTPUT, -1, f"The graph's output {name!r} does not exist.")
            else:
                found.append(node)
        return found
