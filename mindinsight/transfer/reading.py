"""Reads the event files of a run window by window and selects values.

Used by the exports. A run is never completely in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from numpy.typing import NDArray

from mindinsight.ingest.discovery import FoundFile
from mindinsight.transfer.errors import TransferError
from mindinsight.transfer.report import Report
from mindinsight.transfer.selection import Selection, TagMask
from summaries.beneath import FilePath
from summaries.kinds import KIND_INDEX, Kind
from summaries.naming import FileKind
from summaries.reading.decode import Flavour
from summaries.reading.liveness import WriterState, writer_state
from summaries.reading.reader import Batch, EventFileReader
from summaries.records import DamagedRecordError, read_record
from summaries.schema.tensorboard_pb2 import SessionLog

WINDOW_BYTES = 2 << 20
Progress = Callable[[int], object]
"""Called with the number of bytes read since the last call."""

_UNREAD = {"explain": "explanations of a model's answers", "log": "log messages"}
_SESSION = KIND_INDEX[Kind.SESSION]


@dataclass(frozen=True, slots=True)
class Restart:
    """A restart of the training declared in a file.

    Attributes:
        point, place: index of the first entry of `Window.points` and of `Window.places` after it.
        step: earlier records of this step and later steps are superseded.
        wall: seconds since 1970.
    """

    point: int
    place: int
    step: int
    wall: float


@dataclass(frozen=True, slots=True)
class Window:
    """The selected values of one window of an event file, in file order.

    Attributes:
        path, flavour: the file, and the format of its events (from its name if its head is broken).
        tags: tags, indexed by `tag` and `place_tag`.
        points, tag: rows of `POINT`, and the tag of each.
        wanted: which points of the window are selected.
        places, place_tag, place_kind: rows of `PLACE`, with the tag and the kind of each (index into `KINDS`).
        restarts: the restarts of the training.
        batch: the complete window, with all values.
    """

    path: FilePath
    flavour: Flavour
    tags: list[str]
    points: NDArray[np.void]
    tag: NDArray[np.int32]
    wanted: NDArray[np.bool_]
    places: NDArray[np.void]
    place_tag: NDArray[np.int32]
    place_kind: NDArray[np.uint8]
    restarts: tuple[Restart, ...]
    batch: Batch


def read_batches(file: FoundFile) -> Iterator[Batch]:
    """Yields the windows of one file up to its current end.

    Raises:
        TransferError: the file is replaced during the read.
        OSError: the file cannot be read.
    """
    reader = EventFileReader(file.path)
    end = file.path.stat().st_size
    started = False
    while True:
        batch = reader.read(WINDOW_BYTES)
        if batch.restarted and started:
            raise TransferError(f"{file.path} was replaced while it was read. Do it again.")
        started = True
        yield batch
        if batch.complete or reader.offset >= end:
            return


def read_file(file: FoundFile, selection: Selection, report: Report, progress: Progress) -> Iterator[Window]:
    """Yields the selected values of one file. Adds damages, or an error of reading, to `report`.

    Raises:
        TransferError: the file is replaced during the read.
    """
    mask = TagMask(selection)
    wants_other = selection.wants_kind(Kind.OTHER) and selection.wants_tag("")
    batch: Batch | None = None
    try:
        for batch in read_batches(file):
            report.damage(Path(file.location), batch.damages, batch.damage_count)
            for name, what in _UNREAD.items():
                report.leave_out(what, "no format holds them", batch.notices.get(name, 0) if wants_other else 0)
            yield _choose(file, batch, selection, mask.of(batch.tags))
            progress(batch.bytes_read)
    except OSError as error:
        report.failures.append(f"{file.path} cannot be read: {error.strerror or error}. The rest was exported.")
        return
    if batch is not None:
        _note_tail(file.path, batch, report)


def _note_tail(path: FilePath, batch: Batch, report: Report) -> None:
    """Data after the last complete record is damage, unless a writer is still writing it."""
    if batch.offset < batch.size and batch.complete and writer_state(path) is not WriterState.WRITING:
        reader = EventFileReader(path, offset=batch.offset)
        reader.read()
        tail = reader.tail()
        if tail is not None:
            report.damage(Path(path), [tail], 1)


def _choose(file: FoundFile, batch: Batch, selection: Selection, wanted_tag: NDArray[np.bool_]) -> Window:
    kinds = selection.kind_mask()
    wanted = _at(wanted_tag, batch.tag) & selection.wants_kind(Kind.SCALAR)
    other = _at(wanted_tag, batch.place_tag) & _at(kinds, batch.place_kind) & (batch.place_kind != _SESSION)
    return Window(
        path=file.path,
        flavour=_flavour(file, batch),
        tags=batch.tags,
        points=batch.points[wanted],
        tag=batch.tag[wanted],
        wanted=wanted,
        places=batch.places[other],
        place_tag=batch.place_tag[other],
        place_kind=batch.place_kind[other],
        restarts=tuple(_restarts(file.path, batch, wanted, other)),
        batch=batch,
    )


def _flavour(file: FoundFile, batch: Batch) -> Flavour:
    if batch.flavour is not Flavour.UNKNOWN:
        return batch.flavour
    return Flavour.TENSORBOARD if file.kind is FileKind.TENSORBOARD else Flavour.MINDSPORE


def _at(mask: NDArray[np.bool_], index: NDArray[Any]) -> NDArray[np.bool_]:
    return mask[index] if len(index) else np.zeros(0, np.bool_)


def _restarts(path: FilePath, batch: Batch, wanted: NDArray[np.bool_], other: NDArray[np.bool_]) -> Iterator[Restart]:
    """Yields the restarts as positions among the selected values.

    Points do not say which places were recorded before them. TensorBoard's records of a restart are places themselves;
    our
    files declare it at their head.
    """
    if not len(batch.restarts):
        return
    starts = [index for index in np.flatnonzero(batch.place_kind == _SESSION).tolist() if _is_start(path, batch, index)]
    starts = starts[-len(batch.restarts) :]
    marks = [*[None] * (len(batch.restarts) - len(starts)), *starts]
    points_before = np.concatenate(([0], np.cumsum(wanted)))
    places_before = np.concatenate(([0], np.cumsum(other)))
    for index, mark in zip(batch.restarts.tolist(), marks, strict=True):
        row = batch.points[index] if mark is None else batch.places[mark]
        place = 0 if mark is None else int(places_before[mark])
        yield Restart(int(points_before[index]), place, int(row["step"]), float(row["wall"]))


def _is_start(path: FilePath, batch: Batch, index: int) -> bool:
    try:
        return SessionLog.FromString(Payloads(path).part(batch.places[index])).status == SessionLog.START
    except (DamagedRecordError, DecodeError):
        return False


class Payloads:
    """Reads the records of a file's places. Keeps the last one, because a record often has many values."""

    def __init__(self, path: FilePath) -> None:
        self._path = path
        self._key = (-1, -1)
        self._record = b""

    def record(self, place: np.void) -> bytes:
        """Returns the whole payload of the record that contains a place.

        Raises:
            DamagedRecordError: the file has changed in the meantime.
            OSError: the file cannot be read.
        """
        key = int(place["offset"]), int(place["length"])
        if key != self._key:
            self._record = read_record(self._path, *key)
            self._key = key
        return self._record

    def part(self, place: np.void) -> bytes:
        """Returns the bytes of the place itself. Raises like `record`."""
        start = int(place["start"])
        return self.record(place)[start : start + int(place["size"])]
