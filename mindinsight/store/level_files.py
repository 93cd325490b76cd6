"""The level files of series: written when blocks of points become complete. They are only a cache.

Used by `columns`. Missing or torn entries and holes are computed from the points, so these files never need repair.
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np
import numpy.typing as npt

from mindinsight.store.files import count_rows, read_rows, write_rows
from mindinsight.store.levels import BLOCK, LEVEL, Levels, condense, intact, summarise
from mindinsight.store.mappings import Mappings
from mindinsight.store.tables import Rows, Table

# Reading a shorter series completely is as fast.
SUMMARISED_FROM = 2048
_TWO = BLOCK * BLOCK


class LevelFiles:
    """Writes the levels of the series of one process.

    It remembers up to where each series is summarised, so that a write reads no more points than necessary, and
    completes
    what an earlier write, a kill or a full disk left out.
    """

    def __init__(self) -> None:
        self._summarised: dict[str, int] = {}

    def extend(self, base: str, at: int, points: Rows) -> None:
        """Summarises the blocks that newly written points completed.

        Args:
            base: path of the series' files without suffix.
            at: index of the first of these points.
            points: rows of POINT.

        Raises:
            OSError: the disk is full. The next write adds the missing entries.
        """
        end = at + len(points)
        if end < SUMMARISED_FROM:
            return
        first = min(self._known(base), at // BLOCK)
        self._summarised[base] = first
        if end // BLOCK > first:
            ones = _summarise_from(base, first, at, points)
            write_rows(f"{base}.level1", first, ones)
            _extend_two(base, first, ones)
            self._summarised[base] = end // BLOCK

    def forget(self, base: str) -> None:
        """Forgets a series."""
        self._summarised.pop(base, None)

    def forget_in(self, folders: Container[str]) -> None:
        """Forgets all series in some folders."""
        self._summarised = {
            path: known for path, known in self._summarised.items() if path.rpartition("/")[0] not in folders
        }

    def forget_all(self) -> None:
        """Forgets all series."""
        self._summarised = {}

    def _known(self, base: str) -> int:
        """The number of entries of level 1, not counting those whose entry of level 2 is missing."""
        known = self._summarised.get(base)
        if known is None:
            twos = count_rows(f"{base}.level2", LEVEL)
            known = min(count_rows(f"{base}.level1", LEVEL), twos * BLOCK + BLOCK - 1)
        return known


def read_levels(mappings: Mappings, base: str, points: Rows) -> Levels:
    """Returns the summaries of the first points of a series. Missing ones are computed.

    Args:
        mappings: reads the files.
        base: path of the series' files without suffix.
        points: rows of POINT, from the first one on.
    """
    wanted = len(points) // BLOCK
    ones = _complete(mappings.read_good_rows(f"{base}.level1", LEVEL, wanted, _intact_ones), points)
    twos = mappings.read_rows(f"{base}.level2", LEVEL, 0, wanted // BLOCK)
    if len(twos) < wanted // BLOCK or not intact(twos, _TWO).all():
        twos = condense(ones[: wanted // BLOCK * BLOCK])
    return Levels(ones, twos)


def _intact_ones(ones: Rows) -> npt.NDArray[np.bool_]:
    return intact(ones, BLOCK)


def _complete(ones: Rows, points: Rows) -> Rows:
    """Adds missing entries after the valid ones."""
    known, wanted = len(ones), len(points) // BLOCK
    if known == wanted:
        return ones
    first, end = known * BLOCK, wanted * BLOCK
    return np.concatenate([ones, summarise(points[first:end], points[max(0, first - 1) : first])])


def _summarise_from(base: str, first: int, at: int, points: Rows) -> Rows:
    """Returns the entries of all complete blocks from block `first` on. `points` were written at index `at`."""
    start, end = max(0, first * BLOCK - 1), (at + len(points)) // BLOCK * BLOCK
    stored = read_rows(f"{base}.{Table.POINTS.suffix}", Table.POINTS.dtype, start, min(at, end))
    points = points[: max(0, end - at)]
    # Only the block that begins among the stored points is copied. A window of new points is never copied.
    joint = -at % BLOCK
    begun = np.concatenate([stored, points[:joint]])
    before = first * BLOCK - start
    seam = summarise(begun[before:], begun[:before])
    return np.concatenate([seam, summarise(points[joint:], begun[-1:])])


def _extend_two(base: str, first: int, ones: Rows) -> None:
    """Writes the entries of level 2 that entries of level 1, written from index `first` on, completed."""
    at, end = first // BLOCK, (first + len(ones)) // BLOCK
    if end > at:
        lacking = read_rows(f"{base}.level1", LEVEL, at * BLOCK, first)
        write_rows(f"{base}.level2", at, condense(np.concatenate([lacking, ones])[: (end - at) * BLOCK]))
