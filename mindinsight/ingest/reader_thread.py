"""The reader of this process: waits for the store's lock, then follows every event file until it is stopped.

Started by the worker (`config/worker.py`, `config/celery.py`). Of all workers only the one that holds the lock reads;
the others wait for it, so that one of them takes over within a moment when the first is gone.
"""

from __future__ import annotations

import functools
import logging
import threading
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection

from mindinsight.database import damage
from mindinsight.database.migrating import migrate_once
from mindinsight.disks import DiskTrouble, trouble_in
from mindinsight.environment import Environment
from mindinsight.store.lock import WriterLock

if TYPE_CHECKING:
    from mindinsight.ingest.follower import Follower

logger = logging.getLogger(__name__)

LOCK_RETRY_S = 0.3


class ReaderThread:
    """Reads event files until stopped.

    Args:
        environment: base directory, data directory and rhythm.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._lock = WriterLock(environment.data_directory / "columns")
        self._stopping = threading.Event()
        self._caught_up = threading.Event()
        self._trouble: DiskTrouble | None = None
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)

    def start(self) -> None:
        """Starts the thread; once more does nothing."""
        if self._thread.ident is None:
            self._thread.start()

    def wait_until_caught_up(self, seconds: float) -> bool:
        """Waits until everything is read that was there at the start; returns whether that is so."""
        return self._caught_up.wait(seconds)

    def stop(self) -> None:
        """Writes back what is in memory and ends, within two seconds."""
        self._stopping.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                if not self._lock.acquire():
                    self._caught_up.set()  # by somebody else
                    self._stopping.wait(LOCK_RETRY_S)
                    continue
                migrate_once()
                # Imported with the lock in hand: what follows needs half a second of imports, being there does not.
                from mindinsight.ingest.follower import Follower

                self._made(Follower).follow(self._stopping)
            except Exception as error:
                # Whatever it was, the rows in the database say where to go on.
                self._say_failed(error)
                self._stopping.wait(1.0)
            finally:
                connection.close()
        self._lock.release()

    def _say_failed(self, error: Exception) -> None:
        """Logs why the reader starts again: a disk that takes nothing as one line, for as long as that is so."""
        trouble = trouble_in(error, self._environment.database_directory)
        if trouble is None:
            logger.error("The reader failed and starts again", exc_info=error)
        elif self._trouble is None or trouble.condition != self._trouble.condition:
            logger.warning("The reader starts again every second: %s", trouble.message)
        self._trouble = trouble

    def _made(self, follower: type[Follower]) -> Follower:
        """Reads all rows into memory; where one holds what nobody wrote, the database is damaged."""
        try:
            return follower(self._environment, self._caught_up)
        except ValueError as error:
            damage.suspect(f"a row cannot be understood: {error}")
            raise


@functools.cache
def reader_of_this_process() -> ReaderThread:
    """The one reader that a worker process has, for whichever way the worker was started."""
    return ReaderThread(settings.ENVIRONMENT)
