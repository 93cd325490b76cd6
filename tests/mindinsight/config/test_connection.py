"""What one HTTP connection can make a real web server keep in memory."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import psutil
import pytest

from mindinsight.config.connection import HEAD_BYTES
from tests.dashboard import Dashboard

pytestmark = pytest.mark.processes
_MIB = 1 << 20


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    with Dashboard.start(tmp_path_factory.mktemp("base")) as started:
        started.get("/api/runs")  # what the first request imports is not the client's
        yield started


def flood(dashboard: Dashboard, first: bytes, piece: bytes, most: int) -> tuple[int, bytes]:
    """Sends a piece again and again until the server closes; returns how many bytes went out, and what came back."""
    sent = 0
    with socket.create_connection(("127.0.0.1", dashboard.port), timeout=10) as client:
        client.sendall(first)
        with contextlib.suppress(OSError):
            while sent < most:
                client.sendall(piece)
                sent += len(piece)
        answer = b""
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_WR)
            while block := client.recv(65536):
                answer += block
    return sent, answer


@pytest.mark.parametrize(
    ("first", "piece"),
    [
        (b"GET /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"X-Header: 1\r\n" * 1000),
        (b"GET /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Header: ", b"1" * 16384),
        (b"GET /api/runs?", b"x" * 16384),
    ],
    ids=["many headers", "one long header", "one long line"],
)
def test_a_request_without_an_end_is_refused(dashboard: Dashboard, first: bytes, piece: bytes) -> None:
    web = psutil.Process(dashboard.pids()["web"])
    before = web.memory_info().rss
    sent, _ = flood(dashboard, first, piece, 64 * _MIB)
    assert sent < 16 * _MIB  # what lies in the buffers of both ends when it closes, besides what it took
    assert web.memory_info().rss - before < 20 * _MIB
    assert dashboard.get("/api/status")[0] == 200


def test_requests_whose_answers_nobody_reads_are_refused(dashboard: Dashboard) -> None:
    web = psutil.Process(dashboard.pids()["web"])
    before = web.memory_info().rss
    request = f"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:{dashboard.port}\r\n\r\n".encode()
    sent, _ = flood(dashboard, request, request * 200, 64 * _MIB)
    assert sent < 16 * _MIB
    assert web.memory_info().rss - before < 20 * _MIB
    assert dashboard.get("/api/status")[0] == 200


def test_long_headers_and_some_pipelined_requests_are_answered(dashboard: Dashboard) -> None:
    host = f"Host: 127.0.0.1:{dashboard.port}\r\n"
    long = f"GET /healthz HTTP/1.1\r\n{host}X-Header: {'1' * (HEAD_BYTES // 2)}\r\n\r\n"
    short = f"GET /healthz HTTP/1.1\r\n{host}\r\n"
    last = f"GET /healthz HTTP/1.1\r\n{host}Connection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", dashboard.port), timeout=10) as client:
        client.sendall((long + short * 10 + last).encode())
        answer = b""
        while block := client.recv(65536):
            answer += block
    assert answer.count(b"HTTP/1.1 200") == 12
