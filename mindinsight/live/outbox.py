"""Sends the numbers of rows that this web server changed to the other web servers, through the channel layer.

Used by the hub. The messages have their own type and are not numbered like the reader's, so a lost message would not be
noticed. Messages that cannot be sent are therefore merged and wait until the broker is back.
"""

from __future__ import annotations

import asyncio
import logging
import uuid

from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from mindinsight.api.live_messages import GROUP, RowsMessage

logger = logging.getLogger(__name__)

RETRY_S = 0.5


class Outbox:
    """Changed rows that are not announced to other web servers yet.

    Attributes:
        sender: identifies this web server's process, so that it recognises its own messages.
    """

    def __init__(self) -> None:
        self.sender = uuid.uuid4().hex
        self._runs: set[int] = set()
        self._wake = asyncio.Event()

    def put(self, runs: set[int]) -> None:
        """Adds rows. Called in the event loop."""
        self._runs |= runs
        self._wake.set()

    async def send_all(self) -> None:
        """Sends the added rows, as long as the web server lives."""
        layer = get_channel_layer()
        logged = False
        while True:
            await self._wake.wait()
            self._wake.clear()
            runs, self._runs = self._runs, set()
            message: RowsMessage = {"type": "rows", "sender": self.sender, "runs": sorted(runs)}
            try:
                await asyncio.wait_for(layer.group_send(GROUP, message), timeout=2)
                logged = False
            except (RedisError, OSError, TimeoutError) as error:
                if not logged:
                    logger.warning("The broker is away (%s); other web servers will get changed marks later", error)
                logged = True
                await asyncio.sleep(RETRY_S)
                self.put(runs)
