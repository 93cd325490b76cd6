"""The socket `/ws/live`: one object per open page, speaking `docs/architecture/wire.md`.

It keeps one number per followed series: the index up to which points were sent. The client still needs the points after
this index. There is no queue, and a slow client gets larger pieces less often. An answer is sent before the client's
next message is read, and newer messages replace older ones, so a client that does not read costs almost nothing.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson
from asgiref.sync import sync_to_async

import mindinsight
from mindinsight.gate.gate import Receive, Scope, Send
from mindinsight.live.health import Health
from mindinsight.live.hub import Hub
from mindinsight.runs import queries as runs
from mindinsight.scalars import queries as scalars
from mindinsight.sockets.json_socket import JsonSocket, first_of
from mindinsight.sockets.messages import MESSAGE_BYTES, ClosedError, Json, identity

PROTOCOL = 2
MAX_SERIES = 20_000
FRAME_POINTS = 8192
BACKLOG_POINTS = 16_384
# A series is sent at most about twenty times a second, and a socket at most fifty times. This is twice the rate of a
# training that writes ten times a second. At the same rate each of its points would wait for the previous one.
SERIES_PAUSE_S = 0.045
SOCKET_PAUSE_S = 0.02
# Rows are read from the database. For many trainings that takes long enough to delay their points, so it gets a tenth
# of the time.
ROWS_PAUSE_S = 0.25
ROWS_PAUSE_FACTOR = 9
# Number of series that are looked up without a pause for other sockets.
FOLLOWED_AT_ONCE = 200
# Maximum number of changed runs and series that were not sent. With more, all rows are sent.
MOST_CHANGED = 20_000

LIMITS = {
    "message_bytes": MESSAGE_BYTES,
    "series": MAX_SERIES,
    "frame_points": FRAME_POINTS,
    "backlog_points": BACKLOG_POINTS,
}


class LiveSocket:
    """The ASGI application at the socket's path.

    Args:
        hub: this process's hub.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one socket until it closes."""
        await receive()
        await send({"type": "websocket.accept"})
        await Conversation(self._hub, receive, send).hold()


@dataclass(slots=True)
class _Place:
    """The sent index of a series, the end of its columns, and the monotonic time of the last frame."""

    sent: int
    end: int
    at: float = 0.0


