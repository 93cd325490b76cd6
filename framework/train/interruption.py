"""Ctrl-C during a training: the current step is finished, the callbacks end, then KeyboardInterrupt is raised."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType
from typing import Any

__all__ = ["Interruption"]


class Interruption:
    """A context that only records the first Ctrl-C; a second one interrupts at once.

    Attributes:
        requested: whether Ctrl-C was pressed.
    """

    def __init__(self) -> None:
        self.requested = False
        self._before: Any = None

    def __enter__(self) -> Interruption:
        # Only the main thread may set handlers; a handler that the program has set is kept.
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        """Restore the handler of Ctrl-C."""
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        self.__exit__()
        sys.stderr.write("\nStopping after this step; press Ctrl-C again to stop at once.\n")
