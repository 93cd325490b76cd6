"""Finds changed paths below the base directory, by file system events and by checking files that just grew.

`Watcher` is a thread around `watchfiles`. The reader waits for it instead of sleeping. Without events (too many
directories, a network file system) the reader polls. Events may also be late: while the system sets up watches for ten
thousand new directories, none arrives for a second. So `GrowingFiles` are checked directly from time to time.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from pathlib import Path

from mindinsight.ingest.followed import FollowedFile

logger = logging.getLogger(__name__)

# Time for which changes are gathered: about a hundred checks a second while trainings write all the time.
_GATHER_MS = 8
_STEP_MS = 2
LOOK_EVERY_S = 0.2
"""Seconds between two checks of growing files."""
# A file that has not grown for this time is left to events and to the next scan.
_FORGOTTEN_AFTER_S = 30.0
_MOST_FILES = 500


class Watcher:
    """Collects changed paths until they are requested.

    Args:
        base: the directory to watch, including its subdirectories.
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
        """Stops watching and wakes the thread that waits."""
        self._stopping.set()
        self._something.set()

    def wait(self, seconds: float) -> set[str]:
        """Returns the paths that changed since the last call. Waits at most `seconds`.

        A deleted path is replaced by its directory, so that ten thousand deleted files need not be checked one by one.
        """
        self._something.wait(seconds)
        with self._lock:
            changed, self._changed = self._changed, set()
            if not self._stopping.is_set():
                self._something.clear()
        return changed

    def _watch(self) -> None:
        # Imported here, because the first files would wait for every earlier import.
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


class GrowingFiles:
    """The files that grew most recently. Used by the follower."""

    def __init__(self) -> None:
        self._files: dict[int, tuple[FollowedFile, float]] = {}
        self._next = 0.0

    def note(self, file: FollowedFile) -> None:
        """Adds a file that has grown."""
        self._files.pop(file.row.pk, None)
        self._files[file.row.pk] = file, time.monotonic()
        if len(self._files) > _MOST_FILES:
            del self._files[next(iter(self._files))]

    def grown(self) -> list[FollowedFile]:
        """Returns the files with unread data. Checks them only from time to time, however often it is called."""
        now = time.monotonic()
        if now < self._next:
            return []
        self._next = now + LOOK_EVERY_S
        self._files = {number: known for number, known in self._files.items() if now - known[1] < _FORGOTTEN_AFTER_S}
        return [file for file, _ in self._files.values() if file.row.complete and _size(file) > file.row.size]


def _size(file: FollowedFile) -> int:
    try:
        return os.stat(file.found.location, follow_symlinks=False).st_size  # noqa: PTH116  (five hundred at a time)
    except OSError:
        return 0
