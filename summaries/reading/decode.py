"""Decodes the payloads of event records into rows: points for scalars, places for all other values.

The event file reader has one `EventDecoder` per file. It gets the records that the compiled walker does not handle; all
records if there is no walker. The values at the places are read by the pages that show them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from google.protobuf.message import DecodeError

from summaries.damages import Damage
from summaries.kinds import KIND_INDEX, KINDS, Kind
from summaries.reading.classify import Classifier, Flavour
from summaries.reading.columns import Columns
from summaries.reading.tags import RefusedTagError, TagTable
from summaries.reading.walker import Walker
from summaries.reading.wire import Layout, layout
from summaries.schema import scan_pb2
from summaries.schema.summary_pb2 import Segment, Writer
from summaries.schema.tensorboard_pb2 import SessionLog

__all__ = ["MAX_DAMAGES", "EventDecoder", "Flavour", "parse_writer"]

MAX_DAMAGES = 1000
"""Maximum number of damages that a batch lists; further ones are only counted."""

# Larger summaries are parsed value by value. A record of 64 MiB may hold 30 million empty values; parsed at once, each
# would take a hundred bytes of memory.
_SPLIT_BYTES = 1 << 20

_parse: Callable[[bytes], scan_pb2.Event] = scan_pb2.Event.FromString

# By the name of the field in scan.proto.
_EVENT_KINDS = {
    "graph": Kind.GRAPH,
    "meta_graph": Kind.GRAPH,
    "session_log": Kind.SESSION,
    "run_metadata": Kind.PROFILE,
    "environment": Kind.ENVIRONMENT,
    "profile": Kind.PROFILE,
    "pass_graph": Kind.PASS_GRAPH,
    "live_edit": Kind.LIVE_EDIT,
    "data_pipeline": Kind.DATA_PIPELINE,
}
_EVENT_NUMBERS = {name: scan_pb2.Event.DESCRIPTOR.fields_by_name[name].number for name in _EVENT_KINDS}
_STEP, _SUMMARY = (scan_pb2.Event.DESCRIPTOR.fields_by_name[name].number for name in ("step", "summary"))

# In the order of `enum flavour` in walk.c.
_FLAVOURS = (Flavour.UNKNOWN, Flavour.MINDSPORE, Flavour.TENSORBOARD)


class EventDecoder:
    """Collects the values of one file's events in columns, and counts and reports the rest.

    Args:
        kinds: kinds of tags, from earlier parts of the file.
        resumed: whether there is an earlier part.
        make_walker: makes the compiled walker, given whether it learns tags by itself; returns None if there is none.

    Attributes:
        columns, notices, records, damages, damage_count: results since the last `clear`.
        tags, classifier, writer: valid for the whole file.
    """

    def __init__(
        self,
        kinds: Mapping[str, Kind] | None = None,
        *,
        resumed: bool = False,
        make_walker: Callable[[bool], Walker | None] = lambda _learns: None,
    ) -> None:
        self.tags = TagTable()
        self.columns = Columns(seen=resumed)
        self.classifier = Classifier(kinds)
        self.writer: Writer | None = None
        self._make_walker = make_walker
        # A walker that learns tags would not know the metadata in earlier parts of the file.
        self._walker = make_walker(not kinds)
        self._empty_tag: int | None = None
        self.clear()

    def restart(self) -> None:
        """Reset the state for a file that was replaced. Tags keep their indices."""
        self.classifier = Classifier()
        self.writer = None
        # Nor would it know that a tag has an index already.
        self._walker = self._make_walker(False)
        self.tags.forgive()
        self.columns.forget()
        self.clear()

    def clear(self) -> None:
        """Start new, empty columns, notices and damages."""
        self.columns.clear()
        self.notices: Counter[str] = Counter()
        self.records = 0
        self.damages: list[Damage] = []
        self.damage_count = 0

    def decode(self, offset: int, payload: bytes) -> None:
        """Add the event in `payload`, whose record is at `offset`; report it if it cannot be parsed."""
        mark = self.columns.mark()
        self.records += 1
        try:
            _Event(self, offset, payload).add()
        except DecodeError as error:
            self.columns.cut(mark)
            self.report(Damage(offset, len(payload) + 16, "no_event", {"error": str(error)}))

    @property
    def has_walker(self) -> bool:
        """Whether there is a compiled walker, which handles most records."""
        return self._walker is not None

    def report(self, damage: Damage) -> None:
        """Add `damage` to those of this batch."""
        self.damage_count += 1
        if len(self.damages) < MAX_DAMAGES:
            self.damages.append(damage)

    def add_tag(self, offset: int, length: int, tag: bytes) -> int | None:
        """Return the index of a new tag; report it and return None if it is refused."""
        try:
            return self.tags.add(tag)
        except RefusedTagError as error:
            if error.first:
                self.report(Damage(offset, length + 16, error.code, error.detail))
            return None

    def no_tag(self) -> int:
        """Return the index of the empty tag, used for fields of the event itself."""
        if self._empty_tag is None:
            self._empty_tag = self.tags.add_empty()
        return self._empty_tag

    def walk(self, window: bytes, position: int, start: int) -> int:
        """Let the compiled walker handle as many records of a window as it can.

        Args:
            window: bytes of the file.
            position: position of a record in the window.
            start: offset of the window in the file.

        Returns:
            The position of the next record in the window.
        """
        if self._walker is None:
            return position
        places = self.columns.place_count()
        flavour = _FLAVOURS.index(self.classifier.flavour)
        position, records = self._walker.walk(window, position, start, flavour, self.columns, self.tags)
        self.records += records
        self._notice_places(places)
        return position

    def teach(self, index: int, value: scan_pb2.Value) -> None:
        """Teach the compiled walker a value's tag, so that it handles the next values of that tag."""
        walker = self._walker
        if walker is None or (walker.knows(index) and not value.HasField("histogram_or_metadata")):
            return
        plugin = self.classifier.plugin(value.tag)
        walker.learn(index, value.tag, plugin.metadata, plugin.tensor, plugin.bare)

    def _notice_places(self, first: int) -> None:
        kinds = self.columns.kinds(first)
        for kind in set(kinds):
            self.notices[KINDS[kind]] += kinds.count(kind)

    def note_head(self, event: scan_pb2.Event) -> None:
        """Note what an event says about the whole file."""
        if event.version.startswith(b"MindSpore.Event"):
            self.classifier.flavour = Flavour.MINDSPORE
        elif event.version.startswith(b"brain.Event"):
            self.classifier.flavour = Flavour.TENSORBOARD
        if event.HasField("version") and event.HasField("writer"):
            self.writer = parse_writer(event.writer)
        if event.HasField("segment") and _supersedes(event.segment):
            self.columns.restart()
        if event.HasField("session_log") and self.columns.seen and _starts(event.session_log):
            self.columns.restart()


