"""Sockets that get nonsense: each conversation is answered, or closed with a documented code."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from contextlib import suppress
from socket import SHUT_WR

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.dashboard import Dashboard
from tests.mindinsight.debugger.fake_training import Training

from .client import CLOSE, PING, PONG, Client, frame
from .nonsense import conversations
from .observed import MB, own_bytes, printed_by

LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
EXAMPLES = 1500 if LONG else 60
PATHS = ("/ws/live", "/ws/debug", "/ws/train")
GROWTH_BYTES = 60 * MB

# docs/architecture/wire.md and mindinsight/debugger/api.md name them.
DOCUMENTED = {1000, 1001, 1002, 1005, 1007, 1009, 4400, 4406, 4408, 4409, 4410, 4429}
LAST_WORD = b"the last word"
PATIENCE_S = 15.0


@pytest.fixture(scope="module")
def session(dashboard: Dashboard) -> Iterator[str]:
    """A training that is connected, and answers nothing."""
    with Training(dashboard) as training:
        yield training.greet(name="good").session


def talk(client: Client, data: bytes) -> None:
    """Sends bytes, and reads meanwhile; stops where the connection ends."""
    rest = memoryview(data)
    client.socket.setblocking(False)
    with suppress(OSError):
        while rest:
            readable, writable, _ = select.select([client.socket], [client.socket], [], PATIENCE_S)
            assert readable or writable, "the web server neither reads nor answers"
            if readable and not client.take_in():
                break
            if writable:
                rest = rest[client.socket.send(rest) :]
    client.socket.settimeout(PATIENCE_S)


def end_of(client: Client) -> int | None:
    """Returns the close code; None where the last word was answered."""
    while True:
        opcode, data = client.hear()
        if opcode == PONG and data == LAST_WORD:
            return None
        if opcode == CLOSE:
            return int.from_bytes(data[:2], "big") if data else 1005


def is_own_code(code: int, said: list[bytes]) -> bool:
    """Whether the client itself has closed with this code: it is repeated."""
    return any(frame(CLOSE, code.to_bytes(2, "big"))[6:] in piece for piece in said)


# Frames are up to a megabyte; Hypothesis warns of such arguments when it prints them for a report of its own.
@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@pytest.mark.parametrize("path", PATHS)
def test_nonsense_is_answered_or_closed(path: str, dashboard: Dashboard, session: str) -> None:
    web, before = dashboard.pids()["web"], own_bytes(dashboard)

    @given(conversations(path, session))
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    def converse(said: list[bytes]) -> None:
        with Client(dashboard, path, PATIENCE_S) as client:
            for piece in said:
                talk(client, piece)
            talk(client, frame(PING, LAST_WORD))
            code = end_of(client)
        assert code is None or code in DOCUMENTED or is_own_code(code, said), code

    converse()
    assert dashboard.pids()["web"] == web
    assert dashboard.get("/api/status")[0] == 200
    assert own_bytes(dashboard) - before < GROWTH_BYTES
    _, traceback, what = printed_by(dashboard).partition("Traceback")
    assert not traceback, what[:3000]


@pytest.mark.parametrize("path", PATHS)
def test_what_ends_in_the_middle_ends_the_connection(path: str, dashboard: Dashboard, session: str) -> None:
    @given(conversations(path, session), st.integers(0, 1 << 20))
    @settings(max_examples=EXAMPLES // 8, deadline=None, suppress_health_check=list(HealthCheck))
    def converse(said: list[bytes], end: int) -> None:
        whole = b"".join(said) + frame(PING, LAST_WORD)
        with Client(dashboard, path, PATIENCE_S) as client:
            talk(client, whole[: end % len(whole)])
            with suppress(OSError):
                client.socket.shutdown(SHUT_WR)
            # With a close code or without: there is an end.
            client.code()

    converse()
