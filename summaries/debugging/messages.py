"""Messages of the debugger's link to bytes and back; both ends call it."""

from __future__ import annotations

from typing import Any, Final

from google.protobuf.message import DecodeError, Message

from summaries.schema.debugger_pb2 import Envelope

__all__ = [
    "CHUNK_BYTES",
    "LONGEST_MESSAGE",
    "PATH",
    "PROTOCOL",
    "SECRET_BYTES",
    "WINDOW",
    "MessageError",
    "body_of",
    "read",
    "written",
]

PROTOCOL: Final = 1
"""Both sides say theirs first; the dashboard refuses a training with another one."""
PATH: Final = "/ws/train"
"""Of the dashboard's WebSocket for trainings, below its prefix."""
CHUNK_BYTES: Final = 960_000
"""Of a blob in one message: servers that take no frame over 1 MiB take it."""
LONGEST_MESSAGE: Final = 1 << 20
"""Longer ones are refused unread, in both directions; programs and graphs that are longer go as blobs."""
SECRET_BYTES: Final = 32
"""Of the secret in `Hello`, by which a training gets its own session again."""
WINDOW: Final = 8
"""So many chunks of a blob may be under way before the dashboard has said that it took some."""

_FIELDS: Final = {
    field.message_type.full_name: field.name for field in Envelope.DESCRIPTOR.fields if field.message_type
}


class MessageError(ValueError):
    """Bytes that are no message of the link; says what is wrong with them."""


def written(body: Message) -> bytes:
    """A message as the bytes of its envelope.

    Args:
        body: a message that `Envelope` has a place for.

    Raises:
        MessageError: it has none, or the message is longer than the link takes.
    """
    name = _FIELDS.get(body.DESCRIPTOR.full_name)
    if name is None:
        raise MessageError(f"the link has no place for a {body.DESCRIPTOR.name}")
    envelope = Envelope()
    getattr(envelope, name).CopyFrom(body)
    made = envelope.SerializeToString()
    if len(made) > LONGEST_MESSAGE:
        raise MessageError(f"a {body.DESCRIPTOR.name} of {len(made):,} bytes; at most {LONGEST_MESSAGE:,} go at once")
    return made


def read(data: bytes) -> Envelope:
    """The envelope of bytes.

    Raises:
        MessageError: they are too long or no envelope.
    """
    if len(data) > LONGEST_MESSAGE:
        raise MessageError(f"a message of {len(data):,} bytes; at most {LONGEST_MESSAGE:,} are read")
    try:
        return Envelope.FromString(data)
    except DecodeError as error:
        raise MessageError(f"{len(data):,} bytes that are no message of the debugger: {error}") from None


def body_of(envelope: Envelope) -> Any:
    """What is in an envelope; None for something that this version does not know."""
    name = envelope.WhichOneof("body")
    return None if name is None else getattr(envelope, name)