class Conversation:
    """One open socket.

    Args:
        hub: this process's hub.
        receive: ASGI's receive function.
        send: ASGI's send function.
    """

    def __init__(self, hub: Hub, receive: Receive, send: Send) -> None:
        self._hub = hub
        self._line = JsonSocket(receive, send)
        self._places: dict[int, _Place] = {}
        self._behind: set[int] = set()
        self._points_wake = asyncio.Event()
        self._rows_wake = asyncio.Event()
        self._runs: set[int] = set()
        self._series: set[int] = set()
        self._wants_rows = False
        self._rows_missed = False
        self._health: Health | None = None
        self._store_is_new = False
        self._news_wake = asyncio.Event()

    async def hold(self) -> None:
        """Handles messages until either side closes."""
        self._hub.join(self)
        try:
            await self._line.say(self._hello())
            self.health_changed(self._hub.health)
            await first_of(self._listen(), self._send_points(), self._send_rows(), self._send_news())
        except ClosedError as error:
            await self._line.close(error.code, str(error))
        finally:
            self._hub.leave(self)
            for series in self._places:
                self._hub.unfollow(self, series)

    # Messages of the hub

    def points_stored(self, series: int, end: int) -> None:
        """The columns of a followed series now end at `end`."""
        place = self._places[series]
        place.end = max(place.end, end)
        if place.end > place.sent:
            self._behind.add(series)
            self._points_wake.set()

    def rows_changed(self, runs: set[int], series: set[int]) -> None:
        """Rows of the database changed."""
        if self._wants_rows:
            self._runs |= runs
            self._series |= series
            if len(self._runs) + len(self._series) > MOST_CHANGED:
                self._rows_missed = True
            self._rows_wake.set()

    def rows_missed(self) -> None:
        """Any row of the database may have changed."""
        if self._wants_rows:
            self._rows_missed = True
            self._rows_wake.set()

    def health_changed(self, health: Health) -> None:
        """The state of the reader, the broker or a disk has changed."""
        self._health = health
        self._news_wake.set()

    def store_changed(self) -> None:
        """The store was rebuilt: the client reconnects and starts again."""
        self._store_is_new = True
        self._news_wake.set()

    # Messages of the client

    async def _listen(self) -> None:
        while (message := await self._line.hear()) is not None:
            await self._answer(message)

    async def _answer(self, message: Json) -> None:
        match message.get("type"):
            case "subscribe":
                await self._subscribe(_topics(message), _series_places(message))
            case "unsubscribe":
                self._unsubscribe(_topics(message), _series_numbers(message))
            case "ping":
                await self._line.say({"type": "pong", "id": identity(message), "now": time.time()})
            case other:
                raise ClosedError(4400, f"unknown type {str(other)[:60]!r}")

    async def _subscribe(self, topics: set[str], places: dict[int, int]) -> None:
        if len(self._places.keys() | places.keys()) > MAX_SERIES:
            raise ClosedError(4429, f"at most {MAX_SERIES} series on one socket")
        if "runs" in topics:
            self._wants_rows = True
            self.rows_missed()
        if places:
            began = time.monotonic()
            gone = await self._follow_all(places)
            spent = time.monotonic() - began
            if gone:
                await self._line.say({"type": "removed", "series": gone})
            # A client that subscribes over and over leaves half of the time to others.
            await asyncio.sleep(spent)

    async def _follow_all(self, places: dict[int, int]) -> list[int]:
        """Subscribes to series. Returns those that do not exist."""
        known = await sync_to_async(scalars.runs_of_series)(set(places))
        for count, (series, run) in enumerate(known.items(), 1):
            self._follow(series, run, places[series])
            if count % FOLLOWED_AT_ONCE == 0:
                await asyncio.sleep(0)
        return sorted(places.keys() - known.keys())

    def _follow(self, series: int, run: int, sent: int) -> None:
        end = self._hub.follow(self, series, run)
        self._places[series] = _Place(sent, sent)
        self.points_stored(series, end)

    def _unsubscribe(self, topics: set[str], numbers: set[int]) -> None:
        if "runs" in topics:
            self._wants_rows = False
        for series in numbers & self._places.keys():
            self._hub.unfollow(self, series)
            del self._places[series]
            self._behind.discard(series)

    # Outgoing messages

    def _hello(self) -> dict[str, Any]:
        return {
            "type": "hello",
            "protocol": PROTOCOL,
            "version": mindinsight.__version__,
            "store": self._hub.identity,
            "now": time.time(),
            "limits": LIMITS,
        }

    async def _send_points(self) -> None:
        while True:
            await self._points_wake.wait()
            now = time.monotonic()
            ready = [series for series in self._behind if now - self._places[series].at >= SERIES_PAUSE_S]
            message, refetched = self._next_message(ready, now)
            if not self._behind:
                self._points_wake.clear()
            if refetched:
                await self._line.say({"type": "refetch", "series": refetched})
            if message:
                await self._line.say_bytes(message)
            # Also if nothing was ready: then all waiting series were sent a moment ago.
            await asyncio.sleep(SOCKET_PAUSE_S)

    def _next_message(self, ready: list[int], now: float) -> tuple[bytes, list[list[int]]]:
        """Packs frames of waiting series, up to the limit. The rest comes next.

        Returns:
            The frames, and the series with too many points, each with the index after its last point.
        """
        pieces: list[bytes] = []
        refetched: list[list[int]] = []
        size = 0
        for series in ready:
            place = self._places[series]
            if place.end - place.sent > BACKLOG_POINTS:
                refetched.append([series, place.end])
                place.sent = place.end
            else:
                end = min(place.end, place.sent + FRAME_POINTS)
                frame, place.sent = self._hub.slice(series, place.sent, end)
                pieces.append(frame)
                size += len(frame)
            place.at = now
            if place.sent >= place.end:
                self._behind.discard(series)
            if size > MESSAGE_BYTES // 2:
                break
        return b"".join(pieces), refetched

    async def _send_rows(self) -> None:
        while True:
            await self._rows_wake.wait()
            self._rows_wake.clear()
            wanted, wanted_series, everything = self._runs, self._series, self._rows_missed
            self._runs, self._series, self._rows_missed = set(), set(), False
            began = time.monotonic()
            make = _all_rows if everything else partial(_changed_rows, wanted, wanted_series)
            await self._line.say_text(await sync_to_async(make)())
            await asyncio.sleep(max(ROWS_PAUSE_S, ROWS_PAUSE_FACTOR * (time.monotonic() - began)))

    async def _send_news(self) -> None:
        while True:
            await self._news_wake.wait()
            self._news_wake.clear()
            health, self._health = self._health, None
            if self._store_is_new:
                raise ClosedError(1001, "the store was rebuilt")
            if health is not None:
                await self._line.say(
                    {
                        "type": "health",
                        "reader": health.reader,
                        "broker": health.broker,
                        "since": health.since,
                        "disk": health.disk_as_json,
                    }
                )


def _is_index(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53


def _topics(message: dict[str, Any]) -> set[str]:
    topics = message.get("topics", [])
    if not isinstance(topics, list) or not all(isinstance(topic, str) for topic in topics):
        raise ClosedError(4400, "topics must be a list of words")
    return set(topics)


def _series_places(message: dict[str, Any]) -> dict[int, int]:
    pairs = message.get("series", [])
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(map(_is_index, pair)) for pair in pairs
    ):
        raise ClosedError(4400, "series must be a list of [series, next] pairs")
    return dict(pairs)


def _series_numbers(message: dict[str, Any]) -> set[int]:
    series = message.get("series", [])
    if not isinstance(series, list) or not all(map(_is_index, series)):
        raise ClosedError(4400, "series must be a list of numbers")
    return set(series)


def _all_rows() -> bytes:
    """Returns a message as text: the rows of 10,000 runs take ten times its memory, and it may have to wait."""
    message = {"type": "runs", "complete": True, "runs": runs.rows(), "removed": [], "series": []}
    return orjson.dumps(message)


def _changed_rows(numbers: set[int], series: set[int]) -> bytes:
    rows = runs.rows(numbers=numbers, limit=len(numbers))
    message = {
        "type": "runs",
        "complete": False,
        "runs": rows,
        "removed": sorted(numbers - {row["number"] for row in rows}),
        "series": scalars.series_rows(numbers=series),
    }
    return orjson.dumps(message)
