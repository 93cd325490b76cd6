"""Curves for the tests, and what looking at each of their points in turn says about pixel columns."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from mindinsight.scalars.curves.curve import Axis, Curve, load
from mindinsight.store import ColumnStore, Rows, Table

NAN, INF = float("nan"), float("inf")
KINDS = ("finite", "nan", "pos_inf", "neg_inf")


@dataclass(frozen=True)
class Shape:
    """How a generated series looks.

    Attributes:
        count: how many points.
        seed: of the noise.
        gaps: steps between points, at random.
        odd: share of points at which a run of NaN or infinities begins.
        backwards: share of points at which the clock is set back.
        falls: share of points at which the step falls.
        digits: values are rounded to so many, so that some are equal.
    """

    count: int
    seed: int = 0
    gaps: tuple[int, ...] = (1,)
    odd: float = 0.0
    backwards: float = 0.0
    falls: float = 0.0
    digits: int = 2

    def rows(self) -> Rows:
        """The points."""
        chance = np.random.default_rng(self.seed)
        rows = np.zeros(self.count, Table.POINTS.dtype)
        falls = chance.random(self.count) < self.falls
        rows["step"] = np.cumsum(np.where(falls, -50, chance.choice(self.gaps, self.count)))
        back = chance.random(self.count) < self.backwards
        rows["wall"] = 1.7e9 + np.cumsum(np.where(back, -5.0, chance.choice([0.0, 0.1, 1 / 3], self.count)))
        rows["value"] = np.cumsum(chance.normal(size=self.count)).round(self.digits)
        for start in np.flatnonzero(chance.random(self.count) < self.odd):
            rows["value"][start : start + chance.integers(1, 200)] = chance.choice([NAN, INF, -INF])
        return rows


def shapes(most: int) -> st.SearchStrategy[Shape]:
    """Series of up to `most` points, often around the ends of blocks."""
    near_blocks = st.builds(
        lambda blocks, size, more: min(most, max(0, blocks * size + more)),
        st.integers(0, 70),
        st.sampled_from([64, 4096]),
        st.integers(-1, 1),
    )
    return st.builds(
        Shape,
        count=st.one_of(st.integers(0, 200), st.integers(0, most), near_blocks),
        seed=st.integers(0, 2**32 - 1),
        gaps=st.sampled_from([(1,), (0,), (0, 1), (0, 0, 0, 1, 1000), (1, 10**9), (100,)]),
        odd=st.sampled_from([0.0, 0.0, 0.0005, 0.02, 1.0]),
        backwards=st.sampled_from([0.0, 0.0, 0.001]),
        falls=st.sampled_from([0.0, 0.0, 0.0, 0.001]),
        digits=st.sampled_from([-1, 0, 5]),
    )


def curve_of(directory: Path, rows: Rows, axis: Axis = Axis.STEP) -> Curve:
    """The curve that the store gives back when `rows` are written."""
    store = ColumnStore(directory)
    store.write(Table.POINTS, 1, 1, 0, rows)
    return load(store, 1, 1, len(rows), axis)


def ordered(rows: Rows, axis: Axis) -> Rows:
    """The points in order of x, without those that have no finite one."""
    kept = [row for row in range(len(rows)) if math.isfinite(rows[axis.value][row])]
    return rows[sorted(kept, key=lambda row: rows[axis.value][row])]


@dataclass
class Column:
    """The points of one pixel column."""

    places: list[int] = field(default_factory=list)
    of_kind: dict[str, list[int]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    lowest: int = -1
    highest: int = -1


def kind_of(value: float) -> str:
    if math.isfinite(value):
        return "finite"
    return "nan" if math.isnan(value) else "pos_inf" if value > 0 else "neg_inf"


def columns(rows: Rows, axis: Axis, width: int, low: float | None, high: float | None) -> list[Column]:
    """The columns that have points, by the plain definition, in a plain loop; `rows` are in order of x."""
    if not len(rows):
        return []
    x, value = rows[axis.value].tolist(), rows["value"].tolist()
    left, right = float(x[0]) if low is None else low, float(x[-1]) if high is None else high
    edges = [left + (right - left) * (k / width) for k in range(1, width)]
    found: dict[int, Column] = {}
    for place, here in enumerate(x):
        if (low is not None and here < low) or (high is not None and here > high):
            continue
        _add(found.setdefault(bisect_right(edges, here), Column()), place, value)
    return [found[number] for number in sorted(found)]


def _add(column: Column, place: int, value: list[float]) -> None:
    kind = kind_of(value[place])
    column.places.append(place)
    column.of_kind[kind].append(place)
    if kind == "finite":
        if column.lowest < 0 or value[place] < value[column.lowest]:
            column.lowest = place
        if column.highest < 0 or value[place] > value[column.highest]:
            column.highest = place
