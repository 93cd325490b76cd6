"""What each rank of this machine does now, in a file that all of them map: who waits where, and since when.

A rank writes its own row, and every rank can read all: `watchdog` prints the table if a program hangs. Run as a
program, this module watches the processes of the ranks and says which of them was killed: launchers end all others at
once, so no rank could. It imports nothing but the standard library.

All cells are text of a fixed width (`COLUMNS`), one row a line.
"""

from __future__ import annotations

import fcntl
import functools
import mmap
import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["COLUMNS", "ENDED", "FAILED", "RUNS", "WAITS", "RankRow", "RankTable", "at_place", "start_reporter"]

RUNS, WAITS, ENDED, FAILED = "R", "W", "E", "F"

#: The columns of a row and their widths: the rank, its process, the number of collectives that it has called, its
#: state, since when (the machine's monotonic clock, in seconds), the ranks it waits for, what it calls, and its line.
COLUMNS: Final = {"rank": 8, "pid": 10, "calls": 12, "state": 1, "since": 18, "ranks": 100, "call": 180, "place": 182}
_ROW: Final = sum(COLUMNS.values()) + 1
_STARTS: Final = {
    name: sum(width for _, width in list(COLUMNS.items())[:number]) for number, name in enumerate(COLUMNS)
}


@dataclass(frozen=True)
class RankRow:
    """A row of the table: see `COLUMNS`."""

    rank: int
    pid: int
    calls: int
    state: str
    since: float
    ranks: tuple[int, ...]
    call: str
    place: str

    @property
    def seconds(self) -> float:
        """For how long it has been in this state."""
        return time.monotonic() - self.since


class RankTable:
    """The table of the ranks of this machine.

    Args:
        path: the file, which exists.
        size: the number of ranks on this machine.
    """

    def __init__(self, path: Path, size: int) -> None:
        self._file = os.open(path, os.O_RDWR)
        self._map = mmap.mmap(self._file, self.length(size))
        self._size = size
        # The first row is the table's own: whether somebody has reported the end of the program.
        self._start = 0
        self._calls = 0

    def join(self, place: int, rank: int) -> None:
        """Begin the row of this process.

        Args:
            place: the row, from 0.
            rank: the rank of this process.
        """
        self._start = _ROW * (place + 1)
        self._write("rank", f"{rank}")
        self._write("pid", f"{os.getpid()}")
        self._map[self._start + _ROW - 1 : self._start + _ROW] = b"\n"
        self.runs()

    @staticmethod
    def length(size: int) -> int:
        """The number of bytes of a table for this number of ranks."""
        return _ROW * (size + 1)

    def waits(self, call: str, ranks: tuple[int, ...]) -> None:
        """Note that this rank begins to wait in a collective.

        Args:
            call: what it calls.
            ranks: the ranks of the group.
        """
        self._calls += 1
        start, cells = self._start + _STARTS["ranks"], _cells_of(ranks, call)
        self._map[start : start + len(cells)] = cells
        self._state(WAITS)

    def runs(self) -> None:
        """Note that this rank goes on."""
        self._state(RUNS)

    def ends(self, state: str) -> None:
        """Note that this rank has ended, or has failed and said so."""
        self._state(state)

    def stands(self, place: str) -> None:
        """Note the line of the user's program."""
        self._write("place", place)

    def rows(self) -> list[RankRow]:
        """The rows of all ranks that have begun."""
        found = []
        for number in range(1, self._size + 1):
            line = self._map[number * _ROW : (number + 1) * _ROW].decode(errors="replace")
            cells = {name: line[at : at + COLUMNS[name]].strip("\0 \n") for name, at in _STARTS.items()}
            if cells["rank"]:
                found.append(_row_of(cells))
        return found

    def claim_report(self) -> bool:
        """Whether this rank is the first to report the end of the program, which one rank does."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        is_first = self._map[0] == 0
        self._map[0:1] = b"!"
        return is_first

    def close(self) -> None:
        """Let go of the file."""
        self._map.close()
        os.close(self._file)

    def fileno(self) -> int:
        """The descriptor of the file."""
        return self._file

    def _state(self, state: str) -> None:
        text = f"{self._calls:{COLUMNS['calls']}}{state}{time.monotonic():{COLUMNS['since']}.6f}"
        start = self._start + _STARTS["calls"]
        self._map[start : start + len(text)] = text.encode()

    def _write(self, name: str, text: str) -> None:
        start, width = self._start + _STARTS[name], COLUMNS[name]
        self._map[start : start + width] = text.encode()[:width].ljust(width)


@functools.lru_cache(maxsize=256)
def _cells_of(ranks: tuple[int, ...], call: str) -> bytes:
    """The neighbouring cells `ranks` and `call`."""
    texts = {"ranks": ",".join(map(str, ranks)), "call": call}
    return b"".join(text.encode()[: COLUMNS[name]].ljust(COLUMNS[name]) for name, text in texts.items())


def _row_of(cells: dict[str, str]) -> RankRow:
    ranks = tuple(int(rank) for rank in cells["ranks"].split(",") if rank.isdigit())
    return RankRow(
        int(cells["rank"]), int(cells["pid"] or 0), int(cells["calls"] or 0), cells["state"],
        float(cells["since"] or 0), ranks, cells["call"], cells["place"],
    )  # fmt: skip


def at_place(row: RankRow) -> str:
    """Where a rank is, as the end of a sentence; empty if its line is not known."""
    return f" at {row.place}" if row.place else ""


def start_reporter(table: RankTable, size: int) -> None:
    """Start a process that says which rank of this machine was killed; it ends with the ranks.

    Args:
        table: the table, in which all ranks have rows.
        size: the number of ranks on this machine.
    """
    if hasattr(os, "pidfd_open"):
        command = [sys.executable, "-I", __file__, f"/dev/fd/{table.fileno()}", str(size)]
        # In a session of its own: launchers end those of the ranks.
        subprocess.Popen(command, pass_fds=[table.fileno()], start_new_session=True)


def _report(table: RankTable) -> None:
    """Wait for the end of the ranks, and report the first one that ends without having said so."""
    watched, poll = {}, select.poll()
    for row in table.rows():
        try:
            descriptor = os.pidfd_open(row.pid)
        except OSError:
            continue
        watched[descriptor] = row.rank
        poll.register(descriptor, select.POLLIN)
    while watched:
        for descriptor, _ in poll.poll():
            rank = watched.pop(descriptor)
            poll.unregister(descriptor)
            row = next(row for row in table.rows() if row.rank == rank)
            if row.state in (ENDED, FAILED):
                continue
            doing = f"waited in {row.call}" if row.state == WAITS else "computed"
            if table.claim_report():
                message = f"rank {rank} (process {row.pid}) was killed while it {doing}{at_place(row)}"
                os.write(2, f"\nmindinsight: {message}\n".encode())
            return


if __name__ == "__main__":
    _report(RankTable(Path(sys.argv[1]), int(sys.argv[2])))
