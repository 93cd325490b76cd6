"""Sets a damaged database aside, so that a new one can be created, and reports the result.

Called by `migrating.migrate_once`, one process at a time. Damaged files are never deleted.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from mindinsight.database.damage import mark_of
from mindinsight.database.salvage import save_rows
from mindinsight.database_notice import Notice, write_notice

logger = logging.getLogger(__name__)

_BESIDE = ("-wal", "-shm", "-journal")


def renew(database: Path, why: str, fill: Callable[[], None]) -> None:
    """Sets a damaged database aside, creates a new one, and copies the readable rows into it.

    Args:
        database: the file. This process must have no open connection to it.
        why: what is wrong, as the end of a sentence "The database ...".
        fill: creates the tables of the new database through Django's connection.

    Raises:
        OSError: the file cannot be renamed.
        django.db.Error: the new database cannot be filled.
    """
    aside = _set_aside(database)
    mark_of(database).unlink(missing_ok=True)
    fill()
    saved = _save_rows(aside, database)
    write_notice(settings.ENVIRONMENT.data_directory, Notice(at=time.time(), why=why, file=str(aside), saved=saved))
    logger.error(
        "The database %s %s. It was set aside as %s; a new one is filled from the event files. Saved rows: %s",
        database,
        why,
        aside,
        ", ".join(f"{name} {count}" for name, count in saved.items()),
    )


def _set_aside(database: Path) -> Path:
    moment = time.strftime("%Y%m%d-%H%M%S")
    names = (f"{database.name}.damaged-{moment}{suffix}" for suffix in ("", *(f"-{n}" for n in range(2, 1000))))
    aside = next(path for name in names if not (path := database.with_name(name)).exists())
    database.rename(aside)
    for ending in _BESIDE:
        with suppress(FileNotFoundError):
            database.with_name(database.name + ending).rename(aside.with_name(aside.name + ending))
    return aside


def _save_rows(aside: Path, database: Path) -> dict[str, int]:
    """Reads a copy, because SQLite would change the file. No error here keeps the dashboard from starting."""
    try:
        with tempfile.TemporaryDirectory(dir=database.parent, prefix=".salvage-") as folder:
            copy = Path(folder, "damaged.sqlite3")
            shutil.copyfile(aside, copy)
            with suppress(FileNotFoundError):
                shutil.copyfile(aside.with_name(f"{aside.name}-wal"), copy.with_name(f"{copy.name}-wal"))
            return save_rows(copy, database)
    except Exception:
        logger.exception("Nothing more could be saved from %s", aside)
        return {}
