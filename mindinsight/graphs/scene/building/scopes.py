"""The tree of scopes, which also finds scopes by names of parameters. Used to decide where a node is drawn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

ROOT = 0
DEEPEST = 24
"""The largest depth of a scope. In deeper ones, the last component has the rest of the name."""

_NUMBERED = re.compile(r"^.*\[([^\[\]]+)\]$")
_SEPARATORS = re.compile(r"[./]")


def attribute_of(component: str) -> str:
    """Returns the attribute of a scope in its parent: `3` for both `3-Layer` and `Layer[3]`."""
    numbered = _NUMBERED.match(component)
    if numbered:
        return numbered[1]
    head, dash, tail = component.partition("-")
    return head if dash and head and tail else component


def class_of(component: str) -> str:
    """Returns the class in a scope's component; empty if there is none."""
    if _NUMBERED.match(component):
        return component[: component.rindex("[")]
    head, dash, tail = component.partition("-")
    return tail if dash and head else ""


def title_of(component: str) -> str:
    """Returns the title of a scope's box: its attribute, with the class before it if the attribute is a number."""
    attribute, kind = attribute_of(component), class_of(component)
    return f"{kind} {attribute}" if attribute.isdigit() and kind else attribute


class ScopeTree:
    """Scopes by number, parents before children; 0 is the root.

    Attributes:
        parent: the number of the scope around each scope.
        component: the last part of its name.
        depth: the number of its components.
        name_roots: the number of names that begin with each scope.
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
        """Returns a scope inside of another, and creates it if needed."""
        key = (scope, component)
        found = self._children.get(key)
        if found is None:
            found = self._children[key] = len(self.parent)
            self.parent.append(scope)
            self.component.append(component)
            self.depth.append(self.depth[scope] + 1)
        return found

    def add(self, components: Sequence[str]) -> int:
        """Returns the number of a scope, and creates it if needed."""
        if len(components) > DEEPEST:
            components = [*components[: DEEPEST - 1], "/".join(components[DEEPEST - 1 :])]
        scope = ROOT
        for component in components:
            scope = self.child(scope, component)
        return scope

    def path(self, scope: int, base: int = ROOT) -> list[int]:
        """Returns the scopes from below `base` down to a scope; from the root if the scope is not in `base`."""
        found = []
        while scope not in (ROOT, base):
            found.append(scope)
            scope = self.parent[scope]
        return found[::-1]

    def lies_in(self, scope: int, around: int) -> bool:
        """Whether a scope is another one or is inside of it."""
        while self.depth[scope] > self.depth[around]:
            scope = self.parent[scope]
        return scope == around

    def without_others(self, scopes: Ints) -> set[int]:
        """Returns the scopes that occur once and contain none of the others."""
        once = {scope for scope, count in Counter(scopes.tolist()).items() if count == 1}
        around: set[int] = {ROOT}
        for scope in np.unique(scopes).tolist():
            while scope != ROOT and (scope := self.parent[scope]) not in around:
                around.add(scope)
        return once - around

    def label(self, scope: int, base: int = ROOT) -> str:
        """Returns a scope's name in the form of parameters' names: `layer1.0`."""
        return ".".join(attribute_of(self.component[number]) for number in self.path(scope, base))

    def index_names(self, heads: Iterable[str]) -> None:
        """Prepares `find` with the ends of all scopes that begin with one of these attributes."""
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
        """Returns the scope of a parameter by its name: `layer1.0.conv1.weight` is in `…/layer1/0/conv1`.

        Args:
            name: the full name of the parameter.

        Returns:
            The scope, which is created if only its beginning exists; -1 if the name contains no scope.
        """
        parts = name_parts(name)
        for first in range(min(len(parts), 3)):  # Optimizers add a prefix: `moments.layer1…`.
            for end in range(len(parts), first, -1):
                scope = self._suffixes.get(".".join(parts[first:end]) + ".")
                if scope is not None:
                    self.name_roots[self.path(scope)[-(end - first)]] += 1
                    for part in parts[end:]:
                        scope = self.child(scope, part)
                    return scope
        return self.add(parts) if parts else -1

    def ancestors(self) -> npt.NDArray[np.int32]:
        """Returns a table by depth and scope: the ancestor of that depth; -1 if the scope is not so deep."""
        parent, depth = np.asarray(self.parent, np.int32), np.asarray(self.depth)
        table = np.full((int(depth.max()) + 1, len(self)), -1, np.int32)
        everything = np.arange(len(self), dtype=np.int32)
        table[depth, everything] = everything
        for level in range(len(table) - 2, -1, -1):
            deeper = depth > level
            table[level, deeper] = parent[table[level + 1, deeper]]
        return table

    def totals(self, counts: Ints) -> Ints:
        """Returns for each scope the sum over itself and all scopes in it."""
        depth, parent = np.asarray(self.depth), np.asarray(self.parent)
        total = counts.astype(np.int64).copy()
        for level in range(int(depth.max()), 0, -1):
            here = np.flatnonzero(depth == level)
            np.add.at(total, parent[here], total[here])
        return total


def name_parts(name: str) -> list[str]:
    """Returns the parts of a parameter's name without the last one."""
    return [part for part in _SEPARATORS.split(name) if part][:-1][:DEEPEST]


def common_scope(table: npt.NDArray[np.int32], rows: npt.NDArray[np.integer], share: float) -> Ints:
    """Returns for each row the deepest scope that contains at least this share of it.

    Args:
        table: `ScopeTree.ancestors`.
        rows: rows of scopes; -1, for unknown, does not count.
        share: a share above one half.
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
