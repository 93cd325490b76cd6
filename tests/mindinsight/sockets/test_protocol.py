"""What the web server's WebSocket protocol does beside uvicorn's own."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from mindinsight.sockets.messages import MESSAGE_BYTES
from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.debugger.fake_training import SECRET, Training

from .client import BINARY, PING, PONG, TEXT, Client, frame
from .observed import printed_by

PATHS = ("/ws/live", "/ws/debug")


@pytest.mark.parametrize("path", PATHS)
def test_the_close_code_is_read_although_more_was_sent(path: str, dashboard: Dashboard) -> None:
    with Client(dashboard, path) as client:
        client.send(frame(TEXT, b"x" * (MESSAGE_BYTES + 1)) * 3)
        assert client.code() == 1009


@pytest.mark.parametrize("path", PATHS)
def test_a_text_that_is_no_utf_8_ends_the_connection(path: str, dashboard: Dashboard) -> None:
    with Client(dashboard, path) as client:
        client.send(frame(TEXT, b'{"type": "ping", "id": "\xff"}'))
        assert client.code() == 1007
    assert "Traceback" not in printed_by(dashboard)


@pytest.mark.parametrize("path", PATHS)
def test_fragments_are_one_message(path: str, dashboard: Dashboard) -> None:
    said = json.dumps({"type": "ping", "id": "日本"}, ensure_ascii=False).encode()
    with Client(dashboard, path) as client:
        middle = b"".join(frame(0, bytes([byte]), final=False) for byte in said[1:-1])
        client.send(frame(TEXT, said[:1], final=False) + middle + frame(PING, b"between") + frame(0, said[-1:]))
        heard = [client.hear() for _ in range(4)]
    assert (PONG, b"between") in heard
    assert "日本" in {json.loads(data).get("id") for opcode, data in heard if opcode == TEXT}


def test_a_header_that_is_too_long_is_refused(dashboard: Dashboard) -> None:
    with socket.create_connection(("127.0.0.1", dashboard.port), 10) as client:
        head = ["GET /ws/live HTTP/1.1", f"Host: 127.0.0.1:{dashboard.port}", "Upgrade: websocket"]
        client.sendall("\r\n".join([*head, "Connection: Upgrade", f"X-Long: {'x' * 9000}", "", ""]).encode())
        assert client.recv(1000).startswith(b"HTTP/1.1 431")
        while client.recv(1000):
            pass


def test_the_log_tells_no_token_and_no_secret(tmp_path: Path) -> None:
    with Dashboard.start(tmp_path, environment={"MINDINSIGHT_LOG": "debug"}) as dashboard:
        with Training(dashboard) as training:
            training.greet()
            # It is what is logged otherwise: frames as hexadecimal digits or text.
            training.socket.send(frame(BINARY, b""))
            assert training.closed_with() == 4400
        wait_until(lambda: "/ws/train" in printed_by(dashboard), what="a line about the socket")
        said = printed_by(dashboard).replace(" ", "").lower()
        assert dashboard.token.lower() not in said
        assert SECRET[:8].hex() not in said
