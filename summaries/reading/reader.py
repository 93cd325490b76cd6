"""`EventFileReader`: reads one growing event file, batch by batch, into columns.

The dashboard's ingest has one reader per file and calls `read` whenever the file may have grown.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from summaries.beneath import FilePath, open_file
from summaries.damages import Damage
from summaries.kinds import KINDS, Kind
from summaries.reading.classify import Flavour
from summaries.reading.decode import EventDecoder
from summaries.reading.grouping import by_group
from summaries.reading.head import read_head
from summaries.reading.walker import Walker, new_walker
from summaries.records import MAX_RECORD_BYTES, ReadAt, RecordScanner
from summaries.schema.summary_pb2 import Writer

_FINGERPRINT_BYTES = 64


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of one call of `EventFileReader.read`, in file order.

    Attributes:
        tags: all tags that this reader has seen. The list only grows; all batches of a reader share it. The empty
            tag is used for parts of an event that belong to no tag.
        points: rows of `POINT`, one for each scalar.
        tag: index into `tags` of each point.
        places: rows of `PLACE`, one for each value that is not a scalar.
        place_tag: index into `tags` of each place.
        place_kind: kind of each place, as index into `KINDS`.
        restarts: indices into `points` before which, by the file itself, the training was resumed.
        records: number of sound records.
        offset: start of the next record; pass it to a new reader to resume here.
        bytes_read: number of bytes that were read.
        size: size of the file.
        complete: whether there is nothing more to read until the file grows.
        restarted: whether the file was replaced or truncated. This batch then starts at the first byte again, and
            earlier batches belong to a file that is gone.
        damages: parts that could not be read, at most 1000.
        damage_count: number of damages.
        gap: the part from `offset` to the end of the file, if no record starts there and none was found after it. It
            is a damage unless something is written into it.
        notices: number of values that are not scalars, by kind; also `explain` and `log`, events without a place.
        writer: the writer, if the file is one of ours.
        flavour: the writer's format.
    """

    tags: list[str]
    points: NDArray[np.void]
    tag: NDArray[np.int32]
    places: NDArray[np.void]
    place_tag: NDArray[np.int32]
    place_kind: NDArray[np.uint8]
    restarts: NDArray[np.int64]
    records: int
    offset: int
    bytes_read: int
    size: int
    complete: bool
    restarted: bool
    damages: list[Damage]
    damage_count: int
    gap: Damage | None
    notices: Mapping[str, int]
    writer: Writer | None
    flavour: Flavour

    def scalars(self) -> Iterator[tuple[int, NDArray[np.void]]]:
        """Yield each tag's index and its points, by index; points keep their order in the file."""
        yield from by_group(self.tag, self.points)

    def others(self) -> Iterator[tuple[int, Kind, NDArray[np.void]]]:
        """Yield index, kind and places of each tag and kind of value that is not a scalar, by index and kind."""
        for number, rows in by_group(self.place_tag * len(KINDS) + self.place_kind, self.places):
            yield number // len(KINDS), KINDS[number % len(KINDS)], rows


@dataclass(slots=True)
class _Identity:
    """Identity of a file (inode and first bytes), and its state when it was last read."""

    device: int
    inode: int
    changed: int
    size: int
    fingerprint: bytes


