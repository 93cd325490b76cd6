"""The notice that a damaged database was set aside: a file in the data directory.

Written by `mindinsight.database.quarantine`. Read by `mindinsight start` and by the API's status, which pages show.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict, cast

from mindinsight.json_files import read_json, write_json

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
    write_json(data_directory / NOTICE, notice)


def read_notice(data_directory: Path) -> Notice | None:
    """Returns the last notice, or None if there is none."""
    return cast("Notice | None", read_json(data_directory / NOTICE))
