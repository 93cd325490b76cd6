"""Decodes a trace file into events, a few megabytes at a time. Called by `trace`.

A trace is never held as a whole. The compiled scanner reads slices of the ordinary form; events of other forms are
split and decoded one by one, and those that are broken are counted and left out. Without the scanner, msgspec decodes
pieces that end between two events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, TypeAlias

import msgspec

from mindinsight.profiles.kernel import library
from mindinsight.profiles.reading.compressed import Decompressed

PIECE = 4 << 20
"""Bytes that are decoded at once."""
MOST_HEAD = 64 << 20
"""Bytes before the list of events; a file with more is not a trace."""
MOST_EVENT = 1 << 20
"""Bytes of one event. More are taken for damage."""
_START = re.compile(rb'(?<!\\)"traceEvents"\s*:\s*\[')
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|["{}]', re.DOTALL)
_NEXT = re.compile(rb"\s*,\s*\{")
_AGAIN = re.compile(rb'\{\s*"(?:ph|name|cat|pid|tid|ts|args)"\s*:')
_SPACE = b" \t\r\n,"
_BETWEEN = re.compile(rb"[ \t\r\n,]*")
_Plain: TypeAlias = "dict[str, object]"
_FEW = 16
"""Events of another form that are decoded before the scanner tries again."""


class TraceError(Exception):
    """A file is not a trace. The message says why."""


class Event(msgspec.Struct, gc=False):
    """One event of a trace. Values whose types differ between profilers stay as JSON text."""

    ph: str = ""
    name: str = ""
    cat: str = ""
    ts: msgspec.Raw = msgspec.Raw(b"")
    dur: msgspec.Raw = msgspec.Raw(b"")
    pid: msgspec.Raw = msgspec.Raw(b"")
    tid: msgspec.Raw = msgspec.Raw(b"")
    id: msgspec.Raw = msgspec.Raw(b"")
    args: msgspec.Raw = msgspec.Raw(b"")


_EVENTS = msgspec.json.Decoder(list[Event])
_EVENT = msgspec.json.Decoder(Event)


@dataclass(frozen=True, slots=True)
class Scanned:
    """What the compiled scanner found. It is valid until the next piece.

    Attributes:
        scanner: has the slices and the texts.
        text: where the positions of slices are.
        begin: position of `text` in the file; None if the file is compressed.
        others: events that are no slices.
    """

    scanner: library.Scanner
    text: bytes
    begin: int | None
    others: list[Event]


class EventFile:
    """The events of a trace file, `.json` or compressed by gzip.

    Args:
        file: the open file; it is read once, from its start.
        piece: bytes that are decoded at once.
        scanner: the compiled scanner, or None if msgspec decodes all events.

    Attributes:
        attributes: what the object says beside its events; complete after `pieces`.
        broken: number of events that cannot be decoded.
        damage: sentences about what is broken, empty for a whole file.
    """

    def __init__(self, file: IO[bytes], piece: int = PIECE, scanner: library.Scanner | None = None) -> None:
        self.attributes: _Plain = {}
        self.broken = 0
        self.damage: list[str] = []
        self._raw = file
        self._piece = piece
        self._scanner = scanner
        self._begin = 0
        self._file: IO[bytes] | Decompressed = file
        self._data = b""
        self._at = 0
        self._over = False
        self._ended = False

    def pieces(self) -> Iterator[list[Event] | Scanned]:
        """Yields the events, in lists or as the scanner found them.

        Raises:
            TraceError: the file is not a trace.
        """
        self._open()
        self._read_head()
        yield from self._scan(self._scanner) if self._scanner else self._decode_all()
        self._read_tail()
        if isinstance(self._file, Decompressed) and self._file.damage:
            self.damage.insert(0, self._file.damage)
        if self.broken:
            self.damage.append(f"{self.broken} broken events are left out.")

    def _decode_all(self) -> Iterator[list[Event]]:
        while not self._ended:
            events = self._decode()
            if events:
                yield events
            if self._over and not self._ended and not events:
                break

    def _scan(self, scanner: library.Scanner) -> Iterator[list[Event] | Scanned]:
        while not self._ended:
            why, at = scanner.scan(self._data, self._at)
            others = []
            for begin, end in scanner.others.tolist():
                event = _event(self._data[begin:end])
                self.broken += event is None
                if event is not None:
                    others.append(event)
            self._at = at
            plain = not isinstance(self._file, Decompressed)
            if others or len(scanner.slices):
                yield Scanned(scanner, self._data, self._begin if plain else None, others)
            if why == library.OVER:
                self._at += 1
                self._ended = True
            elif why != library.FULL and not (why == library.MORE and self._has_room() and self._fill()):
                events = self._split(_FEW)
                if events:
                    yield events
                elif self._at == at and not self._fill():
                    break

    def _has_room(self) -> bool:
        """Whether the event at the end of what was read may go on."""
        return len(self._data) - self._at < MOST_EVENT

    def _open(self) -> None:
        start = self._raw.read(2)
        self._raw.seek(0)
        if start == b"\x1f\x8b":
            self._file = Decompressed(self._raw)

    def _fill(self) -> bool:
        """Reads more. Returns whether there was more."""
        if self._over:
            return False
        more = self._file.read(self._piece)
        self._over = not more
        if more:
            self._data = self._data[self._at :] + more
            self._begin += self._at
            self._at = 0
        return bool(more)

    def _read_head(self) -> None:
        while self._fill() or not self._over:
            text = self._data.lstrip(b"\xef\xbb\xbf" + _SPACE)
            if text[:1] == b"[":
                self._at = self._data.index(b"[") + 1
                return
            if text[:1] not in (b"{", b""):
                break
            if found := _START.search(self._data):
                self._take(self._data[: found.start()].rstrip(_SPACE) + b"}")
                self._at = found.end()
                return
            if len(self._data) > MOST_HEAD:
                break
        raise TraceError("The file is not a trace: it is neither a JSON list of events nor an object with traceEvents.")

    def _read_tail(self) -> None:
        if not self._ended:
            self.damage.append("The file ends in the list of events; it is read up to there.")
            return
        while self._fill() and len(self._data) < MOST_HEAD:
            pass
        rest = self._data[self._at :].strip(_SPACE)
        if rest not in (b"", b"}"):
            self._take(b"{" + rest)

    def _take(self, text: bytes) -> None:
        try:
            self.attributes |= msgspec.json.decode(text, type=dict[str, object])
        except msgspec.MsgspecError:
            self.damage.append("What the file says beside its events cannot be read.")

    def _decode(self) -> list[Event]:
        """The events up to the last end of an event that has been read."""
        self._fill()
        end = self._last_end()
        if end > self._at:
            try:
                events = _EVENTS.decode(b"[" + self._data[self._at : end].strip(_SPACE) + b"]")
            except (msgspec.MsgspecError, UnicodeDecodeError):
                pass
            else:
                self._at = end
                return events
        return self._split()

    def _last_end(self) -> int:
        """Position after the last event with another event behind it; -1 without one."""
        at = len(self._data)
        for _ in range(64):
            at = self._data.rfind(b"}", self._at, at)
            if at < 0 or _NEXT.match(self._data, at + 1):
                break
        return at + 1 if at >= 0 and _NEXT.match(self._data, at + 1) else -1

    def _split(self, most: int = 1 << 62) -> list[Event]:
        """Decodes the read events one by one, some at most."""
        events: list[Event] = []
        data, size = self._data, len(self._data)
        last = self.broken + most
        while len(events) + self.broken < last:
            self._at += len(_BETWEEN.match(data, self._at).group())  # type: ignore[union-attr]  # It matches nothing too.
            self._ended = data[self._at : self._at + 1] == b"]"
            if self._ended or self._at >= size:
                self._at += self._ended
                break
            end = end_of_object(data, self._at)
            if end < 0 and not self._over and size - self._at < MOST_EVENT:
                break
            event = _event(data[self._at : end]) if end > 0 else None
            if event is not None:
                events.append(event)
                self._at = end
            elif self._over and end < 0 and data[self._at] == ord("{") and not _AGAIN.search(data, self._at + 1):
                self._at = size  # The last event, cut.
            else:
                self.broken += 1
                found = _AGAIN.search(data, self._at + 1)
                self._at = found.start() if found else size
        return events


def end_of_object(data: bytes, at: int) -> int:
    """Returns the position after an object's closing brace; -1 if it is not there."""
    if data[at : at + 1] != b"{":
        return -1
    depth = 0
    for token in _TOKEN.finditer(data, at, at + MOST_EVENT):
        text = token.group()
        if text == b"{":
            depth += 1
        elif text == b"}":
            depth -= 1
            if depth == 0:
                return token.end()
        elif text == b'"':
            return -1  # A text that does not end.
    return -1


def _event(text: bytes) -> Event | None:
    """An event, or None if it is broken. Numbers where texts are expected, and texts in no UTF-8, are read too."""
    try:
        return _EVENT.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pass
    try:
        fields = msgspec.json.decode(text.decode("utf-8", "replace"), type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    known = {name: value for name, value in fields.items() if name in Event.__struct_fields__}
    event = Event()
    for name, value in known.items():
        setattr(event, name, bytes(value).decode().strip('"') if name in ("ph", "name", "cat") else value)
    return event
