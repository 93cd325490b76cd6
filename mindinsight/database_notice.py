"""The notice that a damaged database was set aside: a file in the data directory.

Written by `mindinsight.database.quarantine`. Read by `mindinsight start` and by the API's status, which pages show.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict, cast

NOTICE = "database-damaged.json"
"""Name of the file."""


class Notice(TypedDict):
    """The database that was set aside last.

    Attributes:
        at: when, in seconds since 1970.
        why: what was wrong, as the end of a sentence "The database ...".
        file: new path of the damaged database.
        saved: number of rows that were saved from it, by `app.Model`.
    """

    at: float
    why: str
    file: str
    saved: dict[str, int]


def write_notice(data_directory: Path, notice: Notice) -> None:
    """Writes the notice.

    Raises:
        OSError: the file cannot be written.
    """
    draft = data_directory / f".{NOTICE}"
    draft.write_text(json.dumps(notice), encoding="utf-8")
    draft.replace(data_directory / NOTICE)


def read_notice(data_directory: Path) -> Notice | None:
    """Returns the last notice, or None if there is none."""
    try:
        return cast(Notice, json.loads((data_directory / NOTICE).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None
