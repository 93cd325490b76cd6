"""Creates and migrates the database at start, whichever process comes first.

Called by the web server and by the worker before they do anything else, so that an installed wheel needs no step
between `pip install` and `mindinsight start`.
"""

from __future__ import annotations

import fcntl
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.management import call_command
from django.db import connection, connections

logger = logging.getLogger(__name__)

# Any number that no other program takes a PostgreSQL advisory lock with.
_ADVISORY_LOCK = 0x4D494E44
_migrated_by_stem = False


def migrate_once() -> None:
    """Brings the database to the newest schema; returns at once where it is there already.

    Raises:
        OSError: the data directory cannot be made or written.
        django.db.Error: the database refuses.
    """
    global _migrated_by_stem
    if _migrated_by_stem:
        # The next time somebody asks, it may have been removed.
        _migrated_by_stem = False
        return
    settings.ENVIRONMENT.data_directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _one_at_a_time():
        if _pending():
            logger.info("Migrating the database")
            call_command("migrate", interactive=False, verbosity=0)


class Migration:
    """Does the same in a process of its own, beside what this one does meanwhile, for processes that will be forked.

    None of them need look then.
    """

    def __init__(self) -> None:
        self._process = os.fork()
        if self._process == 0:
            try:
                migrate_once()
            finally:
                os._exit(int(sys.exc_info()[0] is not None))

    def wait(self) -> None:
        """Waits until the database has the newest schema.

        Raises:
            OSError: the data directory cannot be made or written.
            django.db.Error: the database refuses.
        """
        global _migrated_by_stem
        if os.waitpid(self._process, 0)[1]:
            # Once more, here, where somebody hears why.
            migrate_once()
            connections.close_all()
        _migrated_by_stem = True


def _pending() -> bool:
    # Only who migrates needs it, and the stem lets another process do that.
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [_ADVISORY_LOCK])
            try:
                yield
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [_ADVISORY_LOCK])
        return
    with (settings.ENVIRONMENT.data_directory / "migrate.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
