"""Creates and migrates the database at the start, in whichever process comes first.

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
from django.db import DatabaseError, connection, connections

from mindinsight.database import checks, damage

logger = logging.getLogger(__name__)

# Any number that no other program uses for a PostgreSQL advisory lock.
_ADVISORY_LOCK = 0x4D494E44
SNAPSHOT = Path(__file__).with_name("schema.sql")
"""The schema of an empty SQLite database after all migrations, written by `tools/schema.py`."""
_migrated_by_stem = False


def migrate_once() -> None:
    """Migrates the database to the newest schema. Returns at once if it is up to date.

    Raises:
        OSError: the data directory cannot be created or written.
        django.db.Error: the database cannot be used.
    """
    global _migrated_by_stem
    if _migrated_by_stem:
        # It may have been removed by the next call.
        _migrated_by_stem = False
        return
    settings.ENVIRONMENT.data_directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _one_at_a_time(), damage.starting():
        database = damage.database_file()
        why = None if database is None else checks.why_unusable(database) or _why_damaged()
        if database is not None and why is not None:
            from mindinsight.database import quarantine

            connections.close_all()
            quarantine.renew(database, why, _make)
        else:
            _make()


def migrate_before_forking() -> None:
    """Does the same and leaves no connection open, so that forked processes need not check again.

    Raises:
        OSError: the data directory cannot be created or written.
        django.db.Error: the database cannot be used.
    """
    global _migrated_by_stem
    migrate_once()
    connections.close_all()
    _migrated_by_stem = True


def _make() -> None:
    """Creates the missing tables."""
    if connection.vendor == "sqlite" and not _tables():
        _fill()
    if _pending():
        # Imports argparse and terminal colours, 5 ms of each start.
        from django.core.management import call_command

        logger.info("Migrating the database")
        call_command("migrate", interactive=False, verbosity=0)


def _why_damaged() -> str | None:
    """Returns what is wrong with the tables of an SQLite database, or None if they may be sound."""
    try:
        there = _tables()
        pending = bool(there) and _pending()
    except DatabaseError as error:
        if damage.is_damage(error):
            return f"is damaged ({error})"
        raise
    if "django_migrations" not in there:
        return "has lost tables" if there else None
    # Pending migrations create the tables that an older version lacks.
    lost = not pending and not {model._meta.db_table for model in apps.get_models()} <= there
    return "has lost tables" if lost else None


def _tables() -> set[str]:
    """The names of all tables in an SQLite database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {name for (name,) in cursor.fetchall()}


def _fill() -> None:
    """Creates all tables at once. The migrations would take a third of a second at the first start.

    A snapshot without the newest migrations does no harm: they remain pending.
    """
    cast("sqlite3.Connection", connection.connection).executescript(SNAPSHOT.read_text(encoding="utf-8"))


def _pending() -> bool:
    """Whether a migration is pending. Django's own plan would import and simulate all of them to find out."""
    return not _migrations() <= _applied()


def _migrations() -> set[tuple[str, str]]:
    """App and name of each existing migration."""
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
    except DatabaseError as error:
        if damage.is_damage(error):
            raise
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
