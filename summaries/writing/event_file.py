"""An event file that is being written: whole records, in order, even if the disk is full at times.

Used by the summary writer's thread. The file is locked while it is open; the lock shows others that the writer is
alive.
"""

import contextlib
import errno
import fcntl
import logging
import os
import sys
import time
import uuid
from collections import deque
from collections.abc import Collection
from itertools import islice
from pathlib import Path

from summaries.naming import FileKind, create_event_file, host_name
from summaries.records import frame
from summaries.schema.summary_pb2 import Event, Segment, Writer

_log = logging.getLogger("summaries")

VERSION = "MindSpore.Event:1"
_RECORDS_PER_WRITE = 1024
_LONG_RECORD = 1 << 20
_MODE_CLOSED = 0o400


class EventFile:
    """A new event file in `directory`, beginning with the version record.

    Args:
        directory: directory of the file, created with its parents if missing.
        suffix: end of the file name.
        fsync: whether `write` calls fsync.
        kind: an event file, or a lineage file, which has no version record.
        from_step: values of this and later steps in earlier files of the run are superseded.
        prefix: start of the file name.
        max_bytes: maximum size of the file; further records are dropped, with one warning.

    Raises:
        OSError: the directory or the file cannot be created.
        ValueError: the suffix cannot be used.
    """

    def __init__(
        self,
        directory: Path,
        *,
        suffix: str,
        fsync: bool,
        kind: FileKind = FileKind.MINDSPORE,
        from_step: int | None = None,
        prefix: str = "events",
        max_bytes: int | None = None,
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        opened = time.time()
        self.path, self._descriptor = create_event_file(directory, opened, prefix=prefix, suffix=suffix, kind=kind)
        # On a file system without locks, liveness of the writer stays unknown; nothing else depends on the lock.
        with contextlib.suppress(OSError):
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._fsync = fsync
        self._records: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._max_bytes = max_bytes
        self._is_full = False
        self._whole = 0  # Length of the file up to the end of its last whole record.
        self._torn = 0  # Bytes of the first waiting record that are in the file already.
        self._version = frame(_version_record(opened, from_step)) if kind is FileKind.MINDSPORE else b""
        if self._version:
            self.extend((self._version,))
        # At once, so that no reader sees a file without a writer record; on a full disk it waits like other records.
        with contextlib.suppress(OSError):
            self.write()

    @property
    def removed(self) -> bool:
        """Whether the file was deleted (link count 0): data written to it is lost when it is closed.

        A renamed file, alone or with its directory, is not removed.
        """
        try:
            return os.fstat(self._descriptor).st_nlink == 0
        except OSError as error:
            # On a network file system: another machine removed the file.
            return error.errno == errno.ESTALE

    @property
    def waiting(self) -> int:
        """Number of records that are not yet completely in the file."""
        return len(self._records)

    @property
    def waiting_bytes(self) -> int:
        """Total length of these records."""
        return self._waiting_bytes

    def append(self, payload: bytes) -> None:
        """Queue `payload` as the next record."""
        self.extend((frame(payload),))

    def extend(self, records: Collection[bytes]) -> None:
        """Queue whole records, up to the maximum size of the file."""
        if self._max_bytes is not None:
            records = self._fitting(records, self._max_bytes)
        self._records.extend(records)
        self._waiting_bytes += sum(map(len, records))

    def take_over(self, removed: "EventFile") -> None:
        """Queue the unwritten records of a file that was removed, and close that file.

        Args:
            removed: the other file.
        """
        self.extend([record for record in removed._records if record is not removed._version])
        removed.forsake()

    def _fitting(self, records: Collection[bytes], limit: int) -> list[bytes]:
        """Return the records that fit. After the first that does not, no more records are accepted."""
        taken: list[bytes] = []
        size = self._whole + self._waiting_bytes
        for record in records:
            size += len(record)
            if size > limit or self._is_full:
                if not self._is_full:
                    _log.warning("%s has reached its %d bytes; what follows is not recorded.", self.path, limit)
                self._is_full = True
                break
            taken.append(record)
        return taken

    def write(self) -> None:
        """Write all waiting records.

        Raises:
            OSError: the file cannot be written now. The rest stays queued; the next call continues at the exact byte
                where this one stopped, so no record is torn.
        """
        if not self._records:
            return
        while self._records:
            data = self._next_bytes()
            self._account(os.write(self._descriptor, memoryview(data)[self._torn :]))
        if self._fsync:
            os.fsync(self._descriptor)

    def close(self) -> None:
        """Mark the file as finished and close it; a partly written record is truncated."""
        with contextlib.suppress(OSError):
            if self._torn:
                os.ftruncate(self._descriptor, self._whole)
        with contextlib.suppress(OSError):
            os.fchmod(self._descriptor, _MODE_CLOSED)
        self.forsake()

    def forsake(self) -> None:
        """Close the descriptor and leave the file to the process that this one was forked from."""
        with contextlib.suppress(OSError):
            os.close(self._descriptor)

    def _next_bytes(self) -> bytes:
        """Return the first records as one piece; a long record, such as an image, is not copied."""
        first = self._records[0]
        return first if len(first) > _LONG_RECORD else b"".join(islice(self._records, _RECORDS_PER_WRITE))

    def _account(self, written: int) -> None:
        """Drop the records that are complete after `written` more bytes."""
        self._torn += written
        while self._records and self._torn >= len(self._records[0]):
            length = len(self._records.popleft())
            self._waiting_bytes -= length
            self._torn -= length
            self._whole += length


def _version_record(opened: float, from_step: int | None) -> bytes:
    program = Path(sys.argv[0]).name if sys.argv else ""
    writer = Writer(host=host_name(), pid=os.getpid(), id=uuid.uuid4().hex, opened=opened)
    writer.program = program.encode(errors="replace").decode()
    segment = Segment(id=uuid.uuid4().hex, from_step=from_step)
    return Event(wall_time=opened, version=VERSION, writer=writer, segment=segment).SerializeToString()