class EventFileReader:
    """Reads one event file of MindSpore or TensorBoard while it grows.

    A half-written record is read once it is complete. A broken record is skipped and reported; so is the part between
    a broken length and the next valid record. The file is open only while `read` runs.

    Args:
        path: the file. It need not exist before the first `read`.
        offset: offset at which to resume, from an earlier reader of the same file.
        kinds: kinds of tags, from that reader. Files of TensorBoard name the kind with a tag's first value only.
        max_record_bytes: length of the longest record that is read.
    """

    def __init__(
        self,
        path: FilePath,
        *,
        offset: int = 0,
        kinds: Mapping[str, Kind] | None = None,
        max_record_bytes: int = MAX_RECORD_BYTES,
    ) -> None:
        self._path = path
        self._name = str(path)
        self._max_record_bytes = max_record_bytes
        self._decoder = EventDecoder(kinds, resumed=offset > 0, make_walker=partial(_new_walker, max_record_bytes))
        self._scanner = self._new_scanner(offset)
        self._identity: _Identity | None = None
        self._restarted = False
        self._idle: Batch | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self._name)

    @property
    def offset(self) -> int:
        """Start of the next record. Everything before it was returned or reported."""
        return self._scanner.offset

    def read(self, max_bytes: int = 8 << 20) -> Batch:
        """Continue reading at `offset` and return the new values.

        Args:
            max_bytes: approximate limit of bytes to read. A single longer record is still read completely.

        Raises:
            OSError: the file cannot be opened or read; nothing is lost, and a later call continues.
        """
        status = os.stat(self._name)  # noqa: PTH116  (pathlib takes longer than the system)
        known = self._identity
        if known is not None and self._scanner.complete and _unchanged(known, status):
            self._idle = self._idle or self._batch(status.st_size, spent=0)
            return self._idle
        self._idle = None
        if not stat.S_ISREG(status.st_mode):  # Opening a pipe would block until its other end is open.
            raise OSError(errno.EINVAL, "This is no regular file", str(self.path))
        descriptor = self._open()
        try:
            return self._read(descriptor, max_bytes)
        finally:
            os.close(descriptor)

    def _open(self) -> int:
        """Open the file; a file that was opened before is recognized by its inode, without walking the path again."""
        known = self._identity
        if known is not None:
            descriptor = os.open(self._name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            status = os.fstat(descriptor)
            if (known.device, known.inode) == (status.st_dev, status.st_ino):
                return descriptor
            os.close(descriptor)
        return open_file(self._path)

    def tail(self) -> Damage | None:
        """Return the bytes from `offset` to the end as a damage, for a file that does not grow any more."""
        return self._scanner.tail(self._identity.size) if self._identity else None

    def _read(self, descriptor: int, max_bytes: int) -> Batch:
        status = os.fstat(descriptor)
        read_at = partial(_read_at, descriptor)
        self._recognise(status, read_at)
        decoder, scanner = self._decoder, self._scanner
        decode = decoder.decode
        for offset, payload in scanner.scan(read_at, status.st_size, max_bytes, partial(_next_data, descriptor)):
            decode(offset, payload)
        return self._batch(status.st_size, scanner.spent)

    def _recognise(self, status: os.stat_result, read_at: ReadAt) -> None:
        """Update the identity of the file; restart if it is not the file that was read before."""
        known = self._identity
        start = read_at(0, _FINGERPRINT_BYTES)
        if status.st_size < self.offset or (known is not None and _replaced(known, status, start)):
            self._restarted = True
            self._scanner = self._new_scanner(0)
            self._decoder.restart()
        elif known is not None and status.st_size < known.size:
            self._scanner.rewind()
        elif known is None and self.offset:
            head = read_head(read_at, status.st_size)
            self._decoder.classifier.flavour, self._decoder.writer = head.flavour, head.writer
        self._identity = _Identity(status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size, start)

    def _new_scanner(self, offset: int) -> RecordScanner:
        walk = self._decoder.walk if self._decoder.has_walker else None
        return RecordScanner(offset, max_record_bytes=self._max_record_bytes, walk=walk)

    def _batch(self, size: int, spent: int) -> Batch:
        decoder, scanner = self._decoder, self._scanner
        for damage in scanner.damages:
            decoder.report(damage)
        scanner.damages.clear()
        points, tag = decoder.columns.points()
        places, place_tag, place_kind = decoder.columns.places()
        batch = Batch(
            tags=decoder.tags.names,
            points=points,
            tag=tag,
            places=places,
            place_tag=place_tag,
            place_kind=place_kind,
            restarts=decoder.columns.restarts(),
            records=decoder.records,
            offset=scanner.offset,
            bytes_read=spent,
            size=size,
            complete=scanner.complete,
            restarted=self._restarted,
            damages=decoder.damages,
            damage_count=decoder.damage_count,
            gap=scanner.gap(size) if scanner.complete else None,
            notices=decoder.notices,
            writer=decoder.writer,
            flavour=decoder.classifier.flavour,
        )
        decoder.clear()
        self._restarted = False
        return batch


def _new_walker(longest: int, learns: bool) -> Walker | None:
    return new_walker(longest, learns=learns)


def _next_data(descriptor: int, offset: int) -> int:
    """Return the offset of the next data (SEEK_DATA); `offset` itself on systems without holes."""
    try:
        return os.lseek(descriptor, offset, os.SEEK_DATA)
    except AttributeError:  # The system lacks SEEK_DATA.
        return offset
    except OSError as error:
        return sys.maxsize if error.errno == errno.ENXIO else offset


def _read_at(descriptor: int, offset: int, count: int) -> bytes:
    return os.pread(descriptor, count, offset)


def _unchanged(known: _Identity, status: os.stat_result) -> bool:
    now = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)
    return (known.device, known.inode, known.changed, known.size) == now


def _replaced(known: _Identity, status: os.stat_result, start: bytes) -> bool:
    same_inode = (known.device, known.inode) == (status.st_dev, status.st_ino)
    return not same_inode or not start.startswith(known.fingerprint[: status.st_size])
