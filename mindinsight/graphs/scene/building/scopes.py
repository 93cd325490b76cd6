"""The tree of scopes, with the names of parameters laid upon it. Used by whatever decides where a node is drawn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

ROOT = 0
DEEPEST = 24
"""Depth of scopes at most; deeper ones end in one component with all that is left."""

_NUMBERED = re.compile(r"^.*\[([^\[\]]+)\]$")
_SEPARATORS = re.compile(r"[./]")


def attribute_of(component: str) -> str:
    """Returns what the parent calls a scope: `3-Layer` and `Layer[3]` are both `3`."""
    numbered = _NUMBERED.match(component)
    if numbered:
        return numbered[1]
    head, dash, tail = component.partition("-")
    return head if dash and head and tail else component


def class_of(component: str) -> str:
    """Returns the class that a scope's component tells, empty where it tells none."""
    if _NUMBERED.match(component):
        return component[: component.rindex("[")]
    head, dash, tail = component.partition("-")
    return tail if dash and head else ""


def title_of(component: str) -> str:
    """Returns what a scope's box is called: its attribute, and its class before one that is only a number."""
    attribute, kind = attribute_of(component), class_of(component)
    return f"{kind} {attribute}" if attribute.isdigit() and kind else attribute


class ScopeTree:
    """Scopes by number, parents before children; 0 is the root.

    Attributes:
        parent: number of the scope around each.
        component: last part of its name.
        depth: how many components it has.
        name_roots: how many names begin with each scope.
    """

    def __init__(self) -> None:
        self.parent: list[int] = [0]
        self.component: list[str] = [""]
        self.depth: list[int] = [0]
        self._children: dict[tuple[int, str], int] = {}
        self._suffixes: dict[str, int] = {}
        self.name_roots: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self.parent)

    def child(self, scope: int, component: str) -> int:
        """Returns a scope inside of another; it is made where it is not there."""
        key = (scope, component)
        found = self._children.get(key)
        if found is None:
            found = self._children[key] = len(self.parent)
            self.parent.append(scope)
            self.component.append(component)
            self.depth.append(self.depth[scope] + 1)
        return found

    def add(self, components: Sequence[str]) -> int:
        """Returns the number of a scope; it is made where it is not there."""
        if len(components) > DEEPEST:
            components = [*components[: DEEPEST - 1], "/".join(components[DEEPEST - 1 :])]
        scope = ROOT
        for component in components:
            scope = self.child(scope, component)
        return scope

    def path(self, scope: int, base: int = ROOT) -> list[int]:
        """Returns the scopes from below `base` down to a scope; all of them where it does not lie in `base`."""
        found = []
        while scope not in (ROOT, base):
            found.append(scope)
            scope = self.parent[scope]
        return found[::-1]

    def lies_in(self, scope: int, around: int) -> bool:
        """Whether a scope is another one or lies in it."""
        while self.depth[scope] > self.depth[around]:
            scope = self.parent[scope]
        return scope == around

    def without_others(self, scopes: Ints) -> set[int]:
        """Returns those of some scopes that occur once and have none of the others inside."""
        once = {scope for scope, count in Counter(scopes.tolist()).items() if count == 1}
        around: set[int] = {ROOT}
        for scope in np.unique(scopes).tolist():
            while scope != ROOT and (scope := self.parent[scope]) not in around:
                around.add(scope)
        return once - around

    def label(self, scope: int, base: int = ROOT) -> str:
        """Returns a scope's name as its parameters would have it: `layer1.0`."""
        return ".".join(attribute_of(self.component[number]) for number in self.path(scope, base))

    def index_names(self, heads: Iterable[str]) -> None:
        """Prepares `find`: remembers the ends of all scopes that begin with one of these attributes."""
        wanted = set(heads)
        attributes = [attribute_of(component) for component in self.component]
        for scope in sorted(range(1, len(self)), key=lambda number: self.depth[number]):
            suffix = ""
            number = scope
            while number != ROOT:
                suffix = f"{attributes[number]}.{suffix}"
                if attributes[number] in wanted:
                    self._suffixes.setdefault(suffix, scope)
                number = self.parent[number]

    def find(self, name: str) -> int:
        """Returns the scope that a parameter's name tells: `layer1.0.conv1.weight` lies in `…/layer1/0/conv1`.

        Args:
            name: with the parameter's own name at its end.

        Returns:
            The scope, made where only its beginning is there; -1 where the name tells nothing.
        """
        parts = name_parts(name)
        for first in range(min(len(parts), 3)):  # Optimizers put a word in front: `moments.layer1…`.
            for end in range(len(parts), first, -1):
                scope = self._suffixes.get(".".join(parts[first:end]) + ".")
                if scope is not None:
                    self.name_roots[self.path(scope)[-(end - first)]] += 1
                    for part in parts[end:]:
                        scope = self.child(scope, part)
                    return scope
        return self.add(parts) if parts else -1

    def ancestors(self) -> npt.NDArray[np.int32]:
        """Returns by depth and scope the one of that depth around it; -1 where a scope is not so deep."""
        parent, depth = np.asarray(self.parent, np.int32), np.asarray(self.depth)
        table = np.full((int(depth.max()) + 1, len(self)), -1, np.int32)
        everything = np.arange(len(self), dtype=np.int32)
        table[depth, everything] = everything
        for level in range(len(table) - 2, -1, -1):
            deeper = depth > level
            table[level, deeper] = parent[table[level + 1, deeper]]
        return table

    def totals(self, counts: Ints) -> Ints:
        """Returns for every scope the sum over all scopes in it, itself included."""
        depth, parent = np.asarray(self.depth), np.asarray(self.parent)
        total = counts.astype(np.int64).copy()
        for level in range(int(depth.max()), 0, -1):
            here = np.flatnonzero(depth == level)
            np.add.at(total, parent[here], total[here])
        return total


def name_parts(name: str) -> list[str]:
    """Returns the parts of a parameter's name without the last, which is its own."""
    return [part for part in _SEPARATORS.split(name) if part][:-1][:DEEPEST]


def common_scope(table: npt.NDArray[np.int32], rows: npt.NDArray[np.integer], share: float) -> Ints:
    """Returns for each row the deepest scope that holds at least this share of it.

    Args:
        table: `ScopeTree.ancestors`.
        rows: scopes; -1 where nothing is known, which does not count.
        share: above a half.
    """
    known = rows >= 0
    counts = known.sum(axis=1)
    best = np.where(counts > 0, ROOT, -1).astype(np.int64)
    alive = np.flatnonzero(counts > 0)
    beyond = np.int32(np.iinfo(np.int32).max)
    for level in range(1, len(table)):
        if not len(alive):
            break
        here = np.where(known[alive], table[level][np.where(known[alive], rows[alive], 0)], beyond)
        here.sort(axis=1)
        middle = here[np.arange(len(alive)), counts[alive] // 2]
        agree = (here == middle[:, None]).sum(axis=1) >= share * counts[alive]
        agree &= middle >= 0
        alive = alive[agree]
        best[alive] = middle[agree]
    return best
