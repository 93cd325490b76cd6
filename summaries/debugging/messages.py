"""Encodes and decodes messages of the debugger's link; both ends use it."""

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
"""Version of the protocol. Both sides send it first; the dashboard refuses a training with another version."""
PATH: Final = "/ws/train"
"""Path of the dashboard's WebSocket for trainings, below its prefix."""
CHUNK_BYTES: Final = 960_000
"""Bytes of a blob in one message; small enough for servers that accept frames of 1 MiB at most."""
LONGEST_MESSAGE: Final = 1 << 20
"""Maximum length of a message in bytes, in both directions. Longer programs and graphs are sent as blobs."""
SECRET_BYTES: Final = 32
"""Length of the secret in `Hello`, by which a training resumes its session."""
WINDOW: Final = 8
"""Maximum number of chunks of a blob that are in flight without acknowledgement by the dashboard."""

_FIELDS: Final = {
    field.message_type.full_name: field.name for field in Envelope.DESCRIPTOR.fields if field.message_type
}


class MessageError(ValueError):
    """Bytes are not a valid message; the text says why."""


def written(body: Message) -> bytes:
    """Return the bytes of a message's envelope.

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
    """Parse an envelope.

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
    """Return the message in an envelope; None if this version does not know it."""
    name = envelope.WhichOneof("body")
    return None if name is None else getattr(envelope, name)
