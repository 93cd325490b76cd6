"""Names of event files: parses those of all writers, and makes those of our own.

The dashboard selects files with `parse_name`, and skips directories of TensorBoard's hparams with
`is_hparams_directory`. The writer opens its file with `create_event_file`.
"""

import os
import re
import socket
import time
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from pathlib import Path

_MINDSPORE = re.compile(r".+\.out\.events\.summary\.(\d{1,12})\..+", re.DOTALL)
_TENSORBOARD = re.compile(r"(?:.*\.)?tfevents\.(\d{1,12})(?:\..*)?", re.DOTALL)
_HPARAMS_DIRECTORY = re.compile(r"\d{9,11}\.\d{1,9}")
MAX_DEPTH = 32
"""Number of folders below a base directory in which files are looked for."""
LINEAGE_SUFFIX = "_lineage"
"""Suffix of a lineage file's name."""
_MODE_OPEN = 0o600


class FileKind(StrEnum):
    """The content of an event file, by its name."""

    MINDSPORE = "mindspore"
    LINEAGE = "lineage"
    TENSORBOARD = "tensorboard"


@dataclass(frozen=True, slots=True)
class EventFileName:
    """A parsed name: the kind of the file and the time at which it was opened, in seconds since 1970."""

    kind: FileKind
    opened: int


def parse_name(name: str) -> EventFileName | None:
    """Parse a file name without directory; return None if it is not the name of an event file."""
    match = _MINDSPORE.fullmatch(name)
    if match:
        kind = FileKind.LINEAGE if name.endswith(LINEAGE_SUFFIX) else FileKind.MINDSPORE
        return EventFileName(kind, int(match[1]))
    match = _TENSORBOARD.fullmatch(name)
    return EventFileName(FileKind.TENSORBOARD, int(match[1])) if match else None


def is_hparams_directory(name: str) -> bool:
    """Whether `name` is a time, such as 1795229620.9791703, as TensorBoard's hparams name sub-directories."""
    return _HPARAMS_DIRECTORY.fullmatch(name) is not None


def host_name() -> str:
    """Return this machine's name in the form that file names and `Writer.host` use."""
    return re.sub(r"[^\w.-]", "_", socket.gethostname()) or "localhost"


def default_directory(comment: str = "") -> Path:
    """Return the default directory of a run, named by time and host as TensorBoard's writers do."""
    started = time.strftime("%b%d_%H-%M-%S")
    return Path("runs") / f"{started}_{host_name()}{comment}"


def create_event_file(
    directory: Path,
    opened: float,
    *,
    prefix: str = "events",
    suffix: str = "_MS",
    kind: FileKind = FileKind.MINDSPORE,
) -> tuple[Path, int]:
    """Create a new event file, mode 0600, and return its path and an open descriptor for reading and writing.

    The name has MindSpore's form. Writers that start in the same second get different device numbers in it, so no two
    writers share a file.

    Raises:
        ValueError: `prefix` or `suffix` gives a name that is not parsed as a file of this `kind`.
        OSError: the directory cannot be written.
    """
    for device in count():
        name = f"{prefix}.out.events.summary.{int(opened)}.{device}.{host_name()}{suffix}"
        _check_name(name, kind)
        path = directory / name
        try:
            return path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE_OPEN)
        except FileExistsError:
            continue
    raise AssertionError("count() does not end")


def _check_name(name: str, kind: FileKind) -> None:
    parsed = parse_name(name)
    if parsed is None or parsed.kind is not kind or "/" in name or "\0" in name:
        raise ValueError(f"{name!r} is not a usable name for an event file: choose another prefix or suffix.")
