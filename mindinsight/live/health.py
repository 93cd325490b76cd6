"""Checks whether the reader is alive, the broker is reachable and a disk is full. Called by the hub; pages and
`/readyz`
show the results.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import redis.asyncio
from redis.exceptions import RedisError

from mindinsight.api.live_messages import Beat
from mindinsight.disks import DiskTrouble, DiskWatch
from mindinsight.store import WriterLock

Condition = Literal["ok", "down"]

# A reader that holds the lock but has sent nothing for this time is stuck.
SILENT_AFTER_S = 8.0


@dataclass(frozen=True)
class Health:
    """The state of the dashboard's parts.

    Attributes:
        reader: state of the process that reads event files.
        broker: state of Redis.
        since: time of the last change, in seconds since 1970.
        checked: time of the reader's last scan of the base directory, in seconds since 1970.
        watching: whether the reader gets file system events (`events`) or polls (`polling`).
        disk: the trouble of a disk, or None.
    """

    reader: Condition
    broker: Condition
    since: float
    checked: float
    watching: str
    disk: DiskTrouble | None = None

    @property
    def disk_as_json(self) -> dict[str, Any] | None:
        """The disk trouble for the API and the sockets."""
        return None if self.disk is None else self.disk.as_json()

    def same_as(self, other: Health) -> bool:
        """Whether pages would show the same."""
        disks_are_same = self.disk.same_as(other.disk) if self.disk is not None else other.disk is None
        return disks_are_same and self.processes_are_as(other)

    def processes_are_as(self, other: Health) -> bool:
        """Whether the reader and the broker have the same states."""
        return (self.reader, self.broker) == (other.reader, other.broker)


class HealthWatch:
    """Determines the state of the dashboard's parts.

    Args:
        lock: the store's lock, which is held as long as a reader lives.
        redis_url: address of the broker.
        directories: directories that are written to.
    """

    def __init__(self, lock: WriterLock, redis_url: str, directories: Sequence[Path]) -> None:
        self._lock = lock
        # Checked here too, because a reader that cannot start on a full disk sends nothing.
        self._disks = DiskWatch(directories)
        self._told: DiskTrouble | None = None
        self._broker = redis.asyncio.from_url(redis_url, socket_timeout=0.5, socket_connect_timeout=0.5, retry=None)
        self._last_beat = time.monotonic()
        self.now = Health("down", "down", time.time(), 0.0, "events")

    def beat(self, beat: Beat) -> None:
        """Handles a heartbeat of the reader."""
        self._last_beat = time.monotonic()
        self._told = DiskTrouble.from_json(beat.get("disk"))
        self.now = replace(self.now, checked=beat["checked"], watching=beat["watching"])

    async def look(self) -> bool:
        """Checks again. Returns whether something changed."""
        broker: Condition = "ok" if await self._broker_answers() else "down"
        quiet = time.monotonic() - self._last_beat > SILENT_AFTER_S
        reader: Condition = "ok" if self._lock.held_by_somebody() and not (quiet and broker == "ok") else "down"
        disk = self._disks.look() or (None if quiet else self._told)
        found = replace(self.now, reader=reader, broker=broker, disk=disk)
        if found.same_as(self.now):
            return False
        self.now = found if found.processes_are_as(self.now) else replace(found, since=time.time())
        return True

    async def close(self) -> None:
        """Closes the connection."""
        await self._broker.aclose()

    async def _broker_answers(self) -> bool:
        try:
            async with asyncio.timeout(0.6):
                return bool(await self._broker.execute_command("PING"))  # type: ignore[no-untyped-call]
        except (RedisError, OSError, TimeoutError):
            return False
