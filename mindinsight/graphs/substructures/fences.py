"""Hints from scopes: they never decide what repeats, but help to choose between two equally good cuts."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import DEEPEST_SCOPE, Graph, NodeKind
from mindinsight.graphs.substructures.work import OUTSIDE, Integers, Rows, WorkGraph, dense

_NUMBER = re.compile(r"\d+")


class Fences:
    """Scopes of one graph by node.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._missing = np.asarray(graph.kind == NodeKind.MISSING)
        used, inverse = dense(np.asarray(graph.scope))
        self.texts = graph.strings.many(used)
        self.scope_of = inverse.astype(np.int32)
        plain: dict[str, int] = {"": -1}
        kinds = [plain.setdefault(text, len(plain)) for text in _without_numbers(self.texts)]
        self._kinds = np.asarray(kinds, np.int32)[inverse] if kinds else np.empty(0, np.int32)
        self._is_parameter = np.asarray(graph.kind) == int(NodeKind.PARAMETER)
        self._known: dict[int, str] = {}

    def missing(self, work: WorkGraph, copies: Rows) -> npt.NDArray[np.bool]:
        """Which nodes are placeholders for sources that are not in the file."""
        return np.asarray(self._missing[copies[0][work.columns]] | (work.columns == OUTSIDE))

    def kinds(self, work: WorkGraph, copies: Rows) -> Integers:
        """The number of each node's scope, ignoring digits in scopes; -1 if there is none."""
        return np.where(work.columns == OUTSIDE, -1, self._kinds[copies[0][work.columns]]).astype(np.int32)

    def scopes(self, work: WorkGraph, copies: Rows) -> Callable[[int], str]:
        """Returns a function that returns a node's scope."""
        first = copies[0]

        def scope(node: int) -> str:
            column = int(work.columns[node])
            if column == OUTSIDE:
                return ""
            found = int(first[column])
            if found not in self._known:
                self._known[found] = self._scope_of_node(found)
            return self._known[found]

        return scope

    def _scope_of_node(self, node: int) -> str:
        if self._is_parameter[node]:
            path = (self._graph.text("full_name", node) or self._graph.text("name", node)).split(".")[:-1]
            return "./" + "/".join(path) if 0 < len(path) <= DEEPEST_SCOPE else ""
        return self.texts[int(self.scope_of[node])]


def _without_numbers(texts: list[str]) -> list[str]:
    """The texts with every number replaced, in one pass."""
    joined = "\0".join(texts)
    plain = _NUMBER.sub("#", joined).split("\0")
    return plain if len(plain) == len(texts) else [_NUMBER.sub("#", text) for text in texts]
