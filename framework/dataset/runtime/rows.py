"""What passes between operators: rows that know where they come from, and the streams of random numbers of one pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Operator", "Origin", "Pass", "Row", "RowStreams", "Source", "as_array"]

Array = npt.NDArray[Any]


class Source(Protocol):
    """Where rows come from, in any order: files on disk, arrays, an object of the user."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""

    def __len__(self) -> int:
        """The number of rows."""

    def row(self, index: int) -> tuple[Array, ...]:
        """The values of a row."""

    def describe(self, index: int) -> str:
        """The origin of a row for an error message: the file, if there is one, and its number."""

    def labels(self) -> Array | None:
        """The class of each row, None where rows have none; what `PKSampler` chooses by."""


class Origin(NamedTuple):
    """Where a row comes from: the `number`th row of a source; of a batch its first row."""

    source: Any
    number: int

    def __str__(self) -> str:
        describe = getattr(self.source, "describe", None)
        return str(describe(self.number)) if describe else f"sample {self.number}"


class Row(NamedTuple):
    """The values of a row in the order of its operator's columns."""

    values: tuple[Array, ...]
    origin: Origin


@dataclass(frozen=True)
class Pass:
    """One pass over a pipeline, or over the part of it below a Repeat.

    Random numbers depend on the seed, the operator, the pass and the row alone, so whoever computes a row, and when,
    gets the same.

    Args:
        seed: of the iterator.
        path: the number of the epoch, then that of the round of each Repeat on the way.

    """

    seed: int
    path: tuple[int, ...] = (0,)

    @property
    def epoch(self) -> int:
        """The number of the epoch."""
        return self.path[0]

    def round(self, number: int) -> Pass:
        """What a Repeat hands to the operator below."""
        return Pass(self.seed, (*self.path, number))

    def _sequence(self, *place: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed, spawn_key=(*place, *self.path))

    def stream(self, operator: int) -> np.random.Generator:
        """Random numbers for an operator in this pass."""
        return np.random.default_rng(self._sequence(operator))

    def row_streams(self, operator: int, part: int) -> RowStreams:
        """Random numbers for each row that a part of an operator works on."""
        return RowStreams(self._sequence(operator, part).generate_state(2, np.uint64))


class RowStreams:
    """Random numbers by row, from a generator that counts (Salmon et al. 2011); each row has its own.

    Args:
        key: what makes them different from others.

    """

    def __init__(self, key: Array) -> None:
        self._bits = np.random.Philox(key=key)
        self._start: Any = self._bits.state
        self._generator = np.random.Generator(self._bits)

    def of(self, row: int) -> np.random.Generator:
        """Those of a row, from their start; they hold until the next call."""
        counted = {**self._start["state"], "counter": np.asarray([0, 0, 0, row], np.uint64)}
        state: Any = {**self._start, "state": counted}
        self._bits.state = state
        return self._generator


class Operator(ABC):
    """One operator at run time.

    Args:
        number: its place in the pipeline, for its random numbers.
        columns: the names of its columns.
        children: where its rows come from.

    """

    def __init__(self, number: int, columns: tuple[str, ...], children: tuple[Operator, ...] = ()) -> None:
        self.number = number
        self.columns = columns
        self.children = children

    @abstractmethod
    def rows(self, this: Pass) -> Iterator[Row]:
        """The rows of one pass."""

    def size(self) -> int | None:
        """The number of rows of a pass; None if unknown before a pass, -1 if infinite."""
        return self.children[0].size()


def as_array(value: Any) -> Array:
    """A value of the user as a column's array: numbers as numpy reads them, texts as text.

    Raises:
        TypeError: numpy finds no type for it but "any object".

    """
    asnumpy = getattr(value, "asnumpy", None)
    array = np.asarray(asnumpy() if asnumpy is not None else value)
    if array.dtype == object:
        raise TypeError(f"a column holds arrays of numbers or texts; {type(value).__name__} is none: {str(value)[:80]}")
    return array
