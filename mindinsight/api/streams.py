"""Long answers, sent in pieces. Used by views that send files of any length."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator


async def streamed(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Makes the pieces in threads, so that they do not block the event loop."""
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        yield piece
