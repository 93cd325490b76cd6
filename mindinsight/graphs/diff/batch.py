"""Recognises that two graphs differ in the size of the batch: `32` became `64` wherever it leads a shape.

Called by `result`, after the nodes were matched. What differs in nothing else is no change.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from mindinsight.graphs.diff.pair import GraphPair
from mindinsight.graphs.substructures.work import Integers

_LEADING = re.compile(r"(?<=[\[(])\d+(?=\s*[,\])])")
"""The first size of each shape in a text."""
_SHARE = 0.5
_FEWEST = 3
"""The share of the changed types that a change of the batch explains, and their number, at least."""
_LONGEST = 10_000
"""The longest text that is looked at, in characters."""


@dataclass(frozen=True, slots=True)
class BatchChange:
    """The sizes of the batch in the left and in the right graph."""

    left: int
    right: int

    def explains(self, left: str, right: str) -> bool:
        """Whether two texts differ in the size of the batch alone.

        They are types, attributes or values: in each shape the first size either changed from the one to the other, or
        did not change. A number may be the size itself or its reciprocal, which means of losses have.
        """
        if len(left) > _LONGEST:
            return False
        if _without_sizes(left) != _without_sizes(right):
            return self._explains_number(left, right)
        sizes = zip(_LEADING.findall(left), _LEADING.findall(right), strict=True)
        return all(was == now or (int(was), int(now)) == (self.left, self.right) for was, now in sizes)

    def _explains_number(self, left: str, right: str) -> bool:
        try:
            was, now = float(left), float(right)
        except ValueError:
            return False
        return (was, now) == (self.left, self.right) or math.isclose(was * self.left, now * self.right, rel_tol=1e-6)


def batch_change(pair: GraphPair, right_of: Integers) -> BatchChange | None:
    """Returns the change of the batch that explains most of the changed types, if there is one.

    Args:
        pair: the graphs.
        right_of: the right node of each left node, or -1.
    """
    lefts = np.flatnonzero(right_of >= 0)
    numbers = pair.numbers["type"]
    rights = right_of[lefts].astype(np.int64)
    differ = numbers[lefts] != numbers[rights + pair.split]
    kinds = np.stack([np.asarray(pair.left.type)[lefts[differ]], np.asarray(pair.right.type)[rights[differ]]])
    found: Counter[tuple[int, int]] = Counter()
    kinds, counts = np.unique(kinds, axis=1, return_counts=True)
    for was, now, count in zip(*kinds.tolist(), counts.tolist(), strict=True):
        sizes = _changed_sizes(pair.left.strings[was], pair.right.strings[now])
        if len(sizes) == 1:
            found[sizes.pop()] += count
    if not found:
        return None
    (left, right), count = found.most_common(1)[0]
    return BatchChange(left, right) if count >= max(_FEWEST, _SHARE * int(differ.sum())) else None


def _changed_sizes(left: str, right: str) -> set[tuple[int, int]]:
    """The different pairs of leading sizes of two types; none if something else differs."""
    if _without_sizes(left) != _without_sizes(right):
        return set()
    sizes = zip(_LEADING.findall(left), _LEADING.findall(right), strict=True)
    return {(int(was), int(now)) for was, now in sizes if was != now}


def _without_sizes(text: str) -> str:
    """A text with a sign in place of each leading size, so that `[]` and `[3]` differ."""
    return _LEADING.sub("#", text)
