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
from django.db import DatabaseError, connection, connections

from mindinsight.config.sqlite import checks, damage

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
    with _one_at_a_time(), damage.starting():
        database = damage.database_file()
        why = None if database is None else checks.why_unusable(database) or _why_damaged()
        if database is not None and why is not None:
            from mindinsight.config.sqlite import aside

            connections.close_all()
            aside.renew(database, why, _make)
        else:
            _make()


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


def _make() -> None:
    """Makes what tables are missing."""
    if connection.vendor == "sqlite" and not _tables():
        _fill()
    if _pending():
        # Brings argparse and what colours a terminal, 5 ms of each start.
        from django.core.management import call_command

        logger.info("Migrating the database")
        call_command("migrate", interactive=False, verbosity=0)


def _why_damaged() -> str | None:
    """What is wrong with the tables of an SQLite database; None where they may be sound."""
    try:
        there = _tables()
        pending = bool(there) and _pending()
    except DatabaseError as error:
        if damage.is_damage(error):
            return f"is damaged ({error})"
        raise
    if "django_migrations" not in there:
        return "has lost tables" if there else None
    # Those of an older version are made by the migrations that are pending.
    lost = not pending and not {model._meta.db_table for model in apps.get_models()} <= there
    return "has lost tables" if lost else None


def _tables() -> set[str]:
    """The names of all tables of an SQLite database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {name for (name,) in cursor.fetchall()}


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
