"""Is the reader alive, is the broker there, is a disk full? Asked by the hub, shown by pages and by `/readyz`."""

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

# A reader that holds the lock but has sent nothing for this long is stuck.
SILENT_AFTER_S = 8.0


@dataclass(frozen=True)
class Health:
    """What works.

    Attributes:
        reader: the process that reads event files.
        broker: Redis.
        since: seconds since 1970 since it has been so.
        checked: when the reader last looked at the base directory, seconds since 1970.
        watching: whether it gets events of changes (`events`) or looks for them (`polling`).
        disk: why nothing can be stored, or None.
    """

    reader: Condition
    broker: Condition
    since: float
    checked: float
    watching: str
    disk: DiskTrouble | None = None

    @property
    def disk_as_json(self) -> dict[str, Any] | None:
        """What the API and the sockets say of the disk."""
        return None if self.disk is None else self.disk.as_json()

    def same_as(self, other: Health) -> bool:
        """Whether pages would say the same."""
        disks_are_same = self.disk.same_as(other.disk) if self.disk is not None else other.disk is None
        return disks_are_same and self.processes_are_as(other)

    def processes_are_as(self, other: Health) -> bool:
        """Whether the reader and the broker are as they were."""
        return (self.reader, self.broker) == (other.reader, other.broker)


class HealthWatch:
    """Finds out how things are.

    Args:
        lock: the store's lock; somebody holds it as long as a reader lives.
        redis_url: where the broker is.
        directories: what is written to.
    """

    def __init__(self, lock: WriterLock, redis_url: str, directories: Sequence[Path]) -> None:
        self._lock = lock
        # Looked at here as well: a reader that a full disk keeps from starting says nothing.
        self._disks = DiskWatch(directories)
        self._told: DiskTrouble | None = None
        self._broker = redis.asyncio.from_url(redis_url, socket_timeout=0.5, socket_connect_timeout=0.5, retry=None)
        self._last_beat = time.monotonic()
        self.now = Health("down", "down", time.time(), 0.0, "events")

    def beat(self, beat: Beat) -> None:
        """Takes a sign of life of the reader."""
        self._last_beat = time.monotonic()
        self._told = DiskTrouble.from_json(beat.get("disk"))
        self.now = replace(self.now, checked=beat["checked"], watching=beat["watching"])

    async def look(self) -> bool:
        """Looks again; returns whether something changed."""
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
