"""What happens when a process finds the database damaged: it leaves a mark and ends, to be started again.

`note` is called by the backend for every error. Processes that somebody starts again call `end_when_damaged`; the next
start finds the mark and sets the database aside (`quarantine`); the other process sees that the file is another one.
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
# Until then what there is at the start has been read, as a rule.
_CHECK_AFTER_S = 3.0
# Sockets and tasks at work may keep a process from ending in order.
_END_AFTER_S = 5.0
# What SQLite's Python module says of text that is none; it has no code for it.
_NO_TEXT = "Could not decode to UTF-8"
_ending = threading.Event()
_here = threading.local()
_starting = threading.Lock()
_watched = False
# The file that this process works with, as it was when the process last looked at the database for a start.
_known: tuple[int, int] | None = None


def database_file() -> Path | None:
    """Returns the file of the SQLite database; None where there is none."""
    name = str(settings.DATABASES["default"].get("NAME") or "")
    of_sqlite = settings.DATABASES["default"]["ENGINE"] == "mindinsight.database"
    return Path(name) if of_sqlite and name and not name.startswith((":memory:", "file:")) else None


def mark_of(database: Path) -> Path:
    """The file that says that the database is to be set aside at the next start."""
    return database.with_name(f"{database.name}.suspect")


def is_damage(error: BaseException) -> bool:
    """Whether an error, or its cause, is SQLite reporting a damaged database."""
    found: BaseException | None = error
    while found is not None:
        if getattr(found, "sqlite_errorcode", 0) & 0xFF in _DAMAGED or str(found).startswith(_NO_TEXT):
            return True
        found = found.__cause__
    return False


def note(error: BaseException) -> None:
    """Leaves the mark where an error says that the database is damaged."""
    if is_damage(error) and not getattr(_here, "starting", False):
        suspect(str(error))


@contextmanager
def starting() -> Iterator[None]:
    """While a process looks at the database and may set it aside itself, nothing is noted and nothing ends it."""
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
    """Has the database set aside at the next start, and ends this process if somebody starts it again."""
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
    """Whether a damaged database was set aside just now: on a broken disk that would never end."""
    notice = read_notice(settings.ENVIRONMENT.data_directory)
    return notice is not None and 0 <= time.time() - notice["at"] < _AT_MOST_EVERY_S


def end_when_damaged(*, check: bool = False) -> None:
    """Makes this process end when the database is damaged or was set aside by another process.

    Args:
        check: whether this process also looks once at all pages of the database, some seconds after its start.
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
    """Finds damage that nobody has met yet: 3 ms for each megabyte, without the interpreter's lock."""
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
    """Says which column holds no JSON although it should; SQLite takes such a row for sound."""
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
