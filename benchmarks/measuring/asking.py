"""Asks dashboards over HTTP: single questions, questions until an answer is right, and timed ones on one connection."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import orjson

from benchmarks.measuring.processes import PATIENCE_S

# TensorBoard without its data server takes more than a minute for half a million events.
SERVED_WITHIN_S = 300.0
# Between two questions lies this time, or as much as the last one took: at most half of it is spent on answering.
PAUSE_S = 0.02


def get_json(address: str) -> Any:
    """The JSON at an address.

    Raises:
        OSError: nobody listens, or the answer is a refusal.
    """
    with urlopen(address, timeout=PATIENCE_S) as answer:
        # The client's own work is part of the time: larger responses cost more.
        return orjson.loads(answer.read())


def json_or_none(address: str) -> Any:
    """The JSON at an address, or None as long as there is none."""
    try:
        return get_json(address)
    except HTTPError as refusal:
        refusal.close()
        return None
    except (URLError, OSError, ValueError):
        return None


def ask_until(right: Callable[[], bool], what: str, seconds: float = SERVED_WITHIN_S) -> None:
    """Asks until an answer is right, every 20 ms at most.

    Raises:
        TimeoutError: it never was.
    """
    deadline = time.monotonic() + seconds
    while True:
        asked = time.monotonic()
        if right():
            return
        if asked > deadline:
            raise TimeoutError(f"{what}: not within {seconds:g} s")
        time.sleep(max(PAUSE_S, time.monotonic() - asked))


class Connection:
    """One connection that stays open for many questions, as a page's does.

    Args:
        address: scheme, host and port.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE_S)

    def ask(self, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, Mapping[str, str], bytes]:
        """Status, header lines and body of the answer."""
        self._connection.request("GET", path, headers=dict(headers or {}))
        answer = self._connection.getresponse()
        return answer.status, dict(answer.headers), answer.read()

    def seconds(self, path: str, headers: Mapping[str, str] | None = None, expected: int = 200) -> float:
        """Seconds from the question to the last byte of the answer.

        Raises:
            ValueError: the answer is another one than expected.
        """
        began = time.perf_counter()
        status, _, body = self.ask(path, headers)
        seconds = time.perf_counter() - began
        if status != expected:
            raise ValueError(f"{path}: {status} instead of {expected}: {body[:300]!r}")
        return seconds

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()
