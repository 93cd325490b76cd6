"""Chooses the implementation of the loops: the compiled library, or Python if there is none. Used by the search."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from mindinsight.graphs.substructures import loops
from mindinsight.graphs.substructures.kernel import library
from mindinsight.graphs.substructures.work import Colours, Integers, PatternPlan, Rows, WorkGraph


class Engine(Protocol):
    """The loops. `kernel/repeats.c` describes each."""

    def colour_round(self, work: WorkGraph, before: Colours, widest_in: int, widest_out: int) -> Colours:
        """Returns the colours after one more round."""

    def make_keys(self, work: WorkGraph, near: Colours, middle: Colours, far: Colours) -> None:
        """Fills the keys of all edges and sorts `out_edge` by them."""

    def grow(self, work: WorkGraph, roots: Integers, most_drops: int, budget: int) -> Rows:
        """Returns occurrences as rows, or none if nothing is saved."""

    def match(self, work: WorkGraph, plan: PatternPlan, anchors: Integers, tolerance: int, steps: int) -> Rows:
        """Returns disjoint occurrences of a pattern at some anchors, as rows."""

    def verify(self, work: WorkGraph, rows: Rows, labels: bool) -> np.ndarray[tuple[int], np.dtype[np.bool]]:
        """Returns for each row whether it equals the first one."""


def engine() -> Engine:
    """Returns the implementation of the loops."""
    return library.KERNEL or loops.PythonLoops()
