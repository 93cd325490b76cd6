"""Notifies all web servers of stored data, through the channel layer.

Messages are small and may be lost: they only say where new data is, and the columns contain the data. The event loop
has
its own thread, so that a broker that is down never delays the reader.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import uuid

import redis.exceptions
from channels.layers import get_channel_layer

from mindinsight.api.live_messages import GROUP, Beat, LiveMessage

logger = logging.getLogger(__name__)

RETRY_S = 0.2


class Announcer:
    """Sends `stored`, `rows` and `beat` messages to the group of all web servers.

    While the broker is away, waiting messages are merged, so memory does not grow.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="announcer", daemon=True)
        self._lock = threading.Lock()
        self._ends: dict[int, int] = {}
        self._runs: set[int] = set()
        self._series: set[int] = set()
        self._beat: Beat | None = None
        self._life = uuid.uuid4().hex
        self._number = 0
        self._wake = asyncio.Event()
        self._stopping = False
        self._silent = False

    def start(self) -> None:
        """Starts the sending thread."""
        self._loop = asyncio.new_event_loop()
        self._thread.start()

    def stop(self) -> None:
        """Sends the waiting messages, if that is possible at once, and ends."""
        self._stopping = True
        self._wake_up()
        self._thread.join(timeout=1)

    def stored(self, ends: dict[int, int]) -> None:
        """Announces the end of each series: the index after its last row."""
        with self._lock:
            self._ends.update(ends)
        self._wake_up()

    def rows(self, runs: set[int], series: set[int]) -> None:
        """Announces changed rows of the database."""
        with self._lock:
            self._runs |= runs
            self._series |= series
        self._wake_up()

    def beat(self, beat: Beat) -> None:
        """Announces that the reader is alive."""
        with self._lock:
            self._beat = beat
        self._wake_up()

    def _wake_up(self) -> None:
        # Nothing is sent before the thread runs. Earlier messages wait.
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake.set)

    def _run(self) -> None:
        assert self._loop is not None  # noqa: S101  (start made it)
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._send_all())
        self._loop.close()

    async def _send_all(self) -> None:
        layer = get_channel_layer()
        while not self._stopping:
            await self._wake.wait()
            self._wake.clear()
            message = self._take()
            try:
                await asyncio.wait_for(layer.group_send(GROUP, message), timeout=2)
                self._silent = False
            except (redis.exceptions.RedisError, OSError, TimeoutError) as error:
                if not self._silent:
                    logger.warning("The broker is away (%s); points are stored, and pages will get them later", error)
                self._silent = True
                self._put_back(message)
                await asyncio.sleep(RETRY_S)
        await layer.flush()

    def _put_back(self, message: LiveMessage) -> None:
        """Merges messages that could not be sent into the next message, whose own values are newer."""
        with self._lock:
            for series, end in message["ends"]:
                self._ends.setdefault(series, end)
            self._runs |= set(message["runs"])
            self._series |= set(message["series"])
            self._beat = self._beat or message["beat"]
        self._wake_up()

    def _take(self) -> LiveMessage:
        with self._lock:
            self._number += 1
            message: LiveMessage = {
                "type": "live",
                "reader": self._life,
                "number": self._number,
                "ends": [[series, end] for series, end in self._ends.items()],
                "runs": sorted(self._runs),
                "series": sorted(self._series),
                "beat": self._beat,
            }
            self._ends, self._runs, self._series, self._beat = {}, set(), set(), None
        return message
