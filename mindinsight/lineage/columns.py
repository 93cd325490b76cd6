"""The columns of a table of runs: numbers, or categories if not all values are numbers.

`table.py` makes them from recorded values, analyses read them, and `wire.py` sends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from mindinsight.lineage.cells import Cells

Group = Literal["run", "params", "metrics", "scalars"]
Better = Literal["min", "max"] | None
Value = str | bool | float
Codes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True)
class NumberColumn:
    """A column in which all existing values are numbers.

    Attributes:
        name: unique in its table.
        group: the source of the column.
        better: which values are better, if the name shows it.
        values: one value for each run. NaN and the infinities are values too.
        missing: runs without a value (`values` is NaN for them); None if all runs have one.
    """

    name: str
    group: Group
    better: Better
    values: npt.NDArray[np.float64]
    missing: npt.NDArray[np.bool_] | None

    @property
    def set(self) -> int:
        """The number of runs with a value."""
        return len(self.values) - (0 if self.missing is None else int(self.missing.sum()))


@dataclass(frozen=True)
class CategoryColumn:
    """A column of texts or booleans, which may also contain numbers.

    Attributes:
        name: unique in its table.
        group: the source of the column.
        better: which values are better, if the name shows it.
        codes: for each run 0 if there is no value, k if the value is `values[k - 1]`.
        values: the distinct values: booleans, then numbers in ascending order, then texts in alphabetical order.
    """

    name: str
    group: Group
    better: Better
    codes: Codes
    values: tuple[Value, ...]

    @property
    def set(self) -> int:
        """The number of runs with a value."""
        return int(np.count_nonzero(self.codes))


Column = NumberColumn | CategoryColumn


class Rows:
    """The rows of a table, by run.

    Args:
        runs: numbers of the runs in the order of the table, each once.
    """

    def __init__(self, runs: Whole) -> None:
        self.count = len(runs)
        self._last = int(runs.max(initial=0))
        self._row = np.full(self._last + 2, -1, np.int64)
        self._row[runs] = np.arange(len(runs))

    def find(self, having: Whole) -> tuple[Whole, Whole]:
        """Returns the rows of those runs that are in the table, and their positions in `having`."""
        rows = self._row[np.minimum(having, self._last + 1)]
        found = np.flatnonzero(rows >= 0)
        return rows[found], found


def one_axis(columns: Sequence[Column], synonyms: Sequence[tuple[str, str]]) -> list[Column]:
    """Returns columns of which those with two names for one parameter are joined.

    They are joined if both have only numbers and no run has a value in both. The name that more runs use stays.
    """
    found = {column.name: column for column in columns}
    for pair in synonyms:
        one, other = (found.get(name) for name in pair)
        if not isinstance(one, NumberColumn) or not isinstance(other, NumberColumn):
            continue
        if one.missing is None or other.missing is None or not (one.missing | other.missing).all():
            continue
        kept, gone = (one, other) if one.set >= other.set else (other, one)
        values = np.where(one.missing, other.values, one.values)
        missing = one.missing & other.missing
        found[kept.name] = NumberColumn(kept.name, kept.group, kept.better, values, missing if missing.any() else None)
        del found[gone.name]
    return list(found.values())


def column_of(cells: Cells, table: Rows, name: str, group: Group, better: Better) -> Column | None:
    """Returns a column with the runs' values under a name, or None if no run has a value.

    Args:
        cells: values by run.
        table: the runs.
        name: the column's name.
        group: the column's source.
        better: which values are better.
    """
    rows, chosen = table.find(cells.runs)
    if not len(rows):
        return None
    numbers, codes = cells.numbers[chosen], cells.codes[chosen]
    if codes.any():
        found, values = _coded(numbers, codes, cells.words)
        spread = np.zeros(table.count, found.dtype)
        spread[rows] = found
        return CategoryColumn(name, group, better, spread, values)
    spread_numbers = np.full(table.count, np.nan)
    spread_numbers[rows] = numbers
    missing = np.ones(table.count, np.bool_)
    missing[rows] = False
    return NumberColumn(name, group, better, spread_numbers, missing if missing.any() else None)


def _coded(
    numbers: npt.NDArray[np.float64], codes: npt.NDArray[np.uint32], words: Sequence[str | bool]
) -> tuple[Codes, tuple[Value, ...]]:
    """Returns the positions of values among the distinct values, counted from 1, and the sorted distinct values."""
    are_numbers = codes == 0
    numeric, number_places = np.unique(numbers[are_numbers], return_inverse=True)
    used, word_places = np.unique(codes[~are_numbers], return_inverse=True)
    occurring = [words[code - 1] for code in used]
    truths = sum(isinstance(word, bool) for word in occurring)
    by_alphabet = sorted(range(len(used)), key=lambda at: (isinstance(occurring[at], str), occurring[at]))
    rank = np.empty(len(used), np.int64)
    rank[by_alphabet] = np.arange(len(used))
    rank[rank >= truths] += len(numeric)
    ordered = [occurring[at] for at in by_alphabet]
    values: tuple[Value, ...] = (*ordered[:truths], *numeric.tolist(), *ordered[truths:])
    places = np.empty(len(codes), np.int64)
    places[are_numbers] = number_places + truths
    places[~are_numbers] = rank[word_places]
    return as_codes(places + 1, len(values)), values


def as_codes(codes: Whole, most: int) -> Codes:
    """Returns codes up to `most` in the smallest type that fits."""
    if most < 1 << 8:
        return codes.astype(np.uint8)
    return codes.astype(np.uint16) if most < 1 << 16 else codes.astype(np.uint32)
