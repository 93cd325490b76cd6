"""Many trainings at once: as many are taken as there are places, and a place is free again when its training goes."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from mindinsight.debugger.limits import MOST_TRAININGS
from summaries.debugging import PATH, body_of, read, written
from summaries.schema.debugger_pb2 import Welcome
from tests.dashboard import Dashboard

from .fake_training import hello

PATIENCE_S = 30.0


async def answer(socket: ClientConnection) -> str | int:
    """What a training hears after its Hello: the name of its session, or a close code."""
    try:
        body = body_of(read(bytes(await socket.recv(decode=False))))
    except ConnectionClosed as end:
        return 0 if end.rcvd is None else int(end.rcvd.code)
    assert isinstance(body, Welcome)
    return body.session


async def all_at_once(dashboard: Dashboard, count: int, end: bytes | None = None) -> list[str | int]:
    """Attaches trainings at once; returns what each heard. Each that is welcome says `end` and waits to be closed."""
    headers = {"Authorization": f"Bearer {dashboard.token}"}
    async with AsyncExitStack() as stack, asyncio.timeout(PATIENCE_S):
        opening = (connect(f"ws{dashboard.address[4:]}{PATH}", additional_headers=headers) for _ in range(count))
        sockets = [await stack.enter_async_context(one) for one in opening]
        await asyncio.gather(*(socket.send(written(hello(pid=pid))) for pid, socket in enumerate(sockets)))
        heard = await asyncio.gather(*(answer(socket) for socket in sockets))
        welcome = [socket for socket, said in zip(sockets, heard, strict=True) if isinstance(said, str)]
        if end is not None:
            await asyncio.gather(*(socket.send(end) for socket in welcome))
            await asyncio.gather(*(socket.wait_closed() for socket in welcome))
        return heard


async def fill(dashboard: Dashboard, end: bytes | None = None) -> None:
    """Attaches as many as there are places, again until all are welcome: an end is heard of a moment later."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            heard = await all_at_once(dashboard, MOST_TRAININGS, end)
            if all(isinstance(said, str) for said in heard):
                return


async def test_of_300_trainings_at_once_100_are_taken(dashboard: Dashboard) -> None:
    heard = await all_at_once(dashboard, 3 * MOST_TRAININGS)
    welcome = {said for said in heard if isinstance(said, str)}
    assert len(welcome) == MOST_TRAININGS
    assert Counter(said for said in heard if isinstance(said, int)) == {4429: 2 * MOST_TRAININGS}
    # All places are free again.
    await fill(dashboard)


async def test_places_of_trainings_that_were_sent_away_are_free(dashboard: Dashboard) -> None:
    for nonsense in (b"\xff", b"x" * ((1 << 20) + 1)):
        await fill(dashboard, nonsense)
    await fill(dashboard)
