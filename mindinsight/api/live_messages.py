"""Messages that all web servers get through the channel layer, from the reader and from each other.

They are small: they only say where new data is. The reader's messages are numbered, so a web server that misses one
notices the gap and reads everything again. A lost message therefore costs some time but never a point.
`mindinsight.ingest.announcer` and `mindinsight.live.outbox` send them, `mindinsight.live.hub` receives them.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

GROUP = "live"


class Beat(TypedDict):
    """Heartbeat of the reader: when it last looked at the directory, by events or by polling, and the state of the
    disks.

    `disk` is a `DiskTrouble` as JSON, or None while everything can be written. Older readers do not send it.
    """

    checked: float
    watching: str
    disk: NotRequired[dict[str, Any] | None]


class LiveMessage(TypedDict):
    """What was stored since the last message.

    `reader` identifies the sender's process, and `number` counts its messages from 1. `ends` holds pairs of a series
    number and the index after its last point. `runs` and `series` are the numbers of the rows that changed in the
    database.
    """

    type: str
    reader: str
    number: int
    ends: list[list[int]]
    runs: list[int]
    series: list[int]
    beat: Beat | None


class RowsMessage(TypedDict):
    """Rows of runs that a web server changed. `sender` identifies its process. Not numbered: sending is retried until
    it succeeds.
    """

    type: str
    sender: str
    runs: list[int]
