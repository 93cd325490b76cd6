"""Finds and loads the compiled library once per process, and calls its functions with arrays."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import POINTER, Structure, byref, c_int, c_int64, c_void_p, string_at
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mindinsight.profiles.kernel.build import PART
from summaries.kernel.loading import find, load

MORE, OVER, ODD, FULL, NO_MEMORY = range(5)
"""Why scanning ended: at the end of the text, behind the list, before another form of event, for lack of room."""
SLICE = np.dtype(
    [
        *((name, "<i8") for name in ("start", "duration", "place", "args", "args_length")),
        *((name, "<u4") for name in ("name", "shape", "track", "zero")),
    ]
)
OTHER = np.dtype([("begin", "<i8"), ("end", "<i8")])
_KINDS = 256


class _Scan(Structure):
    _fields_ = (
        *((name, c_void_p) for name in ("names", "shapes", "tracks", "slices", "others")),
        *((name, c_int64) for name in ("room", "slice_count", "other_count", "position")),
        ("phases", c_int64 * _KINDS),
    )


class Kernel:
    """The functions of traces.c.

    Args:
        path: the library.

    Raises:
        UnusableError: the library cannot be used.
    """

    def __init__(self, path: Path = PART.target) -> None:
        library = load(PART, path, "mindinsight.profiles.kernel")
        self.scan = library.traces_scan
        self.scan.argtypes, self.scan.restype = [c_void_p, c_int64, POINTER(_Scan)], c_int
        self.new_words, self.free_words = library.traces_new_words, library.traces_free_words
        self.new_words.restype, self.free_words.argtypes = c_void_p, [c_void_p]
        self.count, self.word = library.traces_count, library.traces_word
        self.count.argtypes, self.count.restype = [c_void_p], c_int64
        self.word.argtypes, self.word.restype = [c_void_p, c_int64, c_void_p], c_void_p
        self._nest = library.traces_nest
        self._nest.argtypes, self._nest.restype = [c_void_p] * 3 + [c_int64] + [c_void_p] * 3, c_int

    def nest(
        self, track: npt.NDArray[np.uint16], start: npt.NDArray[np.int64], duration: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """Returns the parents, depths and overlaps that `columns.nesting.nested` describes.

        Raises:
            MemoryError: there is not enough memory.
        """
        count = len(track)
        parent, depth, overlap = np.empty(count, np.int32), np.empty(count, np.uint8), np.empty(count, np.int64)
        given = (np.ascontiguousarray(one).ctypes.data for one in (track, start, duration))
        if self._nest(*given, count, parent.ctypes.data, depth.ctypes.data, overlap.ctypes.data):
            raise MemoryError
        return parent, depth, overlap


class Scanner:
    """Reads events of the ordinary form from the text of one trace, piece by piece.

    Args:
        kernel: the library.
        room: number of events of one call.

    Attributes:
        slices: rows of SLICE: times in nanoseconds, `place` of the event and its arguments in the text, numbers of the
            interned texts.
        others: rows of OTHER: events that are no slices.
        phases: number of events of each kind, by the kind's letter, since the beginning. Kinds of `others` are missing.

    Raises:
        MemoryError: there is not enough memory.
    """

    def __init__(self, kernel: Kernel, room: int = 1 << 15) -> None:
        self._kernel = kernel
        self._words = [kernel.new_words() for _ in range(3)]
        self._known = [0, 0, 0]
        if not all(self._words):
            self.close()
            raise MemoryError
        self._slices, self._others = np.empty(room, SLICE), np.empty(room, OTHER)
        self._scan = _Scan(*self._words, self._slices.ctypes.data, self._others.ctypes.data, room)
        self.slices, self.others = self._slices[:0], self._others[:0]

    def close(self) -> None:
        """Gives the memory back."""
        for words in self._words:
            self._kernel.free_words(words)
        self._words = []

    def scan(self, text: bytes, position: int) -> tuple[int, int]:
        """Reads on in a text.

        Args:
            text: a piece of the trace.
            position: where to begin, between two events.

        Returns:
            Why reading ended, and the position of the first event that was not read.
        """
        self._scan.position = position
        why = int(self._kernel.scan(text, len(text), byref(self._scan)))
        if why == NO_MEMORY:
            raise MemoryError
        self.slices = self._slices[: self._scan.slice_count]
        self.others = self._others[: self._scan.other_count]
        return why, int(self._scan.position)

    @property
    def phases(self) -> dict[str, int]:
        """Number of events of each kind."""
        return {chr(at): count for at, count in enumerate(self._scan.phases) if count}

    def new_names(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields names and categories that came up since the last call, as they stand in the file."""
        return self._new(0)

    def new_shapes(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields shapes that came up since the last call, as JSON; the second text is empty."""
        return self._new(1)

    def new_tracks(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields processes and threads that came up since the last call, as JSON."""
        return self._new(2)

    def _new(self, which: int) -> Iterator[tuple[bytes, bytes]]:
        words, known = self._words[which], self._known[which]
        self._known[which] = int(self._kernel.count(words))
        for number in range(known, self._known[which]):
            length = c_int64()
            text = string_at(self._kernel.word(words, number, byref(length)), length.value)
            first, _, second = text.partition(b"\0")
            yield first, second


KERNEL, _ = find(Kernel)
"""The loaded library, or None if msgspec and numpy do the work."""
