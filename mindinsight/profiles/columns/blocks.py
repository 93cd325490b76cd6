"""Sums by kind of each block of rows, so that a long window is added up from blocks. Made by `writing`, read by `sums`.

A kind is a name with shapes of inputs. The own time of a kind is a sum over slices: each adds its time to its own kind
and takes what it covers of the slice around it from that one's kind. So blocks can be added up, wherever a slice's
children are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]
ENTRY = np.dtype(
    [("kind", "<u4"), ("count", "<u4"), ("total", "<i8"), ("own", "<i8"), ("longest", "<u4"), ("longest_ns", "<i8")]
)
"""Of one kind in one block: number of slices, nanoseconds, the row of the longest slice and its nanoseconds."""


class Work(NamedTuple):
    """Slices inside a window, as columns.

    Attributes:
        row: numbers of the slices.
        kind: their kinds.
        around: the kinds of the slices around them; -1 without one.
        inside: nanoseconds inside the window.
        covers: nanoseconds inside the window that no slice beside covers.
    """

    row: Whole
    kind: Whole
    around: Whole
    inside: Whole
    covers: Whole


def entries_of(work: Work) -> npt.NDArray[np.void]:
    """Returns an entry for each kind of some slices, sorted by kind.

    A kind that is only around them has an entry without slices, whose own time is negative.
    """
    nested = np.flatnonzero(work.around >= 0)
    kinds, place = np.unique(np.concatenate((work.kind, work.around[nested])), return_inverse=True)
    entries = np.zeros(len(kinds), ENTRY)
    own, around = place[: len(work.kind)], place[len(work.kind) :]
    entries["kind"] = kinds
    entries["count"] = np.bincount(own, minlength=len(kinds))
    # Sums of doubles are exact up to 2^53 ns, which is 104 days.
    total = np.bincount(own, work.inside, len(kinds)).astype(np.int64)
    entries["total"] = total
    entries["own"] = total - np.bincount(around, work.covers[nested], len(kinds)).astype(np.int64)
    _mark_longest(entries, own, work.row, work.inside)
    return entries


def joined(parts: list[npt.NDArray[np.void]]) -> npt.NDArray[np.void]:
    """Returns the sums of several lists of entries, with one entry for each kind, sorted by kind."""
    every = np.concatenate(parts) if parts else np.zeros(0, ENTRY)
    kind = every["kind"].astype(np.int64)
    size = int(kind.max(initial=-1)) + 1
    if size > 4 * len(every):
        kinds, place = np.unique(kind, return_inverse=True)
    else:
        kinds, place = np.arange(size), kind
    entries = np.zeros(len(kinds), ENTRY)
    entries["kind"] = kinds
    for column in ("count", "total", "own"):
        entries[column] = np.bincount(place, every[column], len(kinds)).astype(np.int64)
    slices = every["count"] > 0
    _mark_longest(entries, place[slices], every["longest"][slices].astype(np.int64), every["longest_ns"][slices])
    return entries


def _mark_longest(entries: npt.NDArray[np.void], place: Whole, row: Whole, length: Whole) -> None:
    """Fills in the first of the longest slices."""
    longest = np.full(len(entries), -1)
    np.maximum.at(longest, place, length)
    is_longest = np.flatnonzero(length == longest[place])[::-1]
    is_longest = is_longest[np.argsort(-row[is_longest], kind="stable")]
    entries["longest"][place[is_longest]] = row[is_longest]
    entries["longest_ns"] = np.maximum(longest, 0)
