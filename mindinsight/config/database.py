"""Creates and migrates the database at start, whichever process comes first.

Called by the web server and by the worker before they do anything else, so that an installed wheel needs no step
between `pip install` and `mindinsight start`.
"""

from __future__ import annotations

import fcntl
import logging
import pkgutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection, connections

logger = logging.getLogger(__name__)

# Any number that no other program takes a PostgreSQL advisory lock with.
_ADVISORY_LOCK = 0x4D494E44
SNAPSHOT = Path(__file__).with_name("schema.sql")
"""What all migrations leave in an empty SQLite database, written by `tools/schema.py`."""
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
        if _is_new():
            _fill()
        if _pending():
            logger.info("Migrating the database")
            call_command("migrate", interactive=False, verbosity=0)


def migrate_before_forking() -> None:
    """Does the same and leaves no connection open; none of the forked processes need look then.

    Raises:
        OSError: the data directory cannot be made or written.
        django.db.Error: the database refuses.
    """
    global _migrated_by_stem
    migrate_once()
    connections.close_all()
    _migrated_by_stem = True


def _is_new() -> bool:
    """Whether this is an SQLite database without a single table."""
    if connection.vendor != "sqlite":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT NOT EXISTS (SELECT 1 FROM sqlite_master)")
        return bool(cursor.fetchone()[0])


def _fill() -> None:
    """Makes all tables at once: the migrations would take a third of a second of the first start.

    A snapshot that lacks the newest migrations does no harm: they are pending then.
    """
    cast("sqlite3.Connection", connection.connection).executescript(SNAPSHOT.read_text(encoding="utf-8"))


def _pending() -> bool:
    """Whether a migration was not applied; Django's own plan would import and simulate all of them to say so."""
    return not _migrations() <= _applied()


def _migrations() -> set[tuple[str, str]]:
    """App and name of each migration that there is."""
    return {
        (app.label, module.name)
        for app in apps.get_app_configs()
        for module in pkgutil.iter_modules([str(Path(app.path, "migrations"))])
    }


def _applied() -> set[tuple[str, str]]:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT app, name FROM django_migrations")
            return set(cursor.fetchall())
    except DatabaseError:
        return set()


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
