"""Liveness of writers: checks whether the writer of an event file is still alive.

A `SummaryWriter` holds an exclusive lock on its file while it is open. The kernel releases the lock when the process
ends, however it ends. The dashboard calls `writer_state` to show a run as running, finished or crashed.
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
    """State of a file's writer."""

    WRITING = "writing"
    CLOSED = "closed"
    ABANDONED = "abandoned"
    UNKNOWN = "unknown"


def writer_state(path: FilePath) -> WriterState:
    """Return whether the writer of a file is writing, has closed it, or died without closing it.

    - `CLOSED`: the file's mode allows no more writing. Our writer and MindSpore's set this mode when they close.
    - `WRITING`: known for files of our own writer that are locked on this machine, by the writer or by a web server
      that receives them from another machine.
    - `ABANDONED`: known only for files of our own writer on this machine.
    - `UNKNOWN`: everything else, including a file that is gone or cannot be read.
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
    if head.writer is None:
        return WriterState.UNKNOWN
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return WriterState.WRITING if error.errno == errno.EWOULDBLOCK else WriterState.UNKNOWN
    if head.writer.host != host_name():
        return WriterState.UNKNOWN
    # The writer may have closed the file between the two checks.
    closed = not os.fstat(descriptor).st_mode & _WRITE_BITS
    return WriterState.CLOSED if closed else WriterState.ABANDONED


def _read_at(descriptor: int, offset: int, count: int) -> bytes:
    return os.pread(descriptor, count, offset)
