"""The end of a rank ends the program: an error, `sys.exit` and an early end do not leave the other ranks waiting.

MPI's other processes would wait for ever. `management.init` installs the hooks, `release` removes them.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, NoReturn

from framework.communication.describing import place_of, place_of_error
from framework.communication.rank_table import ENDED, FAILED, WAITS, RankTable, at_place
from framework.communication.watchdog import Watchdog

__all__ = ["Guard"]

#: How long a collective of another rank may go on after this rank has ended: what was sent may still arrive.
_GRACE: Final = 0.5
_PAUSE: Final = 0.02


class Guard:
    """Ends the program as soon as this rank cannot go on.

    Args:
        rank: the rank of this process.
        size: the number of ranks.
        table: the table of the ranks of this machine.
        timeout: the longest time of a collective in seconds; 0 for any.
        abort: ends all processes with a return code.
    """

    def __init__(self, rank: int, size: int, table: RankTable, timeout: float, abort: Callable[[int], None]) -> None:
        self._rank, self._size, self._table, self._abort = rank, size, table, abort
        self._watchdog = Watchdog(table, rank, timeout, self.end)
        self._process = os.getpid()
        self._exit_code: object = None
        self._exit_place = ""
        self._excepthook, self._thread_hook, self._exit = sys.excepthook, threading.excepthook, sys.exit

    def install(self) -> None:
        """Begin."""
        sys.excepthook = self._on_error
        threading.excepthook = self._on_thread_error
        sys.exit = self._on_exit
        atexit.register(self._leave)
        self._watchdog.start()

    def remove(self) -> None:
        """Let the process end as it would without other ranks."""
        self._watchdog.stop()
        self._table.ends(ENDED)
        sys.excepthook, threading.excepthook, sys.exit = self._excepthook, self._thread_hook, self._exit
        atexit.unregister(self._leave)
        self._table.close()

    def end(self, message: str, code: int) -> None:
        """Say why the program ends, and end all ranks; not from a process that a rank has forked."""
        if os.getpid() != self._process:
            return
        if self._table.claim_report():
            os.write(2, f"\nmindinsight: {message}\n".encode())
        self._table.ends(FAILED)
        # MPI may be held by the thread that waits in it.
        last_resort = threading.Timer(1.0, os._exit, [code])
        last_resort.daemon = True
        last_resort.start()
        self._abort(code)

    def _failed(self, error: BaseException, traceback: TracebackType | None) -> None:
        place = place_of_error(traceback)
        where = f" at {place}" if place else ""
        sys.stdout.flush()
        sys.stderr.flush()
        self.end(f"rank {self._rank} of {self._size} failed{where}: {type(error).__name__}: {error}", 1)

    def _on_error(self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        self._excepthook(kind, error, traceback)
        self._failed(error, traceback)

    def _on_thread_error(self, arguments: threading.ExceptHookArgs) -> None:
        self._thread_hook(arguments)
        if arguments.exc_value is not None and not isinstance(arguments.exc_value, SystemExit):
            self._failed(arguments.exc_value, arguments.exc_traceback)

    def _on_exit(self, code: Any = None, /) -> NoReturn:
        """Note where the program called `sys.exit`, which it may still catch."""
        self._exit_code, self._exit_place = code, place_of(sys._getframe(1))
        self._exit(code)

    def _leave(self) -> None:
        """At the end of the process, wait for the other ranks; one that needs this rank shows that it ended early."""
        if os.getpid() != self._process:
            return
        self._table.ends(ENDED)
        code = self._exit_code
        how = f"called sys.exit({code!r}) at {self._exit_place}" if self._exit_place else "ended"
        while True:
            others = [row for row in self._table.rows() if row.rank != self._rank]
            if all(row.state in (ENDED, FAILED) for row in others):
                return
            if code not in (None, 0):
                self.end(f"rank {self._rank} of {self._size} {how}", code if isinstance(code, int) else 1)
            for row in others:
                if row.state == WAITS and self._rank in row.ranks and row.seconds > _GRACE and self._waited(row.rank):
                    self.end(
                        f"rank {self._rank} of {self._size} {how}, and rank {row.rank} waits for it in {row.call}"
                        f"{at_place(row)}: all ranks must call the same collectives", 1,
                    )  # fmt: skip
            time.sleep(_PAUSE)

    def _waited(self, rank: int) -> bool:
        """Whether a rank still waits in the same collective after a moment."""
        before = next(row for row in self._table.rows() if row.rank == rank)
        time.sleep(_GRACE)
        after = next(row for row in self._table.rows() if row.rank == rank)
        return after.state == WAITS and after.calls == before.calls
