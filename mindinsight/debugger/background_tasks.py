"""Background tasks, kept until they are done. Used by sockets, sessions, registry and relay."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

logger = logging.getLogger(__name__)


class Background:
    """A set of tasks in the event loop. A failing task is logged."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Starts a task."""
        task = asyncio.create_task(_said(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Cancels all tasks."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _said(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except OSError as error:
        logger.info("A connection of the debugger has gone: %s", error)
    except Exception:
        logger.exception("A task of the debugger failed")
