"""What a reader has to know before believing numbers: too few runs, parameters that vary together, no signal.

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
"""Runs below which results say hardly anything and are shown in grey."""
_STRONG, _SURE = 0.8, 0.01
_STRONG_OF_FEW = 0.6
_MOST_PAIRS = 20
_NAMED = 5
_MOST_RUNS = 2000


@dataclass(frozen=True)
class Sorted:
    """Parameters by what can be said of them.

    Attributes:
        varied: those that can have mattered, one of each that say the same.
        same: by the name of one of them, others that always change with it.
        notices: the notices about the rest.
    """

    varied: list[Column] = field(default_factory=list)
    same: dict[str, list[str]] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)


def sort(columns: Sequence[Column]) -> Sorted:
    """Takes apart parameters that can have mattered from those that are alike everywhere, or name each run."""
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
    """Whether nearly each run has a text of its own, so that it is a name and nothing that could be set again."""
    return column.set >= _NAMED and column.distinct > 0.9 * column.set


def _partition(column: Column) -> bytes:
    """Equal for columns that tell each other: by which runs have the same value, or by the order of numbers.

    Where nearly every run has its own number, only the order (or its reverse) makes two columns the same.
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
    """Names pairs of parameters that go together so closely that their effects cannot be told apart."""
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
        # Of few runs chance alone makes parameters go together, and their effects are no less mixed up by it.
        few = len(left.codes) < FEW and found.strength >= _STRONG_OF_FEW
        if few or (found.strength >= _STRONG and found.p < _SURE):
            yield {"code": "confounded", "names": [left.name, right.name], "strength": round(found.strength, 3)}
