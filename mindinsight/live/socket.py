"""The socket `/ws/live`: one object per open page, speaking `docs/architecture/wire.md`.

It keeps one number per followed series, the index sent up to. What lies behind that number in the columns is what the
client still gets: there is no queue, and a slow client gets larger pieces less often.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from typing import Any

import orjson
from asgiref.sync import sync_to_async

import mindinsight
from mindinsight.config.gate import Receive, Scope, Send
from mindinsight.live.health import Health
from mindinsight.live.hub import Hub
from mindinsight.runs import queries as runs
from mindinsight.scalars import queries as scalars

PROTOCOL = 2
MESSAGE_BYTES = 1 << 20
MAX_SERIES = 20_000
FRAME_POINTS = 8192
BACKLOG_POINTS = 16_384
# A series is sent at most about twenty times a second, a socket at most fifty times. Twice the rate of a training that
# writes ten times a second: at the same rate each of its points would wait for the one before.
SERIES_PAUSE_S = 0.045
SOCKET_PAUSE_S = 0.02
# Rows are read from the database: of many trainings that takes long enough to hold up their points, so it has a tenth
# of the time.
ROWS_PAUSE_S = 0.25
ROWS_PAUSE_FACTOR = 9

LIMITS = {
    "message_bytes": MESSAGE_BYTES,
    "series": MAX_SERIES,
    "frame_points": FRAME_POINTS,
    "backlog_points": BACKLOG_POINTS,
}


class LiveSocket:
    """The ASGI application of the socket's path.

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


