"""Scratch memory: temporaries of one segment, which share memory if they are not live together."""

from __future__ import annotations

from bisect import insort
from collections.abc import Container, Iterable
from typing import Any, Final

from framework.engine.native.layouts import ROOM, Base, Layout, rows

__all__ = ["Rooms"]

_ALIGNMENT: Final = 64


class Rooms:
    """Pieces of memory, each needed from one call of the segment to another."""

    def __init__(self) -> None:
        #: Of each its bytes, the place of the node that makes it, and of the last one that uses it.
        self._rooms: list[list[int]] = []

    def new(self, shape: tuple[int, ...], dtype: Any, place: int) -> Layout:
        """Room for an array, from a place on."""
        layout = Layout(Base(ROOM, len(self._rooms)), shape, dtype, rows(shape, dtype.itemsize))
        self._rooms.append([layout.nbytes, place, place])
        return layout

    def use(self, layouts: Iterable[Layout], place: int) -> None:
        """Note that arrays are needed at a place."""
        for layout in layouts:
            if layout.base.kind == ROOM:
                self._rooms[layout.base.number][2] = place

    def nbytes(self, base: Base) -> int:
        """How large one is."""
        return self._rooms[base.number][0]

    def addresses(self, left_out: Container[Base] = ()) -> tuple[list[int], int]:
        """Where each is, in bytes from the beginning, and the bytes of all: what is needed at once lies apart.

        Args:
            left_out: those that need no place.
        """
        offsets: list[int] = []
        whole = 0
        #: Beginning, end and last place of the rooms that are still needed, by their beginnings.
        needed: list[tuple[int, int, int]] = []
        for number, (nbytes, begin, end) in enumerate(self._rooms):
            if Base(ROOM, number) in left_out:
                offsets.append(0)
                continue
            # Rooms stand in the order in which they are made: what none needs here, none needs any more.
            needed = [room for room in needed if room[2] >= begin]
            offset = 0
            for low, high, _ in needed:
                if offset + nbytes <= low:
                    break
                offset = max(offset, -(-high // _ALIGNMENT) * _ALIGNMENT)
            offsets.append(offset)
            insort(needed, (offset, offset + nbytes, end))
            whole = max(whole, offset + nbytes)
        return offsets, whole
