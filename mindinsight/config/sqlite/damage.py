"""What happens when a process finds the database damaged: it leaves a mark and ends, to be started again.

`note` is called by the backend for every error. Processes that somebody starts again call `end_when_damaged`; the next
start finds the mark and sets the database aside (`aside`), and the other process sees that the file is another one.
"""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

logger = logging.getLogger(__name__)

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_LOOK_EVERY_S = 1.0
# Sockets and tasks at work may keep a process from ending in order.
_END_AFTER_S = 5.0
# What SQLite's Python module says of text that is none; it has no code for it.
_NO_TEXT = "Could not decode to UTF-8"
_ending = threading.Event()
_here = threading.local()
_starting = threading.Lock()
_watched = False


def database_file() -> Path | None:
    """Returns the file of the SQLite database; None where there is none."""
    name = str(settings.DATABASES["default"].get("NAME") or "")
    of_sqlite = settings.DATABASES["default"]["ENGINE"] == "mindinsight.config.sqlite"
    return Path(name) if of_sqlite and name and not name.startswith((":memory:", "file:")) else None


def mark_of(database: Path) -> Path:
    """The file that says that the database is to be set aside at the next start."""
    return database.with_name(f"{database.name}.suspect")


def is_damage(error: BaseException) -> bool:
    """Whether SQLite says with an error, or with what it was raised from, that the database is damaged."""
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
    with _starting:
        _here.starting = True
        try:
            yield
        finally:
            _here.starting = False


def suspect(why: str) -> None:
    """Has the database set aside at the next start, and ends this process if somebody starts it again."""
    database = database_file()
    if database is None or _ending.is_set():
        return
    logger.error("The database %s is damaged (%s). The next start sets it aside and makes a new one.", database, why)
    try:
        mark_of(database).write_text(why, encoding="utf-8")
    except OSError as failure:
        logger.warning("Cannot write %s: %s", mark_of(database), failure)
        return
    if _watched:
        _end()


def end_when_damaged() -> None:
    """Makes this process end when the database is damaged or was set aside by another process."""
    global _watched
    database = database_file()
    if database is not None:
        _watched = True
        threading.Thread(target=_watch, args=(database,), name="database", daemon=True).start()


def _watch(database: Path) -> None:
    known: tuple[int, int] | None = None
    while not _ending.wait(_LOOK_EVERY_S):
        with _starting:
            now = _identity(database)
        if known is not None and now is not None and now != known:
            logger.warning("The database was made anew; this process starts again")
            _end()
        known = now or known


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
