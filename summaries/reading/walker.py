"""Calls the compiled loops: one `Walker` per event file, and sorting of rows by group.

The reader feeds a `Walker` with windows of its file. What it cannot take it leaves to the decoder, which teaches it
tags; those of plain numbers it learns by itself.
"""

import os
import threading
from ctypes import CDLL, byref, c_size_t, string_at

import numpy as np
from numpy.typing import NDArray

from summaries.kernel import library
from summaries.kinds import KIND_INDEX, Kind
from summaries.reading.columns import Columns
from summaries.reading.tags import TagTable
from summaries.rows import PLACE, POINT

_POINT_BYTES, _PLACE_BYTES, _TAG_BYTES = POINT.itemsize, PLACE.itemsize, 4
_POINTS_ROOM = 32_768
_PLACES_ROOM = 4_096
# What the names and the metadata of one file's tags may take; the values of further tags are decoded by Python.
_BYTES_LIMIT = 16 << 20
_SCALAR_TENSOR = 255
# What values are that have metadata of no plugin and no content.
BARE = KIND_INDEX[Kind.OTHER]

# The kinds by content, in the order of `enum content` in walk.c.
CONTENT_KINDS = bytes(
    KIND_INDEX[kind]
    for kind in (
        *(Kind.SCALAR, Kind.SCALAR, Kind.IMAGE, Kind.HISTOGRAM, Kind.AUDIO, Kind.TENSOR),
        *(Kind.HISTOGRAM, Kind.LOSS_LANDSCAPE, Kind.TEXT, Kind.TENSOR),
    )
)


class _Scratch(threading.local):
    """Room for the rows of one call, which all walkers of a thread share."""

    def __init__(self) -> None:
        columns = (
            *(np.empty(_POINTS_ROOM, POINT), np.empty(_POINTS_ROOM, np.int32)),
            *(np.empty(_PLACES_ROOM, PLACE), np.empty(_PLACES_ROOM, np.int32), np.empty(_PLACES_ROOM, np.uint8)),
        )
        self.points, self.tag, self.places, self.place_tag, self.place_kind = (
            column.view(np.uint8).data for column in columns
        )
        self.rows = library.Rows(*(column.ctypes.data for column in columns), _POINTS_ROOM, _PLACES_ROOM)
        self.reference = byref(self.rows)


_scratch = _Scratch()


class Walker:
    """Walks the records of one file, as far as they hold plain numbers or values of known tags and nothing else.

    Args:
        functions: the compiled library.
        longest: longer payloads are left alone.
        learns: whether it learns the tags of plain numbers by itself. It has to be told of every other tag then.

    Raises:
        MemoryError: there is no memory left.
    """

    def __init__(self, functions: CDLL, longest: int, *, learns: bool = False) -> None:
        self._functions = functions
        self._walk = functions.walk
        self._free = functions.walker_free
        self._longest = longest
        self._learns = learns
        self._known: set[int] = set()
        self._handle = functions.walker_new(os.urandom(16), CONTENT_KINDS, BARE, _BYTES_LIMIT)
        if not self._handle:
            raise MemoryError("No memory for the tags of an event file.")

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._free(self._handle)

    def knows(self, index: int) -> bool:
        """Whether the tag of this index has been learned, or there was no room to."""
        return index in self._known

    def learn(self, index: int, tag: bytes, metadata: bytes | None, tensor: Kind, bare: Kind) -> None:
        """Learn a tag, or what is new about it.

        Args:
            index: what rows of this tag say.
            tag: its name in the file.
            metadata: what its TensorBoard metadata was last, if that is known.
            tensor: what its tensors are in a file of TensorBoard; for `SCALAR` each is looked into.
            bare: what its values are that have this metadata and no content.
        """
        self._known.add(index)
        of_tensor = _SCALAR_TENSOR if tensor is Kind.SCALAR else KIND_INDEX[tensor]
        size = 0 if metadata is None else len(metadata)
        learn = self._functions.walker_learn
        if not learn(self._handle, tag, len(tag), index, metadata, size, of_tensor, KIND_INDEX[bare]):
            # It would take this tag for a new one.
            self._learns = False

    def walk(
        self, window: bytes, position: int, offset: int, flavour: int, columns: Columns, tags: TagTable
    ) -> tuple[int, int]:
        """Append what the records from `position` on hold to `columns`, up to one that has to be left alone.

        Args:
            window: bytes of the file. offset: where in the file they begin.
            position: where in the window a record begins.
            flavour: 0 when it is not known, 1 for MindSpore, 2 for TensorBoard.
            columns: where the rows go.
            tags: where tags go that were learned.

        Returns:
            Where in the window the next record begins, and how many were passed.
        """
        scratch = _scratch
        rows, reference = scratch.rows, scratch.reference
        rows.position, rows.records = position, 0
        rows.tags = before = len(tags.names)
        rows.tags_room = before + tags.room if self._learns else 0
        more = True
        while more:
            rows.points_count = rows.places_count = 0
            more = self._walk(self._handle, window, len(window), offset, self._longest, flavour, reference)
            if count := rows.points_count:
                columns.extend_points(scratch.points[: count * _POINT_BYTES], scratch.tag[: count * _TAG_BYTES])
            if count := rows.places_count:
                places, tag = scratch.places[: count * _PLACE_BYTES], scratch.place_tag[: count * _TAG_BYTES]
                columns.extend_places(places, tag, scratch.place_kind[:count])
        if rows.tags > before:
            self._tell(rows.tags - before, tags)
        return rows.position, rows.records

    def _tell(self, count: int, tags: TagTable) -> None:
        """Adds the `count` tags that were learned last to those that Python knows."""
        size = c_size_t()
        known = self._functions.walker_count(self._handle)
        for number in range(known - count, known):
            name = self._functions.walker_name(self._handle, number, byref(size))
            self._known.add(tags.add(string_at(name, size.value)))


def new_walker(longest: int, *, learns: bool) -> Walker | None:
    """Return a walker for one file, or None where everything is to be read by Python."""
    return None if library.LIBRARY is None else Walker(library.LIBRARY, longest, learns=learns)


def group(number: NDArray[np.int32], rows: NDArray[np.void], groups: int) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Return `rows` sorted by `number`, order kept among equals, and where each group begins.

    Args:
        number: of each row, from 0 to `groups` - 1.
        rows: as many rows.
        groups: how many numbers there are.

    Returns:
        The sorted rows, and `groups` + 1 indices: group n is from entry n to entry n + 1.

    Raises:
        ValueError: a number is out of range, or there are not as many numbers as rows.
    """
    functions = library.LIBRARY
    if functions is None or len(number) != len(rows):
        raise ValueError(f"{len(number)} numbers for {len(rows)} rows, or no compiled library.")
    number, rows = np.ascontiguousarray(number, np.int32), np.ascontiguousarray(rows)
    ordered = np.empty_like(rows)
    starts = np.empty(groups + 1, np.int64)
    addresses = (number.ctypes.data, rows.ctypes.data, rows.itemsize, len(rows), groups)
    if not functions.group(*addresses, ordered.ctypes.data, starts.ctypes.data):
        raise ValueError(f"A number is not from 0 to {groups - 1}.")
    return ordered, starts
