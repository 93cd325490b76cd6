"""The share of the target's variance that parameters explain: the loss of a forest when their values are shuffled.

Half the loss, as a share of the target's variance, is Sobol's total index of the parameter if parameters are
independent: the share of the variance that it explains alone or together with others (Gregorutti, Michel, Saint-Pierre,
Correlation and variable importance in random forests, Statistics and Computing 27, 2017). Called by `study.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mindinsight.lineage.importance.columns import Floats
from mindinsight.lineage.importance.forest import Layout, Rows, Tree, asked_of

Set = tuple[int, ...]
_MOST_STRETCH = 4.0


@dataclass(frozen=True)
class Shares:
    """The variance that a forest explains for runs that its trees have not seen.

    Attributes:
        sets: (sets,) share of the target's variance that each set of columns explains.
        r2: share that the forest explains; negative if it is worse than the mean.
        middle, stretch: calibration of the forest's mean prediction: `middle + stretch * prediction`.
    """

    sets: Floats
    r2: float
    middle: float
    stretch: float


def shares(
    layout: Layout,
    target: Floats,
    trees: Sequence[Tree],
    rows: Rows,
    sets: Sequence[Set],
    repeats: int,
    rng: np.random.Generator,
) -> Shares:
    """Shuffles sets of columns and measures the loss of a forest.

    A forest's predictions are nearer to the mean than the true values, especially with few runs. They are stretched by
    the slope of the target over them (Zhang, Lu, Bias-corrected random forests in regression, Journal of Applied
    Statistics 39, 2012), so that a forest which finds the right shape gives the right share.

    Args:
        layout: layout of the columns.
        target: (runs,) the target.
        trees: the forest.
        rows: the runs. Each tree predicts those on which it has not grown.
        sets: indices of columns that are shuffled together.
        repeats: number of shuffles, the same for all sets.
        rng: random generator.
    """
    predicted, seen = _predictions(layout, trees, rows, sets, [rng.permutation(len(rows)) for _ in range(repeats)])
    predicted, observed = predicted[:, seen], target[rows][seen]
    # Values are drawn from all runs, because a half may have hardly any.
    variance = float(target.var())
    if not len(observed):
        return Shares(np.zeros(len(sets)), 0.0, float(target.mean()), 1.0)
    plain = predicted[0]
    stretch = _stretch(plain, observed)
    middle = float(observed.mean() - stretch * plain.mean())
    losses = np.mean((observed - middle - stretch * predicted) ** 2, axis=1)
    lost = (losses[1:] - losses[0]).reshape(len(sets), repeats).mean(axis=1)
    return Shares(lost / (2 * variance), 1 - float(losses[0]) / variance, middle, stretch)


def _stretch(predicted: Floats, observed: Floats) -> float:
    spread = float(predicted.var())
    if spread == 0:
        return 1.0
    slope = float(np.mean((predicted - predicted.mean()) * (observed - observed.mean()))) / spread
    return float(np.clip(slope, 1.0, _MOST_STRETCH))


def _predictions(
    layout: Layout, trees: Sequence[Tree], rows: Rows, sets: Sequence[Set], orders: Sequence[Rows]
) -> tuple[Floats, Rows]:
    """Mean predictions by trees that have not grown on a row: first unchanged, then with each shuffle of each set.

    Returns:
        (1 + sets * orders, rows), and the indices of rows with at least one prediction.
    """
    plain = layout.codes[rows]
    variants = np.repeat(plain[None], 1 + len(sets) * len(orders), axis=0)
    for at, members in enumerate(sets):
        for way, order in enumerate(orders):
            variants[1 + at * len(orders) + way][:, members] = plain[order][:, members]
    asked = asked_of(layout, variants)
    sums, counts = np.zeros(variants.shape[:2]), np.zeros(len(rows))
    inside = np.zeros(len(layout.codes), bool)
    for tree in trees:
        inside[tree.bag] = True
        outside = np.flatnonzero(~inside[rows])
        inside[tree.bag] = False
        if not len(outside):
            continue
        sums[:, outside] += tree.predict(asked if len(outside) == len(rows) else asked.only(outside))
        counts[outside] += 1
    return sums / np.maximum(counts, 1), np.flatnonzero(counts)
