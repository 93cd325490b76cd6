"""The buffer of a Shuffle whose rows come in blocks: it moves numbers one by one, and rows many at once.

Each row stays at the place in memory where it came in, until it is drawn. Which row is where in the buffer is a list of
these places. So drawing is a step over two lists, and all rows drawn for a block are copied together.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from framework.dataset.runtime.blocks.block import Block
from framework.dataset.runtime.rows import Array, Column

__all__ = ["shuffled"]

#: Rows that are drawn at once after the last one came in.
_LAST_ROWS = 256


def shuffled(blocks: Iterator[Block], size: int, stream: np.random.Generator) -> Iterator[Block]:
    """The rows in random order, each drawn from a buffer that the next row then refills.

    Args:
        blocks: the rows, all from one source.
        size: number of rows in the buffer.
        stream: the random numbers; as many are drawn as by a buffer of single rows, for the same order.

    Returns:
        The blocks.
    """
    memory = _Memory()
    buffer: list[int] = []
    for block in blocks:
        places = memory.put(block)
        room = min(size - len(buffer), len(places))
        buffer += places[:room]
        drawn = []
        for number, place in zip(stream.integers(size, size=len(places) - room).tolist(), places[room:], strict=True):
            drawn.append(buffer[number])
            buffer[number] = place
        if drawn:
            yield memory.take(drawn)
    order = [buffer[place] for place in stream.permutation(len(buffer))]
    for start in range(0, len(order), _LAST_ROWS):
        yield memory.take(order[start : start + _LAST_ROWS])


class _Memory:
    """Rows at numbered places."""

    def __init__(self) -> None:
        self._columns: list[Column] = []
        self._numbers = np.zeros(0, np.int64)
        self._source: object = None
        self._free: list[int] = []

    def put(self, block: Block) -> list[int]:
        """Keep the rows of a block; their places."""
        self._source = block.source
        missing = len(block) - len(self._free)
        if missing > 0:
            self._grow(block, max(missing, len(self._numbers)))
        places, self._free = self._free[: len(block)], self._free[len(block) :]
        index = np.asarray(places)
        self._numbers[index] = block.numbers
        for number, column in enumerate(block.columns):
            kept = self._columns[number]
            if isinstance(kept, np.ndarray) and _alike(kept, column):
                kept[index] = column
                continue
            if isinstance(kept, np.ndarray):
                self._columns[number] = kept = _apart(kept)
            for place, value in zip(places, _apart(column), strict=True):
                kept[place] = value
        return places

    def take(self, places: list[int]) -> Block:
        """The rows at places, which are free then."""
        index = np.asarray(places)
        columns = tuple(
            kept[index] if isinstance(kept, np.ndarray) else [kept[place] for place in places] for kept in self._columns
        )
        self._free += places
        return Block(columns, self._source, self._numbers[index])

    def _grow(self, block: Block, more: int) -> None:
        have = len(self._numbers)
        self._free += range(have, have + more)
        self._numbers = np.concatenate([self._numbers, np.zeros(more, np.int64)])
        if not self._columns:
            self._columns = [column[:0] for column in block.columns]
        for number, kept in enumerate(self._columns):
            if isinstance(kept, np.ndarray):
                grown = np.empty((have + more, *kept.shape[1:]), kept.dtype)
                grown[:have] = kept
                self._columns[number] = grown
            else:
                kept += [_NOTHING] * more


_NOTHING: Array = np.zeros(0)


def _alike(kept: Array, column: Column) -> bool:
    """Whether values can be kept in an array as they are."""
    return isinstance(column, np.ndarray) and column.dtype == kept.dtype and column.shape[1:] == kept.shape[1:]


def _apart(column: Column) -> list[Array]:
    return column if isinstance(column, list) else [column[place, ...].copy() for place in range(len(column))]
