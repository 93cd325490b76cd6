"""Turns the events of a trace into slices, tracks, names and counters. Called by the task that stores a profile.

The format is described in "Trace Event Format" (Google, 2016). Slices are complete events (`X`), pairs of `B` and `E`,
and asynchronous pairs (`b` and `e`). Times are in nanoseconds, exact: the decimal digits of microseconds are never
rounded to a double.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

import msgspec
import numpy as np

from mindinsight.profiles.kernel import library
from mindinsight.profiles.reading.counters import Counters
from mindinsight.profiles.reading.events import PIECE, Event, EventFile, Scanned
from mindinsight.profiles.reading.times import nanoseconds

_SHAPES = (b'"Input Dims":', b'"Input dims":')
_NO_SHAPE = 0


@dataclass(slots=True)
class Track:
    """A row of the timeline: a thread of a process, or the asynchronous slices of a process.

    Attributes:
        process, thread: as the profiler names them.
        process_name, thread_name: names for people; empty if the trace has none.
        process_order, thread_order: the profiler's wish for the order of rows.
    """

    process: str
    thread: str
    process_name: str = ""
    thread_name: str = ""
    process_order: float = 0.0
    thread_order: float = 0.0


@dataclass(slots=True)
class Trace:
    """What a trace says, in the order of its events.

    Attributes:
        tracks: the rows.
        names: name and category of slices.
        shapes: texts of the shapes of inputs; the first is empty.
        track, name, shape: indices of each slice.
        start, duration: nanoseconds of each slice, since the profiler's own zero.
        detail: where the arguments of each slice are: the position of its event in a plain file, or -1 minus the
            number of the text that was given to `keep`.
        counters: values over time.
        phases: number of events of each kind.
        attributes: what the file says beside its events.
        damage: sentences about what is broken.
    """

    tracks: list[Track] = field(default_factory=list)
    names: list[tuple[str, str]] = field(default_factory=list)
    shapes: list[str] = field(default_factory=lambda: [""])
    track: array[int] = field(default_factory=lambda: array("H"))
    name: array[int] = field(default_factory=lambda: array("I"))
    shape: array[int] = field(default_factory=lambda: array("I"))
    start: array[int] = field(default_factory=lambda: array("q"))
    duration: array[int] = field(default_factory=lambda: array("q"))
    detail: array[int] = field(default_factory=lambda: array("q"))
    counters: Counters = field(default_factory=Counters)
    phases: Counter[str] = field(default_factory=Counter)
    attributes: dict[str, object] = field(default_factory=dict)
    damage: list[str] = field(default_factory=list)


def read_trace(
    file: IO[bytes],
    keep: Callable[[bytes], None],
    progress: Callable[[int], None] = lambda position: None,
    piece: int = PIECE,
) -> Trace:
    """Reads a trace.

    Args:
        file: the open file, plain or compressed by gzip.
        keep: called with the JSON text of a slice's arguments, which may be empty. Those of slices that the compiled
            scanner read in a plain file stay there; `Trace.detail` says where.
        progress: called after each piece with the position in the file, in bytes.
        piece: bytes that are decoded at once.

    Returns:
        The trace. What is broken is left out and named in `damage`.

    Raises:
        TraceError: the file is not a trace.
        OSError: the file cannot be read.
    """
    scanner = library.Scanner(library.KERNEL) if library.KERNEL else None
    try:
        source = EventFile(file, piece, scanner)
        reading = _Reading(keep)
        for found in source.pieces():
            if isinstance(found, Scanned):
                reading.take_scanned(found)
            for event in found.others if isinstance(found, Scanned) else found:
                reading.take(event)
            progress(file.tell())
        if scanner:
            reading.trace.phases.update(scanner.phases)
        return reading.finish(source)
    finally:
        if scanner:
            scanner.close()


class _Reading:
    """The state of reading: dictionaries of what was seen, and slices that have begun."""

    def __init__(self, keep: Callable[[bytes], None]) -> None:
        self.trace = Trace()
        self._keep = keep
        self._tracks: dict[tuple[bytes, bytes], int] = {}
        self._names: dict[tuple[str, str], int] = {}
        self._shapes: dict[bytes, int] = {b"": _NO_SHAPE}
        self._open: dict[int, list[tuple[Event, int]]] = {}
        self._waiting: dict[tuple[bytes, str, str, bytes], list[tuple[Event, int]]] = {}
        self._labels: list[tuple[bytes, bytes, str, object]] = []
        self._kept = 0
        self._scanned_names: list[int] = []
        self._scanned_shapes: list[int] = []
        self._scanned_tracks: list[int] = []
        self._unreadable = 0
        self._unended = 0
        self._last = 0
        self._take: dict[str, Callable[[Event], None]] = {
            "X": self._complete,
            "B": self._begin,
            "E": self._end,
            "b": self._begin_async,
            "e": self._end_async,
            "S": self._begin_async,
            "F": self._end_async,
            "C": self._count,
            "M": self._label,
            "i": self._instant,
        }

    def take(self, event: Event) -> None:
        """Adds an event. Kinds without a place on the timeline, such as arrows, are only counted."""
        phase = event.ph
        if not phase:
            return
        self.trace.phases[phase] += 1
        taken = self._take.get(phase)
        if taken is None:
            return
        try:
            taken(event)
        except (ValueError, OverflowError, ArithmeticError, msgspec.MsgspecError):
            self._unreadable += 1

    def take_scanned(self, found: Scanned) -> None:
        """Adds slices that the compiled scanner read."""
        trace, scanner, slices = self.trace, found.scanner, found.scanner.slices
        self._scanned_names += [
            self._name(_decoded(name), _decoded(category)) for name, category in scanner.new_names()
        ]
        self._scanned_shapes += [self._shape_of(text) for text, _ in scanner.new_shapes()]
        for pid, tid in scanner.new_tracks():
            try:
                self._scanned_tracks.append(self._track(pid, tid))
            except OverflowError:
                self._scanned_tracks.append(-1)
        if not len(slices):
            return
        track = np.array(self._scanned_tracks)[slices["track"]]
        if track.min() < 0:
            slices, track = slices[track >= 0], track[track >= 0]
            self._unreadable += len(found.scanner.slices) - len(slices)
        trace.start.frombytes(slices["start"].tobytes())
        trace.duration.frombytes(slices["duration"].tobytes())
        trace.track.frombytes(track.astype(np.uint16).tobytes())
        trace.name.frombytes(np.array(self._scanned_names, np.uint32)[slices["name"]].tobytes())
        trace.shape.frombytes(np.array(self._scanned_shapes, np.uint32)[slices["shape"]].tobytes())
        self._last = max(self._last, int((slices["start"] + slices["duration"]).max(initial=0)))
        if found.begin is not None:
            trace.detail.frombytes((slices["place"] + found.begin).tobytes())
            return
        text = found.text
        for at, length in zip(slices["args"].tolist(), slices["args_length"].tolist(), strict=True):
            self._keep(text[at : at + length])
        trace.detail.frombytes((-1 - self._kept - np.arange(len(slices))).tobytes())
        self._kept += len(slices)

    def finish(self, source: EventFile) -> Trace:
        """Returns the trace with the names of its tracks."""
        trace = self.trace
        for begun in (*self._open.values(), *self._waiting.values()):
            for event, start in begun:
                self._unended += 1
                self._add(self._track_of(event, bool(event.id)), event, start, max(0, self._last - start), event.args)
        for pid, tid, kind, value in self._labels:
            self._apply(pid, tid, kind, value)
        trace.attributes, trace.damage = source.attributes, source.damage
        if self._unreadable:
            trace.damage.append(f"{self._unreadable} events have no readable time and are left out.")
        if self._unended:
            trace.damage.append(f"{self._unended} slices have no end; they are drawn to the end of the trace.")
        return trace

    def _complete(self, event: Event) -> None:
        start = nanoseconds(bytes(event.ts))
        duration = nanoseconds(bytes(event.dur)) if event.dur else 0
        if duration < 0:
            raise ValueError
        self._add(self._track(bytes(event.pid), bytes(event.tid)), event, start, duration, event.args)

    def _begin(self, event: Event) -> None:
        track = self._track(bytes(event.pid), bytes(event.tid))
        self._open.setdefault(track, []).append((event, self._moment(event)))

    def _end(self, event: Event) -> None:
        track = self._track(bytes(event.pid), bytes(event.tid))
        begun = self._open.get(track)
        if not begun:
            raise ValueError
        first, start = begun.pop()
        end = self._moment(event)
        self._add(track, first, start, max(0, end - start), first.args or event.args)

    def _begin_async(self, event: Event) -> None:
        self._waiting.setdefault(_key(event), []).append((event, self._moment(event)))

    def _end_async(self, event: Event) -> None:
        begun = self._waiting.get(_key(event))
        if not begun:
            raise ValueError
        first, start = begun.pop()
        end = self._moment(event)
        self._add(self._track_of(first, True), first, start, max(0, end - start), first.args)

    def _moment(self, event: Event) -> int:
        moment = nanoseconds(bytes(event.ts))
        self._last = max(self._last, moment)
        return moment

    def _add(self, track: int, event: Event, start: int, duration: int, args: msgspec.Raw) -> None:
        trace, name = self.trace, self._name(event.name, event.cat)
        details = bytes(args)
        trace.start.append(start)
        trace.duration.append(duration)
        trace.track.append(track)
        trace.name.append(name)
        trace.shape.append(self._shape(details) if b"nput " in details else _NO_SHAPE)
        self._keep(details)
        self._kept += 1
        trace.detail.append(-self._kept)
        if start + duration > self._last:
            self._last = start + duration

    def _name(self, name: str, category: str) -> int:
        known = self._names.get((name, category))
        if known is None:
            known = self._names[name, category] = len(self.trace.names)
            self.trace.names.append((name, category))
        return known

    def _shape(self, details: bytes) -> int:
        """The index of the shapes of an operator's inputs, as torch writes them."""
        for word in _SHAPES:
            at = details.find(word)
            if at >= 0:
                begin = at + len(word)
                return self._shape_of(details[begin : _end_of_list(details, begin)].strip())
        return _NO_SHAPE

    def _shape_of(self, text: bytes) -> int:
        known = self._shapes.get(text)
        if known is None:
            known = self._shapes[text] = len(self.trace.shapes)
            self.trace.shapes.append(text.decode("utf-8", "replace").replace(" ", ""))
        return known

    def _count(self, event: Event) -> None:
        self.trace.counters.add(_text(bytes(event.pid)), event.name, self._moment(event), bytes(event.args))

    def _instant(self, event: Event) -> None:
        if event.name == "[memory]":
            track = self._tracks.get((bytes(event.pid), bytes(event.tid)), -1)
            self.trace.counters.add_memory(_text(bytes(event.pid)), self._moment(event), bytes(event.args), track)

    def _label(self, event: Event) -> None:
        values = msgspec.json.decode(bytes(event.args), type=dict[str, object])
        value = values.get("name", values.get("sort_index", values.get("labels", "")))
        self._labels.append((bytes(event.pid), bytes(event.tid), event.name, value))

    def _apply(self, pid: bytes, tid: bytes, kind: str, value: object) -> None:
        for (process, thread), index in self._tracks.items():
            if process != pid or (kind.startswith("thread_") and thread != tid):
                continue
            track = self.trace.tracks[index]
            if kind in ("process_name", "thread_name"):
                setattr(track, kind, str(value))
            elif kind == "process_labels" and str(value) not in track.process_name:
                track.process_name = f"{track.process_name} {value}".strip()
            elif kind.endswith("_sort_index") and isinstance(value, (int, float)):
                setattr(track, f"{kind.partition('_')[0]}_order", float(value))

    def _track_of(self, event: Event, asynchronous: bool) -> int:
        thread = f'"{event.cat or event.name}"'.encode() if asynchronous else bytes(event.tid)
        return self._track(bytes(event.pid), thread)

    def _track(self, pid: bytes, tid: bytes) -> int:
        track = self._tracks.get((pid, tid))
        if track is None:
            if len(self._tracks) >= 1 << 16:
                raise OverflowError
            track = self._tracks[pid, tid] = len(self.trace.tracks)
            self.trace.tracks.append(Track(_text(pid), _text(tid)))
        return track


def _key(event: Event) -> tuple[bytes, str, str, bytes]:
    return bytes(event.pid), event.cat, event.name, bytes(event.id)


def _decoded(raw: bytes) -> str:
    """The text of a JSON string, given without quotes."""
    text = b'"' + raw + b'"'
    try:
        return msgspec.json.decode(text, type=str)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return raw.decode("utf-8", "replace")


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").strip('"')


def _end_of_list(text: bytes, begin: int) -> int:
    depth = 0
    for at in range(begin, len(text)):
        if text[at] == ord("["):
            depth += 1
        elif text[at] == ord("]"):
            depth -= 1
            if depth == 0:
                return at + 1
    return len(text)
