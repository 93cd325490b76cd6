"""Puts repeats into modules, for graphs whose scopes are right. Used by `homes`.

A repeat is drawn if its occurrences are whole modules with the same parts, or operators of one module each. Otherwise
an operator would be drawn outside of its module, or under the name of another one.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.scene.building.scopes import ROOT, Ints, ScopeTree


class Modules:
    """The modules of one graph. Repeats are placed by size, the largest first.

    Args:
        scopes: all scopes.
        own: the scope of each node.
        told: which nodes are operators of a module.
    """

    def __init__(self, scopes: ScopeTree, own: Ints, told: npt.NDArray[np.bool]) -> None:
        self._scopes, self._own, self._told = scopes, own, told
        self._totals = scopes.totals(np.bincount(own[told], minlength=len(scopes)))
        self._taken: set[int] = set()

    def place(self, nodes: npt.NDArray[np.integer]) -> tuple[Ints, bool, bool]:
        """Returns the module of each occurrence, whether each is a whole module, and whether they are drawn.

        Args:
            nodes: one occurrence per row.
        """
        operators = [row[self._told[row]] for row in nodes]
        modules = [self._around(self._own[row].tolist()) for row in operators]
        rows = np.asarray(modules, np.int64)
        whole = len(set(modules)) == len(modules) and ROOT not in modules
        whole = whole and all(len(row) == self._totals[module] for row, module in zip(operators, modules, strict=True))
        if not whole:
            alone = all((self._own[row] == module).all() for row, module in zip(operators, modules, strict=True))
            return rows, False, alone and ROOT not in modules
        several = len(operators[0]) > 1  # A module of one operator is drawn as the operator.
        drawn = several and self._are_alike(operators, modules) and not self._taken.issuperset(modules)
        if drawn:
            self._taken.update(modules)
        return rows, True, drawn

    def _around(self, scopes: list[int]) -> int:
        """Returns the innermost module around some operators."""
        paths = [self._scopes.path(scope) for scope in Counter(scopes)]
        if not paths:
            return ROOT
        shortest = min(paths, key=len)
        depth = 0
        while depth < len(shortest) and all(path[depth] == shortest[depth] for path in paths):
            depth += 1
        return shortest[depth - 1] if depth else ROOT

    def _are_alike(self, operators: list[npt.NDArray[np.integer]], modules: list[int]) -> bool:
        """Whether the operators of all modules are in parts with the same names."""
        found = {
            tuple(self._scopes.label(scope, module) for scope in self._own[row].tolist())
            for row, module in zip(operators, modules, strict=True)
        }
        return len(found) == 1
