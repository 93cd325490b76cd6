"""What is left to send of the files of a spool.

Used by the sender's thread and by `python -m summaries.remote`.
"""

import os
import re
import stat
import time
import zlib
from pathlib import Path

from summaries.reading.liveness import WriterState, writer_state
from summaries.remote import HEAD_BYTES
from summaries.remote.spool import Spool
from summaries.remote.transport import ContentError, Held, Transport

PIECE_BYTES = 512 << 10
"""Largest body of a request. The dashboard accepts 1 MiB."""
HEARTBEAT_S = 10.0
"""Seconds after which an empty request tells the dashboard that the writer lives."""

# The number that tells files of the same second apart (`create_event_file`).
_DEVICE = re.compile(r"(?<=\.summary\.)(\d+)\.(\d+)\.")
_WRITE_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class FileUpload:
    """One event file, and how much of it the dashboard has.

    Args:
        path: the file.
        transport: the way to the dashboard.
        orphaned: whether its writer is gone for certain.
    """

    def __init__(self, path: Path, transport: Transport, *, orphaned: bool = False) -> None:
        self._path = path
        self._transport = transport
        self._orphaned = orphaned
        # Its name there; another one if a file of a different writer has this name.
        self._name = path.name
        self._held: Held | None = None
        self._contact = 0.0

    def advance(self, budget: int) -> int:
        """Send new bytes, at most about `budget`; returns their number.

        Raises:
            SendError: the dashboard does not take them.
            OSError: the file cannot be read.
        """
        held = self._held or self._resume()
        sent = 0
        while True:
            size, closed = self._status()
            data = self._read(held.size, min(PIECE_BYTES, max(0, size - held.size)))
            ends = closed and held.size + len(data) >= size
            silent = time.monotonic() - self._contact > HEARTBEAT_S and not closed
            if not (data or (ends and not held.closed) or silent):
                return sent
            held = self._append(min(held.size, size), data, closed=ends)
            sent += len(data)
            if sent >= budget:
                return sent

    def unsent(self) -> int:
        """Number of bytes that the dashboard lacks, as far as is known."""
        size, _ = self._status()
        return max(0, size - (self._held.size if self._held else 0))

    def is_complete(self) -> bool:
        """Whether the dashboard has the whole file, and nothing more will be written."""
        size, closed = self._status()
        if self._held is None or self._held.size != size:
            return False
        if closed:
            return self._held.closed
        return self._orphaned or writer_state(self._path) is WriterState.ABANDONED

    def _resume(self) -> Held:
        """Ask how much the dashboard has; choose another name if it has a different file under this one."""
        while True:
            held = self._transport.ask(self._name)
            size, _ = self._status()
            ended = held.closed and held.size != size
            same = zlib.crc32(self._read(0, min(held.size, HEAD_BYTES))) == held.head
            if same and not ended:
                self._held = held
                return held
            self._rename()

    def _append(self, offset: int, data: bytes, *, closed: bool) -> Held:
        try:
            self._held = self._transport.append(self._name, offset, data, closed=closed)
        except ContentError:
            self._held = None
            self._rename()
            raise
        except Exception:
            # The answer may have been lost on its way: ask before the next bytes.
            self._held = None
            raise
        self._contact = time.monotonic()
        return self._held

    def _rename(self) -> None:
        self._name = _DEVICE.sub(lambda found: f"{found[1]}.{int(found[2]) + 1}.", self._name, count=1)

    def _status(self) -> tuple[int, bool]:
        """The file's size, and whether its writer has closed it: after that the size stays."""
        status = self._path.stat()
        return status.st_size, not status.st_mode & _WRITE_BITS

    def _read(self, offset: int, count: int) -> bytes:
        if not count:
            return b""
        descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.pread(descriptor, count, offset)
        finally:
            os.close(descriptor)


class SpoolUpload:
    """The files of one spool.

    Args:
        spool: the spool.
        transport: the way to its run.
        orphaned: whether its writers are gone for certain.
    """

    def __init__(self, spool: Spool, transport: Transport, *, orphaned: bool = False) -> None:
        self.spool = spool
        self._transport = transport
        self._orphaned = orphaned
        self._files: dict[Path, FileUpload] = {}

    def advance(self, budget: int) -> int:
        """Send new bytes, at most about `budget` of each file; returns their number.

        Raises:
            SendError: the dashboard does not take them.
            OSError: a file cannot be read.
        """
        return sum(file.advance(budget) for file in self._found())

    def is_complete(self) -> bool:
        """Whether the dashboard has all files, and nothing more will be written.

        Raises:
            OSError: a file cannot be read.
        """
        return all(file.is_complete() for file in self._found())

    def unsent(self) -> int:
        """Number of bytes that the dashboard lacks.

        Raises:
            OSError: a file cannot be read.
        """
        return sum(file.unsent() for file in self._found())

    def _found(self) -> list[FileUpload]:
        paths = self.spool.event_files()
        for path in paths:
            if path not in self._files:
                self._files[path] = FileUpload(path, self._transport, orphaned=self._orphaned)
        return [self._files[path] for path in paths]
