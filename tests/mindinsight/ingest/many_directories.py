"""Thousands of run directories beside a live training, and a page that notes how late each of its points comes.

Tests use `write_directories`, `Ticking` and `LatePoints`; as a module (`python -m
tests.mindinsight.ingest.many_directories DIRECTORY`) this file is the training.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import orjson
from websockets.sync.client import connect

from summaries.records import frame
from summaries.schema.summary_pb2 import Event
from tests.dashboard import Dashboard, command_environment, wait_until
from tests.topology.watcher import HEADER

EVERY_S = 0.1
POINTS = 10


def write_directories(parent: Path, count: int, age_s: float = 0.0) -> None:
    """Makes run directories, each with an event file of some points.

    Args:
        parent: the directory that holds them.
        count: how many.
        age_s: how long ago their files were last written.
    """
    now = time.time() - age_s
    records = [Event(wall_time=now, version="MindSpore.Event:1")]
    for step in range(1, POINTS + 1):
        event = Event(wall_time=now + step / 1000, step=step)
        event.summary.value.add(tag="loss", scalar_value=step / 8)
        records.append(event)
    content = b"".join(frame(record.SerializeToString()) for record in records)
    for number in range(count):
        directory = parent / f"run{number:05}"
        directory.mkdir(parents=True)
        path = directory / f"events.out.events.summary.{int(now)}.host_MS"
        path.write_bytes(content)
        os.utime(path, (now, now))


class Ticking:
    """A training in a process of its own that writes a point ten times a second, as long as its `with` block runs."""

    def __init__(self, directory: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.mindinsight.ingest.many_directories", str(directory)],
            env=command_environment(),
            stdin=subprocess.PIPE,
        )

    def __enter__(self) -> Ticking:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=30)


class LatePoints:
    """An open page that follows one curve and all rows of runs.

    Args:
        dashboard: whose page it is.
        run: name of the run whose `loss` it follows.

    Attributes:
        seen: when each point came, and how many seconds after it was written.
        rows: the rows of runs that the page holds, by number.
    """

    def __init__(self, dashboard: Dashboard, run: str) -> None:
        self.seen: list[tuple[float, float]] = []
        self.rows: dict[int, str] = {}
        series = wait_until(lambda: _series(dashboard, run), 30, f"a curve of {run}")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, args=(dashboard, series), daemon=True)
        self._thread.start()

    def worst(self, since: float) -> float:
        """The longest time without a point and the longest delay of one, in seconds, whichever is longer."""
        came = [(at, late) for at, late in list(self.seen) if at >= since]
        times = [since, *(at for at, _ in came), time.time()]
        gaps = [later - earlier - EVERY_S for earlier, later in pairwise(times)]
        return max([*(late for _, late in came), *gaps])

    def __enter__(self) -> LatePoints:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join(10)

    def _follow(self, dashboard: Dashboard, series: int) -> None:
        address = f"ws{dashboard.address.removeprefix('http')}/ws/live"
        headers = {"Authorization": f"Bearer {dashboard.token}"}
        with connect(address, additional_headers=headers, max_size=None) as socket:
            socket.send(json.dumps({"type": "subscribe", "topics": ["runs"], "series": [[series, 0]]}))
            while not self._ended.is_set():
                with suppress(TimeoutError):
                    self._note(socket.recv(timeout=0.5), time.time())

    def _note(self, message: str | bytes, now: float) -> None:
        if isinstance(message, bytes):
            self._note_points(message, now)
        else:
            self._note_rows(orjson.loads(message))

    def _note_points(self, message: bytes, now: float) -> None:
        at = 0
        while at < len(message):
            count = HEADER.unpack_from(message, at)[6]
            at += HEADER.size
            self.seen += [(now, now - wall) for wall in np.frombuffer(message, "<f8", count, at + 8 * count).tolist()]
            at += 20 * count + -(4 * count) % 8

    def _note_rows(self, message: dict[str, Any]) -> None:
        if message["type"] != "runs":
            return
        if message["complete"]:
            self.rows = {}
        self.rows.update((row["number"], row["name"]) for row in message["runs"])
        for number in message["removed"]:
            self.rows.pop(number, None)


def _series(dashboard: Dashboard, run: str) -> int | None:
    for row in dashboard.get_json("/api/runs?limit=10")["results"]:
        if row["name"] == run and row["lead_tag"]:
            return int(row["lead_tag"]["series"])
    return None


def main() -> None:
    """Writes points until standard input is closed."""
    from summaries import SummaryWriter

    closed = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), closed.set()), daemon=True).start()
    with SummaryWriter(sys.argv[1]) as writer:
        step = 0
        while not closed.wait(EVERY_S):
            step += 1
            writer.add_scalar("loss", step / 8, step)
            writer.flush()


if __name__ == "__main__":
    main()
