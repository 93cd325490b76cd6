"""Clients that send and do not read the responses: each costs little memory, which is freed when it closes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from socket import SO_ERROR, SOL_SOCKET

import pytest

from summaries.debugging import written
from summaries.schema.debugger_pb2 import BlobBegin
from tests.counts import LONG
from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.debugger.fake_training import hello

from .client import BINARY, PING, TEXT, Client, frame
from .observed import MB, own_bytes, printed_by

SOCKETS = 12 if LONG else 2
SECONDS = 5.0 if LONG else 0.5
A_SOCKET_BYTES = 20 * MB
KEPT_BYTES = 20 * MB

LIVE, DEBUG, TRAIN = "/ws/live", "/ws/debug", "/ws/train"


def ping(**more: object) -> bytes:
    """A ping of a page."""
    return frame(TEXT, json.dumps({"type": "ping", "id": 1} | more).encode())


LARGE_PING = ping(padding="x" * 900_000)
MANY = 2000
FLOODS = {
    "large pings": (LARGE_PING, (LIVE, DEBUG)),
    "large ids": (ping(id="x" * 900_000), (LIVE, DEBUG)),
    "ids of 100 characters": (ping(id="x" * 100) * MANY, (LIVE, DEBUG)),
    "small pings": (ping() * MANY, (LIVE, DEBUG)),
    "unknown sessions": (frame(TEXT, b'{"type":"watch","session":"0123456789abcdef"}') * MANY, (DEBUG,)),
    "subscriptions": (frame(TEXT, b'{"type":"subscribe","topics":["runs"],"series":[[1,0]]}') * MANY, (LIVE,)),
    "ping frames": (frame(PING, b"x" * 125) * MANY, (LIVE, DEBUG, TRAIN)),
    "empty fragments": (frame(TEXT, b"{", final=False) + frame(0, b"", final=False) * 300_000, (LIVE, DEBUG, TRAIN)),
    "small fragments": (frame(TEXT, b"{", final=False) + frame(0, b"  ", final=False) * 300_000, (LIVE, DEBUG, TRAIN)),
    "blobs": (
        frame(BINARY, written(hello()))
        + frame(BINARY, written(BlobBegin(id=1, content=BlobBegin.TENSOR, bytes=8, dtype="float64"))) * MANY,
        (TRAIN,),
    ),
}


@pytest.fixture
def clients(dashboard: Dashboard) -> Callable[[str, int], list[Client]]:
    """Opens some sockets, after which the web server has imported all that it needs for them."""
    for path in (LIVE, DEBUG, TRAIN):
        with Client(dashboard, path) as client:
            client.send(ping())
            if path == TRAIN:
                assert client.code() == 4400
            else:
                client.hear()
    return lambda path, count: [Client(dashboard, path) for _ in range(count)]


#: Each flood at one of the sockets that it fits, in turn; in a long run at all of them.
CASES = [
    (name, path)
    for at, (name, (_, paths)) in enumerate(FLOODS.items())
    for path in (paths if LONG else paths[at % len(paths) :][:1])
]


@pytest.mark.parametrize(("flood", "path"), CASES)
def test_who_never_reads_costs_little(
    flood: str, path: str, dashboard: Dashboard, clients: Callable[[str, int], list[Client]]
) -> None:
    web, before = dashboard.pids()["web"], own_bytes(dashboard)
    with ExitStack() as stack, ThreadPoolExecutor(SOCKETS) as threads:
        opened = [stack.enter_context(client) for client in clients(path, SOCKETS)]
        list(threads.map(lambda client: client.push(FLOODS[flood][0], SECONDS), opened))
        assert own_bytes(dashboard) - before < SOCKETS * A_SOCKET_BYTES
        # Others are answered meanwhile.
        assert dashboard.get("/api/status")[0] == 200
    wait_until(lambda: own_bytes(dashboard) - before < KEPT_BYTES, 15, "what the sockets took is given back")
    assert dashboard.pids()["web"] == web
    assert "Traceback" not in printed_by(dashboard)


@pytest.mark.parametrize("path", [LIVE, DEBUG])
def test_who_reads_slowly_gets_every_answer(
    path: str, dashboard: Dashboard, clients: Callable[[str, int], list[Client]]
) -> None:
    before, count = own_bytes(dashboard), 60 if LONG else 8
    (client,) = clients(path, 1)
    with client:
        answered, sent, most = 0, 0, 0
        while answered < count:
            if sent < count:
                # One more than has been answered: the next one is sent while the answer is not read.
                client.send(LARGE_PING)
                sent += 1
            time.sleep(0.01)
            answered += b"pong" in client.hear()[1]
            most = max(most, own_bytes(dashboard) - before)
        assert most < A_SOCKET_BYTES


@pytest.mark.skipif(not LONG, reason="pings are sent every 20 s")
@pytest.mark.parametrize("path", [LIVE, DEBUG])
def test_who_never_reads_is_cut(path: str, dashboard: Dashboard) -> None:
    with Client(dashboard, path) as client:
        client.push(ping() * MANY, SECONDS)
        # 20 s until it is asked for a sign of life, and 20 s to give one.
        wait_until(lambda: client.socket.getsockopt(SOL_SOCKET, SO_ERROR), 60, "the end of the connection")
