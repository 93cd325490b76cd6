"""Checks found sub-structures against the graph and against planted ones. Shares no code with the recogniser.

It takes the plain document, as `mindinsight substructures` writes it, and the graph's own columns.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
from networkx.algorithms.isomorphism import DiGraphMatcher, categorical_edge_match, categorical_node_match

from mindinsight.graphs.model import Graph

Document = dict[str, list[list[list[Any]]]]
ANY_ORDER = frozenset(
    {"Add", "AddV2", "AddN", "Mul", "Maximum", "Minimum", "Equal", "NotEqual", "LogicalAnd", "LogicalOr"}
)
"""Operators whose inputs may stand in any order."""


@dataclass
class Verdict:
    """What is wrong with a document.

    Attributes:
        occurrences: how many were looked at.
        faults: a sentence for each that is wrong.
    """

    occurrences: int
    faults: list[str]

    @property
    def accepted(self) -> float:
        """The share of occurrences that nothing is wrong with."""
        return 1 - len(self.faults) / max(self.occurrences, 1)


class Checker:
    """Knows one graph.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: Graph) -> None:
        texts = list(graph.strings)
        self._op = [texts[number] for number in graph.op.tolist()]
        names = [texts[number] for number in graph.name.tolist()]
        self._index: dict[str, int] = {}
        for node, name in enumerate(names):
            self._index.setdefault(name, node)
        self._ptr, self._src, self._slot = graph.in_ptr.tolist(), graph.in_src.tolist(), graph.in_slot.tolist()
        self._kind = graph.in_kind.tolist()

    def check(self, document: Document) -> Verdict:
        """Checks every occurrence: labels and ordered wiring place by place, all edges listed, no duplicate nodes."""
        faults: list[str] = []
        count = 0
        for number, occurrences in document.items():
            taken: set[int] = set()
            expected = None
            for position, (names, edges) in enumerate(occurrences):
                count += 1
                nodes = [self._index[name] for name in names]
                fault = self._fault(nodes, edges)
                if taken.intersection(nodes):
                    fault = "shares nodes with another occurrence"
                taken.update(nodes)
                said = self._said(nodes)
                expected = said if expected is None else expected
                if said != expected:
                    fault = "differs from the first one"
                if fault:
                    faults.append(f"Occurrence {position} of {number} {fault}.")
        return Verdict(count, faults)

    def laminar(self, document: Document) -> bool:
        """Whether occurrences of different sub-structures are disjoint or inside each other."""
        sets = sorted(
            (frozenset(self._index[name] for name in names) for rows in document.values() for names, _ in rows), key=len
        )
        smallest: dict[int, list[frozenset[int]]] = {}
        for inner in reversed(sets):
            for node in inner:
                for outer in smallest.get(node, ()):
                    if not inner <= outer:
                        return False
            for node in inner:
                smallest.setdefault(node, []).append(inner)
        return True

    def agrees_with_vf2(self, document: Document, pairs: int, seed: int = 1) -> tuple[int, int]:
        """Asks networkx's VF2 about some pairs of occurrences; returns how many it agrees on, and how many it saw."""
        chance = random.Random(seed)  # noqa: S311  (a sample, no secret)
        repeated = [rows for rows in document.values() if len(rows) > 1 and len(rows[0][0]) <= 400]
        agreed = seen = 0
        for _ in range(pairs if repeated else 0):
            left, right = chance.sample(chance.choice(repeated), 2)
            matcher = DiGraphMatcher(
                self._part([self._index[name] for name in left[0]]),
                self._part([self._index[name] for name in right[0]]),
                categorical_node_match("op", ""),
                categorical_edge_match("ports", ()),
            )
            agreed += matcher.is_isomorphic()
            seen += 1
        return agreed, seen

    def _fault(self, nodes: list[int], edges: list[list[Any]]) -> str:
        if len(set(nodes)) != len(nodes):
            return "names a node twice"
        told = Counter((self._index[source], self._index[target], port) for source, target, port in edges)
        inside = set(nodes)
        there = Counter(
            (self._src[edge], node, edge - self._ptr[node])
            for node in nodes
            for edge in range(self._ptr[node], self._ptr[node + 1])
            if self._src[edge] in inside
        )
        return "" if told == there else "has other edges than the graph"

    def _said(self, nodes: list[int]) -> list[Any]:
        """Operator, number of inputs and wiring by place."""
        place = {node: number for number, node in enumerate(nodes)}
        said: list[Any] = []
        for node in nodes:
            span = range(self._ptr[node], self._ptr[node + 1])
            wires = [
                (place[self._src[edge]], self._slot[edge], self._kind[edge] == 1) if self._src[edge] in place else ()
                for edge in span
            ]
            loose = self._op[node] in ANY_ORDER
            said.append((self._op[node], len(span), tuple(sorted(wires) if loose else wires)))
        return said

    def _part(self, nodes: list[int]) -> nx.DiGraph[int]:
        part: nx.DiGraph[int] = nx.DiGraph()
        inside = set(nodes)
        for node in nodes:
            part.add_node(node, op=(self._op[node], self._ptr[node + 1] - self._ptr[node]))
        for node in nodes:
            ports: dict[int, list[tuple[int, int]]] = {}
            for edge in range(self._ptr[node], self._ptr[node + 1]):
                if self._src[edge] in inside:
                    port = -1 if self._op[node] in ANY_ORDER else edge - self._ptr[node]
                    ports.setdefault(self._src[edge], []).append((port, self._slot[edge]))
            for source, said in ports.items():
                part.add_edge(source, node, ports=tuple(sorted(said)))
        return part


