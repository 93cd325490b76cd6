"""The hub: one per web server process. It connects the reader's messages with the sockets of this process.

It listens to the channel layer, wakes the sockets that follow a series, and notices when the reader or the broker is
down. Each slice of a column is read once here, for all sockets that need it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import OrderedDict, defaultdict
from collections.abc import Coroutine
from typing import Any, Protocol, cast

from channels.layers import get_channel_layer
from django.conf import settings
from redis.exceptions import RedisError

from mindinsight.api import frames
from mindinsight.api.live_messages import GROUP, LiveMessage, RowsMessage
from mindinsight.live.health import Health, HealthWatch
from mindinsight.live.outbox import Outbox
from mindinsight.runs.marks import rows_changed
from mindinsight.store import ColumnStore, Table, WriterLock

logger = logging.getLogger(__name__)

CACHED_SLICES = 4096
CACHED_BYTES = 8 << 20
LOOK_EVERY_S = 0.5
# Interval at which the columns themselves are checked if no messages arrive.
POLL_AFTER_S = 1.0


class Subscriber(Protocol):
    """The methods of a socket that the hub calls."""

    def points_stored(self, series: int, end: int) -> None:
        """The columns of a followed series now end at `end`."""

    def rows_changed(self, runs: set[int], series: set[int]) -> None:
        """Rows of the database changed."""

    def rows_missed(self) -> None:
        """Any row of the database may have changed."""

    def health_changed(self, health: Health) -> None:
        """The state of the reader or the broker has changed."""

    def store_changed(self) -> None:
        """The store was rebuilt. All indices are invalid."""


class Hub:
    """Connects the columns with the sockets of this process."""

    def __init__(self) -> None:
        directory = settings.ENVIRONMENT.data_directory / "columns"
        self.store = ColumnStore(directory)
        self.identity = self.store.identity
        self.started = time.time()
        self._watch = HealthWatch(
            WriterLock(directory), settings.ENVIRONMENT.redis_url, settings.ENVIRONMENT.written_directories
        )
        self._subscribers: set[Subscriber] = set()
        self._followers: dict[int, set[Subscriber]] = defaultdict(set)
        self._runs: dict[int, int] = {}
        self._slices: OrderedDict[tuple[int, int, int], tuple[bytes, int]] = OrderedDict()
        self._sliced_bytes = 0
        self._heard = time.monotonic()
        self._last_message = ("", 0)
        self._outbox = Outbox()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def health(self) -> Health:
        """The state of the reader and the broker."""
        return self._watch.now

    async def start(self) -> None:
        """Starts to listen. Called before the first socket opens."""
        await self._watch.look()
        self._loop = asyncio.get_running_loop()
        rows_changed.connect(self._changed_here)
        for work in (self._listen(), self._look_after(), self._outbox.send_all()):
            self._tasks.append(asyncio.create_task(_forever(work)))

    async def stop(self) -> None:
        """Stops listening. Called after the last socket closed."""
        rows_changed.disconnect(self._changed_here)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(RedisError, OSError):
            await get_channel_layer().flush()
        await self._watch.close()

    async def look(self) -> None:
        """Checks the reader and the broker, and sends changes to the sockets."""
        if await self._watch.look():
            for subscriber in self._subscribers:
                subscriber.health_changed(self.health)

    # Sockets

    def join(self, subscriber: Subscriber) -> None:
        """Registers an opened socket."""
        self._subscribers.add(subscriber)

    def leave(self, subscriber: Subscriber) -> None:
        """Removes a closed socket."""
        self._subscribers.discard(subscriber)

    def follow(self, subscriber: Subscriber, series: int, run: int) -> int:
        """Subscribes a socket to a series. Returns the index after the last point."""
        self._followers[series].add(subscriber)
        self._runs[series] = run
        return self.store.count(Table.POINTS, run, series)

    def unfollow(self, subscriber: Subscriber, series: int) -> None:
        """Ends a socket's subscription to a series."""
        followers = self._followers[series]
        followers.discard(subscriber)
        if not followers:
            del self._followers[series], self._runs[series]

    def slice(self, series: int, first: int, end: int) -> tuple[bytes, int]:
        """Returns the frame of points `first` to `end` of a followed series, and the index after its last point.

        Sockets at the same position share one frame.
        """
        key = (series, first, end)
        found = self._slices.get(key)
        if found is None:
            run = self._runs[series]
            points = self.store.read(Table.POINTS, run, series, first, end)
            last = first + len(points)
            found = frames.encode(frames.Kind.POINTS, run, series, first, last, time.time(), points), last
            self._slices[key] = found
            self._sliced_bytes += len(found[0])
            while len(self._slices) > CACHED_SLICES or self._sliced_bytes > CACHED_BYTES:
                self._sliced_bytes -= len(self._slices.popitem(last=False)[1][0])
        return found

    # Events

    async def _listen(self) -> None:
        layer = get_channel_layer()
        logged = False
        while True:
            try:
                channel = await layer.new_channel()
                await layer.group_add(GROUP, channel)
                logged = False
                while True:
                    self._receive(await layer.receive(channel))
            except (RedisError, OSError) as error:
                if not logged:
                    logger.warning("The broker is away (%s); checking the columns once a second", error)
                logged = True
                await asyncio.sleep(LOOK_EVERY_S)

    def _receive(self, message: LiveMessage | RowsMessage) -> None:
        if message["type"] != "rows":
            self._take(cast("LiveMessage", message))
        elif cast("RowsMessage", message)["sender"] != self._outbox.sender:
            self._tell_rows(set(message["runs"]), set())

    def _changed_here(self, runs: set[int], **_: object) -> None:
        """Announces rows that a request changed. Called in the request's thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._pass_on, runs)

    def _pass_on(self, runs: set[int]) -> None:
        self._tell_rows(runs, set())
        self._outbox.put(runs)

    def _tell_rows(self, runs: set[int], series: set[int]) -> None:
        for subscriber in self._subscribers:
            subscriber.rows_changed(runs, series)

    def _take(self, message: LiveMessage) -> None:
        self._heard = time.monotonic()
        life, number = self._last_message
        self._last_message = message["reader"], message["number"]
        if self._last_message != (life, number + 1):
            self._catch_up()
        for series, end in message["ends"]:
            for subscriber in self._followers.get(series, ()):
                subscriber.points_stored(series, end)
        if message["beat"] is not None:
            self._watch.beat(message["beat"])
        if message["runs"] or message["series"]:
            self._tell_rows(set(message["runs"]), set(message["series"]))

    def _catch_up(self) -> None:
        """Handles missed messages, because the broker was away or another reader took over."""
        self._poll()
        for subscriber in self._subscribers:
            subscriber.rows_missed()

    async def _look_after(self) -> None:
        """Detects what no message reports: missing messages, and a different store."""
        logged = False
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                await self._look_once()
                logged = False
            except OSError as error:
                if not logged:
                    logger.warning("The columns cannot be read (%s); trying again", error)
                logged = True

    async def _look_once(self) -> None:
        await self.look()
        if time.monotonic() - self._heard > POLL_AFTER_S:
            self._poll()
        if (identity := self.store.identity) != self.identity:
            self.identity = identity
            self._slices.clear()
            self._sliced_bytes = 0
            for subscriber in list(self._subscribers):
                subscriber.store_changed()

    def _poll(self) -> None:
        for series, subscribers in self._followers.items():
            end = self.store.count(Table.POINTS, self._runs[series], series)
            for subscriber in subscribers:
                subscriber.points_stored(series, end)


async def _forever(work: Coroutine[Any, Any, None]) -> None:
    """Logs the error of a background task."""
    try:
        await work
    except asyncio.CancelledError:
        raise
    except Exception:
        logger.exception("A task of the hub failed")
        raise
