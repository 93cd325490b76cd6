"""Fits one forest to all runs, and more to random halves of them: the result and its uncertainty. Called by `study.py`.

The halves show how much the results would vary with other runs and other random choices: each refit grows on one half
of the runs and is evaluated on the other. Their variance estimates that of the result from all runs: the delete-d
jackknife's factor (n - d) / d is 1 for halves (Shao, Wu, A general theory for jackknife variance estimation, Annals of
Statistics 17, 1989), and the refits also cover the randomness of the forest (Molnar et al., Relating the partial
dependence plot and permutation feature importance to the data generating process, xAI 2023, with the correction of
Nadeau, Bengio 2003).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from mindinsight.lineage.importance.columns import Column, Floats
from mindinsight.lineage.importance.forest import Codes, Layout, Tree, asked_of, grow, layout_of
from mindinsight.lineage.importance.permutation import Set, Shares, shares

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Size:
    """The size of a fit.

    Attributes:
        trees: number of trees of the forest on all runs.
        halves: number of refits.
        half_trees: number of trees of each refit.
        repeats: number of shuffles, for the forest on all runs.
        judged: maximum number of runs for the evaluation of a forest.
        grown: maximum number of runs for the growth of a tree.
    """

    trees: int
    halves: int
    half_trees: int
    repeats: int
    judged: int
    grown: int = 2048


def size_for(runs: int, columns: int) -> Size:
    """Returns a fit's size for this many runs and columns, so that every fit takes only seconds."""
    if runs * columns <= 20_000:
        return Size(100, 16, 20, 10, 2000)
    return Size(50, 10, 12, 1, 400, 1024)


@dataclass(frozen=True)
class Fit:
    """A forest with its calibration.

    Attributes:
        trees: the forest.
        shares: shares of the columns, and the calibration.
        strengths: (pairs,) joint share of each pair of columns beyond their single shares.
    """

    trees: Sequence[Tree]
    shares: Shares
    strengths: Floats

    def predict(self, layout: Layout, codes: Codes) -> Floats:
        """Returns the calibrated prediction for each row of codes."""
        asked = asked_of(layout, codes)
        total = sum((tree.predict(asked) for tree in self.trees), np.zeros(len(codes)))
        return self.shares.middle + self.shares.stretch * total / len(self.trees)


@dataclass(frozen=True)
class Fits:
    """All forests of one study.

    Attributes:
        layout: layout of the columns.
        pairs: the pairs of columns with known strengths.
        whole: the forest on all runs.
        halves: the forests on halves.
    """

    layout: Layout
    pairs: Sequence[tuple[int, int]]
    whole: Fit
    halves: Sequence[Fit]


def fit(columns: Sequence[Column], target: Floats, most_paired: int, size: Size, seed: int, progress: Progress) -> Fits:
    """Fits all forests.

    Args:
        columns: columns of runs that all have a target.
        target: (runs,) finite numbers.
        most_paired: number of the most important columns that are paired with each other.
        size: size of the fit.
        seed: random seed.
        progress: called with the finished share.
    """
    rng = np.random.default_rng(seed)
    layout, runs = layout_of(columns), np.arange(len(target))
    trees = grow(layout, target, runs, size.trees, size.grown, rng)
    judged = runs if len(runs) <= size.judged else rng.choice(runs, size.judged, replace=False)
    single: list[Set] = [(place,) for place in range(len(columns))]
    found = shares(layout, target, trees, judged, single, size.repeats, rng)
    progress(0.25)
    top = sorted(np.argsort(-found.sets)[:most_paired].tolist())
    pairs = list(combinations(top, 2))
    together = shares(layout, target, trees, judged, [*((place,) for place in top), *pairs], size.repeats, rng)
    whole = Fit(trees, found, _strengths(together.sets, [(top.index(a), top.index(b)) for a, b in pairs]))
    progress(0.4)
    halves = []
    for number in range(size.halves):
        order = rng.permutation(len(runs))
        grown, held = order[: len(runs) // 2], order[len(runs) // 2 :][: size.judged]
        few = grow(layout, target, grown, size.half_trees, size.grown, rng)
        half = shares(layout, target, few, held, [*single, *pairs], 1, rng)
        halves.append(Fit(few, replace(half, sets=half.sets[: len(single)]), _strengths(half.sets, pairs)))
        progress(0.4 + 0.5 * (number + 1) / size.halves)
    return Fits(layout, pairs, whole, halves)


def _strengths(sets: Floats, pairs: Sequence[tuple[int, int]]) -> Floats:
    """The joint shares of pairs: the sum of both single shares minus the share of both shuffled together.

    Args:
        sets: shares of single columns, then of the pairs, all with the same shuffles.
        pairs: pairs of columns, as indices of the single ones.
    """
    if not pairs:
        return np.empty(0)
    left, right = np.array(pairs).T
    strengths: Floats = sets[left] + sets[right] - sets[len(sets) - len(pairs) :]
    return strengths
