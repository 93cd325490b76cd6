"""The memory that only one segment knows: which of its values may share some of it; used by `Segment`."""

from __future__ import annotations

from collections.abc import Iterable
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

    def addresses(self) -> tuple[list[int], int]:
        """Where each is, in bytes from the beginning, and the bytes of all: what is needed at once lies apart."""
        offsets: list[int] = []
        whole = 0
        for number, (nbytes, begin, end) in enumerate(self._rooms):
            taken = sorted(
                (offsets[other], offsets[other] + size)
                for other, (size, first, last) in enumerate(self._rooms[:number])
                if first <= end and begin <= last
            )
            offset = 0
            for low, high in taken:
                if offset + nbytes <= low:
                    break
                offset = max(offset, -(-high // _ALIGNMENT) * _ALIGNMENT)
            offsets.append(offset)
            whole = max(whole, offset + nbytes)
        return offsets, whole
