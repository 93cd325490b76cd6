"""Finds the homes of nodes and occurrences: first by names of parameters, then by scopes. Used when a scene is built.

MindSpore's deep scopes are not always right (a primitive that several layers share has the scope of the first one), but
names of parameters are. A backward node belongs to the forward nodes that it reads.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import Graph, NodeKind
from mindinsight.graphs.model.order import is_sorted, levels
from mindinsight.graphs.scene.bookkeeping import BOOKKEEPING, is_any_of
from mindinsight.graphs.scene.building.backward import Known, backward_anchors
from mindinsight.graphs.scene.building.modules import Modules
from mindinsight.graphs.scene.building.scopes import ROOT, Ints, ScopeTree, common_scope, name_parts
from mindinsight.graphs.substructures import Catalogue, SubStructure
from mindinsight.graphs.substructures.equivalence import BACKWARD, FORWARD, OPTIMIZER, phase_of, tells_modules

_UNIT = 0.5
"""An occurrence with at least this share of a scope stands for the whole scope."""
_WHOLE = 0.6
"""An occurrence of other sub-structures with less than this share of its scope is dropped: it is a part of a longer
sequence."""
_LATE = 20_000
"""The largest number of forward operators behind the first gradient; more of them belong to another order."""
_AGREED = 0.9
_TOLD = 0.8
_MOSTLY = 0.6
"""The shares of an occurrence that must be in a scope, by names of parameters, by scopes, and by the values read."""


@dataclass(eq=False)
class Homes:
    """The homes of nodes and occurrences.

    Attributes:
        scopes: all scopes.
        phase: the phase of each node: forward, backward or optimizer.
        order: the nodes' places in topological order.
        scope: the scope of each node, if it is drawn alone.
        rows: for each sub-structure, the scope of each occurrence.
        unit: for each sub-structure, whether an occurrence stands for its whole scope.
        named: for each sub-structure, the scope that gives each occurrence its name.
        kept: for each sub-structure, whether it is drawn.
        name_root: the scope in which parameters' names begin.
        trusted: whether all scopes are modules.
    """

    scopes: ScopeTree
    phase: npt.NDArray[np.uint8]
    order: Ints
    scope: Ints
    rows: list[Ints]
    named: list[Ints]
    unit: list[bool]
    kept: list[bool]
    name_root: int
    trusted: bool = False


def find_homes(graph: Graph, catalogue: Catalogue) -> Homes:
    """Returns the homes of the nodes and occurrences of a graph."""
    return _Finder(graph, catalogue).find()


def is_leaf(graph: Graph) -> npt.NDArray[np.bool]:
    """Returns which nodes are parameters, or constants without inputs."""
    kind = np.asarray(graph.kind)
    return np.asarray(((kind == NodeKind.PARAMETER) | (kind == NodeKind.CONSTANT)) & (np.diff(graph.in_ptr) == 0))


def topological(graph: Graph, leaf: npt.NDArray[np.bool]) -> Ints:
    """Returns the nodes' places in an order in which inputs come first. Cycles keep the order of the file."""
    count = len(graph)
    within = ~leaf[graph.in_src]
    in_order = bool((graph.in_src[within] < graph.in_dst[within]).all())
    place = np.arange(count, dtype=np.int64)
    if in_order or is_sorted(graph.in_ptr, graph.in_src):
        return place
    level = levels(graph.in_ptr, graph.in_src)
    by_level = np.argsort(np.where(level < 0, count, level), kind="stable")
    place[by_level] = np.arange(count)
    return place


def _phases_by_scope(graph: Graph) -> npt.NDArray[np.uint8]:
    used, inverse = np.unique(graph.scope, return_inverse=True)
    return np.asarray([phase_of(graph.strings[int(number)]) for number in used], np.uint8)[inverse]


def _forward_first(graph: Graph, phase: npt.NDArray[np.uint8], leaf: npt.NDArray[np.bool], place: Ints) -> Ints:
    """Returns the order with forward nodes that need no gradient, such as the loss, before the gradients."""
    back = phase == BACKWARD
    if not back.any():
        return place
    first = int(place[back].min())
    late = np.flatnonzero((phase == FORWARD) & ~leaf & (place > first))
    if not 0 < len(late) <= _LATE:
        return place
    moved: set[int] = set()
    for node in late[np.argsort(place[late])].tolist():
        sources = graph.in_src[int(graph.in_ptr[node]) : int(graph.in_ptr[node + 1])].tolist()
        if all(leaf[source] or place[source] < first or source in moved for source in sources):
            moved.add(node)
    key = 2 * place
    key[list(moved)] = 2 * first - 1
    order = np.empty_like(place)
    order[np.lexsort((place, key))] = np.arange(len(place))
    return order


