"""How far a copy of an object store has come: a file that the copying process writes and the API reads."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypedDict, cast

from mindinsight.json_files import read_json, write_json

PROGRESS = "mirror.json"
"""Name of the file, in the data directory of the dashboard."""

State = Literal["copying", "current", "failing"]


class Progress(TypedDict):
    """The state of a copy.

    Attributes:
        address: the store's address.
        state: `copying` while objects are missing, `current` when all are there, `failing` if the store cannot be read.
        error: what failed last and what to do, or an empty text.
        files: number of the store's files.
        files_done: number of files that are here.
        bytes: bytes of the store's files.
        bytes_done: bytes that are here.
        checked: when the store was listed last, in seconds since 1970; 0 if never.
    """

    address: str
    state: State
    error: str
    files: int
    files_done: int
    bytes: int
    bytes_done: int
    checked: float


def first_progress(address: str) -> Progress:
    """The progress before anything was listed."""
    return Progress(
        address=address, state="copying", error="", files=0, files_done=0, bytes=0, bytes_done=0, checked=0.0
    )


def write_progress(data_directory: Path, progress: Progress) -> None:
    """Write the file, at once for all who read it.

    Raises:
        OSError: the disk is full, or something else prevents writing.
    """
    write_json(data_directory / PROGRESS, progress)


def read_progress(data_directory: Path) -> Progress | None:
    """Return what was written last, or None."""
    return cast("Progress | None", read_json(data_directory / PROGRESS))
