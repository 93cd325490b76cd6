"""A web server with scripted responses, for situations that a real dashboard does not produce."""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

Reaction = Callable[[BaseHTTPRequestHandler], None]


class FakeDashboard:
    """Responds to each path with the entry of `answers`, in turn if that is an iterator; records the requests."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                reaction = outer.answers.get(self.path, outer.answers.get(self.path.partition("?")[0]))
                reaction = next(reaction) if isinstance(reaction, Iterator) else reaction
                (reaction if callable(reaction) else answers(reaction))(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """Ends the server."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def answers(body: Any, status: int = 200, **headers: str) -> Reaction:
    """Reacts with JSON, or with bytes as they are; nothing there is an unknown address."""
    if body is None:
        body, status = {"code": "not_found", "message": "There is no such address.", "detail": {}}, 404
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def react(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    return react


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    """Reacts by closing the connection."""
    handler.close_connection = True


def break_off(handler: BaseHTTPRequestHandler) -> None:
    """Reacts with less than was announced."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b"{")
    handler.close_connection = True


def frame(steps: Sequence[int], values: Sequence[float], dtype: int = 1, kind: int = 1, version: int = 1) -> bytes:
    """A frame as docs/architecture/wire.md lays it out; the wall time is the step and a half."""
    types = {1: "<f4", 2: "<f8", 3: "<i8"}
    column = np.array(values, types.get(dtype, "<f4")).tobytes()
    header = struct.pack("<BBBBIIIQQd", version, kind, dtype, 0, 7, 8, len(steps), 0, len(steps), 1.0)
    walls = np.array(steps, "<f8") + 0.5
    return header + np.array(steps, "<i8").tobytes() + walls.tobytes() + column + bytes(-len(column) % 8)


@pytest.fixture
def fake() -> Iterator[FakeDashboard]:
    server = FakeDashboard()
    yield server
    server.stop()


def run_row(name: str, number: int = 1, **changes: Any) -> dict[str, Any]:
    """A row of `/api/runs/details`."""
    row = {"number": number, "id": f"{number:032x}", "name": name, "state": "finished", "segments": []}
    return {**row, "params": {}, "metrics": {}, "tags": {"scalar": ["loss"]}, **changes}


def series_row(series: int, run: int = 1, segment: int = 0, first_step: int = 0) -> dict[str, Any]:
    """A row of a tag's series."""
    return {"run": run, "series": series, "segment": segment, "count": 3, "first_step": first_step}
