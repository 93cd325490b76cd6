"""The debugger's protocol: messages between a training and the dashboard over a WebSocket.

The messages are defined in `summaries/schema/debugger.proto`; `docs/architecture/debugger.md` describes their order.
`framework.debugger` (the training) and `mindinsight.debugger` (the dashboard) both use this package.
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
