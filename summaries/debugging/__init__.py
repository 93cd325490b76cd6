"""The debugger's link: what a training and the dashboard send each other over a WebSocket.

Messages are in `summaries/schema/debugger.proto`, who says what and when in `docs/architecture/debugger.md`. The
training's side is `framework.debugger`, the dashboard's `mindinsight.debugger`; both read and write with this package.
"""

from summaries.debugging.blobs import BlobError, Incoming, checksum, chunks
from summaries.debugging.messages import (
    CHUNK_BYTES,
    LONGEST_MESSAGE,
    PATH,
    PROTOCOL,
    SECRET_BYTES,
    WINDOW,
    MessageError,
    body_of,
    read,
    written,
)

__all__ = [
    "CHUNK_BYTES",
    "LONGEST_MESSAGE",
    "PATH",
    "PROTOCOL",
    "SECRET_BYTES",
    "WINDOW",
    "BlobError",
    "Incoming",
    "MessageError",
    "body_of",
    "checksum",
    "chunks",
    "read",
    "written",
]