class _ProtocolError(Exception):
    """The client said something that ends the conversation."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass
class _Place:
    """How far a series was sent, how far its columns reach, and when it was last sent (monotonic)."""

    sent: int
    end: int
    at: float = 0.0


class Conversation:
    """One open socket.

    Args:
        hub: this process's hub.
        receive: ASGI's way in.
        send: ASGI's way out.
    """

    def __init__(self, hub: Hub, receive: Receive, send: Send) -> None:
        self._hub = hub
        self._receive = receive
        self._send = send
        self._places: dict[int, _Place] = {}
        self._behind: set[int] = set()
        self._points_wake = asyncio.Event()
        self._rows_wake = asyncio.Event()
        self._runs: set[int] = set()
        self._series: set[int] = set()
        self._wants_rows = False
        self._rows_missed = False
        self._texts: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def hold(self) -> None:
        """Talks until either side closes."""
        self._hub.join(self)
        try:
            await self._say(self._hello())
            self.health_changed(self._hub.health)
            await self._talk()
        except _ProtocolError as error:
            await self._close(error.code, str(error))
        finally:
            self._hub.leave(self)
            for series in self._places:
                self._hub.unfollow(self, series)

    async def _talk(self) -> None:
        """Listens and sends at once; the first that ends, ends all."""
        tasks = [
            asyncio.create_task(work)
            for work in (self._listen(), self._send_points(), self._send_rows(), self._send_texts())
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if (error := task.exception()) is not None and not isinstance(error, OSError):
                    raise error
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # What the hub tells

    def points_stored(self, series: int, end: int) -> None:
        """The columns of a followed series reach up to `end` now."""
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
            self._rows_wake.set()

    def rows_missed(self) -> None:
        """Any row of the database may have changed."""
        if self._wants_rows:
            self._rows_missed = True
            self._rows_wake.set()

    def health_changed(self, health: Health) -> None:
        """The reader or the broker went or came back."""
        self._texts.put_nowait(
            {"type": "health", "reader": health.reader, "broker": health.broker, "since": health.since}
        )

    def store_changed(self) -> None:
        """The store was rebuilt: the client comes back and starts anew."""
        self._texts.put_nowait({"type": "close"})

    # What the client says

    async def _listen(self) -> None:
        while True:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                return
            await self._answer(_parse(message))

    async def _answer(self, message: dict[str, Any]) -> None:
        match message.get("type"):
            case "subscribe":
                await self._subscribe(_topics(message), _series_places(message))
            case "unsubscribe":
                self._unsubscribe(_topics(message), _series_numbers(message))
            case "ping":
                self._texts.put_nowait({"type": "pong", "id": message.get("id"), "now": time.time()})
            case other:
                raise _ProtocolError(4400, f"unknown type {other!r}"[:100])

    async def _subscribe(self, topics: set[str], places: dict[int, int]) -> None:
        if len(self._places.keys() | places.keys()) > MAX_SERIES:
            raise _ProtocolError(4429, f"at most {MAX_SERIES} series on one socket")
        if places:
            known = await sync_to_async(scalars.runs_of_series)(set(places))
            for series, sent in places.items():
                if series in known:
                    self._follow(series, known[series], sent)
            if gone := sorted(places.keys() - known.keys()):
                self._texts.put_nowait({"type": "removed", "series": gone})
        if "runs" in topics:
            self._wants_rows = True
            self._texts.put_nowait(await sync_to_async(_all_rows)())

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

    # What is sent

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
            message = self._next_message(ready, now)
            if not self._behind:
                self._points_wake.clear()
            if message:
                await self._send({"type": "websocket.send", "bytes": message})
            # Also where nothing was ready: everything that waits was sent a moment ago.
            await asyncio.sleep(SOCKET_PAUSE_S)

    def _next_message(self, ready: list[int], now: float) -> bytes:
        """Packs frames of series that wait, up to the cap; what does not fit stays behind and comes next."""
        pieces: list[bytes] = []
        size = 0
        for series in ready:
            place = self._places[series]
            if place.end - place.sent > BACKLOG_POINTS:
                self._texts.put_nowait({"type": "refetch", "series": [[series, place.end]]})
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
        return b"".join(pieces)

    async def _send_rows(self) -> None:
        while True:
            await self._rows_wake.wait()
            self._rows_wake.clear()
            wanted, wanted_series, everything = self._runs, self._series, self._rows_missed
            self._runs, self._series, self._rows_missed = set(), set(), False
            began = time.monotonic()
            if everything:
                await self._say(await sync_to_async(_all_rows)())
            else:
                await self._say(await sync_to_async(_changed_rows)(wanted, wanted_series))
            await asyncio.sleep(max(ROWS_PAUSE_S, ROWS_PAUSE_FACTOR * (time.monotonic() - began)))

    async def _send_texts(self) -> None:
        while True:
            message = await self._texts.get()
            if message["type"] == "close":
                await self._close(1001, "the store was rebuilt")
                return
            await self._say(message)

    async def _say(self, message: dict[str, Any]) -> None:
        await self._send({"type": "websocket.send", "text": orjson.dumps(message).decode()})

    async def _close(self, code: int, reason: str) -> None:
        with contextlib.suppress(OSError, RuntimeError):
            await self._send({"type": "websocket.close", "code": code, "reason": reason})


def _parse(message: dict[str, Any] | Any) -> dict[str, Any]:
    try:
        parsed = orjson.loads(message.get("text") or message.get("bytes") or b"")
    except orjson.JSONDecodeError as error:
        raise _ProtocolError(4400, "not JSON") from error
    if not isinstance(parsed, dict):
        raise _ProtocolError(4400, "not a JSON object")
    return parsed


def _is_index(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53


def _topics(message: dict[str, Any]) -> set[str]:
    topics = message.get("topics", [])
    if not isinstance(topics, list) or not all(isinstance(topic, str) for topic in topics):
        raise _ProtocolError(4400, "topics must be a list of words")
    return set(topics)


def _series_places(message: dict[str, Any]) -> dict[int, int]:
    pairs = message.get("series", [])
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(map(_is_index, pair)) for pair in pairs
    ):
        raise _ProtocolError(4400, "series must be a list of [series, next] pairs")
    return dict(pairs)


def _series_numbers(message: dict[str, Any]) -> set[int]:
    series = message.get("series", [])
    if not isinstance(series, list) or not all(map(_is_index, series)):
        raise _ProtocolError(4400, "series must be a list of numbers")
    return set(series)


def _all_rows() -> dict[str, Any]:
    return {"type": "runs", "complete": True, "runs": runs.rows(), "removed": [], "series": []}


def _changed_rows(numbers: set[int], series: set[int]) -> dict[str, Any]:
    rows = runs.rows(numbers=numbers, limit=len(numbers))
    gone = numbers - {row["number"] for row in rows}
    return {
        "type": "runs",
        "complete": False,
        "runs": rows,
        "removed": sorted(gone),
        "series": scalars.series_rows(numbers=series),
    }
