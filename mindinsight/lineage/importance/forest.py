"""A forest of extremely randomised trees over columns, and its predictions. Called by `permutation.py`, `effects.py`.

Each tree grows on a part of the runs, drawn without replacement, and tries one random cut of every column at every
branch (Geurts, Ernst, Wehenkel, Extremely randomized trees, Machine Learning 63, 2006). Random cuts find interactions
that no single parameter shows and for which the best cut of a greedy tree is random.

- Trees see only the order of numbers: the rank among all values. Log scales, infinities and outliers change nothing.
- A tree sees categories in the order of the target's means in its own part (Wright, König, Splitting on categorical
  predictors in random forests, PeerJ 7, 2019), so runs outside this part stay unseen.
- A missing number is a column of its own (set or not); a missing category is one more category.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.lineage.importance.columns import Column, Floats

Codes = npt.NDArray[np.int32]
Rows = npt.NDArray[np.intp]
Orders = Mapping[int, tuple[int, npt.NDArray[np.float32]]]

SHARE = 0.8
"""Share of the runs on which a tree grows. The others are out of its bag."""


@dataclass(frozen=True)
class Layout:
    """The mapping from columns' codes to features.

    Attributes:
        columns: the columns.
        codes: (runs, columns) index of each value. A missing value has the index after the last value.
        features: (columns,) the first feature of each column.
        missing: (columns,) whether a second feature marks a missing value.
        width: total number of features.
    """

    columns: Sequence[Column]
    codes: Codes
    features: npt.NDArray[np.intp]
    missing: npt.NDArray[np.bool_]
    width: int


@dataclass(frozen=True)
class Asked:
    """Real or hypothetical runs for predictions.

    Attributes:
        codes: (..., columns) index of each value, as in the layout.
        features: (..., width) features common to all trees. Each tree fills in its features of categories.
    """

    codes: Codes
    features: npt.NDArray[np.float32]

    def only(self, rows: Rows) -> Asked:
        """Selects along the last axis but one."""
        return Asked(self.codes[..., rows, :], self.features[..., rows, :])


@dataclass(frozen=True)
class Tree:
    """One tree.

    Attributes:
        bag: the runs on which it grew.
        orders: for each column of categories, its feature and the position of each code in the tree's order.
        grown: the tree structure of scikit-learn.
    """

    bag: Rows
    orders: Orders
    grown: object

    def predict(self, asked: Asked) -> Floats:
        """Returns the tree's prediction for each run, in the shape of `asked`, whose features are overwritten."""
        seen = _ordered(asked, self.orders)
        predicted = self.grown.predict(seen.reshape(-1, seen.shape[-1]))  # type: ignore[attr-defined]
        return np.asarray(predicted, float).reshape(seen.shape[:-1])


def layout_of(columns: Sequence[Column]) -> Layout:
    """Makes the layout of columns of the same runs."""
    missing = np.array([column.kind != "category" and bool((column.codes < 0).any()) for column in columns], bool)
    widths = 1 + missing
    codes = np.stack([np.where(column.codes < 0, column.distinct, column.codes) for column in columns], axis=1)
    return Layout(columns, codes.astype(np.int32), np.cumsum(widths) - widths, missing, int(widths.sum()))


def asked_of(layout: Layout, codes: Codes) -> Asked:
    """Converts rows of codes to the input of predictions."""
    features = np.empty((*codes.shape[:-1], layout.width), np.float32)
    features[..., layout.features] = codes
    for place in np.flatnonzero(layout.missing).tolist():
        count, first = layout.columns[place].distinct, layout.features[place]
        gone = codes[..., place] == count
        features[..., first + 1] = gone
        features[gone, first] = (count - 1) / 2
    return Asked(codes, features)


def grow(layout: Layout, target: Floats, rows: Rows, count: int, most: int, rng: np.random.Generator) -> list[Tree]:
    """Grows trees.

    Args:
        layout: layout of the columns.
        target: (runs,) the target.
        rows: the runs on which trees may grow.
        count: number of trees.
        most: maximum number of runs for a tree. Trees of very many runs are hardly better, and take longer.
        rng: random generator.
    """
    from sklearn.tree import ExtraTreeRegressor

    size = max(2, min(int(SHARE * len(rows)), most))
    every = asked_of(layout, layout.codes)
    trees = []
    for _ in range(count):
        bag = rng.choice(rows, size, replace=False)
        orders = _orders(layout, target, bag, rng)
        model = ExtraTreeRegressor(max_features=1.0, random_state=int(rng.integers(2**31)))
        model.fit(_ordered(every.only(bag), orders), target[bag], check_input=False)
        trees.append(Tree(bag, orders, model.tree_))
    return trees


def _orders(layout: Layout, target: Floats, bag: Rows, rng: np.random.Generator) -> Orders:
    """Orders the categories of each column by the target's mean in the bag. Categories outside the bag go anywhere."""
    orders = {}
    for place, column in enumerate(layout.columns):
        if column.kind != "category":
            continue
        codes, count = layout.codes[bag, place], column.distinct + 1
        sums, sizes = np.bincount(codes, target[bag], count), np.bincount(codes, minlength=count)
        means = np.where(sizes > 0, sums / np.maximum(sizes, 1), rng.choice(target[bag], count))
        order = np.empty(count, np.float32)
        order[np.argsort(means, kind="stable")] = np.arange(count)
        orders[place] = (int(layout.features[place]), order)
    return orders


def _ordered(asked: Asked, orders: Orders) -> npt.NDArray[np.float32]:
    for place, (feature, order) in orders.items():
        asked.features[..., feature] = order[asked.codes[..., place]]
    return asked.features
