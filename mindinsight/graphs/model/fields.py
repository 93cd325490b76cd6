"""Splits a protobuf message into its top-level fields, which identify the kind of message. Used by the adapters."""

from __future__ import annotations

LENGTH_DELIMITED = 2
"""The wire type of texts and messages."""

Field = tuple[int, int, bytes]
"""Number, wire type and content of a field. Numbers have no content."""


def split_fields(content: bytes, *, most: int) -> list[Field] | None:
    """Returns the fields of a message in order, or None if the bytes are not a message.

    Args:
        content: the message.
        most: maximum number of fields to read.
    """
    found: list[Field] = []
    position, end = 0, len(content)
    while position < end and len(found) < most:
        head = _varint(content, position)
        if head is None or head[0] >> 3 == 0 or head[0] >> 32:
            return None
        (tag, position), kind = head, head[0] & 7
        if kind == 0:
            number = _varint(content, position)
            if number is None:
                return None
            position = number[1]
            found.append((tag >> 3, kind, b""))
            continue
        if kind == LENGTH_DELIMITED:
            length = _varint(content, position)
            if length is None:
                return None
            size, position = length
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            return None
        if position + size > end:
            return None
        found.append((tag >> 3, kind, content[position : position + size]))
        position += size
    return found


def _varint(content: bytes, position: int) -> tuple[int, int] | None:
    number = shift = 0
    for place in range(position, min(position + 10, len(content))):
        byte = content[place]
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place + 1
        shift += 7
    return None
