"""Checks at the start whether the database can be used: one stat and a hundred bytes, before it is opened.

A full check by SQLite takes 3 ms per megabyte. Damage that this quick check misses is noted by `damage` when it is
found; `damage` then leaves the mark that this check looks for. Called by `quarantine`.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from mindinsight.database.damage import mark_of

MAGIC = b"SQLite format 3\0"
HEADER_BYTES = 100


def why_unusable(database: Path) -> str | None:
    """Returns what is wrong with a database, as the end of a sentence "The database ...", or None if it may be sound.

    If only the owner's permission is missing, the file is made readable and writable.

    Args:
        database: the file, which need not exist.
    """
    if mark_of(database).exists():
        return "was found damaged"
    if database.is_dir():
        return "is a directory"
    try:
        header = _header(database)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if not header:
        return None  # An empty file becomes a database.
    if not header.startswith(MAGIC):
        return "has no header of SQLite"
    return _why_short(database, header)


def _header(database: Path) -> bytes:
    if not os.access(database, os.R_OK | os.W_OK):
        with contextlib.suppress(OSError):
            database.chmod(0o600)
    with database.open("rb") as file:
        return file.read(HEADER_BYTES)


def _why_short(database: Path, header: bytes) -> str | None:
    """Whether the end of the file is missing. Pages in the write-ahead log may not have been copied into it yet."""
    with contextlib.suppress(FileNotFoundError):
        if database.with_name(f"{database.name}-wal").stat().st_size:
            return None
    pages = int.from_bytes(header[28:32], "big")
    page_bytes = int.from_bytes(header[16:18], "big") or 1
    page_bytes = 65536 if page_bytes == 1 else page_bytes
    # The number of pages is valid if the two change counters are equal (SQLite's file format, 1.3.8).
    is_valid = len(header) < HEADER_BYTES or header[24:28] == header[92:96]
    return "is cut off" if is_valid and database.stat().st_size < max(HEADER_BYTES, pages * page_bytes) else None
