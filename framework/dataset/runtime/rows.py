"""The data between operators: rows with their origin, and the random streams of one pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from framework.dataset.runtime.blocks import Block

__all__ = [
    "Array",
    "Column",
    "Operator",
    "Origin",
    "Pass",
    "Row",
    "RowStreams",
    "Source",
    "as_array",
    "plain",
    "together",
]

Array = npt.NDArray[Any]
#: The values of a column in several rows: an array (rows, ...), or arrays of different shapes or element types.
Column = Array | list[Array]


class Source(Protocol):
    """A source of rows that can be read in any order: files, arrays, or the user's object.

    With an attribute `concurrent` that is true, several threads may read rows at once. One with a method `block` reads
    many rows at once: from an Int64 array of indices to the values by column; None if it has to be done row by row.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""

    def __len__(self) -> int:
        """The number of rows."""

    def row(self, index: int) -> tuple[Array, ...]:
        """The values of a row."""

    def describe(self, index: int) -> str:
        """The origin of a row for an error message: the file, if there is one, and its index."""

    def labels(self) -> Array | None:
        """The class of each row for `PKSampler`; None if rows have no classes."""


class Origin(NamedTuple):
    """The origin of a row: its index in a source; for a batch, that of its first row.

    Args:
        source: the source.
        number: the index.
        rows: the origins of a batch's rows.
    """

    source: Any
    number: int
    rows: Sequence[Origin] = ()

    def of(self, place: int) -> Origin:
        """The origin of a row of a batch."""
        return self.rows[place] if place < len(self.rows) else self

    def __str__(self) -> str:
        describe = getattr(self.source, "describe", None)
        return str(describe(self.number)) if describe else f"sample {self.number}"


class Row(NamedTuple):
    """The values of a row, in the order of its operator's columns."""

    values: tuple[Array, ...]
    origin: Origin


@dataclass(frozen=True)
class Pass:
    """One pass over a pipeline, or over the part of it below a Repeat.

    Random numbers depend only on the seed, the operator, the pass and the row. They are therefore the same whoever
    computes the row, and whenever.

    Args:
        seed: seed of the iterator.
        path: the index of the epoch, then that of the round of each Repeat on the way.
    """

    seed: int
    path: tuple[int, ...] = (0,)

    @property
    def epoch(self) -> int:
        """The index of the epoch."""
        return self.path[0]

    def round(self, number: int) -> Pass:
        """The pass of a Repeat's child in a round."""
        return Pass(self.seed, (*self.path, number))

    def _sequence(self, *place: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed, spawn_key=(*place, *self.path))

    def stream(self, operator: int) -> np.random.Generator:
        """The random numbers of an operator in this pass."""
        return np.random.default_rng(self._sequence(operator))

    def row_streams(self, operator: int, part: int, first: int = 0) -> RowStreams:
        """The random numbers of each row that a part of an operator works on, from the row of a number on."""
        return RowStreams(self._sequence(operator, part).generate_state(2, np.uint64), first)


class RowStreams:
    """Random numbers by row, from a counter-based generator (Salmon et al. 2011).

    Args:
        key: key that distinguishes these streams from others.
        first: number of row 0.
    """

    def __init__(self, key: Array, first: int = 0) -> None:
        self._first = first
        self._bits = np.random.Philox(key=key)
        self._start: Any = self._bits.state
        self._generator = np.random.Generator(self._bits)

    def of(self, row: int) -> np.random.Generator:
        """The random stream of a row from its start; it is valid until the next call."""
        counted = {**self._start["state"], "counter": np.asarray([0, 0, 0, self._first + row], np.uint64)}
        state: Any = {**self._start, "state": counted}
        self._bits.state = state
        return self._generator


class Operator(ABC):
    """Base class of operators at run time.

    Args:
        number: position in the pipeline, for the random numbers.
        columns: names of the columns.
        children: operators that the rows come from.
    """

    def __init__(self, number: int, columns: tuple[str, ...], children: tuple[Operator, ...] = ()) -> None:
        self.number = number
        self.columns = columns
        self.children = children

    @abstractmethod
    def rows(self, this: Pass) -> Iterator[Row]:
        """The rows of one pass."""

    def blocks(self, this: Pass) -> Iterator[Block] | None:
        """The same rows in blocks, all from one source; None if they come one by one only."""
        return None

    @property
    def gives_memory(self) -> bool:
        """Whether each row comes in memory that nothing else uses, so that the reader may keep it without a copy."""
        return False

    def size(self) -> int | None:
        """The number of rows of a pass; None if unknown before a pass, -1 if infinite."""
        return self.children[0].size()


def as_array(value: Any) -> Array:
    """A user's value as an array of a column; numbers as in numpy, texts as texts, a dictionary as one object ().

    Raises:
        TypeError: numpy has no type for it but "object".
    """
    if isinstance(value, dict):
        return _boxed({name: plain(as_array(item)) for name, item in value.items()})
    asnumpy = getattr(value, "asnumpy", None)
    array = np.asarray(asnumpy() if asnumpy is not None else value)
    if array.dtype == object and not (array.ndim == 0 and isinstance(array.item(), dict)):
        raise TypeError(
            f"a column holds arrays of numbers or texts, or dictionaries, not {type(value).__name__}: {str(value)[:80]}"
        )
    return array


def plain(value: Array) -> Any:
    """The user's form of a column's value: a dictionary or an array."""
    return value.item() if value.dtype == object else value


def together(values: Sequence[Array]) -> Array:
    """The values of a column in the rows of a batch, stacked; dictionaries are stacked by their keys.

    Raises:
        ValueError: shapes or keys differ.
    """
    if values[0].dtype != object:
        return np.stack(values)
    items = [plain(value) for value in values]
    if any(not isinstance(item, dict) or item.keys() != items[0].keys() for item in items):
        raise ValueError(f"the dictionaries of a batch have different keys, other than {', '.join(map(str, items[0]))}")
    return _boxed({name: plain(together([as_array(item[name]) for item in items])) for name in items[0]})


def _boxed(item: dict[Any, Any]) -> Array:
    box = np.empty((), object)
    box[()] = item
    return box
