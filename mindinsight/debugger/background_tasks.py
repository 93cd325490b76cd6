"""Work that nobody waits for, kept until it is done. Used by sockets, sessions, registry and relay."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

logger = logging.getLogger(__name__)


class Background:
    """Some tasks of the loop; one that fails says so instead of vanishing."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Starts something."""
        task = asyncio.create_task(_said(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Ends all of it."""
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
