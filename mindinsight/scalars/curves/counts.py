"""Counts exactly how many points of a range have values above or below bounds. Called by the API.

Blocks of 64 points whose extremes are on one side of the bounds are counted without reading their points.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.scalars.curves.curve import Curve
from mindinsight.scalars.curves.pixels import extent, search
from mindinsight.store import BLOCK, Rows

Numbers = npt.NDArray[np.float64]

_BOUND = re.compile(r"(<=|>=|<|>)([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")


@dataclass(frozen=True)
class Stretch:
    """Values from `low` to `high`, inclusive. Infinities count if an edge is infinite."""

    low: float
    high: float


Rule = tuple[Stretch, ...]
"""The counted values: intervals that do not overlap."""


def parse_rule(text: str) -> Rule:
    """Parses a rule: `>10`, `<=0`, `<0,>10` (or) and `>0&<10` (and).

    Raises:
        ValueError: the text is not a rule.
    """
    bounds = re.split(r"[,&]", text)
    stretches = [_stretch(bound.strip()) for bound in bounds]
    if len(bounds) > 2 or not bounds:
        raise ValueError(f"a rule has one or two bounds, not {len(bounds)}")
    if len(stretches) == 1:
        return (stretches[0],)
    one, other = stretches
    both = Stretch(max(one.low, other.low), min(one.high, other.high))
    if "&" in text:
        return (both,) if both.low <= both.high else ()
    if both.low <= both.high:
        return (Stretch(min(one.low, other.low), max(one.high, other.high)),)
    return (one, other)


def _stretch(bound: str) -> Stretch:
    found = _BOUND.fullmatch(bound)
    if not found:
        raise ValueError(f"'{bound}' is not a bound; >10, >=10, <10 or <=10 is expected")
    sign, number = found[1], float(found[2])
    if sign.startswith("<"):
        return Stretch(-math.inf, number if sign == "<=" else math.nextafter(number, -math.inf))
    return Stretch(number if sign == ">=" else math.nextafter(number, math.inf), math.inf)


def within(curve: Curve, low: float | None, high: float | None) -> tuple[int, int]:
    """Returns the index of the first point between two places of the chart, and the index after the last one."""
    count = len(curve.points)
    if not count:
        return 0, 0
    left, right = extent(curve, low, high)
    if not left <= right:
        return 0, 0
    first, end = search(curve, np.array([left, np.nextafter(right, np.inf)])).tolist()
    return first, max(first, end)


def count_hits(curve: Curve, first: int, end: int, rule: Rule) -> int:
    """Returns the number of points from index `first` to `end` that match a rule."""
    return sum(_count(curve, first, end, stretch) for stretch in rule)


def _count(curve: Curve, first: int, end: int, stretch: Stretch) -> int:
    value = curve.points["value"]
    ones = curve.levels.one if curve.levels is not None else curve.points[:0]
    block, behind = -(-first // BLOCK), min(end // BLOCK, len(ones))
    if behind <= block:
        return _hits(value[first:end], stretch)
    ends = _hits(value[first : block * BLOCK], stretch) + _hits(value[behind * BLOCK : end], stretch)
    return ends + _count_blocks(value, ones[block:behind], block, stretch)


def _count_blocks(value: Numbers, entries: Rows, block: int, stretch: Stretch) -> int:
    total = int(entries["pos_inf"].sum()) if stretch.high == math.inf else 0
    total += int(entries["neg_inf"].sum()) if stretch.low == -math.inf else 0
    inside = (entries["min"] >= stretch.low) & (entries["max"] <= stretch.high)
    outside = (entries["max"] < stretch.low) | (entries["min"] > stretch.high)
    total += int(entries["finite"][inside].sum(dtype=np.int64))
    mixed = np.flatnonzero(~(inside | outside | (entries["finite"] == 0)))
    if len(mixed):
        points = value[block * BLOCK : (block + len(entries)) * BLOCK].reshape(-1, BLOCK)[mixed]
        total += int((np.isfinite(points) & (points >= stretch.low) & (points <= stretch.high)).sum())
    return total


def _hits(value: Numbers, stretch: Stretch) -> int:
    return int(((value >= stretch.low) & (value <= stretch.high)).sum())
