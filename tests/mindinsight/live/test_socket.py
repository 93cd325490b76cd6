"""The socket of `docs/architecture/wire.md`, spoken to as a browser speaks to it."""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest
from asgiref.sync import sync_to_async

from mindinsight.environment import Environment
from mindinsight.live.hub import Hub
from mindinsight.live.outbox import Outbox
from mindinsight.live.socket import BACKLOG_POINTS, LiveSocket
from mindinsight.runs.marks import change
from mindinsight.runs.models import EventFile, Run, Series
from mindinsight.store import Rows, Table
from summaries.rows import POINT

pytestmark = pytest.mark.django_db(transaction=True)

HEADER = struct.Struct("<BBBBIIIQQd")


class Page:
    """The browser's end of a socket."""

    def __init__(self) -> None:
        self.to_server: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.from_server: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.to_server.put_nowait({"type": "websocket.connect"})

    def say(self, message: object) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        self.to_server.put_nowait({"type": "websocket.receive", "text": text})

    async def hear(self, kind: str) -> dict[str, Any]:
        """The next text message of a type; binary ones are left out."""
        while True:
            message = await self.hear_any()
            if "text" in message and (parsed := json.loads(message["text"]))["type"] == kind:
                return dict(parsed)

    async def hear_any(self) -> dict[str, Any]:
        return await asyncio.wait_for(self.from_server.get(), 5)

    async def frames(self, count: int) -> list[dict[str, Any]]:
        """Frames until they hold `count` points."""
        found: list[dict[str, Any]] = []
        while sum(len(frame["step"]) for frame in found) < count:
            message = await self.hear_any()
            if message.get("bytes"):
                found += decode(message["bytes"])
        return found


def decode(data: bytes) -> list[dict[str, Any]]:
    """Frames, taken apart as the page about the wire says."""
    found, at = [], 0
    while at < len(data):
        version, kind, dtype, flags, run, series, count, first, end, stored = HEADER.unpack_from(data, at)
        assert (version, kind, dtype, flags) == (1, 1, 1, 0)
        body = at + HEADER.size
        found.append(
            {
                "run": run,
                "series": series,
                "first": first,
                "end": end,
                "stored": stored,
                "step": np.frombuffer(data, "<i8", count, body).tolist(),
                "wall": np.frombuffer(data, "<f8", count, body + 8 * count).tolist(),
                "value": np.frombuffer(data, "<f4", count, body + 16 * count).tolist(),
            }
        )
        assert end - first == count
        at = body + 20 * count + -(4 * count) % 8
        assert at % 8 == 0
    assert at == len(data)
    return found


def points(first: int, end: int) -> Rows:
    return np.array([(step, step * 1.5, step * 2) for step in range(first, end)], POINT)


@pytest.fixture
def series(environment: Environment) -> Series:
    run = Run.objects.create(name="run")
    file = EventFile.objects.create(run=run, path="run/file")
    return Series.objects.create(id=7, run=run, file=file, tag="loss", kind="scalar")


@asynccontextmanager
async def opened(hub: Hub) -> AsyncIterator[Page]:
    page = Page()

    async def send(message: Any) -> None:
        page.from_server.put_nowait(dict(message))

    socket = asyncio.create_task(LiveSocket(hub)({"type": "websocket"}, page.to_server.get, send))
    try:
        assert (await page.hear_any())["type"] == "websocket.accept"
        hello = await page.hear("hello")
        assert (hello["protocol"], hello["store"]) == (2, hub.identity)
        yield page
    finally:
        page.to_server.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await asyncio.wait_for(socket, 5)


def message(hub: Hub, skip: int = 0, **content: Any) -> Any:
    """The reader's next message, or a later one."""
    life, number = hub._last_message
    empty = {"type": "live", "ends": [], "runs": [], "series": [], "beat": None}
    return {**empty, "reader": life or "reader", "number": number + 1 + skip, **content}


def store(hub: Hub, series: Series, first: int, end: int) -> None:
    """What the reader does and says when points are stored."""
    hub.store.write(Table.POINTS, series.run_id, series.pk, first, points(first, end))
    hub._take(message(hub, ends=[[series.pk, end]]))


async def test_a_page_gets_what_is_there_and_what_comes(series: Series) -> None:
    hub = Hub()
    hub.store.write(Table.POINTS, series.run_id, series.pk, 0, points(0, 10))
    async with opened(hub) as page:
        page.say({"type": "subscribe", "topics": [], "series": [[series.pk, 0]]})
        (frame,) = await page.frames(10)
        assert (frame["run"], frame["series"], frame["first"], frame["end"]) == (series.run_id, series.pk, 0, 10)
        assert frame["step"] == list(range(10))
        assert frame["wall"] == [step * 1.5 for step in range(10)]
        assert frame["value"] == [step * 2 for step in range(10)]
        for end in range(11, 31):
            store(hub, series, end - 1, end)
            await asyncio.sleep(0)
        got = [step for frame in await page.frames(20) for step in frame["step"]]
        assert got == list(range(10, 30))


