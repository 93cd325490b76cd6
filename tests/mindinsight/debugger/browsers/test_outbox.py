"""Messages that wait for a browser."""

from __future__ import annotations

import asyncio

from mindinsight.debugger.browsers.outbox import Outbox
from mindinsight.debugger.limits import MOST_UNSENT, UNREAD_BYTES


def test_who_waits_for_room_goes_on_when_messages_are_dropped() -> None:
    async def fall_behind() -> None:
        outbox = Outbox()
        outbox.put({"type": "log", "session": "s", "text": "x" * (UNREAD_BYTES + 1)})
        waiting = asyncio.create_task(outbox.room(UNREAD_BYTES))
        await asyncio.sleep(0)
        assert not waiting.done()
        for number in range(MOST_UNSENT):
            outbox.put({"type": "log", "session": "s", "text": str(number)})
        assert outbox.behind == {"s"}
        await asyncio.wait_for(waiting, 5)

    asyncio.run(fall_behind())
