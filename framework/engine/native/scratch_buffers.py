"""Scratch memory: the temporaries of one segment, which share memory if they are not live together."""

from __future__ import annotations

from bisect import insort
from collections.abc import Container, Iterable
from typing import Any, Final

import numpy as np

from framework.engine.native.layouts import SCRATCH, Base, Layout, contiguous_strides

__all__ = ["ScratchBuffers"]

_ALIGNMENT: Final = 64


class ScratchBuffers:
    """The scratch buffers of a segment. Each is live from one node of the segment to another."""

    def __init__(self) -> None:
        #: For each buffer its bytes, the position of the node that writes it first, and that of its last user.
        self._scratch: list[list[int]] = []

    def output(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: int) -> Layout:
        """A new buffer for an array, live from the node at a position."""
        layout = Layout(Base(SCRATCH, len(self._scratch)), shape, dtype, contiguous_strides(shape, dtype.itemsize))
        self._scratch.append([layout.nbytes, place, place])
        return layout

    def use(self, layouts: Iterable[Layout], place: int) -> None:
        """Record that the node at a position uses these arrays."""
        for layout in layouts:
            if layout.base.kind == SCRATCH:
                self._scratch[layout.base.number][2] = place

    def nbytes(self, base: Base) -> int:
        """The size of a buffer."""
        return self._scratch[base.number][0]

    def offsets(self, excluded: Container[Base] = ()) -> tuple[list[int], int]:
        """Assign memory, so that buffers that are live together do not overlap.

        Args:
            excluded: buffers that need no memory.

        Returns:
            The offset of each buffer, and the total size, in bytes.
        """
        offsets: list[int] = []
        total = 0
        #: The offset, end and last user of each live buffer, by offset.
        live: list[tuple[int, int, int]] = []
        for number, (nbytes, begin, end) in enumerate(self._scratch):
            if Base(SCRATCH, number) in excluded:
                offsets.append(0)
                continue
            # Buffers are in the order of their first nodes, so one that is dead here stays dead.
            live = [buffer for buffer in live if buffer[2] >= begin]
            offset = 0
            for low, high, _ in live:
                if offset + nbytes <= low:
                    break
                offset = max(offset, -(-high // _ALIGNMENT) * _ALIGNMENT)
            offsets.append(offset)
            insort(live, (offset, offset + nbytes, end))
            total = max(total, offset + nbytes)
        return offsets, total
