"""Assigns backward operators to the layers whose gradients they compute. Used by `homes`.

MindSpore gives backward operators the scope of the operator that they differentiate, such as
`Gradients/…/fc1-Dense/Grad_MatMul`. But if several layers share an operator, all have the scope of one of them.
The edges of the graph are always right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import DATA, Graph
from mindinsight.graphs.scene.bookkeeping import FETCHING
from mindinsight.graphs.scene.building.scopes import Ints
from mindinsight.graphs.substructures.equivalence import BACKWARD, FORWARD, OPTIMIZER

_GRADIENT = "Grad_"
_BEHIND = 3
"""The largest number of operators in sequence that may belong to the one before them."""


@dataclass(eq=False)
class Known:
    """The known facts about nodes.

    Attributes:
        phase: the phase of each node: forward, backward or optimizer.
        leaf: which nodes are parameters and constants.
        own: the scope of each node in the file.
        named: the scope in each parameter's name; -1 for other nodes.
        forward: the scope that each forward node belongs to.
    """

    phase: npt.NDArray[np.uint8]
    leaf: npt.NDArray[np.bool]
    own: Ints
    named: Ints
    forward: Ints


def backward_anchors(graph: Graph, known: Known) -> Ints:
    """Returns the scope that each backward node belongs to; -1 for other nodes, and if it is unknown."""
    if not (known.phase == BACKWARD).any():
        return np.full(len(graph), -1, np.int64)
    finder = _Finder(graph, known)
    for rule in (finder.by_read_parameters, finder.by_parameters_updated, finder.by_differentiated, finder.by_scopes):
        finder.tell(rule())
    finder.tell(finder.by_what_is_read())
    finder.follow()
    return finder.anchor


class _Finder:
    """One search."""

    def __init__(self, graph: Graph, known: Known) -> None:
        self._graph, self._known = graph, known
        self.anchor = np.full(len(graph), -1, np.int64)
        self._back = known.phase == BACKWARD
        self._source, self._target = np.asarray(graph.in_src), np.asarray(graph.in_dst)
        self._data = np.asarray(graph.in_kind) == DATA
        self._op = np.asarray(graph.op)
        self._numbers = {graph.strings[number]: int(number) for number in np.unique(self._op).tolist()}
        self._of_gradient = self._differentiated_types()

    def tell(self, found: Ints) -> None:
        """Stores the results of a rule for nodes that have no scope yet."""
        unknown = self._back & (self.anchor < 0)
        self.anchor[unknown] = found[unknown]

    def by_read_parameters(self) -> Ints:
        """The layer whose parameter the node reads, as backward operators of a layer do."""
        named = self._known.named
        fetched = named.copy()
        loads = np.flatnonzero((self._op[self._target] == self._numbers.get(FETCHING, -1)) & (named[self._source] >= 0))
        fetched[self._target[loads]] = named[self._source[loads]]
        return self._first(fetched[self._source], self._target, self._data & (fetched[self._source] >= 0))

    def by_parameters_updated(self) -> Ints:
        """The layer whose parameter is updated by the node's gradient."""
        named = self._known.named
        updating = self._known.phase == OPTIMIZER
        of_update = self._first(named[self._source], self._target, updating[self._target] & (named[self._source] >= 0))
        gradients = self._data & self._back[self._source] & updating[self._target] & (of_update[self._target] >= 0)
        return self._first(of_update[self._target], self._source, gradients)

    def by_differentiated(self) -> Ints:
        """The scope of an operator that the node reads, if the node's own scope names it as the differentiated one."""
        forward = (self._known.phase == FORWARD) & ~self._known.leaf
        is_its = forward[self._source] & (self._op[self._source] == self._of_gradient[self._target])
        return self._first(self._known.forward[self._source], self._target, self._data & is_its)

    def by_scopes(self) -> Ints:
        """The node's own scope, if it has no more backward operators of this kind than differentiated operators."""
        own, span = self._known.own, len(self._graph.strings) + 1
        forward = (self._known.phase == FORWARD) & ~self._known.leaf
        there, many = np.unique(self._known.forward[forward] * span + self._op[forward], return_counts=True)
        back = np.flatnonzero(self._back & ~self._known.leaf & (self._of_gradient >= 0))
        found = np.full(len(self._graph), -1, np.int64)
        if not len(there) or not len(back):
            return found
        kinds = np.stack([np.asarray(self._graph.scope)[back], self._op[back]])
        _, kind, alike = np.unique(kinds, axis=1, return_inverse=True, return_counts=True)
        wanted = own[back] * span + self._of_gradient[back]
        place = np.minimum(np.searchsorted(there, wanted), len(there) - 1)
        true = (there[place] == wanted) & (alike[kind.ravel()] <= many[place])
        found[back[true]] = own[back[true]]
        return found

    def by_what_is_read(self) -> Ints:
        """The scope of the forward nodes that it reads."""
        forward = (self._known.phase == FORWARD) & ~self._known.leaf
        return self._first(self._known.forward[self._source], self._target, self._data & forward[self._source])

    def follow(self) -> None:
        """Assigns the remaining nodes to the node before them."""
        inner = np.flatnonzero(self._data & self._back[self._source] & self._back[self._target])[::-1]
        source, target = self._source[inner], self._target[inner]
        for _ in range(_BEHIND):
            lost = (self.anchor[target] < 0) & (self.anchor[source] >= 0)
            if not lost.any():
                break
            self.anchor[target[lost]] = self.anchor[source[lost]]

    def _first(self, value: Ints, node: npt.NDArray[np.integer], chosen: npt.NDArray[np.bool]) -> Ints:
        """Returns for each node the value of its first chosen edge; -1 if it has none."""
        edges = np.flatnonzero(chosen)[::-1]
        found = np.full(len(self._graph), -1, np.int64)
        found[node[edges]] = value[edges]  # The last assignment wins, and it is that of the first edge.
        return found

    def _differentiated_types(self) -> Ints:
        """Returns for each backward node the type of the differentiated operator in its scope, as a text's number."""
        used, inverse = np.unique(np.asarray(self._graph.scope), return_inverse=True)
        types = [self._differentiated(self._graph.strings[int(number)]) for number in used]
        return np.where(self._back, np.asarray(types, np.int64)[inverse], -1)

    def _differentiated(self, scope: str) -> int:
        last = scope.rpartition("/")[2]
        name = last.removeprefix(_GRADIENT).partition("-")[0] if last.startswith(_GRADIENT) else ""
        return self._numbers.get(name, -1)
