"""Warnings that a reader needs before believing numbers: too few runs, parameters that vary together, no signal.

Called by `study.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from mindinsight.lineage.importance.columns import Column
from mindinsight.lineage.importance.ranks import association, compared

Notice = dict[str, Any]

FEW = 10
"""Number of runs below which results are unreliable and shown in grey."""
_STRONG, _SURE = 0.8, 0.01
_STRONG_OF_FEW = 0.6
_MOST_PAIRS = 20
_NAMED = 5
_MOST_RUNS = 2000


@dataclass(frozen=True)
class Sorted:
    """Parameters, sorted by whether they can be analysed.

    Attributes:
        varied: parameters that can matter; one of each group of equivalent ones.
        same: by the name of one of them, the others that always change with it.
        notices: the warnings about the others.
    """

    varied: list[Column] = field(default_factory=list)
    same: dict[str, list[str]] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)


def sort(columns: Sequence[Column]) -> Sorted:
    """Separates parameters that can matter from those that are constant or identify each run."""
    found = Sorted()
    constant, names, seen = [], [], dict[bytes, Column]()
    for column in columns:
        if column.levels < 2:
            constant.append(column.name)
            continue
        if column.kind == "category" and _tells_runs_apart(column):
            names.append(column.name)
            continue
        partition = _partition(column)
        if partition in seen:
            found.same.setdefault(seen[partition].name, []).append(column.name)
            continue
        seen[partition] = column
        shortened = column.shortened()
        found.varied.append(shortened)
        if shortened is not column:
            found.notices.append({"code": "many_values", "name": column.name, "shown": shortened.distinct - 1})
    if constant:
        found.notices.append({"code": "constant", "names": constant})
    if names:
        found.notices.append({"code": "identifier", "names": names})
    found.notices.extend({"code": "same", "names": [name, *others]} for name, others in found.same.items())
    return found


def _tells_runs_apart(column: Column) -> bool:
    """Whether nearly every run has its own text, so that the parameter is a name and not a setting."""
    return column.set >= _NAMED and column.distinct > 0.9 * column.set


def _partition(column: Column) -> bytes:
    """Equal for columns that determine each other: by which runs share a value, or by the order of numbers.

    If nearly every run has its own number, only the order (or its reverse) makes two columns equivalent.
    """
    codes = column.codes
    if column.kind != "category" and 2 * column.distinct > len(codes):
        reverse = np.where(codes < 0, codes, column.distinct - 1 - codes)
        return min(codes.tobytes(), reverse.astype(np.int32).tobytes())
    _, first, places = np.unique(codes, return_index=True, return_inverse=True)
    numbered = np.empty(len(first), np.int32)
    numbered[np.argsort(first)] = np.arange(len(first))
    return numbered[places].tobytes()


def confounded(columns: Sequence[Column]) -> list[Notice]:
    """Names pairs of parameters that are so strongly associated that their effects cannot be separated."""
    notices = list(_confounded([column.rows(_some(column)) for column in columns]))
    notices.sort(key=lambda notice: -notice["strength"])
    return notices[:_MOST_PAIRS]


def _some(column: Column) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    count = len(column.codes)
    return np.linspace(0, count - 1, min(count, _MOST_RUNS)).astype(np.intp)


def _confounded(columns: Sequence[Column]) -> Iterator[Notice]:
    prepared = [(column, compared(column)) for column in columns]
    for (left, one), (right, other) in combinations(prepared, 2):
        found = association(one, other)
        # With few runs, parameters are associated by chance, and their effects are mixed up just the same.
        few = len(left.codes) < FEW and found.strength >= _STRONG_OF_FEW
        if few or (found.strength >= _STRONG and found.p < _SURE):
            yield {"code": "confounded", "names": [left.name, right.name], "strength": round(found.strength, 3)}
