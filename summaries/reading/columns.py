"""Columns that collect one file's values until the reader returns them as a batch.

The event decoder and the compiled walker append to them in file order.
"""

import struct
from array import array

import numpy as np
from numpy.typing import NDArray

from summaries.rows import PLACE, POINT

_POINT = struct.Struct("<qdd").pack
_PLACE = struct.Struct("<qdQIIII").pack


Mark = tuple[int, int, int, bool]
"""State of the columns for `cut`: numbers of points, places and restarts, and whether a restart is due."""


class Columns:
    """Rows of points and places, with the tag of each row and the kind of each place.

    Args:
        seen: whether an earlier part of the file had values.
    """

    def __init__(self, *, seen: bool = False) -> None:
        self._seen = seen
        self._due = False
        self._start()

    @property
    def seen(self) -> bool:
        """Whether the file has had any value so far, in earlier batches too."""
        return self._seen or bool(self._tag) or bool(self._place_tag)

    def clear(self) -> None:
        """Start new, empty columns of the same file."""
        self._seen = self.seen
        self._start()

    def forget(self) -> None:
        """Reset everything, for a file that was replaced."""
        self._seen = self._due = False
        self._start()

    def _start(self) -> None:
        self._points = bytearray()
        self._tag = array("i")
        self._places = bytearray()
        self._place_tag = array("i")
        self._place_kind = bytearray()
        self._restarts = array("q")

    def add_point(self, tag: int, step: int, wall: float, value: float) -> None:
        """Append a scalar."""
        if self._due:
            self._note_restart()
        self._points += _POINT(step, wall, value)
        self._tag.append(tag)

    def add_place(self, tag: int, kind: int, step: int, wall: float, where: tuple[int, int, int, int]) -> None:
        """Append the place of a value that is not a scalar.

        Args:
            tag: index of its tag.
            kind: index of its kind in `KINDS`.
            step, wall: step and wall time of its event.
            where: offset of the record, length of its payload, start and size inside the payload.
        """
        self._places += _PLACE(step, wall, *where, 0)
        self._place_tag.append(tag)
        self._place_kind.append(kind)

    def extend_points(self, points: memoryview, tag: memoryview) -> None:
        """Append a copy of many scalars, given as the bytes of rows and of 32-bit integers."""
        if self._due:
            self._note_restart()
        self._points += points
        self._tag.frombytes(tag)

    def extend_places(self, places: memoryview, place_tag: memoryview, place_kind: memoryview) -> None:
        """Append a copy of many places, given as the bytes of rows, of 32-bit and of 8-bit integers."""
        self._places += places
        self._place_tag.frombytes(place_tag)
        self._place_kind += place_kind

    def place_count(self) -> int:
        """Return the number of places."""
        return len(self._place_kind)

    def kinds(self, first: int) -> bytes:
        """Return the kinds of the places from index `first`, one byte each."""
        return bytes(self._place_kind[first:])

    def restart(self) -> None:
        """Mark the next point, in this or a later batch, as the start of a resumed training."""
        self._due = True

    def mark(self) -> Mark:
        """Return the present state, for `cut`."""
        return len(self._tag), len(self._place_tag), len(self._restarts), self._due

    def cut(self, mark: Mark) -> None:
        """Drop everything after `mark`, so that a broken record leaves no rows."""
        points, places, restarts, self._due = mark
        del self._points[points * POINT.itemsize :], self._tag[points:]
        del self._places[places * PLACE.itemsize :], self._place_tag[places:], self._place_kind[places:]
        del self._restarts[restarts:]

    def points(self) -> tuple[NDArray[np.void], NDArray[np.int32]]:
        """Return the points and their tags, as views: call `clear`, not `cut`, afterwards."""
        return np.frombuffer(self._points, POINT), np.frombuffer(self._tag, np.int32)

    def places(self) -> tuple[NDArray[np.void], NDArray[np.int32], NDArray[np.uint8]]:
        """Return the places, their tags and their kinds, as views."""
        kinds = np.frombuffer(self._place_kind, np.uint8)
        return np.frombuffer(self._places, PLACE), np.frombuffer(self._place_tag, np.int32), kinds

    def restarts(self) -> NDArray[np.int64]:
        """Return the indices of the points before which the training was resumed."""
        return np.frombuffer(self._restarts, np.int64)

    def _note_restart(self) -> None:
        self._due = False
        self._restarts.append(len(self._tag))
