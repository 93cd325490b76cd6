"""Many live sockets in a process of its own, each following all curves, as open pages do.

`python -m benchmarks.measuring.socket_clients ADDRESS SOCKETS SERIES,…` connects all sockets, prints `ready` when each
has the curves' first points, and takes down when each later point came. The line of input `POINTS` says how many points
each curve has in the end; when all sockets have them all, or after some seconds, one JSON object is printed: the
milliseconds from each point's wall time to its receipt, how many curves of sockets were complete, the messages, and the
processor time used.
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
import time
from collections.abc import Iterator

import numpy as np
import uvloop
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

# docs/architecture/wire.md: version, kind, type of the values, flags, run, series, count, first, end, stored.
HEADER = struct.Struct("<BBBBIIIQQd")
VALUE_BYTES = {1: 4, 2: 8, 3: 8}
CONNECTING_AT_ONCE = 20
PATIENCE_S = 10.0
# Sockets keep coming after the last point for a moment; so long is looked whether they have it.
LOOK_EVERY_S = 0.02


def frames(message: bytes) -> Iterator[tuple[int, int, np.ndarray]]:
    """Series, index behind the last point, and the wall times of each frame of a message."""
    at = 0
    while at < len(message):
        _, _, dtype, _, _, series, count, _, end, _ = HEADER.unpack_from(message, at)
        at += HEADER.size
        yield series, end, np.frombuffer(message, "<f8", count, at + 8 * count)
        size = (16 + VALUE_BYTES[dtype]) * count
        at += size + -size % 8


class Sockets:
    """All sockets and what they received.

    Args:
        address: of the dashboard.
        series: the curves that each socket follows.
    """

    def __init__(self, address: str, series: list[int]) -> None:
        self._address = address
        self._series = series
        self._ends: list[dict[int, int]] = []
        self._delays: list[np.ndarray] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._gate = asyncio.Semaphore(CONNECTING_AT_ONCE)
        self.messages = 0

    async def open(self, count: int) -> None:
        """Connects all sockets and waits until each has the first point of each curve.

        Raises:
            TimeoutError: some did not come.
            OSError, websockets.WebSocketException: a socket could not be opened or was closed.
        """
        self._ends = [{} for _ in range(count)]
        self._tasks = [asyncio.create_task(self._hold(ends)) for ends in self._ends]
        await self._wait_for(1)
        if self.complete(1) < count * len(self._series):
            raise TimeoutError(f"Only {self.complete(1)} first points came within {PATIENCE_S:g} s.")
        self._delays.clear()
        self.messages = 0

    async def finish(self, points: int) -> None:
        """Waits until every socket has all points of each curve, or for some seconds."""
        await self._wait_for(points)

    async def _wait_for(self, points: int) -> None:
        until = time.monotonic() + PATIENCE_S
        while self.complete(points) < len(self._ends) * len(self._series) and time.monotonic() < until:
            await self._look()

    def complete(self, points: int) -> int:
        """The number of curves of all sockets with a number of points."""
        return sum(1 for ends in self._ends for end in ends.values() if end >= points)

    def delays(self) -> np.ndarray:
        """Milliseconds from wall time to receipt, of all points of all sockets."""
        return np.concatenate(self._delays) * 1000 if self._delays else np.zeros(0)

    async def _look(self) -> None:
        """Lets time pass; what ends a socket ends all.

        Raises:
            OSError, websockets.WebSocketException: a socket could not be opened or was closed.
        """
        done, _ = await asyncio.wait(self._tasks, timeout=LOOK_EVERY_S, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()

    async def _hold(self, ends: dict[int, int]) -> None:
        async with self._gate:
            socket = await connect(
                f"ws{self._address.removeprefix('http')}/ws/live",
                origin=Origin(self._address),
                compression=None,
                open_timeout=PATIENCE_S,
            )
            subscription = {"type": "subscribe", "topics": [], "series": [[series, 0] for series in self._series]}
            await socket.send(json.dumps(subscription))
        await self._receive(socket, ends)

    async def _receive(self, socket: ClientConnection, ends: dict[int, int]) -> None:
        async for message in socket:
            now = time.time()
            if isinstance(message, str):
                continue
            self.messages += 1
            for series, end, walls in frames(message):
                ends[series] = end
                self._delays.append(now - walls)
        raise ConnectionError(f"The dashboard closed a socket: {socket.close_code} {socket.close_reason}")


async def main() -> None:
    """Opens the sockets, listens until told the number of points, prints what was found."""
    address, count, series = sys.argv[1], int(sys.argv[2]), [int(number) for number in sys.argv[3].split(",")]
    sockets = Sockets(address, series)
    await sockets.open(count)
    began, used = time.perf_counter(), time.process_time()
    print("ready", flush=True)
    told = asyncio.create_task(asyncio.to_thread(sys.stdin.readline))
    points = int(await told)
    await sockets.finish(points)
    took, used = time.perf_counter() - began, time.process_time() - used
    delays = sockets.delays()
    found = {
        "median": float(np.median(delays)),
        "p99": float(np.quantile(delays, 0.99)),
        "points": len(delays),
        "complete": sockets.complete(points),
        "messages": sockets.messages,
        "cpu": used / took,
    }
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    uvloop.run(main())
