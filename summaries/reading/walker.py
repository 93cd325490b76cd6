"""Python interface of the compiled loops: one `Walker` per event file, and sorting of rows by group.

The reader passes windows of its file to a `Walker`. Records that it cannot handle go to the decoder, which then teaches
it their tags. It learns tags of plain numbers by itself.
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
# Memory for the names and metadata of one file's tags; values of further tags are decoded in Python.
_BYTES_LIMIT = 16 << 20
_SCALAR_TENSOR = 255
# The kind of values with metadata of no plugin and no content.
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
    """Buffer for the rows of one call, shared by all walkers of a thread."""

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
    """Walks the records of one file that hold nothing but plain numbers and values of known tags.

    Args:
        functions: the compiled library.
        longest: length of the longest payload that is handled.
        learns: whether it learns tags of plain numbers by itself. Every other tag must then be taught with `learn`.

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
        """Whether the tag of this index was learned, or there was no room for it."""
        return index in self._known

    def learn(self, index: int, tag: bytes, metadata: bytes | None, tensor: Kind, bare: Kind) -> None:
        """Learn a tag, or its new metadata.

        Args:
            index: index of the tag, used in rows.
            tag: name of the tag in the file.
            metadata: latest TensorBoard metadata of the tag, if known.
            tensor: kind of its tensors in a TensorBoard file; with `SCALAR`, each tensor is examined.
            bare: kind of its values that have this metadata and no content.
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
        """Append the values of the records from `position` on, up to the first record that it cannot handle.

        Args:
            window: bytes of the file.
            position: position of a record in the window.
            offset: offset of the window in the file.
            flavour: 0 if unknown, 1 for MindSpore, 2 for TensorBoard.
            columns: where the rows are appended.
            tags: where learned tags are added.

        Returns:
            The position of the next record in the window, and the number of records handled.
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
            self._add_learned(rows.tags - before, tags)
        return rows.position, rows.records

    def _add_learned(self, count: int, tags: TagTable) -> None:
        """Add the `count` tags that were learned last to `tags`."""
        size = c_size_t()
        known = self._functions.walker_count(self._handle)
        for number in range(known - count, known):
            name = self._functions.walker_name(self._handle, number, byref(size))
            self._known.add(tags.add(string_at(name, size.value)))


def new_walker(longest: int, *, learns: bool) -> Walker | None:
    """Return a walker for one file, or None if there is no compiled library."""
    return None if library.LIBRARY is None else Walker(library.LIBRARY, longest, learns=learns)


def group(number: NDArray[np.int32], rows: NDArray[np.void], groups: int) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Sort `rows` by `number` (stable).

    Args:
        number: group of each row, from 0 to `groups` - 1.
        rows: the rows, one for each number.
        groups: number of groups.

    Returns:
        The sorted rows, and `groups` + 1 indices: group n extends from entry n to entry n + 1.

    Raises:
        ValueError: a number is out of range, or the lengths differ.
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
