"""The queue to the dashboard: messages in order, and blobs by chunk with credit."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Final

import google_crc32c
from google.protobuf.message import Message

from summaries.debugging import CHUNK_BYTES
from summaries.schema.debugger_pb2 import BlobBegin, BlobChunk, BlobEnd, Bye, Credit, Log, State, Watching

__all__ = ["Outbox"]

_WAITING: Final = 1024
"""Most messages that wait; beyond it, the oldest are dropped."""
_BLOBS: Final = 16
"""Most blobs on their way."""
_NEWEST_WINS: Final = (State, Watching)
"""Kinds of which only the newest message counts."""
_MOST_CREDIT: Final = 1 << 16


class _Blob:
    """A blob on its way: its bytes, its progress, and its credit in chunks."""

    def __init__(self, begin: BlobBegin, data: memoryview, window: int) -> None:
        self.begin = begin
        self.credit = window
        self._data = data
        self._sent = -1
        self._sum = 0

    def next(self) -> Message | None:
        """The next message; None without credit."""
        if self._sent < 0:
            self._sent = 0
            return self.begin
        if self._sent >= len(self._data):
            return BlobEnd(id=self.begin.id, checksum=self._sum)
        if self.credit <= 0:
            return None
        self.credit -= 1
        piece = bytes(self._data[self._sent : self._sent + CHUNK_BYTES])
        self._sum = int(google_crc32c.extend(self._sum, piece))
        self._sent += len(piece)
        return BlobChunk(id=self.begin.id, data=piece)


class Outbox:
    """The queue between the training's thread, which adds, and the link's, which takes.

    Messages precede chunks of blobs, so that a large tensor delays no reply. Blobs take turns.

    Args:
        added: Called without lock after something was added.

    """

    def __init__(self, added: Callable[[], None]) -> None:
        self._added = added
        self._lock = threading.Lock()
        self._messages: deque[Message] = deque()
        self._newest: dict[type[Message], Message] = {}
        self._kept: dict[type[Message], Message] = {}
        self._kept_blobs: dict[int, tuple[BlobBegin, memoryview]] = {}
        self._blobs: deque[_Blob] = deque()
        self._window = 0
        self._last: Bye | None = None
        self._over = False

    def put(self, message: Message, keep: bool = False) -> None:
        """Add a message.

        Args:
            message: What to send.
            keep: Send the newest of its kind again after each lost connection.

        """
        kind = type(message)
        with self._lock:
            if keep:
                self._kept[kind] = message
            if isinstance(message, Bye):
                self._last = message
            elif isinstance(message, _NEWEST_WINS):
                self._newest[kind] = message
            else:
                # Keeps the order: newest-wins messages from before go first.
                self._messages.extend(self._newest.values())
                self._newest.clear()
                self._messages.append(message)
                while len(self._messages) > _WAITING:
                    self._make_room()
        self._added()

    def put_blob(self, begin: BlobBegin, data: memoryview, keep: bool = False) -> bool:
        """Add a blob; returns whether there was room.

        Args:
            begin: Announces it.
            data: Its bytes, which must not change any more.
            keep: Send the newest of its content again after each lost connection, as with graphs.

        """
        with self._lock:
            if keep:
                self._kept_blobs[begin.content] = (begin, data)
            elif len(self._blobs) >= _BLOBS:
                return False
            if self._window:
                self._blobs.append(_Blob(begin, data, self._window))
        self._added()
        return True

    def forget(self, *kinds: type[Message]) -> None:
        """Forget kept messages of these kinds."""
        with self._lock:
            for kind in kinds:
                self._kept.pop(kind, None)

    def connected(self, window: int) -> None:
        """Begin a new connection: with kept messages, and with those that were not sent yet.

        Args:
            window: Chunks of each blob that may be sent without credit.

        """
        with self._lock:
            self._window = window
            repeated = [item for kind, item in self._kept.items() if kind not in _NEWEST_WINS]
            waiting = [item for item in self._messages if not any(item is other for other in repeated)]
            self._messages = deque([*repeated, *waiting])
            self._newest = {**{kind: item for kind, item in self._kept.items() if kind in _NEWEST_WINS}, **self._newest}
            self._blobs.extend(_Blob(begin, data, window) for begin, data in self._kept_blobs.values())
        self._added()

    def disconnected(self) -> None:
        """Drop the blobs on their way; they are requested again."""
        with self._lock:
            self._window = 0
            self._blobs.clear()

    def credit(self, credit: Credit) -> None:
        """Allow more chunks of a blob, or cancel it."""
        with self._lock:
            for blob in self._blobs:
                if blob.begin.id == credit.id:
                    if credit.cancel:
                        self._blobs.remove(blob)
                        return
                    blob.credit = min(blob.credit + credit.chunks, _MOST_CREDIT)
                    return

    def take(self) -> Message | None:
        """The next message to send; None if there is none now. A `Bye` comes last."""
        with self._lock:
            if self._messages:
                return self._messages.popleft()
            if self._over:
                return None
            for kind in _NEWEST_WINS:
                if kind in self._newest:
                    return self._newest.pop(kind)
            if self._last is not None:
                self._over = True
                last, self._last = self._last, None
                return last
            return self._take_of_blobs()

    def _take_of_blobs(self) -> Message | None:
        for _ in range(len(self._blobs)):
            blob = self._blobs.popleft()
            message = blob.next()
            if not isinstance(message, BlobEnd):
                self._blobs.append(blob)
            if message is not None:
                return message
        return None

    def _make_room(self) -> None:
        """Drop the least important message: the oldest record of a log-point, else the oldest message."""
        place = next((i for i, item in enumerate(self._messages) if isinstance(item, Log)), 0)
        del self._messages[place]
