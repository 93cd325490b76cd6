"""Packs: files shared by the short series of many runs. Each pack covers 1024 numbers of series.

A directory with a thousand runs has tens of thousands of short series. Creating a file for each would take most of the
reader's time. Used by `columns`. A series that grows moves into its own file.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight.store.files import write_all
from mindinsight.store.tables import Rows, Table

SERIES = 1024
"""Number of series numbers per pack."""

POINT = Table.POINTS.dtype
SLOT = np.dtype([("run", "<i8"), ("at", "<u8"), ("count", "<u8")])
"""The location of one series' rows; all zero if the pack does not have it."""

_SIZE = POINT.itemsize
_KEEP_SIZE_AND_PUNCH = 0x01 | 0x02
if SLOT.itemsize != _SIZE:
    raise AssertionError("a slot takes the room of a row")


class Packs:
    """The packs in one folder.

    A pack is a flat file of 24-byte entries: first a slot for each series number, then the rows of these series, which
    never change. Rows are written before the slot that refers to them, so a process that is killed in between leaves
    only some unused bytes.

    Args:
        folder: the folder; created if needed.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def append(self, runs: Sequence[int], numbers: Sequence[int], starts: Sequence[int], rows: Rows) -> None:
        """Stores all rows of several new series. Only the writer may call it.

        Args:
            runs: the run of each series.
            numbers: numbers of the series.
            starts: start of each series in `rows`.
            rows: rows of POINT, grouped by series.

        Raises:
            OSError: the disk is full or the folder is missing. Writing the same rows again later repairs it.
        """
        ends = [*starts[1:], len(rows)]
        first = 0
        while first < len(numbers):
            pack = numbers[first] // SERIES
            last = first + 1
            while last < len(numbers) and numbers[last] // SERIES == pack:
                last += 1
            part = slice(first, last)
            self._append(pack, runs[part], numbers[part], starts[part], ends[part], rows)
            first = last

    def read(self, number: int, first: int = 0, end: int | None = None) -> Rows | None:
        """Returns rows of a series from index `first` to `end`; None if its pack does not have it."""
        with self._open(number // SERIES) as pack:
            if pack is None or (place := _place(pack, number)) is None:
                return None
            at, count = place
            end = count if end is None else min(end, count)
            wanted = max(0, end - first)
            data = os.pread(pack, wanted * _SIZE, (at + first) * _SIZE) if wanted else b""
            if _place(pack, number) != place:
                return None  # It was dropped in the meantime, and these may be zeros.
            return np.frombuffer(data, POINT, len(data) // _SIZE)

    def read_many(self, numbers: Iterable[int]) -> dict[int, Rows]:
        """Returns all rows of series by number. Series without a pack are left out."""
        of_pack: dict[int, list[int]] = {}
        for number in numbers:
            of_pack.setdefault(number // SERIES, []).append(number)
        found: dict[int, Rows] = {}
        for pack, own in of_pack.items():
            with self._open(pack) as file:
                if file is not None:
                    found |= _read_all(file, own)
        return found

    def place(self, number: int) -> tuple[int, int] | None:
        """Returns the index of a series' first row in its pack, and the number of its rows; None if there are none."""
        with self._open(number // SERIES) as pack:
            return None if pack is None else _place(pack, number)

    def runs(self) -> Iterator[dict[int, int]]:
        """Yields the numbers of the series in each pack, with the run of each."""
        for pack in self._packs():
            slots = self._slots(pack)
            there = np.flatnonzero(slots["count"])
            yield dict(zip((there + pack * SERIES).tolist(), slots["run"][there].tolist(), strict=True))

    def drop_runs(self, runs: Collection[int]) -> None:
        """Removes all series of some runs and frees their disk space."""
        wanted = list(runs)
        for pack in self._packs():
            with self._open(pack, os.O_RDWR) as file:
                if file is not None:
                    slots = _slots(file)
                    there = np.flatnonzero(np.isin(slots["run"], wanted) & (slots["count"] > 0))
                    _drop_slots(file, there, slots[there])

    def drop(self, numbers: Iterable[int]) -> None:
        """Removes series and frees their disk space. Missing ones are ignored."""
        for number in numbers:
            with self._open(number // SERIES, os.O_RDWR) as pack:
                if pack is not None and (place := _place(pack, number)) is not None:
                    os.pwrite(pack, bytes(_SIZE), number % SERIES * _SIZE)
                    _punch(pack, place[0] * _SIZE, place[1] * _SIZE)

    def _append(
        self,
        pack: int,
        runs: Sequence[int],
        numbers: Sequence[int],
        starts: Sequence[int],
        ends: Sequence[int],
        rows: Rows,
    ) -> None:
        low = min(numbers)
        slots = np.zeros(max(numbers) - low + 1, SLOT)
        places = np.asarray(numbers) - low
        with self._made(pack) as file:
            if len(places) < len(slots):  # Numbers in between belong to other series.
                there = np.frombuffer(os.pread(file, slots.nbytes, low % SERIES * _SIZE), np.uint8)
                slots.view(np.uint8)[: len(there)] = there
            behind = max(SERIES, -(-os.fstat(file).st_size // _SIZE))
            slots["run"][places] = runs
            slots["at"][places] = np.asarray(starts) - starts[0] + behind
            slots["count"][places] = np.asarray(ends) - np.asarray(starts)
            write_all(file, rows[starts[0] : ends[-1]], behind * _SIZE)
            write_all(file, slots, low % SERIES * _SIZE)

    def _packs(self) -> list[int]:
        try:
            names = os.listdir(self._folder)  # noqa: PTH208  (a text, not a path)
        except FileNotFoundError:
            return []
        return sorted(int(name) for name in names if name.isdecimal())

    def _slots(self, pack: int) -> Rows:
        with self._open(pack) as file:
            return _slots(file) if file is not None else np.empty(0, SLOT)

    @contextmanager
    def _open(self, pack: int, flags: int = os.O_RDONLY) -> Iterator[int | None]:
        try:
            descriptor = os.open(f"{self._folder}/{pack}", flags | os.O_CLOEXEC)
        except FileNotFoundError:
            yield None
            return
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    @contextmanager
    def _made(self, pack: int) -> Iterator[int]:
        path, flags = f"{self._folder}/{pack}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        try:
            descriptor = os.open(path, flags, 0o600)
        except FileNotFoundError:
            Path(self._folder).mkdir(mode=0o700, exist_ok=True)
            descriptor = os.open(path, flags, 0o600)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def _slots(pack: int) -> Rows:
    data = os.pread(pack, SERIES * _SIZE, 0)
    return np.frombuffer(data, SLOT, len(data) // _SIZE)


def _read_all(pack: int, numbers: Iterable[int]) -> dict[int, Rows]:
    before = _slots(pack)[["at", "count"]].tolist()
    found: dict[int, Rows] = {}
    for number in numbers:
        slot = number % SERIES
        if slot < len(before) and (count := before[slot][1]):
            data = os.pread(pack, count * _SIZE, before[slot][0] * _SIZE)
            found[number] = np.frombuffer(data, POINT, len(data) // _SIZE)
    # Slots dropped in the meantime may be zeros.
    after = _slots(pack)[["at", "count"]].tolist()
    return {number: rows for number, rows in found.items() if after[number % SERIES] == before[number % SERIES]}


def _place(pack: int, number: int) -> tuple[int, int] | None:
    data = os.pread(pack, _SIZE, number % SERIES * _SIZE)
    if len(data) < _SIZE:
        return None
    _, at, count = np.frombuffer(data, SLOT)[0].item()
    return (at, count) if count else None


def _drop_slots(pack: int, there: NDArray[np.int64], slots: Rows) -> None:
    """Empties slots, then frees their rows. Adjacent rows are freed together.

    Args:
        pack: file descriptor of the pack.
        there: numbers of the slots in the file, in ascending order.
        slots: contents of the slots.
    """
    for first, end in _stretches(there, there + 1):
        os.pwrite(pack, bytes((end - first) * _SIZE), first * _SIZE)
    by_place = slots[np.argsort(slots["at"])]
    for first, end in _stretches(by_place["at"], by_place["at"] + by_place["count"]):
        _punch(pack, first * _SIZE, (end - first) * _SIZE)


def _stretches(starts: NDArray[np.integer[Any]], ends: NDArray[np.integer[Any]]) -> Iterator[tuple[int, int]]:
    """Yields ascending intervals. Adjacent ones are merged."""
    if not len(starts):
        return
    breaks = np.flatnonzero(starts[1:] != ends[:-1]) + 1
    firsts, lasts = [0, *breaks.tolist()], [*(breaks - 1).tolist(), -1]
    yield from zip(starts[firsts].tolist(), ends[lasts].tolist(), strict=True)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _punch(file: int, offset: int, size: int) -> None:
    """Punches a hole into a file, if the file system supports it."""
    with suppress(AttributeError):
        _libc().fallocate(file, _KEEP_SIZE_AND_PUNCH, ctypes.c_long(offset), ctypes.c_long(size))