async def test_a_page_that_comes_back_gets_what_it_missed(series: Series) -> None:
    hub = Hub()
    async with opened(hub) as page:
        page.say({"type": "subscribe", "topics": [], "series": [[series.pk, 0]]})
        page.say({"type": "ping", "id": 1})
        await page.hear("pong")
        store(hub, series, 0, 5)
        assert (await page.frames(5))[-1]["end"] == 5
    store(hub, series, 5, 50)
    async with opened(hub) as page:
        page.say({"type": "subscribe", "topics": [], "series": [[series.pk, 5]]})
        assert [step for frame in await page.frames(45) for step in frame["step"]] == list(range(5, 50))


async def test_a_slow_page_gets_larger_pieces_and_loses_nothing(series: Series) -> None:
    hub = Hub()
    async with opened(hub) as page:
        page.say({"type": "subscribe", "topics": [], "series": [[series.pk, 0]]})
        page.say({"type": "ping", "id": 1})
        await page.hear("pong")
        for end in range(1, 501):
            store(hub, series, end - 1, end)
        frames = await page.frames(500)
        assert [step for frame in frames for step in frame["step"]] == list(range(500))
        assert len(frames) < 10


async def test_a_long_backlog_is_fetched_another_way(series: Series) -> None:
    hub = Hub()
    hub.store.write(Table.POINTS, series.run_id, series.pk, 0, points(0, BACKLOG_POINTS + 1))
    async with opened(hub) as page:
        page.say({"type": "subscribe", "topics": [], "series": [[series.pk, 0]]})
        assert (await page.hear("refetch"))["series"] == [[series.pk, BACKLOG_POINTS + 1]]
        store(hub, series, BACKLOG_POINTS + 1, BACKLOG_POINTS + 3)
        (frame,) = await page.frames(2)
        assert frame["first"] == BACKLOG_POINTS + 1


async def test_two_pages_share_one_frame(series: Series) -> None:
    hub = Hub()
    async with opened(hub) as one, opened(hub) as other:
        for page in (one, other):
            page.say({"type": "subscribe", "topics": [], "series": [[series.pk, 0]]})
            page.say({"type": "ping", "id": 1})
            await page.hear("pong")
        store(hub, series, 0, 3)
        assert await one.frames(3) == await other.frames(3)


async def test_unsubscribed_series_are_silent(series: Series) -> None:
    hub = Hub()
    async with opened(hub) as page:
        page.say({"type": "subscribe", "topics": [], "series": [[series.pk, 0]]})
        page.say({"type": "unsubscribe", "topics": [], "series": [series.pk]})
        page.say({"type": "ping", "id": 1})
        await page.hear("pong")
        store(hub, series, 0, 3)
        page.say({"type": "ping", "id": 2})
        assert "text" in await page.hear_any()


async def test_unknown_series_are_named(series: Series) -> None:
    async with opened(Hub()) as page:
        page.say({"type": "subscribe", "topics": [], "series": [[999_999, 0]]})
        assert (await page.hear("removed"))["series"] == [999_999]


async def test_rows_come_whole_first_and_then_as_they_change(series: Series) -> None:
    hub = Hub()
    hub._take(message(hub))
    async with opened(hub) as page:
        page.say({"type": "subscribe", "topics": ["runs"], "series": []})
        first = await page.hear("runs")
        assert first["complete"]
        assert [row["name"] for row in first["runs"]] == ["run"]
        other = await sync_to_async(Run.objects.create)(name="other")
        hub._take(message(hub, runs=[other.pk, 12345], series=[series.pk]))
        change = await page.hear("runs")
        assert not change["complete"]
        assert [row["name"] for row in change["runs"]] == ["other"]
        assert change["removed"] == [12345]
        assert [row["name"] for row in change["series"]] == ["loss"]


async def test_rows_that_another_web_server_changed_do_not_disturb_the_count(series: Series) -> None:
    hub = Hub()
    hub._receive(message(hub))
    async with opened(hub) as page:
        page.say({"type": "subscribe", "topics": ["runs"], "series": []})
        await page.hear("runs")
        for sender in ("another", hub._outbox.sender):
            other = await sync_to_async(Run.objects.create)(name=sender)
            hub._receive({"type": "rows", "sender": sender, "runs": [other.pk]})
        change = await page.hear("runs")
        assert (change["complete"], [row["name"] for row in change["runs"]]) == (False, ["another"])
        hub._receive(message(hub, runs=[series.run_id]))
        change = await page.hear("runs")
        assert (change["complete"], [row["name"] for row in change["runs"]]) == (False, ["run"])


