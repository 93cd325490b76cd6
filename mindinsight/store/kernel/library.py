"""Finds and loads the compiled library once per process, and calls its functions with arrays."""

from __future__ import annotations

from ctypes import c_int64, c_void_p
from pathlib import Path

from mindinsight.store.kernel.build import PART
from mindinsight.store.tables import Rows
from summaries.kernel.loading import find, load


class Kernel:
    """The functions of levels.c.

    Args:
        path: the library.

    Raises:
        UnusableError: the library cannot be used.
    """

    def __init__(self, path: Path = PART.target) -> None:
        library = load(PART, path, "mindinsight.store.kernel")
        self._summarise, self._condense = library.summarise, library.condense
        self._summarise.argtypes = [c_void_p, c_void_p, c_int64, c_void_p]
        self._condense.argtypes = [c_void_p, c_int64, c_void_p]
        self._summarise.restype = self._condense.restype = None

    def summarise(self, points: Rows, before: Rows, entries: Rows) -> None:
        """Fills an entry for each block of points.

        Args:
            points: rows of POINT, in complete blocks.
            before: the point before them; no row if they are the first points.
            entries: rows of LEVEL.
        """
        above = before.ctypes.data if len(before) else None
        self._summarise(points.ctypes.data, above, len(entries), entries.ctypes.data)

    def condense(self, ones: Rows, entries: Rows) -> None:
        """Fills an entry of the next level for each block of entries. Both are rows of LEVEL."""
        self._condense(ones.ctypes.data, len(entries), entries.ctypes.data)


KERNEL, _ = find(Kernel)
"""Returns the loaded library, or None if numpy does the work."""
