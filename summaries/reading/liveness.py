"""Tell whether the writer of an event file still lives.

A `SummaryWriter` holds its file under an exclusive lock for as long as it lives; the kernel lets go of the
lock when the process ends, however it ends. The dashboard calls `writer_state` to show a run as running,
finished or crashed.
"""

import errno
import fcntl
import os
from enum import StrEnum
from functools import partial

from summaries.beneath import FilePath, open_file
from summaries.naming import host_name
from summaries.reading.head import read_head

_WRITE_BITS = 0o222


class WriterState(StrEnum):
    """What is known of a file's writer."""

    WRITING = "writing"
    CLOSED = "closed"
    ABANDONED = "abandoned"
    UNKNOWN = "unknown"


def writer_state(path: FilePath) -> WriterState:
    """Return whether the writer of a file is at work, has closed it, or has died without closing it.

    `CLOSED` when the file's mode allows no writing any more, as our writer and MindSpore's leave it.
    `WRITING` and `ABANDONED` can be told of files of our own writer on this machine only. Everything else, a
    file that has vanished or cannot be read included, is `UNKNOWN`.
    """
    try:
        descriptor = open_file(path)
    except OSError:
        return WriterState.UNKNOWN
    try:
        return _state(descriptor)
    except OSError:
        return WriterState.UNKNOWN
    finally:
        os.close(descriptor)


def _state(descriptor: int) -> WriterState:
    status = os.fstat(descriptor)
    if not status.st_mode & _WRITE_BITS:
        return WriterState.CLOSED
    head = read_head(partial(_read_at, descriptor), status.st_size)
    if head.writer is None or head.writer.host != host_name():
        return WriterState.UNKNOWN
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return WriterState.WRITING if error.errno == errno.EWOULDBLOCK else WriterState.UNKNOWN
    # The writer may have closed the file between the two looks.
    closed = not os.fstat(descriptor).st_mode & _WRITE_BITS
    return WriterState.CLOSED if closed else WriterState.ABANDONED


def _read_at(descriptor: int, offset: int, count: int) -> bytes:
    return os.pread(descriptor, count, offset)
