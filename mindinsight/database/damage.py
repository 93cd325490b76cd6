"""Handles a damaged database in a process: it leaves a mark and ends, to be restarted.

The backend calls `note` for every error. Processes that a supervisor restarts call `end_when_damaged`. The next start
finds the mark and sets the database aside (`quarantine`). The other process notices that the file is a different one.
"""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db.models import JSONField

from mindinsight.database_notice import read_notice

logger = logging.getLogger(__name__)

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_LOOK_EVERY_S = 1.0
_AT_MOST_EVERY_S = 60.0
# By this time the initial data has usually been read.
_CHECK_AFTER_S = 3.0
# Busy sockets and tasks may keep a process from ending in order.
_END_AFTER_S = 5.0
# SQLite's Python module says this of invalid text. There is no error code for it.
_NO_TEXT = "Could not decode to UTF-8"
_ending = threading.Event()
_here = threading.local()
_starting = threading.Lock()
_watched = False
# Identity of the database file at the time when the process checked it at its start.
_known: tuple[int, int] | None = None


def database_file() -> Path | None:
    """Returns the file of the SQLite database, or None if another database is used."""
    name = str(settings.DATABASES["default"].get("NAME") or "")
    of_sqlite = settings.DATABASES["default"]["ENGINE"] == "mindinsight.database"
    return Path(name) if of_sqlite and name and not name.startswith((":memory:", "file:")) else None


def mark_of(database: Path) -> Path:
    """The mark: a file that makes the next start set the database aside."""
    return database.with_name(f"{database.name}.suspect")


def is_damage(error: BaseException) -> bool:
    """Whether an error or its cause is SQLite's report of a damaged database."""
    found: BaseException | None = error
    while found is not None:
        if getattr(found, "sqlite_errorcode", 0) & 0xFF in _DAMAGED or str(found).startswith(_NO_TEXT):
            return True
        found = found.__cause__
    return False


def note(error: BaseException) -> None:
    """Leaves the mark if an error says that the database is damaged."""
    if is_damage(error) and not getattr(_here, "starting", False):
        suspect(str(error))


@contextmanager
def starting() -> Iterator[None]:
    """Turns the marks and the ending off while a process checks the database and may set it aside itself."""
    global _known
    with _starting:
        _here.starting = True
        try:
            yield
        finally:
            _here.starting = False
            database = database_file()
            _known = _identity(database) if database is not None else None


def suspect(why: str) -> None:
    """Makes the next start set the database aside, and ends this process if it will be restarted."""
    database = database_file()
    if database is None or _ending.is_set() or _is_fresh():
        return
    logger.error("The database %s is damaged (%s). The next start sets it aside and makes a new one.", database, why)
    try:
        mark_of(database).write_text(why, encoding="utf-8")
    except OSError as failure:
        logger.warning("Cannot write %s: %s", mark_of(database), failure)
        return
    if _watched:
        _end()


def _is_fresh() -> bool:
    """Whether a damaged database was set aside just now. On a broken disk this would go on for ever."""
    notice = read_notice(settings.ENVIRONMENT.data_directory)
    return notice is not None and 0 <= time.time() - notice["at"] < _AT_MOST_EVERY_S


def end_when_damaged(*, check: bool = False) -> None:
    """Ends this process when the database is damaged or another process has set it aside.

    Args:
        check: whether this process also checks all pages of the database once, some seconds after its start.
    """
    global _watched
    database = database_file()
    if database is not None:
        _watched = True
        threading.Thread(target=_watch, args=(database, check), name="database", daemon=True).start()


def _watch(database: Path, check: bool) -> None:
    if check and not _ending.wait(_CHECK_AFTER_S):
        _check(database)
    while not _ending.wait(_LOOK_EVERY_S):
        with _starting:
            now = _identity(database)
            known = _known
        if known is not None and now is not None and now != known:
            logger.warning("The database was made again; this process restarts")
            _end()


def _check(database: Path) -> None:
    """Looks for damage that nothing has met yet. Takes 3 ms per megabyte, without the interpreter's lock."""
    try:
        with _starting, closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            ((found,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
            found = _garbled(connection) if found == "ok" else found
    except sqlite3.Error as error:
        if is_damage(error):
            suspect(str(error))
        return
    if found is not None:
        suspect(found)


def _garbled(connection: sqlite3.Connection) -> str | None:
    """Returns the column that should hold JSON but does not. SQLite does not detect this."""
    for model in apps.get_models():
        table = model._meta.db_table
        for field in model._meta.concrete_fields:
            if isinstance(field, JSONField):
                column = f'"{field.column}"'
                garbled = f"{column} IS NOT NULL AND NOT json_valid({column})"
                if connection.execute(f'SELECT 1 FROM "{table}" WHERE {garbled} LIMIT 1').fetchone():  # noqa: S608
                    return f"{table}.{field.column} holds no JSON"
    return None


def _identity(database: Path) -> tuple[int, int] | None:
    try:
        status = database.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _end() -> None:
    _ending.set()
    last = threading.Timer(_END_AFTER_S, os._exit, (1,))
    last.daemon = True
    last.start()
    os.kill(os.getpid(), signal.SIGTERM)
