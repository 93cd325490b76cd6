"""One event file that is being written: whole records go in, in order, whatever the disk does meanwhile.

Used by the summary writer's thread. The file is locked for as long as it is open, which is how others see
that its writer lives.
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
        directory: where to create it; made with its parents when missing.
        suffix: end of the file's name.
        fsync: whether `write` also waits until the disk has the data.
        kind: an event file, or a lineage file, which has no version record.
        from_step: what earlier files of the run say of this step and later ones is superseded.
        prefix: beginning of the file's name.
        max_bytes: a record that would make the file longer is left out, with a warning for the first.

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
        # A file system may know no locks; then nobody can tell whether the writer lives, and that is all.
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
        # At once, so that nobody meets a file without its writer's name; on a full disk it waits like the rest.
        with contextlib.suppress(OSError):
            self.write()

    @property
    def removed(self) -> bool:
        """Whether no directory names the file any more: what is written to it is lost when it is closed.

        A file that was only renamed, alone or with its directory, is not removed.
        """
        try:
            return os.fstat(self._descriptor).st_nlink == 0
        except OSError as error:
            # A network file system says so where another machine removed the file.
            return error.errno == errno.ESTALE

    @property
    def waiting(self) -> int:
        """The number of records that are not, or not wholly, in the file yet."""
        return len(self._records)

    @property
    def waiting_bytes(self) -> int:
        """The length of these records."""
        return self._waiting_bytes

    def append(self, payload: bytes) -> None:
        """Queue `payload` as the next record."""
        self.extend((frame(payload),))

    def extend(self, records: Collection[bytes]) -> None:
        """Queue whole records as the next ones, as far as the file may hold them."""
        if self._max_bytes is not None:
            records = self._fitting(records, self._max_bytes)
        self._records.extend(records)
        self._waiting_bytes += sum(map(len, records))

    def take_over(self, removed: "EventFile") -> None:
        """Queue the records that were not wholly written to a file that was removed, and close that file.

        Args:
            removed: the file.
        """
        self.extend([record for record in removed._records if record is not removed._version])
        removed.forsake()

    def _fitting(self, records: Collection[bytes], limit: int) -> list[bytes]:
        """Those that come before the file is full; nothing follows what was left out."""
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
            OSError: the file cannot be written now. What is missing stays queued; the next call goes on at the
                very byte where this one stopped, so no record is torn.
        """
        if not self._records:
            return
        while self._records:
            data = self._next_bytes()
            self._account(os.write(self._descriptor, memoryview(data)[self._torn :]))
        if self._fsync:
            os.fsync(self._descriptor)

    def close(self) -> None:
        """Mark the file as finished and close it; a record that is only partly in the file is cut off."""
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
        """Return the first records in one piece; a long one, such as a picture, is not copied for that."""
        first = self._records[0]
        return first if len(first) > _LONG_RECORD else b"".join(islice(self._records, _RECORDS_PER_WRITE))

    def _account(self, written: int) -> None:
        """Drop the records that the file now has after `written` more bytes."""
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