class _Event:
    """One event on its way into the columns."""

    __slots__ = ("_decoder", "_layout", "_offset", "_payload")

    def __init__(self, decoder: EventDecoder, offset: int, payload: bytes) -> None:
        self._decoder = decoder
        self._offset = offset
        self._payload = payload
        self._layout: Layout | None = None

    def add(self) -> None:
        """Add the content of the event.

        Raises:
            DecodeError: the payload is not an event; parts of it may have been added.
        """
        if len(self._payload) > _SPLIT_BYTES:
            self._layout = layout(self._payload)
            event = _parse(self._layout.rest)
            values: Iterable[scan_pb2.Value] = self._split(self._layout)
            holds_values = bool(self._layout.values)
        else:
            event = _parse(self._payload)
            holds_values = event.HasField("summary")
            values = event.summary.value if holds_values else ()
        if not holds_values or not _is_plain(event):
            self._add_fields(event, holds_values)
        self._add_values(event.step, event.wall_time, values)

    def _add_values(self, step: int, wall: float, values: Iterable[scan_pb2.Value]) -> None:
        decoder = self._decoder
        index_of, add_point, look = decoder.tags.index.get, decoder.columns.add_point, decoder.classifier.look
        teaches = decoder.has_walker
        for position, value in enumerate(values):
            number = value.scalar_value or value.simple_value or look(value)
            if isinstance(number, Kind):
                decoder.notices[number] += 1
            index = index_of(value.tag)
            if index is None:
                index = decoder.add_tag(self._offset, len(self._payload), value.tag)
                if index is None:
                    continue
            if teaches:
                decoder.teach(index, value)
            if isinstance(number, Kind):
                self._add_place(index, number, step, wall, self._value_span(position))
            else:
                add_point(index, step, wall, number)

    def _add_place(self, tag: int, kind: Kind, step: int, wall: float, span: tuple[int, int]) -> None:
        where = (self._offset, len(self._payload), *span)
        self._decoder.columns.add_place(tag, KIND_INDEX[kind], step, wall, where)

    def _add_fields(self, event: scan_pb2.Event, holds_values: bool) -> None:
        """Count and add the event's content other than values."""
        decoder = self._decoder
        fields = {field.name for field, _ in event.ListFields()}
        if not fields - {"wall_time", "step"} and not holds_values:
            decoder.notices[Kind.OTHER] += 1
        decoder.note_head(event)
        if "explain_or_log" in fields:
            decoder.notices["log" if decoder.classifier.flavour is Flavour.TENSORBOARD else "explain"] += 1
        for name, kind in _EVENT_KINDS.items():
            if name in fields:
                decoder.notices[kind] += 1
                span = self._parts().fields[_EVENT_NUMBERS[name]]
                self._add_place(decoder.no_tag(), kind, event.step, event.wall_time, span)

    def _split(self, parts: Layout) -> Iterator[scan_pb2.Value]:
        for position in range(len(parts.values) // 2):
            start, size = self._value_span(position)
            yield scan_pb2.Value.FromString(self._payload[start : start + size])

    def _value_span(self, position: int) -> tuple[int, int]:
        start, size = self._parts().values[2 * position : 2 * position + 2]
        return start, size

    def _parts(self) -> Layout:
        if self._layout is None:
            self._layout = layout(self._payload)
        return self._layout


def _is_plain(event: scan_pb2.Event) -> bool:
    """Whether an event with values has nothing besides these, its step and its time."""
    fields = event.ListFields()  # By number: 1 wall_time, 2 step, 5 summary.
    return fields[-1][0].number == _SUMMARY and (len(fields) == 1 or fields[-2][0].number <= _STEP)


def parse_writer(data: bytes) -> Writer | None:
    """Return the `Writer` in `data`, or None if it is broken."""
    try:
        writer = Writer.FromString(data)
        str((writer.host, writer.id, writer.program))  # Strings are decoded on access.
    except (DecodeError, UnicodeDecodeError):
        return None
    return writer


def _supersedes(segment: bytes) -> bool:
    """Whether a file's segment supersedes earlier ones from some step."""
    try:
        return Segment.FromString(segment).HasField("from_step")
    except DecodeError:
        return False


def _starts(log: bytes) -> bool:
    try:
        return SessionLog.FromString(log).status == SessionLog.START
    except DecodeError:
        return False
