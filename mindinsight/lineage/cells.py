"""The values of runs under one name, as arrays: numbers, and words for other values.

`notes.py` makes them from the JSON texts in the database. Only runs with a value take space.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import orjson

Word = str | bool
_Number = TypeVar("_Number", bound=np.generic)
# The JSON form of numbers that JSON does not have.
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@dataclass(frozen=True)
class Cells:
    """Values by run.

    Attributes:
        runs: numbers of the runs that have a value, in any order.
        numbers: the value of each run if it is a number (including NaN and the infinities); NaN otherwise.
        codes: 0 if the value is a number, k if it is `words[k - 1]`.
        words: the distinct texts and booleans. Lists are JSON texts.
    """

    runs: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.float64]
    codes: npt.NDArray[np.uint32]
    words: tuple[Word, ...]

    def without(self, runs: npt.NDArray[np.int64]) -> Cells:
        """Returns the values without those of some runs."""
        kept = ~np.isin(self.runs, runs)
        return self if kept.all() else Cells(self.runs[kept], self.numbers[kept], self.codes[kept], self.words)

    def joined(self, other: Cells) -> Cells:
        """Returns these values together with those of other runs."""
        place = {(type(word), word): at for at, word in enumerate(self.words, 1)}
        for word in other.words:
            place.setdefault((type(word), word), len(place) + 1)
        code = np.array([0, *(place[type(word), word] for word in other.words)], np.uint32)
        return Cells(
            np.concatenate([self.runs, other.runs]),
            np.concatenate([self.numbers, other.numbers]),
            np.concatenate([self.codes, code[other.codes]]),
            tuple(word for _, word in place),
        )


def read_cells(rows: Iterable[tuple[int, str]], names: Mapping[str, object], most: int) -> dict[str, Cells]:
    """Returns the values of JSON objects by name.

    Args:
        rows: number of each run and the text of its object.
        names: names that are always included.
        most: maximum number of further names; the first ones count.
    """
    # Runs with the same names are converted from rows to columns together.
    alike: dict[tuple[str, ...], tuple[list[int], list[Iterable[Any]]]] = {}
    for run, text in rows:
        noted = orjson.loads(text)
        runs, values = alike.setdefault(tuple(noted), ([], []))
        runs.append(run)
        values.append(noted.values())
    found: dict[str, list[tuple[list[int], tuple[Any, ...]]]] = {}
    room = most
    for keys, (runs, values) in alike.items():
        for name, column in zip(keys, zip(*values, strict=True), strict=True):
            if name not in found:
                room -= name not in names
                if room < 0 and name not in names:
                    continue
            found.setdefault(name, []).append((runs, column))
    return {name: _cells(parts) for name, parts in found.items()}


def _cells(parts: Sequence[tuple[list[int], tuple[Any, ...]]]) -> Cells:
    runs = np.array([run for part, _ in parts for run in part], np.int64)
    values = list(chain.from_iterable(column for _, column in parts))
    types = set(map(type, values))
    if types <= {int, float}:
        return Cells(runs, np.array(values, np.float64), np.zeros(len(runs), np.uint32), ())
    if types & {list, dict}:
        values = [orjson.dumps(value).decode() if isinstance(value, (list, dict)) else value for value in values]
    keyed = list(zip(map(type, values), values, strict=True))
    words: list[Word] = []
    code: dict[tuple[type, Any], int] = {}
    number: dict[tuple[type, Any], float] = {}
    for key in dict.fromkeys(keyed):
        kind, value = key
        code[key], number[key] = 0, math.nan
        if kind in (int, float):
            number[key] = value
        elif value in _NOT_FINITE:
            number[key] = _NOT_FINITE[value]
        elif value is not None:
            words.append(value)
            code[key] = len(words)
    cells = Cells(runs, _taken(number, keyed, np.float64), _taken(code, keyed, np.uint32), tuple(words))
    if type(None) not in types:
        return cells
    return cells.without(runs[[value is None for value in values]])


def _taken(of: Mapping[tuple[type, Any], float], keys: list[Any], dtype: type[_Number]) -> npt.NDArray[_Number]:
    return np.fromiter(map(of.__getitem__, keys), dtype, len(keys))
