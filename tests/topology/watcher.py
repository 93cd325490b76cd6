"""A client of `/ws/live` that knows only docs/architecture/wire.md: what it holds must be the curve."""

from __future__ import annotations

import json
import struct
import urllib.request
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from websockets.sync.client import connect

HEADER = struct.Struct("<BBBBIIIQQd")
POINTS = 1
RESET = 1
VALUE_TYPES = {1: "<f4", 2: "<f8", 3: "<i8"}


@dataclass
class Curve:
    """What one client holds of one series."""

    series: int
    steps: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def take(self, message: bytes) -> None:
        """Add the points of a binary message; every frame must go on exactly where the last one ended."""
        at = 0
        while at < len(message):
            at += self._take_frame(message, at)

    def _take_frame(self, message: bytes, at: int) -> int:
        version, kind, dtype, flags, _, series, count, first, end, _ = HEADER.unpack_from(message, at)
        value_type = np.dtype(VALUE_TYPES[dtype])
        size = HEADER.size + count * (16 + value_type.itemsize)
        if flags & RESET:
            self.steps, self.values = [], []
        assert (version, kind, series) == (1, POINTS, self.series)
        assert (first, end) == (len(self.steps), len(self.steps) + count)
        self.steps += np.frombuffer(message, "<i8", count, at + HEADER.size).tolist()
        self.values += np.frombuffer(message, value_type, count, at + HEADER.size + 16 * count).tolist()
        return size + -size % 8


@dataclass(frozen=True)
class Server:
    """One web server of the dashboard, seen by a client with the token."""

    port: int
    token: str

    @property
    def address(self) -> str:
        """Its web address."""
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str) -> Any:
        """Return the JSON at a path."""
        with urllib.request.urlopen(self._request(path), timeout=10) as answer:
            return json.load(answer)

    def is_ready(self) -> bool:
        """Tell whether the server answers at all."""
        try:
            return bool(self.get("/api/status"))
        except OSError:
            return False

    def series(self, run: str, name: str) -> dict[str, Any] | None:
        """Return what the server says of a run's series, once the reader has found it."""
        runs = {row["name"]: row["number"] for row in self.get("/api/runs")["results"]}
        tags = self.get(f"/api/scalars/tags?runs={runs[run]}")["tags"] if run in runs else []
        return next((row["series"][0] for row in tags if row["name"] == name), None)

    def follow(self, series: int, points: int, seconds: float = 60) -> Curve:
        """Follow a series live from its first point until `points` have come."""
        curve = Curve(series)
        with connect(f"ws://127.0.0.1:{self.port}/ws/live", additional_headers=self._headers()) as socket:
            assert json.loads(socket.recv(timeout=10))["type"] == "hello"
            socket.send(json.dumps({"type": "subscribe", "topics": [], "series": [[series, 0]]}))
            while len(curve.steps) < points:
                message = socket.recv(timeout=seconds)
                if isinstance(message, bytes):
                    curve.take(message)
        return curve

    def _request(self, path: str) -> urllib.request.Request:
        return urllib.request.Request(f"{self.address}{path}", headers=self._headers())

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}
