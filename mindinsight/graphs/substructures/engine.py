"""Chooses who does the loops: the compiled library, or Python where there is none. Used by the search."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from mindinsight.graphs.substructures import loops
from mindinsight.graphs.substructures.kernel import library
from mindinsight.graphs.substructures.work import Colours, Integers, PatternPlan, Rows, WorkGraph


class Engine(Protocol):
    """The loops; `kernel/repeats.c` says what each does."""

    def colour_round(self, work: WorkGraph, before: Colours, widest_in: int, widest_out: int) -> Colours:
        """Returns the colours of one more round."""

    def make_keys(self, work: WorkGraph, near: Colours, middle: Colours, far: Colours) -> None:
        """Fills the keys of all edges and orders `out_edge` by them."""

    def grow(self, work: WorkGraph, roots: Integers, most_drops: int, budget: int) -> Rows:
        """Returns occurrences as rows, none where nothing is saved."""

    def match(self, work: WorkGraph, plan: PatternPlan, anchors: Integers, tolerance: int, steps: int) -> Rows:
        """Returns disjoint occurrences of a pattern at some anchors as rows."""

    def verify(self, work: WorkGraph, rows: Rows, labels: bool) -> np.ndarray[tuple[int], np.dtype[np.bool]]:
        """Says of each row whether it is the same as the first one."""


def engine() -> Engine:
    """Returns what does the loops."""
    return library.KERNEL or loops.PythonLoops()
