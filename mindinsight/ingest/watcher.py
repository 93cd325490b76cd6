"""Tells which paths below the base directory changed, by the file system's own events.

A thread of its own around `watchfiles`; the reader asks it instead of sleeping. Where the system gives no events (too
many directories, a network file system), it says so and the reader's polling is all there is.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path

logger = logging.getLogger(__name__)

# How long changes are gathered: where trainings write all the time, about a hundred looks a second.
_GATHER_MS = 8
_STEP_MS = 2


class Watcher:
    """Collects changed paths until somebody asks.

    Args:
        base: the directory to watch, with everything below it.
    """

    def __init__(self, base: Path) -> None:
        self._base = base
        self._changed: set[str] = set()
        self._lock = threading.Lock()
        self._something = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watcher", daemon=True)
        self.working = True

    @property
    def started(self) -> bool:
        """Whether it watches, or has tried to."""
        return self._thread.ident is not None

    def start(self) -> None:
        """Starts to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Stops to watch and wakes whoever waits."""
        self._stopping.set()
        self._something.set()

    def wait(self, seconds: float) -> set[str]:
        """Returns the paths that changed since the last call, after at most `seconds`.

        In place of a path that was deleted it is its directory: of ten thousand deleted files none has to be tried.
        """
        self._something.wait(seconds)
        with self._lock:
            changed, self._changed = self._changed, set()
            if not self._stopping.is_set():
                self._something.clear()
        return changed

    def _watch(self) -> None:
        # Not needed before, and the first files wait for every import.
        import watchfiles

        try:
            changes = watchfiles.watch(
                self._base,
                watch_filter=None,
                debounce=_GATHER_MS,
                step=_STEP_MS,
                stop_event=self._stopping,
                raise_interrupt=False,
                ignore_permission_denied=True,
            )
            for change in changes:
                paths = {
                    path.rpartition("/")[0] if what is watchfiles.Change.deleted else path for what, path in change
                }
                with self._lock:
                    self._changed |= paths
                self._something.set()
        except (OSError, RuntimeError) as error:
            logger.warning("No file system events below %s (%s); polling instead", self._base, error)
        self.working = False
