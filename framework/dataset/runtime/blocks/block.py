"""A block: consecutive rows of a pipeline, column by column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from framework.dataset.runtime.rows import Array, Column, Origin, Row

__all__ = ["Block", "Column", "Origins", "rows_of"]


class Block:
    """Consecutive rows, all from one source.

    Args:
        columns: the values of each column: one array (rows, ...), or a list of arrays if their shapes or element types
            differ.
        source: the source of the rows.
        numbers: Int64 (rows,), the index of each row in the source.
    """

    __slots__ = ("columns", "numbers", "source")

    def __init__(self, columns: tuple[Column, ...], source: Any, numbers: Array) -> None:
        self.columns = columns
        self.source = source
        self.numbers = numbers

    @classmethod
    def of_row(cls, row: Row) -> Block:
        """A block of one row."""
        return cls(tuple([value] for value in row.values), row.origin.source, np.asarray([row.origin.number]))

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, part: slice) -> Block:
        return Block(tuple(column[part] for column in self.columns), self.source, self.numbers[part])

    @property
    def nbytes(self) -> int:
        """The bytes of all values."""
        return sum(
            column.nbytes if isinstance(column, np.ndarray) else sum(value.nbytes for value in column)
            for column in self.columns
        )

    def with_columns(self, columns: tuple[Column, ...]) -> Block:
        """The same rows with other columns."""
        return Block(columns, self.source, self.numbers)

    def rows(self) -> Iterator[Row]:
        """The rows. Their values are parts of the block's arrays."""
        source = self.source
        for number, values in zip(self.numbers.tolist(), zip(*map(_values, self.columns), strict=True), strict=True):
            yield Row(values, Origin(source, number))


def _values(column: Column) -> Iterable[Array]:
    if isinstance(column, list) or column.ndim > 1:
        return column
    # A number of an array would be no array.
    return [column[place, ...] for place in range(len(column))]


class Origins(Sequence[Origin]):
    """The origins of the rows of blocks, which are made only where an error asks for them.

    Args:
        blocks: the blocks.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._parts = [(block.source, block.numbers) for block in blocks]

    def __len__(self) -> int:
        return sum(len(numbers) for _, numbers in self._parts)

    @overload
    def __getitem__(self, place: int) -> Origin: ...
    @overload
    def __getitem__(self, place: slice) -> list[Origin]: ...
    def __getitem__(self, place: int | slice) -> Origin | list[Origin]:
        """One or some of them."""
        return [Origin(source, int(number)) for source, numbers in self._parts for number in numbers][place]


def rows_of(blocks: Iterable[Block]) -> Iterator[Row]:
    """The rows of blocks."""
    for block in blocks:
        yield from block.rows()