def _with_leaves(
    graph: Graph, phase: npt.NDArray[np.uint8], leaf: npt.NDArray[np.bool], order: Ints
) -> npt.NDArray[np.uint8]:
    """Returns the phase of each node. Leaves have the phase of their first reader."""
    edges = np.flatnonzero(leaf[graph.in_src])
    edges = edges[np.argsort(-order[graph.in_dst[edges]], kind="stable")]
    phase[graph.in_src[edges]] = phase[graph.in_dst[edges]]  # The first reader is assigned last.
    return phase


def _components(scope: str) -> list[str]:
    parts = [part for part in scope.split("/") if part]
    if parts and parts[0] == "Gradients":
        return [part for part in parts[1:] if not part.startswith(("Grad_", "Sum_"))]
    return parts


class _Finder:
    """One search for homes."""

    def __init__(self, graph: Graph, catalogue: Catalogue) -> None:
        self.graph = graph
        self.structures = catalogue.structures
        self.leaf = is_leaf(graph)
        phase = _phases_by_scope(graph)
        self.order = _forward_first(graph, phase, self.leaf, topological(graph, self.leaf))
        self.phase = _with_leaves(graph, phase, self.leaf, self.order)
        self.scopes = ScopeTree()
        self.own = self._own_scopes()
        self.trusted = tells_modules(graph)
        self.named_scope = np.full(len(graph), -1, np.int64) if self.trusted else self._named_scopes()
        self.table = self.scopes.ancestors()

    def find(self) -> Homes:
        count = len(self.structures)
        rows: list[Ints] = [np.empty(0, np.int64)] * count
        named, unit, kept = list(rows), [False] * count, [True] * count
        # The scope that counts when other nodes are assigned by this one.
        anchor = np.where((self.named_scope >= 0) & (self.phase == FORWARD), self.named_scope, -1)
        resolved = np.where(self.named_scope >= 0, self.named_scope, self.own)
        by_size = sorted(range(count), key=lambda number: (-self.structures[number].size, number))
        if self.trusted:
            self._place_modules(by_size, (rows, unit, kept))
        else:
            self._place(by_size, FORWARD, anchor, (rows, unit, kept))
        for number in by_size:
            if self.structures[number].phase == FORWARD and unit[number] and kept[number]:
                resolved[self.structures[number].nodes] = rows[number][:, None]
        anchor = backward_anchors(self.graph, Known(self.phase, self.leaf, self.own, self.named_scope, resolved))
        self._place(by_size, BACKWARD, anchor, (rows, unit, kept))
        self._place(by_size, OPTIMIZER, np.full(len(self.graph), -1, np.int64), (rows, unit, kept))
        scope = np.where((self.phase == FORWARD) & (self.named_scope >= 0), self.named_scope, self.own)
        scope = np.where((self.phase == BACKWARD) & (anchor >= 0), anchor, scope)
        scope = self._beside_parameters(scope)
        for number, structure in enumerate(self.structures):
            named[number] = rows[number]
            if structure.phase == OPTIMIZER:
                common = common_scope(self.table, self.named_scope[self._parameters(structure)], _MOSTLY)
                named[number] = np.where(common > ROOT, common, rows[number])
        root = self._name_root(scope)
        return Homes(self.scopes, self.phase, self.order, scope, rows, named, unit, kept, root, self.trusted)

    def _name_root(self, scope: Ints) -> int:
        if self.trusted:
            tops = Counter(self.table[1][scope[~self.leaf & (scope > ROOT)]].tolist() if len(self.table) > 1 else [])
            return max(tops, key=lambda number: (tops[number], -number), default=ROOT)
        begins = Counter({self.scopes.parent[number]: 0 for number in self.scopes.name_roots})
        for number, count in self.scopes.name_roots.items():
            begins[self.scopes.parent[number]] += count
        if begins:
            return min(begins, key=lambda number: (-begins[number], number))
        forward = scope[(self.phase == FORWARD) & ~self.leaf]
        return int(common_scope(self.table, forward[None, :], _AGREED)[0]) if len(forward) else ROOT

    def _own_scopes(self) -> Ints:
        used, inverse = np.unique(self.graph.scope, return_inverse=True)
        numbers = [self.scopes.add(_components(self.graph.strings[int(number)])) for number in used]
        return np.asarray(numbers, np.int64)[inverse]

    def _named_scopes(self) -> Ints:
        """Returns the scope in each parameter's name."""
        found = np.full(len(self.graph), -1, np.int64)
        parameters = np.flatnonzero((self.graph.kind == NodeKind.PARAMETER) & self.leaf)
        full_names = np.asarray(self.graph.full_name)[parameters]
        names = self.graph.strings.many(np.where(full_names, full_names, np.asarray(self.graph.name)[parameters]))
        self.scopes.index_names({part for name in names for part in name_parts(name)[:3]})
        known: dict[str, int] = {}
        for node, name in zip(parameters.tolist(), names, strict=True):
            prefix = "/".join(name_parts(name))
            if prefix not in known:
                known[prefix] = self.scopes.find(name)
            found[node] = known[prefix]
        return found

    def _parameters(self, structure: SubStructure) -> npt.NDArray[np.int32]:
        return structure.nodes[:, np.asarray(self.graph.kind)[structure.nodes[0]] == NodeKind.PARAMETER]

    def _place(
        self, by_size: list[int], phase: int, anchor: Ints, found: tuple[list[Ints], list[bool], list[bool]]
    ) -> None:
        rows, unit, kept = found
        chosen = [number for number in by_size if self.structures[number].phase == phase]
        in_phase = (self.phase == phase) & ~self.leaf
        by_anchor = self._totals(anchor)
        by_scope = self._totals(np.where(in_phase, self.own, -1))
        for number in chosen:
            structure = self.structures[number]
            said, totals, share = anchor[structure.nodes], by_anchor, _AGREED if phase == FORWARD else _MOSTLY
            if not (said >= 0).any():
                said = np.where(self.leaf[structure.nodes], -1, self.own[structure.nodes])
                totals, share = by_scope, _TOLD
            scope = np.maximum(common_scope(self.table, said, share), ROOT)
            rows[number] = scope
            if phase == OPTIMIZER:
                continue
            inside = (said >= 0).sum(axis=1)
            coverage = inside / np.maximum(totals[scope], 1)
            different = len(np.unique(scope)) > len(scope) / 2
            unit[number] = bool(np.median(coverage) >= _UNIT and different and (scope > ROOT).all())
            cut = float((coverage < _WHOLE).mean()) > 0.05
            kept[number] = not (unit[number] and cut and bool(structure.children))
        for number in chosen:
            kept[number] = kept[number] and not (unit[number] and self._is_cut(number, rows, unit))

    def _place_modules(self, by_size: list[int], found: tuple[list[Ints], list[bool], list[bool]]) -> None:
        rows, unit, kept = found
        modules = Modules(self.scopes, self.own, self._told())
        for number in by_size:
            rows[number], unit[number], kept[number] = modules.place(self.structures[number].nodes)

    def _told(self) -> npt.NDArray[np.bool]:
        """Returns the operators that belong to a module."""
        every = np.arange(len(self.graph))
        return ~self.leaf & (self.own > ROOT) & ~is_any_of(BOOKKEEPING, self.graph, every)

    def _is_cut(self, number: int, rows: list[Ints], unit: list[bool]) -> bool:
        """Whether the scopes of a sub-structure contain more of its parts than it has itself."""
        scopes = np.unique(rows[number])
        covered = np.zeros(len(self.graph), np.bool)
        covered[self.structures[number].nodes] = True
        for child in self.structures[number].children:
            outside = rows[child][~covered[self.structures[child].nodes[:, 0]]] if unit[child] else rows[child][:0]
            if len(outside) and np.isin(self.table[:, outside], scopes[scopes > ROOT]).any():
                return True
        return False

    def _totals(self, scopes: Ints) -> Ints:
        return self.scopes.totals(np.bincount(scopes[scopes >= 0], minlength=len(self.scopes)))

    def _beside_parameters(self, scope: Ints) -> Ints:
        """Assigns the forward readers of a parameter to the scope in the parameter's name."""
        graph = self.graph
        is_named = (self.named_scope[graph.in_src] >= 0) & (self.phase[graph.in_dst] == FORWARD)
        edges = np.flatnonzero(is_named)[::-1]
        scope = scope.copy()
        scope[graph.in_dst[edges]] = self.named_scope[graph.in_src[edges]]
        return scope
