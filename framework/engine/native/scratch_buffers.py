"""Scratch memory: temporaries of one segment, which share memory if they are not live together."""

from __future__ import annotations

from bisect import insort
from collections.abc import Container, Iterable
from typing import Any, Final

from framework.engine.native.layouts import SCRATCH, Base, Layout, contiguous_strides

__all__ = ["ScratchBuffers"]

_ALIGNMENT: Final = 64


class ScratchBuffers:
    """Pieces of memory, each needed from one call of the segment to another."""

    def __init__(self) -> None:
        #: Of each its bytes, the place of the node that makes it, and of the last one that uses it.
        self._scratch: list[list[int]] = []

    def output(self, shape: tuple[int, ...], dtype: Any, place: int) -> Layout:
        """Room for an array, from a place on."""
        layout = Layout(Base(SCRATCH, len(self._scratch)), shape, dtype, contiguous_strides(shape, dtype.itemsize))
        self._scratch.append([layout.nbytes, place, place])
        return layout

    def use(self, layouts: Iterable[Layout], place: int) -> None:
        """Note that arrays are needed at a place."""
        for layout in layouts:
            if layout.base.kind == SCRATCH:
                self._scratch[layout.base.number][2] = place

    def nbytes(self, base: Base) -> int:
        """How large one is."""
        return self._scratch[base.number][0]

    def offsets(self, excluded: Container[Base] = ()) -> tuple[list[int], int]:
        """Where each is, in bytes from the beginning, and the bytes of all: what is needed at once lies apart.

        Args:
            excluded: those that need no place.
        """
        offsets: list[int] = []
        total = 0
        #: Beginning, end and last place of the rooms that are still needed, by their beginnings.
        live: list[tuple[int, int, int]] = []
        for number, (nbytes, begin, end) in enumerate(self._scratch):
            if Base(SCRATCH, number) in excluded:
                offsets.append(0)
                continue
            # Rooms stand in the order in which they are made: what none needs here, none needs any more.
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
