"""Where operators that compute gradients belong: with the layer whose gradients these are. Used by `homes`.

MindSpore writes a gradient's operators under the scope of the one whose gradient they are, such as
`Gradients/…/fc1-Dense/Grad_MatMul`, but what several layers share carries the scope of one of them for all.
What operators read and what reads them is true.
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
"""Operators in a row that may belong to the one before them."""


@dataclass(eq=False)
class Known:
    """What tells where gradients belong.

    Attributes:
        phase: forward, backward or optimizer, by node.
        leaf: which nodes are parameters and constants.
        own: by node, the scope that it says.
        named: by parameter, the scope that its name says; -1 for everything else.
        forward: by node that goes forward, the scope that it belongs to.
    """

    phase: npt.NDArray[np.uint8]
    leaf: npt.NDArray[np.bool]
    own: Ints
    named: Ints
    forward: Ints


def backward_anchors(graph: Graph, known: Known) -> Ints:
    """Returns by node that goes back the scope that it belongs to; -1 for others, and where nothing tells."""
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
        """Takes the results of a rule for nodes without a scope so far."""
        unknown = self._back & (self.anchor < 0)
        self.anchor[unknown] = found[unknown]

    def by_read_parameters(self) -> Ints:
        """The layer whose parameter it reads, as what goes back through a layer does."""
        named = self._known.named
        fetched = named.copy()
        loads = np.flatnonzero((self._op[self._target] == self._numbers.get(FETCHING, -1)) & (named[self._source] >= 0))
        fetched[self._target[loads]] = named[self._source[loads]]
        return self._first(fetched[self._source], self._target, self._data & (fetched[self._source] >= 0))

    def by_parameters_updated(self) -> Ints:
        """The layer whose parameter is updated by it."""
        named = self._known.named
        updating = self._known.phase == OPTIMIZER
        of_update = self._first(named[self._source], self._target, updating[self._target] & (named[self._source] >= 0))
        gradients = self._data & self._back[self._source] & updating[self._target] & (of_update[self._target] >= 0)
        return self._first(of_update[self._target], self._source, gradients)

    def by_differentiated(self) -> Ints:
        """The scope of what it reads, if its scope says that it is the gradient of such an operator."""
        forward = (self._known.phase == FORWARD) & ~self._known.leaf
        is_its = forward[self._source] & (self._op[self._source] == self._of_gradient[self._target])
        return self._first(self._known.forward[self._source], self._target, self._data & is_its)

    def by_scopes(self) -> Ints:
        """Its own scope, where no more such operators go back than there are forward of whose gradient they are."""
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
        """The scope of what it reads from going forward."""
        forward = (self._known.phase == FORWARD) & ~self._known.leaf
        return self._first(self._known.forward[self._source], self._target, self._data & forward[self._source])

    def follow(self) -> None:
        """Takes what is left for a part of what it comes behind."""
        inner = np.flatnonzero(self._data & self._back[self._source] & self._back[self._target])[::-1]
        source, target = self._source[inner], self._target[inner]
        for _ in range(_BEHIND):
            lost = (self.anchor[target] < 0) & (self.anchor[source] >= 0)
            if not lost.any():
                break
            self.anchor[target[lost]] = self.anchor[source[lost]]

    def _first(self, value: Ints, node: npt.NDArray[np.integer], chosen: npt.NDArray[np.bool]) -> Ints:
        """By node, the value of the first of the chosen edges that it has; -1 where it has none."""
        edges = np.flatnonzero(chosen)[::-1]
        found = np.full(len(self._graph), -1, np.int64)
        found[node[edges]] = value[edges]  # The last assignment is the first edge's.
        return found

    def _differentiated_types(self) -> Ints:
        """By node that goes back, the type of the operators whose gradient its scope says it is, as text's number."""
        used, inverse = np.unique(np.asarray(self._graph.scope), return_inverse=True)
        types = [self._differentiated(self._graph.strings[int(number)]) for number in used]
        return np.where(self._back, np.asarray(types, np.int64)[inverse], -1)

    def _differentiated(self, scope: str) -> int:
        last = scope.rpartition("/")[2]
        name = last.removeprefix(_GRADIENT).partition("-")[0] if last.startswith(_GRADIENT) else ""
        return self._numbers.get(name, -1)
