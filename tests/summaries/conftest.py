"""What the tests of `summaries` share: records framed by hand, events by hand, and the real files.

The framing here is written from the format's description with `struct` and a bitwise CRC, and the events are encoded
byte by byte, so that writer and reader are not merely checked against each other.
"""

import json
import os
import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.unknown_fields import UnknownFieldSet

from summaries import Batch, Damage, EventFileReader
from summaries.kernel import library
from summaries.kinds import KINDS, Kind

ROOT = Path(__file__).resolve().parents[2]
MINDSPORE = "MindSpore.Event:1"
TENSORBOARD = "brain.Event:2"


def crc32c(data: bytes) -> int:
    """CRC-32C bit by bit, as RFC 3720 defines it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> int:
    crc = crc32c(data)
    return ((crc >> 15) + (crc << 17) + 0xA282EAD8) % 2**32


def record(payload: bytes) -> bytes:
    length = struct.pack("<Q", len(payload))
    return length + struct.pack("<I", masked(length)) + payload + struct.pack("<I", masked(payload))


def varint(number: int) -> bytes:
    number %= 1 << 64
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number: int, data: bytes) -> bytes:
    """A length-delimited protobuf field."""
    return varint(number << 3 | 2) + varint(len(data)) + data


class Hand:
    """Builds records and files without the code under test."""

    crc32c = staticmethod(crc32c)
    masked = staticmethod(masked)
    record = staticmethod(record)
    field = staticmethod(field)
    varint = staticmethod(varint)

    @staticmethod
    def version(text: str = MINDSPORE) -> bytes:
        return b"\x09" + struct.pack("<d", 1.0) + field(3, text.encode())

    @staticmethod
    def event(step: int, *values: bytes, wall: float = 1.5) -> bytes:
        summary = b"".join(field(1, value) for value in values)
        return b"\x09" + struct.pack("<d", wall) + b"\x10" + varint(step) + field(5, summary)

    @staticmethod
    def scalar(tag: str | bytes, number: float, *, tensorboard: bool = False) -> bytes:
        key = b"\x15" if tensorboard else b"\x1d"
        return field(1, tag if isinstance(tag, bytes) else tag.encode()) + key + struct.pack("<f", number)

    def file(self, steps: int, *, tags: Iterable[str] = ("loss",)) -> list[bytes]:
        """The records of a MindSpore file: the version, then one event a step whose values are the step."""
        events = [self.event(step, *(self.scalar(tag, step) for tag in tags)) for step in range(steps)]
        return [record(payload) for payload in (self.version(), *events)]


@pytest.fixture(scope="session")
def hand() -> Hand:
    return Hand()


@pytest.fixture(scope="module", params=["compiled", "python"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a module's tests twice: with the compiled walker, and with Python alone."""
    if request.param == "compiled":
        if library.LIBRARY is None:
            pytest.skip(f"no compiled reader: {library.MISSING}")
        yield request.param
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library, "LIBRARY", None)
        yield request.param


@pytest.fixture(scope="session")
def drain() -> Callable[..., "Drained"]:
    """Read a file to its present end, collecting everything."""
    return Drained


class Drained:
    """All that a reader gives until it is complete."""

    def __init__(self, source: EventFileReader | Path, max_bytes: int = 1 << 20) -> None:
        self.reader = source if isinstance(source, EventFileReader) else EventFileReader(source)
        self.points: list[tuple[str, int, float, float]] = []
        self.places: list[tuple[str, Kind, Any]] = []
        self.restarts: list[int] = []
        self.records = 0
        self.damages: list[Damage] = []
        self.notices: dict[str, int] = {}
        self.damage_count = 0
        self.restarted = False
        for batch in self._batches(max_bytes):
            self._add(batch)

    def _batches(self, max_bytes: int) -> Iterator[Batch]:
        while True:
            self.last = self.reader.read(max_bytes)
            yield self.last
            if self.last.complete:
                return

    def _add(self, batch: Batch) -> None:
        self.restarts += [len(self.points) + index for index in batch.restarts.tolist()]
        for tag, (step, wall, value) in zip(batch.tag.tolist(), batch.points.tolist(), strict=True):
            self.points.append((batch.tags[tag], step, wall, value))
        columns = (batch.place_tag.tolist(), batch.place_kind.tolist(), batch.places)
        for tag, kind, place in zip(*columns, strict=True):
            self.places.append((batch.tags[tag], KINDS[kind], place))
        self.records += batch.records
        self.damages += batch.damages
        assert all(damage.message.endswith(".") for damage in batch.damages)
        self.damage_count += batch.damage_count
        self.restarted |= batch.restarted
        for kind, count in batch.notices.items():
            self.notices[kind] = self.notices.get(kind, 0) + count

    @property
    def steps(self) -> list[int]:
        return [step for _, step, _, _ in self.points]

    def counts(self) -> dict[str, int]:
        tags = [tag for tag, *_ in self.points]
        return {tag: tags.count(tag) for tag in set(tags)}


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The directory with files that MindSpore and PyTorch wrote."""
    path = Path(os.environ.get("MINDINSIGHT_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"no real event files at {path}; set MINDINSIGHT_TEST_DATA")
    return path


@pytest.fixture(scope="session")
def facts(real_data: Path) -> dict[str, dict[str, Any]]:
    """What the MindSpore files hold, by directory and file name."""
    return json.loads((real_data / "mindspore" / "facts.json").read_text())


@pytest.fixture(scope="session")
def payloads() -> Callable[[Path], list[bytes]]:
    """The payloads of a file without damage, cut apart by their lengths alone."""

    def payloads(path: Path) -> list[bytes]:
        data, offset, found = path.read_bytes(), 0, []
        while offset < len(data):
            (length,) = struct.unpack_from("<Q", data, offset)
            found.append(data[offset + 12 : offset + 12 + length])
            offset += length + 16
        return found

    return payloads


def unknown_numbers(message: Any) -> Iterator[tuple[str, int]]:
    """Yield the message and number of every field that the schema does not know, however deep."""
    for found in UnknownFieldSet(message):
        yield message.DESCRIPTOR.name, found.field_number
    for field_, value in message.ListFields():
        kind = field_.message_type
        if kind is None:
            continue
        if kind.GetOptions().map_entry:
            if kind.fields_by_name["value"].message_type is not None:
                for item in value.values():
                    yield from unknown_numbers(item)
            continue
        for item in value if field_.is_repeated else [value]:
            yield from unknown_numbers(item)


@pytest.fixture(scope="session")
def unknown() -> Callable[[Any], Iterator[tuple[str, int]]]:
    return unknown_numbers
