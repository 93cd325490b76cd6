"""Puts units into containers by scope. No container has more boxes than fit on a screen. Used when a scene is built."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.model import Graph
from mindinsight.graphs.scene.bookkeeping import ENDS
from mindinsight.graphs.scene.building.distinct import distinct
from mindinsight.graphs.scene.building.folding import CROWD, MOST_BOXES, Part, crowd_name, fold, slice_up
from mindinsight.graphs.scene.building.scopes import ROOT, Ints, ScopeTree, title_of
from mindinsight.graphs.scene.building.units import Units
from mindinsight.graphs.substructures.equivalence import BACKWARD, FORWARD, OPTIMIZER

_WRAPPER = 0.8
"""A scope with at least this share of the scope around it is only a wrapper, and is opened."""
_SAMPLE = 60

GRADIENTS, OPTIMIZERS = "Gradients", "Optimizer"


@dataclass(eq=False)
class Container:
    """A container: the boxes inside of another box.

    Attributes:
        name: the name of its box.
        entries: units, and other containers as -1 - number, in order.
        scope: the scope that it shows; -1 if it is not a scope.
        size: the number of units in it, including those in inner containers.
        order: its place in the order.
        phase: the phase of its content.
    """

    name: str
    entries: Ints
    scope: int
    size: int
    order: int
    phase: int


@dataclass(eq=False)
class _Scope:
    """A scope with units: its own units, and the scopes in it."""

    scope: int
    phase: int
    units: list[Ints] = field(default_factory=list)
    inside: list[_Scope] = field(default_factory=list)


class Arrangement:
    """Arranges the units of one frame.

    Args:
        graph: the graph.
        scopes: all scopes.
        units: the units of the frame.
        nodes: the frame's nodes by place.
        base: the scope of the frame. Units outside of it are at the top.
        whole: whether the frame is the whole graph, in which phases are separate.
        trusted: whether all scopes are modules, of which only the outermost may be opened.

    Attributes:
        containers: the new containers by number.
        merged: units that became part of another one.
    """

    def __init__(
        self,
        graph: Graph,
        scopes: ScopeTree,
        units: Units,
        nodes: npt.NDArray[np.integer],
        base: int,
        *,
        whole: bool,
        trusted: bool,
    ) -> None:
        self._graph, self._scopes, self._units, self._nodes = graph, scopes, units, nodes
        self._base, self._whole, self._trusted = base, whole, trusted
        self.containers: list[Container] = []
        count = len(units.order)
        self._out = _ends(units.sources, count)
        by_target = np.argsort(units.targets, kind="stable")
        self._in = _ends(units.targets[by_target], count)
        self._in_sources = units.sources[by_target]
        self._held: Ints = np.full(count, -1, np.int64)
        self._op_texts: dict[int, str] = {}
        self.merged: dict[int, int] = {}

    def arrange(self) -> int:
        """Fills `containers` and returns the number of the outermost."""
        tops = self._scope_trees()
        outer = self._resolve(tops[FORWARD])
        entries = list(outer)
        for phase, name in ((BACKWARD, GRADIENTS), (OPTIMIZER, OPTIMIZERS)):
            if phase in tops:
                inside = self._resolve(tops[phase])
                if len(inside) == 1 or not len(outer):
                    entries.extend(inside.tolist())
                else:
                    entries.append(self._container(name, inside, -1, phase))
        everything = self._limited(np.asarray(entries, np.int64))
        return -1 - self._container("", everything, self._base, FORWARD)

    def _scope_trees(self) -> dict[int, _Scope]:
        """Returns the tree of scopes with their units for each phase."""
        units = self._units
        phase = units.phase if self._whole else np.zeros(len(units.phase), np.int64)
        order = np.lexsort((units.order, units.scope, phase))
        key = np.stack([phase[order], units.scope[order]])
        cuts = np.flatnonzero((np.diff(key, axis=1) != 0).any(axis=0)) + 1
        tops = {FORWARD: _Scope(self._base, FORWARD)}
        known: dict[tuple[int, int], _Scope] = {}
        for members in np.split(order, cuts) if len(order) else []:
            first = int(members[0])
            in_phase = int(phase[first])
            top = tops.setdefault(in_phase, _Scope(self._base, in_phase))
            self._descend(top, int(units.scope[first]), known).units.append(members)
        return tops

    def _descend(self, top: _Scope, scope: int, known: dict[tuple[int, int], _Scope]) -> _Scope:
        way = self._scopes.path(scope, self._base)
        if not way or (self._base != ROOT and self._scopes.parent[way[0]] != self._base):
            return top
        here = top
        for number in way:
            inside = known.get((top.phase, number))
            if inside is None:
                inside = known[top.phase, number] = _Scope(number, top.phase)
                here.inside.append(inside)
            here = inside
        return here

    def _resolve(self, top: _Scope) -> Ints:
        """Returns the entries of a scope."""
        own = np.concatenate(top.units) if top.units else np.empty(0, np.int64)
        entries: list[int] = own.tolist()
        groups: list[tuple[_Scope, Ints]] = []
        for scope in top.inside:
            inside = self._resolve(scope)
            if len(inside) == 1 or self._only_equal(inside):
                entries.extend(inside.tolist())
            else:
                groups.append((scope, inside))
        sizes = [self._size(inside) for _, inside in groups]
        beside = [entry for entry in entries if not self._is_end(entry)]
        total = sum(sizes) + self._size(np.asarray(beside, np.int64))
        for (scope, inside), size in zip(groups, sizes, strict=True):
            alone = len(groups) == 1 and not beside
            fits = len(inside) + len(entries) + len(groups) <= MOST_BOXES
            may_open = not self._trusted or self._scopes.parent[scope.scope] == ROOT
            if alone or (size >= _WRAPPER * total and fits and may_open):
                entries.extend(inside.tolist())
            else:
                name = title_of(self._scopes.component[scope.scope])
                entries.append(self._container(name, inside, scope.scope, self._phase_of(int(inside[0]))))
        return self._limited(np.asarray(entries, np.int64))

    def _is_end(self, entry: int) -> bool:
        """Whether an entry is an input or an output of the graph, beside which a wrapper is still one."""
        return entry >= 0 and self._op_text(int(self._graph.op[self._nodes[self._units.first[entry]]])) in ENDS

    def _only_equal(self, entries: Ints) -> bool:
        """Whether entries are single nodes of one operator without edges between them: a shared primitive's scope."""
        if len(entries) > MOST_BOXES or (entries < 0).any():
            return False
        label = self._units.label[entries]
        if (label != label[0]).any() or label[0] < 0:
            return False
        held = set(entries.tolist())
        return not any(int(target) in held for entry in held for target in self._targets(entry))

    def _targets(self, unit: int) -> Ints:
        return self._units.targets[self._out[unit] : self._out[unit + 1]]

    def _size(self, entries: Ints) -> int:
        """Returns roughly how many nodes entries contain: each occurrence counts as one."""
        total = 0
        for entry in entries[entries < 0].tolist():
            total += self.containers[-1 - entry].size
        units = entries[entries >= 0]
        stacks = units[self._units.pattern[units] >= 0]
        return total + len(units) + sum(9 * len(self._units.members[unit]) for unit in stacks.tolist())

    def _container(self, name: str, entries: Ints, scope: int, phase: int) -> int:
        """Makes a container and returns its entry."""
        order = min(self._entry_order(entries).tolist(), default=0)
        self.containers.append(Container(name, entries, scope, self._size(entries), order, phase))
        return -len(self.containers)

    def _entry_order(self, entries: Ints) -> Ints:
        order = np.empty(len(entries), np.int64)
        inner = entries >= 0
        order[inner] = self._units.order[entries[inner]]
        order[~inner] = [self.containers[-1 - entry].order for entry in entries[~inner].tolist()]
        return order

    def _limited(self, entries: Ints) -> Ints:
        """Returns entries in order. If there are too many, some are folded into containers."""
        entries = entries[np.lexsort((entries, self._entry_order(entries)))]
        if len(entries) <= MOST_BOXES:
            return entries
        entries = self._stacked(entries)
        if len(entries) <= MOST_BOXES:
            return entries
        nothing = np.empty(0, np.int64)
        sources, targets = self._edges_among(entries) if len(entries) <= CROWD else (nothing, nothing)
        single = np.zeros(len(entries), np.bool)
        units = entries >= 0
        single[units] = self._units.pattern[entries[units]] < 0
        labels = np.where(units, self._units.label[np.maximum(entries, 0)], entries - (1 << 40))
        return self._made(entries, fold(len(entries), labels, single, sources, targets))

    def _made(self, entries: Ints, parts: list[int | Part]) -> Ints:
        found = []
        for part in parts:
            if isinstance(part, Part):
                members = entries[part.members]
                inside = members if len(members) <= MOST_BOXES else self._made(members, slice_up(len(members)))
                phase = self._phase_of(int(members[0]))
                found.append(self._container(self._crowd_name(members, part), inside, -1, phase))
            else:
                found.append(int(entries[part]))
        return np.asarray(found, np.int64)

    def _phase_of(self, entry: int) -> int:
        return int(self._units.phase[entry]) if entry >= 0 else self.containers[-1 - entry].phase

    def _crowd_name(self, entries: Ints, part: Part) -> str:
        chosen = entries if len(entries) <= _SAMPLE else entries[:: len(entries) // _SAMPLE]
        inner = chosen >= 0
        ops = self._graph.op[self._nodes[self._units.first[np.where(inner, chosen, 0)]]].tolist()
        if not inner.all():
            for place in np.flatnonzero(~inner).tolist():
                ops[place] = self.containers[-1 - int(chosen[place])].name
        return crowd_name(ops, part.how, part.position, self._op_text)

    def _op_text(self, op: int | str) -> str:
        """Returns the text of an operator's number, or the name of a container."""
        if isinstance(op, str):
            return op
        if op not in self._op_texts:
            self._op_texts[op] = self._graph.strings[op]
        return self._op_texts[op]

    def _stacked(self, entries: Ints) -> Ints:
        """Puts all occurrences of a sub-structure into one stack, even if other entries are between them."""
        units = self._units
        leads: dict[int, int] = {}
        kept = []
        for entry in entries.tolist():
            pattern = int(units.pattern[entry]) if entry >= 0 else -1
            if pattern < 0:
                kept.append(entry)
                continue
            lead = leads.setdefault(pattern, entry)
            if lead == entry:
                kept.append(entry)
            else:
                units.members[lead].extend(units.members.pop(entry))
                self.merged[entry] = lead
        return np.asarray(kept, np.int64)

    def _edges_among(self, entries: Ints) -> tuple[Ints, Ints]:
        """Returns the edges of a crowd by places in it. Other ends are -2 - unit."""
        held = self._held
        units, owner = self._units_below(entries)
        held[units] = owner
        spans = (self._out[units], self._out[units + 1])
        outs, lead = _gathered(*spans)
        targets = self._units.targets[outs]
        sources = owner[lead]
        ins, lead_in = _gathered(self._in[units], self._in[units + 1])
        before = self._in_sources[ins]
        inner = np.where(held[targets] >= 0, held[targets], -2 - targets)
        outside = held[before] < 0
        all_sources = np.concatenate([sources, -2 - before[outside]])
        all_targets = np.concatenate([inner, owner[lead_in[outside]]])
        held[units] = -1
        different = all_sources != all_targets
        pairs = distinct(np.stack([all_sources[different], all_targets[different]]))
        return pairs[0], pairs[1]

    def _units_below(self, entries: Ints) -> tuple[Ints, Ints]:
        found, owners = [], []
        inner = np.flatnonzero(entries >= 0)
        found.append(entries[inner])
        owners.append(inner)
        waiting = [(place, int(entries[place])) for place in np.flatnonzero(entries < 0).tolist()]
        while waiting:
            place, entry = waiting.pop()
            inside = self.containers[-1 - entry].entries
            units = inside[inside >= 0]
            found.append(units)
            owners.append(np.full(len(units), place, np.int64))
            waiting.extend((place, other) for other in inside[inside < 0].tolist())
        return np.concatenate(found), np.concatenate(owners)


def _ends(keys: Ints, count: int) -> Ints:
    ends = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=count), out=ends[1:])
    return ends


def _gathered(firsts: Ints, lasts: Ints) -> tuple[Ints, Ints]:
    """Numbers from each first to each last, and the span that each belongs to."""
    sizes = lasts - firsts
    lead = np.repeat(np.arange(len(firsts)), sizes)
    starts = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) - starts[lead] + firsts[lead], lead
