"""Computes rows in blocks of a size that suits the cache, and in threads, one by one, where a row costs too much.

`Sampled` and `Map` call it. Blocks are computed in the thread that reads them. What a row costs is measured, and the
same bound as for single rows decides whether the workers take over for the rest of the pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from time import perf_counter, thread_time
from typing import Any

from framework.dataset.runtime.blocks.block import Block
from framework.dataset.runtime.rows import Pass
from framework.dataset.runtime.section import Section

__all__ = ["in_blocks"]

#: What a block should have: it then stays in the processor's cache from one operator to the next.
_BYTES = 1 << 19
_MOST_ROWS = 1024
#: The first block shows how large a row is, and the first batch should not wait for many.
_FIRST_ROWS = 8


def in_blocks(
    parts: Iterator[Any],
    compute: Callable[[Any], Block | None],
    apart: Callable[[Any], Iterator[Any]],
    section: Section,
    this: Pass,
) -> Iterator[Block]:
    """Compute rows in blocks.

    Args:
        parts: rows to compute, several at once.
        compute: computes a part; None where it can only be computed row by row.
        apart: the items of a part as the section takes them.
        section: the workers that compute single rows.
        this: the pass.

    Returns:
        The blocks. From the first part that has to be computed row by row on, each is one row.
    """
    pace, size = section.pace, _FIRST_ROWS
    for part in parts:
        start = 0
        while start < len(part):
            piece = part[start : start + size]
            began, used, begun = perf_counter(), thread_time(), pace.clock()
            block = None if section.shares() else compute(piece)
            if block is None:
                items = chain(apart(part[start:]), chain.from_iterable(map(apart, parts)))
                yield from map(Block.of_row, section.rows(items, this))
                return
            pace.note(pace.clock() - begun, len(block))
            section.meter.note(len(block), perf_counter() - began, thread_time() - used)
            start += len(piece)
            size = max(1, min(_MOST_ROWS, _BYTES * len(block) // max(block.nbytes, 1)))
            yield block
