"""Appends to event files below the watched directory, without following symbolic links. Called by the view."""

from __future__ import annotations

import errno
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mindinsight.api.problems import Problem
from mindinsight.incoming.signs import keep_alive, release
from summaries.beneath import Beneath
from summaries.remote import HEAD_BYTES

_MODE_OPEN, _MODE_CLOSED = 0o600, 0o400
_WRITE_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True)
class Held:
    """What is there of a file.

    Attributes:
        size: number of its bytes.
        head: CRC-32 of its first bytes.
        closed: whether it is complete.
    """

    size: int = 0
    head: int = 0
    closed: bool = False


def held(place: Beneath) -> Held:
    """What is there of a file; nothing if it does not exist.

    Raises:
        Problem: a link or something else is in its place.
        OSError: it cannot be read.
    """
    try:
        descriptor = place.open()
    except FileNotFoundError:
        return Held()
    except OSError as error:
        raise _blocked(place, error) from None
    try:
        return _held(place, descriptor)
    finally:
        os.close(descriptor)


def append(place: Beneath, offset: int, data: bytes, *, closed: bool) -> Held:
    """Write bytes into a file, which is created with its folders if it is missing.

    Args:
        place: the file.
        offset: where the bytes go.
        data: the bytes.
        closed: whether the file ends behind them.

    Raises:
        Problem: the offset is behind the end, or the file has other bytes there.
        OSError: the disk is full, or something else prevents writing.
    """
    with _opened(place, create=offset == 0) as descriptor:
        before = _held(place, descriptor)
        if offset > before.size:
            message = f"{place.name} has {before.size} bytes, so nothing can be written at {offset}."
            raise Problem("wrong_offset", message, 409, size=before.size)
        overlap = data[: before.size - offset]
        if overlap != os.pread(descriptor, len(overlap), offset):
            raise _other(place, "has other bytes there")
        end = offset + len(data)
        if before.closed:
            if end > before.size:
                raise _other(place, "is complete")
            return before
        _write(descriptor, data[len(overlap) :], before.size)
        if not closed:
            keep_alive(place, descriptor)
            return _held(place, descriptor)
        # A writer on a full disk takes back a record that it could write in part only.
        os.ftruncate(descriptor, end)
        os.fchmod(descriptor, _MODE_CLOSED)
        release(place)
        return _held(place, descriptor)


def _held(place: Beneath, descriptor: int) -> Held:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise _other(place, "is no file")
    head = os.pread(descriptor, HEAD_BYTES, 0)
    return Held(status.st_size, zlib.crc32(head), not status.st_mode & _WRITE_BITS)


def _write(descriptor: int, data: bytes, offset: int) -> None:
    while data:
        written = os.pwrite(descriptor, data, offset)
        data, offset = data[written:], offset + written


@contextmanager
def _opened(place: Beneath, *, create: bool) -> Iterator[int]:
    """Open a file for reading and writing, or for reading if it is complete."""
    try:
        if create:
            _make_folders(place)
        with place.folder() as folder:
            descriptor = _open_in(folder, place.name, create=create)
    except FileNotFoundError:
        raise Problem(
            "wrong_offset", f"There is no file {place.name} yet: send its first bytes.", 409, size=0
        ) from None
    except OSError as error:
        raise _blocked(place, error) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _open_in(folder: int, name: str, *, create: bool) -> int:
    flags = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not status.st_mode & _WRITE_BITS:
            return os.open(name, os.O_RDONLY | flags, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
    return os.open(name, os.O_RDWR | flags | (os.O_CREAT if create else 0), _MODE_OPEN, dir_fd=folder)


def _make_folders(place: Beneath) -> None:
    """Create the missing folders of a file, each relative to the one above."""
    above = os.open(place.base, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in Path(place.relative).parts[:-1]:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=above)
            inner = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
            os.close(above)
            above = inner
    finally:
        os.close(above)


def _blocked(place: Beneath, error: OSError) -> Exception:
    """The error for a path that cannot be opened: a person's, if a link, a file or a folder is in the way."""
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.EACCES, errno.EPERM):
        return _other(place, f"cannot be written there ({error.strerror})")
    return error


def _other(place: Beneath, why: str) -> Problem:
    return Problem("other_content", f"{place.relative} {why}. Use another name.", 409, file=place.relative)
