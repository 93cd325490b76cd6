"""A thread of each rank that notices when ranks wait for each other, and prints who waits where.

It notes the line of the user's program in the table ten times a second, so that the line of a killed rank is known.
`failures` starts it.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

from framework.communication.describing import place_of
from framework.communication.rank_table import ENDED, WAITS, RankRow, RankTable, at_place

__all__ = ["TIMEOUT_VARIABLE", "Watchdog", "timeout_from_environment"]

TIMEOUT_VARIABLE: Final = "MS_COLLECTIVE_TIMEOUT"
_DEFAULT_TIMEOUT: Final = 300.0
_INTERVAL: Final = 0.1


def timeout_from_environment() -> float:
    """After how many seconds of waiting a collective is taken for a deadlock; 0 for never.

    Raises:
        ValueError: the variable is no number of at least 0.
    """
    text = os.environ.get(TIMEOUT_VARIABLE, "")
    try:
        seconds = float(text or _DEFAULT_TIMEOUT)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"{TIMEOUT_VARIABLE} must be a number of seconds, 0 for no limit, not {text!r}")
    return seconds


class Watchdog:
    """Watches this rank and the others of this machine.

    Args:
        table: the table of the ranks.
        rank: the rank of this process.
        timeout: the longest time in seconds that a collective may take; 0 for any.
        end: called with a message and a return code to end the program.
    """

    def __init__(self, table: RankTable, rank: int, timeout: float, end: Callable[[str, int], None]) -> None:
        self._table, self._rank, self._timeout, self._end = table, rank, timeout, end
        self._main = threading.main_thread().ident or 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watchdog of the ranks", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End watching."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(_INTERVAL):
            self._table.stands(place_of(sys._current_frames().get(self._main)))
            self._look_at_wait()

    def _look_at_wait(self) -> None:
        """End the program if this rank waits for too long; the lowest rank that waits does so first."""
        if not self._timeout:
            return
        rows = self._table.rows()
        row = next(row for row in rows if row.rank == self._rank)
        if row.state != WAITS:
            return
        lower = sum(other.rank < self._rank and other.state == WAITS for other in rows)
        if row.seconds > self._timeout + lower * _INTERVAL:
            self._table.stands(place_of(sys._current_frames().get(self._main)))
            time.sleep(_INTERVAL)  # The others note their lines too.
            self._end(self._who_waits_where(), 1)

    def _who_waits_where(self) -> str:
        lines = "\n".join(f"  rank {row.rank} {_state(row)}" for row in self._table.rows())
        return (
            f"a collective has taken longer than {self._timeout:g} s, the limit of {TIMEOUT_VARIABLE}:\n{lines}\n"
            "All ranks of a group must call the same collectives in the same order; MS_CHECK_COLLECTIVES=1 finds where "
            "they differ"
        )


def _state(row: RankRow) -> str:
    """What a rank does, for the table of a hanging program."""
    if row.state == WAITS:
        return f"has waited {row.seconds:.1f} s in {row.call}, its collective {row.calls}{at_place(row)}"
    if row.state == ENDED:
        return f"has ended after {row.calls} collectives"
    last = f", since its collective {row.calls}, {row.call}" if row.calls else ", and has called no collective"
    return f"computes{at_place(row)}{last}"
