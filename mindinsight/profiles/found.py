"""Finds traces below the watched directory. Called by the views and by `mindinsight profile`."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mindinsight.graphs.json_text import json_text
from summaries.beneath import Beneath

_NAMES = re.compile(r"trace_view\.json|.*\.trace\.json(\.gz)?|.*\.chrometrace\.json(\.gz)?|.*timeline_display.*\.json")
"""Of torch, TensorBoard, MindSpore 2.10, and MindInsight's own profiler."""
_MOST_FOLDERS = 20_000


@dataclass(frozen=True, slots=True)
class Found:
    """A trace file.

    Attributes:
        uid: hash of the path.
        path: relative to the watched directory.
        size, modified, inode: of the file; bytes, nanoseconds since 1970.
    """

    uid: str
    path: str
    size: int
    modified: int
    inode: int


def find_all(base: Path) -> list[Found]:
    """Returns the traces below a directory, by name. Symbolic links are not followed.

    Args:
        base: the watched directory.
    """
    return sorted(_walk(base), key=lambda one: one.path)


def is_trace(name: str) -> bool:
    """Whether a file's name is that of a trace."""
    return not name.startswith(".") and _NAMES.fullmatch(name) is not None


def file_of(base: Path, path: str) -> Beneath:
    """Returns a trace file, whose path cannot lead out of the watched directory.

    Args:
        base: the watched directory.
        path: relative to it.
    """
    return Beneath(base, path)


def look_at(base: Path, path: str) -> Found | None:
    """Returns the present state of a trace file, or None if it does not exist."""
    try:
        status = file_of(base, path).stat()
    except (OSError, ValueError):
        return None
    return _found(path, status)


def _walk(base: Path) -> Iterator[Found]:
    for number, (folder, folders, files) in enumerate(os.walk(base)):
        if number >= _MOST_FOLDERS:
            return
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in files:
            if is_trace(name):
                path = Path(folder, name).relative_to(base).as_posix()
                # Names that are no text cannot be stored in the database.
                found = look_at(base, path) if json_text(path) == path else None
                if found is not None:
                    yield found


def _found(path: str, status: os.stat_result) -> Found:
    uid = hashlib.sha256(path.encode()).hexdigest()[:32]
    return Found(uid, path, status.st_size, status.st_mtime_ns, status.st_ino)
