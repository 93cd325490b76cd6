"""The reader of this process: waits for the store's lock, then follows all event files until it is stopped.

Started by the worker (`config/worker.py`, `config/celery.py`). Only the worker that holds the lock reads. The others
wait for the lock, so that one of them takes over at once when the first ends.
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
        environment: base directory, data directory and interval.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._lock = WriterLock(environment.data_directory / "columns")
        self._stopping = threading.Event()
        self._caught_up = threading.Event()
        self._trouble: DiskTrouble | None = None
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)

    def start(self) -> None:
        """Starts the thread. A second call does nothing."""
        if self._thread.ident is None:
            self._thread.start()

    def wait_until_caught_up(self, seconds: float) -> bool:
        """Waits until all data that existed at the start has been read. Returns whether that is so."""
        return self._caught_up.wait(seconds)

    def stop(self) -> None:
        """Writes back changes and ends, within two seconds."""
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
                # Imported while holding the lock: the imports need half a second, and waiting for the lock does not
                # need them.
                from mindinsight.ingest.follower import Follower

                self._made(Follower).follow(self._stopping)
            except Exception as error:
                # Whatever the error was, the rows in the database say where to continue.
                self._say_failed(error)
                self._stopping.wait(1.0)
            finally:
                connection.close()
        self._lock.release()

    def _say_failed(self, error: Exception) -> None:
        """Logs why the reader starts again. A disk that cannot be written is logged once while the problem lasts."""
        trouble = trouble_in(error, self._environment.database_directory)
        if trouble is None:
            logger.error("The reader failed and starts again", exc_info=error)
        elif self._trouble is None or trouble.condition != self._trouble.condition:
            logger.warning("The reader starts again every second: %s", trouble.message)
        self._trouble = trouble

    def _made(self, follower: type[Follower]) -> Follower:
        """Reads all rows into memory. If a row has values that the reader never writes, the database is damaged."""
        try:
            return follower(self._environment, self._caught_up)
        except ValueError as error:
            damage.suspect(f"a row cannot be understood: {error}")
            raise


@functools.cache
def reader_of_this_process() -> ReaderThread:
    """The only reader of a worker process, however the worker was started."""
    return ReaderThread(settings.ENVIRONMENT)
