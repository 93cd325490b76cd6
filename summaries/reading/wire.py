"""Positions of the parts of an event in its payload, by protobuf's wire format.

The event decoder uses them for values that are not scalars, whose place is stored instead of a copy, and for events
that are too large to be parsed at once.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError

from summaries.limits import MAX_VALUES

_SUMMARY = 5
_VALUE = 1
_VARINT, _FIXED64, _BYTES, _GROUP, _END_GROUP, _FIXED32 = range(6)
_DEEPEST_GROUP = 100


@dataclass(slots=True)
class Layout:
    """Start and size of the parts of one event, in bytes of its payload.

    Attributes:
        values: start and size of each `Value` of its summary, as a flat list in order.
        fields: start and size of its other length-delimited fields, by number; the last one of each number.
        rest: the event without its summary.
    """

    values: "array[int]" = field(default_factory=lambda: array("I"))
    fields: dict[int, tuple[int, int]] = field(default_factory=dict)
    rest: bytes = b""


def layout(payload: bytes) -> Layout:
    """Return the positions of the parts of the event in `payload`.

    Raises:
        DecodeError: the bytes are no event, or it has more values than are read.
    """
    found = Layout()
    kept: list[bytes] = []
    behind = 0
    for number, wire, start, end, key in _fields(payload, 0, len(payload)):
        if wire != _BYTES:
            continue
        if number != _SUMMARY:
            found.fields[number] = (start, end - start)
            continue
        _note_values(payload, start, end, found.values)
        kept.append(payload[behind:key])
        behind = end
    found.rest = b"".join((*kept, payload[behind:]))
    return found


def _note_values(data: bytes, start: int, end: int, values: "array[int]") -> None:
    for number, wire, first, behind, _ in _fields(data, start, end):
        if number == _VALUE and wire == _BYTES:
            if len(values) >= 2 * MAX_VALUES:
                raise DecodeError(f"it has more than {MAX_VALUES} values")
            values.extend((first, behind - first))


def _fields(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield number, wire type, start and end of the content, and position of the key of each field."""
    position = start
    while position < end:
        key = position
        number, wire, position = _key(data, position, end)
        first, position = _content(data, position, end, number, wire)
        yield number, wire, first, position, key


def _key(data: bytes, position: int, end: int) -> tuple[int, int, int]:
    key, behind = _varint(data, position, end, 5)
    if not 8 <= key < 1 << 32:
        raise DecodeError(f"byte {position} begins no field")
    return key >> 3, key & 7, behind


def _content(data: bytes, position: int, end: int, number: int, wire: int) -> tuple[int, int]:
    """Return where the content of a field begins and where it ends."""
    first = position
    if wire == _VARINT:
        _, behind = _varint(data, position, end, 10)
    elif wire == _FIXED64:
        behind = position + 8
    elif wire == _FIXED32:
        behind = position + 4
    elif wire == _BYTES:
        length, first = _varint(data, position, end, 5)
        behind = first + length
    elif wire == _GROUP:
        behind = _behind_group(data, position, end, number)
    else:
        raise DecodeError(f"the field at byte {position} is of no known form")
    if behind > end:
        raise DecodeError(f"the field at byte {position} is cut off")
    return first, behind


def _behind_group(data: bytes, position: int, end: int, number: int) -> int:
    """Return the position behind a group, an old form of nested message, with all groups inside it."""
    open_groups = [number]
    while open_groups:
        inner, wire, position = _key(data, position, end)
        if wire == _GROUP:
            open_groups.append(inner)
            if len(open_groups) > _DEEPEST_GROUP:
                raise DecodeError("its groups are nested too deeply")
        elif wire == _END_GROUP:
            if inner != open_groups.pop():
                raise DecodeError(f"a group ends wrongly before byte {position}")
        else:
            _, position = _content(data, position, end, inner, wire)
    return position


def _varint(data: bytes, position: int, end: int, longest: int) -> tuple[int, int]:
    """Return the variable-length integer at `position` and the position behind it."""
    total = 0
    for index in range(min(longest, end - position)):
        byte = data[position + index]
        total |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return total, position + index + 1
    raise DecodeError(f"the number at byte {position} is cut off or too long")
