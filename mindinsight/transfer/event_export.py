"""Writes a run into one event file in the format of TensorBoard or MindSpore. Called by `export`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import groupby
from typing import BinaryIO

import numpy as np

from mindinsight.transfer.errors import UnconvertibleError
from mindinsight.transfer.formats import from_mindspore, from_tensorboard, to_mindspore, to_tensorboard
from mindinsight.transfer.formats.contents import CONVERTIBLE, plural
from mindinsight.transfer.reading import Payloads, Window
from mindinsight.transfer.report import Report
from summaries.kinds import KINDS, Kind
from summaries.reading.decode import Flavour
from summaries.records import DamagedRecordError, frame

Scalars = list[tuple[str, float, float]]
"""Tag, 64-bit value and 32-bit value of each scalar."""


class EventExport(ABC):
    """Writes the windows of a run as records.

    Args:
        file: the output file.
        report: collects what cannot be written.
        opened: start of the run, in seconds since 1970.
    """

    flavour: Flavour
    name: str

    def __init__(self, file: BinaryIO, report: Report, opened: float) -> None:
        self._file = file
        self._report = report
        self._put(self._head(opened))

    def write(self, window: Window) -> None:
        """Writes the values of a window.

        Raises:
            OSError: the file cannot be written.
        """
        payloads = Payloads(window.path)
        point = place = 0
        for restart in window.restarts:
            self._write_points(window, point, restart.point)
            self._write_places(window, payloads, place, restart.place)
            self._put(self._restart(restart.step, restart.wall))
            point, place = restart.point, restart.place
        self._write_points(window, point, len(window.points))
        self._write_places(window, payloads, place, len(window.places))

    def _put(self, payload: bytes) -> None:
        self._file.write(frame(payload))

    def _write_points(self, window: Window, first: int, end: int) -> None:
        points = window.points[first:end]
        with np.errstate(over="ignore"):
            singles = points["value"].astype(np.float32)
        rows = zip(points.tolist(), window.tag[first:end].tolist(), singles.tolist(), strict=True)
        for (step, wall), entries in groupby(rows, key=lambda row: row[0][:2]):
            values = [(window.tags[tag], row[2], single) for row, tag, single in entries]
            self._put(self._scalars(step, wall, values))
        self._report.points += max(0, end - first)

    def _write_places(self, window: Window, payloads: Payloads, first: int, end: int) -> None:
        for index in range(first, end):
            kind = KINDS[window.place_kind[index]]
            try:
                made = list(self._payloads(window, payloads, index, kind))
            except UnconvertibleError as error:
                self._report.leave_out(error.what, error.why)
            except (DamagedRecordError, OSError):
                self._report.leave_out(plural(kind), f"{window.path} changed while it was read")
            else:
                for payload in made:
                    self._put(payload)
                self._report.values += 1

    def _payloads(self, window: Window, payloads: Payloads, index: int, kind: Kind) -> Iterator[bytes]:
        """Yields the records for one value."""
        place, same = window.places[index], window.flavour is self.flavour
        if not same and kind not in CONVERTIBLE:
            raise UnconvertibleError(plural(kind), f"{self.name} cannot store them")
        tag = window.tags[window.place_tag[index]]
        step, wall = int(place["step"]), float(place["wall"])
        if same:
            yield self._copy(kind, step, wall, payloads.part(place)) if tag else self._field(kind, payloads, place)
        else:
            yield from self._convert(kind, tag, step, wall, payloads.part(place))

    @abstractmethod
    def _head(self, wall: float) -> bytes: ...

    @abstractmethod
    def _restart(self, step: int, wall: float) -> bytes: ...

    @abstractmethod
    def _scalars(self, step: int, wall: float, values: Scalars) -> bytes: ...

    @abstractmethod
    def _field(self, kind: Kind, payloads: Payloads, place: np.void) -> bytes:
        """Returns the record for a value that is a field of an event in this format. The source event may have other
        fields too.
        """

    @abstractmethod
    def _copy(self, kind: Kind, step: int, wall: float, data: bytes) -> bytes:
        """Returns the record for a value that already has this format."""

    @abstractmethod
    def _convert(self, kind: Kind, tag: str, step: int, wall: float, data: bytes) -> Iterator[bytes]:
        """Yields the records for a value in the other format."""


class TensorBoardExport(EventExport):
    """Writes what TensorBoard shows: scalars, histograms, images and texts; and tensors, which it only lists."""

    flavour = Flavour.TENSORBOARD
    name = "TensorBoard"

    def __init__(self, file: BinaryIO, report: Report, opened: float) -> None:
        super().__init__(file, report, opened)
        self._kinds: dict[str, Kind] = {}

    def write(self, window: Window) -> None:
        """Writes the values of a window. Raises like the general form."""
        for index in np.unique(window.tag).tolist():
            self._kinds.setdefault(window.tags[index], Kind.SCALAR)
        super().write(window)

    def _head(self, wall: float) -> bytes:
        return to_tensorboard.head(wall)

    def _restart(self, step: int, wall: float) -> bytes:
        return to_tensorboard.restart(step, wall)

    def _scalars(self, step: int, wall: float, values: Scalars) -> bytes:
        named = [(self._own_tag(tag, Kind.SCALAR), number, single) for tag, number, single in values]
        return to_tensorboard.scalars(step, wall, named)

    def _field(self, kind: Kind, payloads: Payloads, place: np.void) -> bytes:
        return to_tensorboard.field(kind, payloads.record(place))

    def _copy(self, kind: Kind, step: int, wall: float, data: bytes) -> bytes:
        return to_tensorboard.event(step, wall, from_tensorboard.parse_value(kind, data))

    def _convert(self, kind: Kind, tag: str, step: int, wall: float, data: bytes) -> Iterator[bytes]:
        for content in from_mindspore.decode(kind, data):
            value = to_tensorboard.encode(self._own_tag(tag, kind), content, self._report)
            yield to_tensorboard.event(step, wall, value)

    def _own_tag(self, tag: str, kind: Kind) -> str:
        """TensorBoard shows only one kind of values under a tag. The other kinds are appended to their tags."""
        if self._kinds.setdefault(tag, kind) is kind:
            return tag
        self._report.change(plural(kind), "got their kind behind their tag, which values of another kind have too")
        return f"{tag}/{kind.value}"


class MindSporeExport(EventExport):
    """Writes what MindInsight shows. Values that only our dashboard shows go into fields that MindInsight ignores."""

    flavour = Flavour.MINDSPORE
    name = "MindInsight"

    def _head(self, wall: float) -> bytes:
        return to_mindspore.head(wall)

    def _restart(self, step: int, wall: float) -> bytes:
        return to_mindspore.restart(step, wall)

    def _scalars(self, step: int, wall: float, values: Scalars) -> bytes:
        return to_mindspore.scalars(step, wall, values, self._report)

    def _field(self, kind: Kind, payloads: Payloads, place: np.void) -> bytes:
        return to_mindspore.field(kind, payloads.record(place))

    def _copy(self, kind: Kind, step: int, wall: float, data: bytes) -> bytes:
        return to_mindspore.event(step, wall, from_mindspore.parse_value(kind, data))

    def _convert(self, kind: Kind, tag: str, step: int, wall: float, data: bytes) -> Iterator[bytes]:
        for number, content in enumerate(from_tensorboard.decode(kind, data)):
            own = tag if not number else f"{tag}/{number}"
            yield to_mindspore.event(step, wall, to_mindspore.encode(own, content, self._report))
