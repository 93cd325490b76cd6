"""The messages that all web servers get through the channel layer: from the reader, and from each other.

Small on purpose: they say where to look. Losing one of the reader's costs a moment, never a point: they are numbered,
so that a web server notices a gap and looks at everything. `mindinsight.ingest.announcer` and `mindinsight.live.outbox`
send them, `mindinsight.live.hub` receives them.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

GROUP = "live"


class Beat(TypedDict):
    """Signs of life of the reader: when it last looked at the directory, whether by events or by polling, and disks.

    `disk` is a `DiskTrouble` as JSON, or None while everything can be written; an older reader says nothing of it.
    """

    checked: float
    watching: str
    disk: NotRequired[dict[str, Any] | None]


class LiveMessage(TypedDict):
    """What was stored since the last message.

    `reader` names the sender's life and `number` counts its messages from 1. `ends` holds pairs of a series' number
    and the index behind its last point; `runs` and `series` are numbers of rows that changed in the database.
    """

    type: str
    reader: str
    number: int
    ends: list[list[int]]
    runs: list[int]
    series: list[int]
    beat: Beat | None


class RowsMessage(TypedDict):
    """Rows of runs that a web server changed; `sender` names its life. Not numbered: it is sent until it has gone."""

    type: str
    sender: str
    runs: list[int]