def recall(
    truth: dict[str, npt.NDArray[np.int64]], found: list[npt.NDArray[np.int32]], nodes: int, least: float = 0.9
) -> dict[str, float]:
    """Returns by name the share of planted occurrences that an occurrence found has a Jaccard index of `least` with.

    Args:
        truth: planted occurrences.
        found: occurrences of each sub-structure.
        nodes: of the graph.
        least: the Jaccard index that counts.
    """
    return {name: float((best >= least).mean()) for name, best in best_overlaps(truth, found, nodes).items()}


def best_overlaps(
    truth: dict[str, npt.NDArray[np.int64]], found: list[npt.NDArray[np.int32]], nodes: int
) -> dict[str, npt.NDArray[np.float64]]:
    """Returns by name the best Jaccard index that each planted occurrence has with one that was found."""
    overlaps = {}
    for name, rows in truth.items():
        planted = np.full(nodes, -1, np.int64)
        planted[rows] = np.arange(len(rows))[:, None]
        best = np.zeros(len(rows))
        for occurrences in found:
            hit = _common(planted, occurrences)
            index = hit[1] / (rows.shape[1] + occurrences.shape[1] - hit[1])
            np.maximum.at(best, hit[0], np.where(hit[1] > 0, index, 0))
        overlaps[name] = best
    return overlaps


def precision(
    truth: dict[str, npt.NDArray[np.int64]], found: list[npt.NDArray[np.int32]], nodes: int, least: float = 0.9
) -> float:
    """Returns the share of found occurrences that match a planted one."""
    matched = total = 0
    good = [np.zeros(len(occurrences), np.bool) for occurrences in found]
    for rows in truth.values():
        planted = np.full(nodes, -1, np.int64)
        planted[rows] = np.arange(len(rows))[:, None]
        for number, occurrences in enumerate(found):
            _, count = _common(planted, occurrences)
            good[number] |= count / (rows.shape[1] + occurrences.shape[1] - count) >= least
    for hits in good:
        matched += int(hits.sum())
        total += len(hits)
    return matched / total if total else 1.0


def _common(
    planted: npt.NDArray[np.int64], occurrences: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each occurrence the planted one that it shares most nodes with, and how many."""
    ids = np.sort(planted[occurrences], axis=1)
    middle = np.where(ids >= 0, ids, np.iinfo(np.int64).max).min(axis=1)
    columns = [ids[:, ids.shape[1] // 2], ids[:, -1], np.where(middle == np.iinfo(np.int64).max, -1, middle)]
    counts = np.stack([(ids == column[:, None]).sum(axis=1) * (column >= 0) for column in columns])
    which = counts.argmax(axis=0)
    best = np.stack(columns)[which, np.arange(len(ids))]
    return np.maximum(best, 0), counts.max(axis=0)
