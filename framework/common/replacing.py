"""Writes files so that each is either whole or as it was before, whatever happens meanwhile.

Used for checkpoints, model files and generated kernels. A file is written beside its place under a hidden name
(`.NAME.RANDOM.part`). Its writer holds an exclusive lock on it, which the system releases when the process ends in any
way. So the next writer in the directory knows which parts were abandoned, and removes them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

__all__ = ["new_part", "remove_abandoned", "replacing"]

_PART: Final = re.compile(r"\..+\.[0-9a-f]{16}\.part")


@contextlib.contextmanager
def replacing(path: Path, *, synced: bool = True) -> Iterator[BinaryIO]:
    """Write a file that takes the place of another when it is whole.

    Args:
        path: the place; missing folders are made.
        synced: whether to wait until the disk has it, so that it is whole even after a power cut. Not needed for a file
            with a checksum that can be made again.

    Raises:
        OSError: the file cannot be written; what was there before is as it was.

    """
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(path.parent)
    part, file = new_part(path)
    try:
        with file:
            yield file
            file.flush()
            if synced:
                os.fsync(file.fileno())
            # While the lock is held: otherwise another writer would take the part for an abandoned one.
            part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def new_part(path: Path) -> tuple[Path, BinaryIO]:
    """Create a file under a hidden name beside a place. It is locked, where the file system has locks, until closed.

    Args:
        path: the place.

    Raises:
        OSError: it cannot be created.

    """
    while True:
        part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
        file = part.open("xb")
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        # Another writer may have found it before it was locked.
        if os.fstat(file.fileno()).st_nlink:
            return part, file
        file.close()


def remove_abandoned(directory: Path) -> None:
    """Remove the parts whose writers have ended without finishing them.

    A part that cannot be locked stays: its writer is alive, the file system has no locks, or another account owns it.

    Args:
        directory: where to look; not below it.

    """
    with contextlib.suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if _PART.fullmatch(entry.name):
                _remove_if_abandoned(entry.path)


def _remove_if_abandoned(part: str) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(part, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(part)  # noqa: PTH108 - the path is a text already
        finally:
            os.close(descriptor)
