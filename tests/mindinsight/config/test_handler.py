"""Requests through the handler as a server hands them over: its threads, long answers, people who leave."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.backends.signals import connection_created
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import path, reverse

from mindinsight.api.streams import streamed
from mindinsight.config.handler import THREADS, ThreadedHandler

meeting = threading.Barrier(THREADS, timeout=20)
closed = threading.Event()


def _echo(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.body + request.GET["more"].encode())


def _meet(request: HttpRequest) -> HttpResponse:
    meeting.wait()
    return HttpResponse(b"met")


def _fail(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("on purpose")


def _where(request: HttpRequest) -> HttpResponse:
    return HttpResponse(reverse("where"))


def _ask_database(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse(b"1")


def _pieces() -> Iterator[bytes]:
    try:
        for number in range(1_000_000):
            yield b"%d\n" % number
    finally:
        closed.set()


def _stream(request: HttpRequest) -> StreamingHttpResponse:
    async def pieces() -> AsyncIterator[bytes]:
        source = _pieces()
        try:
            async for piece in streamed(source):
                yield piece
        finally:
            source.close()  # type: ignore[attr-defined]

    return StreamingHttpResponse(pieces())


urlpatterns = [
    path("echo", _echo),
    path("meet", _meet),
    path("fail", _fail),
    path("where", _where, name="where"),
    path("database", _ask_database),
    path("stream", _stream),
]


@pytest.fixture
def handler(settings: Any) -> ThreadedHandler:
    settings.ROOT_URLCONF = __name__
    return ThreadedHandler()


class Visitor:
    """The server's side of one request."""

    def __init__(self, name: str, body: list[bytes], query: bytes = b"", stays_for: int | None = None) -> None:
        self.scope = {
            "type": "http",
            "method": "POST" if body else "GET",
            "path": f"/{name}",
            "root_path": "",
            "query_string": query,
            "headers": [(b"host", b"127.0.0.1")],
        }
        self.said: list[dict[str, Any]] = []
        self._body = body or [b""]
        self._stays_for = stays_for
        self._leaves = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        if self._body:
            return {"type": "http.request", "body": self._body.pop(0), "more_body": bool(self._body)}
        await self._leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        self.said.append(message)
        if len(self.said) == self._stays_for:
            self._leaves.set()

    @property
    def status(self) -> int:
        return int(self.said[0]["status"])

    @property
    def answer(self) -> bytes:
        return b"".join(message["body"] for message in self.said[1:])


async def visit(handler: ThreadedHandler, name: str, *body: bytes, **how: Any) -> Visitor:
    visitor = Visitor(name, list(body), **how)
    await asyncio.wait_for(handler(visitor.scope, visitor.receive, visitor.send), 30)
    return visitor


async def test_hands_over_what_came_and_back_what_was_answered(handler: ThreadedHandler) -> None:
    visitor = await visit(handler, "echo", b"one ", b"two ", query=b"more=three")
    assert (visitor.status, visitor.answer) == (200, b"one two three")
    assert visitor.said[-1].get("more_body", False) is False


async def test_a_prefix_is_known_where_addresses_are_made(handler: ThreadedHandler) -> None:
    visitor = Visitor("where", [])
    visitor.scope |= {"root_path": "/team/x", "path": "/team/x/where"}
    await handler(visitor.scope, visitor.receive, visitor.send)
    assert visitor.answer == b"/team/x/where"
    assert (await visit(handler, "where")).answer == b"/where"


async def test_answers_many_at_the_same_time(handler: ThreadedHandler) -> None:
    visitors = await asyncio.gather(*(visit(handler, "meet") for _ in range(THREADS)))
    assert [visitor.answer for visitor in visitors] == [b"met"] * THREADS


async def test_a_view_that_fails_is_an_answer(handler: ThreadedHandler) -> None:
    assert (await visit(handler, "fail")).status == 500


async def test_somebody_who_leaves_is_sent_no_more(handler: ThreadedHandler) -> None:
    closed.clear()
    visitor = await visit(handler, "stream", stays_for=5)
    assert closed.is_set()
    assert 5 <= len(visitor.said) < 100
    assert visitor.answer.startswith(b"0\n1\n2\n")


async def test_somebody_who_leaves_before_the_end_of_the_request_is_not_answered(handler: ThreadedHandler) -> None:
    visitor = Visitor("echo", [])
    visitor._body.clear()
    visitor._leaves.set()
    await handler(visitor.scope, visitor.receive, visitor.send)
    assert visitor.said == []


@pytest.mark.django_db(transaction=True)
async def test_requests_one_after_the_other_share_connections(handler: ThreadedHandler) -> None:
    opened: list[object] = []

    def note(**said: object) -> None:
        opened.append(said["connection"])

    connection_created.connect(note)
    try:
        for _ in range(20):
            assert (await visit(handler, "database")).answer == b"1"
    finally:
        connection_created.disconnect(note)
    # A thread that has just answered may not count as waiting yet; then there is one more.
    assert len(opened) < 5
