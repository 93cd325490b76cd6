"""Cuts blocks into batches: a batch within one block is a part of its memory, others are put together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from framework.dataset.runtime.blocks.block import Block
from framework.dataset.runtime.rows import Array, Column

__all__ = ["Cut", "joined"]


class Cut:
    """Reads blocks in parts of a number of rows.

    Args:
        blocks: the blocks.
    """

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._rest: Block | None = None

    def take(self, count: int) -> list[Block]:
        """The next rows, in as few blocks as they come in; fewer at the end."""
        taken: list[Block] = []
        while count > 0:
            block = self._rest if self._rest is not None else next(self._blocks, None)
            if block is None:
                break
            taken.append(block[:count])
            self._rest = block[count:] if len(block) > count else None
            count -= len(taken[-1])
        return taken


def joined(columns: list[Column]) -> Array | None:
    """The values of one column in consecutive blocks as an array (rows, ...); None if their shapes or types differ."""
    arrays = [column for column in columns if isinstance(column, np.ndarray)]
    first = arrays[0] if arrays else None
    if first is None or len(arrays) < len(columns) or first.dtype == object:
        return None
    if len(arrays) == 1:
        return first
    if any(one.dtype != first.dtype or one.shape[1:] != first.shape[1:] for one in arrays):
        return None
    return np.concatenate(arrays)