async def test_marks_made_here_reach_pages_at_once(series: Series) -> None:
    hub = Hub()
    await hub.start()
    try:
        async with opened(hub) as page:
            page.say({"type": "subscribe", "topics": ["runs"], "series": []})
            assert (await page.hear("runs"))["runs"][0]["marks"] is None
            run = await sync_to_async(Run.objects.get)()
            await sync_to_async(change)(run, {"tags": ["seed"]}, 0)
            # Whatever else changes: without a broker, all rows may come first.
            while not (rows := (await page.hear("runs"))["runs"]) or rows[0]["marks"] is None:
                pass
            assert rows[0]["marks"]["tags"] == ["seed"]
    finally:
        await hub.stop()


async def test_what_was_changed_here_waits_for_the_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []

    class Layer:
        def __init__(self) -> None:
            self.failures = 1

        async def group_send(self, group: str, said: Any) -> None:
            if self.failures:
                self.failures -= 1
                raise ConnectionError
            sent.append(said)
            done.set()

    layer, done = Layer(), asyncio.Event()
    monkeypatch.setattr("mindinsight.live.outbox.get_channel_layer", lambda: layer)
    monkeypatch.setattr("mindinsight.live.outbox.RETRY_S", 0.001)
    outbox = Outbox()
    sending = asyncio.create_task(outbox.send_all())
    outbox.put({2, 1})
    await asyncio.wait_for(done.wait(), 5)
    sending.cancel()
    assert sent == [{"type": "rows", "sender": outbox.sender, "runs": [1, 2]}]


@pytest.mark.parametrize("lost", ["a message", "the reader"])
async def test_what_a_lost_message_said_is_found(series: Series, lost: str) -> None:
    hub = Hub()
    async with opened(hub) as page:
        store(hub, series, 0, 1)
        page.say({"type": "subscribe", "topics": ["runs"], "series": [[series.pk, 1]]})
        assert (await page.hear("runs"))["complete"]
        hub.store.write(Table.POINTS, series.run_id, series.pk, 1, points(1, 6))
        await sync_to_async(Run.objects.create)(name="unheard of")
        if lost == "a message":
            hub._take(message(hub, skip=1))
        else:
            hub._take({**message(hub), "reader": "another", "number": 1})
        assert [step for frame in await page.frames(5) for step in frame["step"]] == list(range(1, 6))
        store(hub, series, 6, 7)
    async with opened(hub) as page:
        page.say({"type": "subscribe", "topics": ["runs"], "series": []})
        await page.hear("runs")
        hub._take(message(hub, skip=1))
        again = await page.hear("runs")
        assert again["complete"]
        assert "unheard of" in [row["name"] for row in again["runs"]]


@pytest.mark.parametrize(
    "said",
    [
        "not json",
        "[]",
        '"text"',
        "{}",
        {"type": "unknown"},
        {"type": "subscribe", "series": [1]},
        {"type": "subscribe", "series": [[1, -1]]},
        {"type": "subscribe", "series": [[1, 1.5]]},
        {"type": "subscribe", "series": [[True, 1]]},
        {"type": "subscribe", "series": [[1, 1 << 70]]},
        {"type": "subscribe", "series": {"1": 1}},
        {"type": "subscribe", "topics": "runs"},
        {"type": "unsubscribe", "series": ["1"]},
        "[" * 100_000,
    ],
)
async def test_nonsense_closes_the_socket(series: Series, said: object) -> None:
    async with opened(Hub()) as page:
        page.say(said)
        while (answer := await page.hear_any())["type"] != "websocket.close":
            pass
        assert answer["code"] == 4400


async def test_too_many_series_close_the_socket(series: Series) -> None:
    async with opened(Hub()) as page:
        page.say({"type": "subscribe", "series": [[number, 0] for number in range(20_001)]})
        while (answer := await page.hear_any())["type"] != "websocket.close":
            pass
        assert answer["code"] == 4429


async def test_a_closed_socket_leaves_nothing_behind(series: Series) -> None:
    hub = Hub()
    async with opened(hub) as page:
        page.say({"type": "subscribe", "topics": ["runs"], "series": [[series.pk, 0]]})
        await page.hear("runs")
        assert hub._followers
    assert not hub._followers
    assert not hub._subscribers


async def test_a_page_hears_of_a_full_disk_until_there_is_room(environment: Environment) -> None:
    hub = Hub()
    full = {"condition": "full", "directory": "/data", "free": 1000}
    async with opened(hub) as page:
        assert (await page.hear("health"))["disk"] is None
        # Fewer free bytes alone are no news: the next message is about the next condition.
        read_only = {**full, "condition": "read_only"}
        for disk, is_news in ((full, True), ({**full, "free": 2000}, False), (read_only, True)):
            hub._take(message(hub, beat={"checked": 1.0, "watching": "events", "disk": disk}))
            await hub.look()
            if is_news:
                assert (await page.hear("health"))["disk"] == disk
        hub._take(message(hub, beat={"checked": 1.0, "watching": "events", "disk": None}))
        await hub.look()
        assert (await page.hear("health"))["disk"] is None
        # A reader of an older version says nothing of disks.
        hub._take(message(hub, beat={"checked": 2.0, "watching": "events"}))
        await hub.look()
        assert hub.health.disk is None
    await hub.stop()
