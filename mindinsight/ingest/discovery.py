"""Finds runs below the base directory: which directories hold event files, and which files those are.

Called by the reader about once a second. Symbolic links are not followed: one that leads out of the base directory
would show what nobody meant to show, one that stays inside would show a run twice.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from summaries.beneath import Beneath
from summaries.naming import FileKind, is_hparams_directory, parse_name

MAX_DEPTH = 32
_WRITE_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class FoundFile(NamedTuple):
    """One event file on disk, as its directory entry shows it.

    Attributes:
        location: the whole path, as text: a directory may hold tens of thousands, looked at every second.
        relative: path relative to the base directory.
        kind: what its name tells.
        opened: when it was made, by its name, seconds since 1970.
        inode, size, modified: of the file; its date in seconds since 1970.
        device: of the file system that it lies on.
        closed: whether nobody may write it, as our writer and MindSpore's leave a file that they have finished.
    """

    location: str
    relative: str
    kind: FileKind
    opened: float
    inode: int
    size: int
    modified: float
    closed: bool = False
    device: int = 0

    @property
    def path(self) -> Beneath:
        """The file, to be opened without following links that were put there since."""
        return Beneath(self.location[: -len(self.relative) - 1], self.relative)


@dataclass
class FoundRun:
    """One directory that holds event files.

    Attributes:
        name: path relative to the base directory, `.` for the base directory itself.
        files: its event files, oldest first; those of TensorBoard's hparams sub-directories too.
    """

    name: str
    files: list[FoundFile] = field(default_factory=list)


def find_runs(base: Path) -> dict[str, FoundRun]:
    """Returns the runs below `base` by name.

    Raises:
        OSError: the base directory itself cannot be read; deeper ones that cannot are left out.
    """
    runs: dict[str, FoundRun] = {}
    for _ in search(base, runs):
        pass
    return runs


def search(base: Path, runs: dict[str, FoundRun]) -> Iterator[list[FoundFile]]:
    """Yields the event files of one directory after the other, as they are at that moment.

    Args:
        base: the directory to begin at; a parent comes before the directories in it.
        runs: takes in each run by its name; the order of its files holds at the end only.

    Raises:
        OSError: the base directory itself cannot be read; deeper ones that cannot are left out.
    """
    for parent, directory, files in _directories(str(base).rstrip("/"), "", "", 0):
        if files:
            # A directory is its own run, except TensorBoard's hparams directories inside a run.
            own = parent if parent in runs and is_hparams_directory(directory.rpartition("/")[2]) else directory
            name = own or "."
            runs.setdefault(name, FoundRun(name)).files.extend(files)
        yield files
    for run in runs.values():
        run.files.sort(key=lambda file: (file.opened, file.relative))


def _directories(base: str, parent: str, directory: str, depth: int) -> Iterator[tuple[str, str, list[FoundFile]]]:
    """Yields every directory, its parent first, with its event files; both are relative to the base directory."""
    try:
        with os.scandir(f"{base}/{directory}") as listing:
            entries = list(listing)
    except OSError:
        if not directory:
            raise
        return
    within = f"{directory}/" if directory else ""
    files = [found for entry in entries if (found := _event_file(base, within, entry)) is not None]
    yield parent or ".", directory, files
    if depth < MAX_DEPTH:
        for name in sorted(entry.name for entry in entries if not entry.name.startswith(".") and _is_directory(entry)):
            yield from _directories(base, directory, f"{within}{name}", depth + 1)


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _event_file(base: str, within: str, entry: os.DirEntry[str]) -> FoundFile | None:
    name = parse_name(entry.name)
    if name is None:
        return None
    relative = f"{within}{entry.name}"
    try:
        if not entry.is_file(follow_symlinks=False):
            return None
        status = entry.stat(follow_symlinks=False)
        relative.encode()  # a name that is not text cannot be stored or shown
    except (OSError, UnicodeEncodeError):
        return None
    return FoundFile(
        location=f"{base}/{relative}",
        relative=relative,
        kind=name.kind,
        opened=name.opened,
        inode=status.st_ino,
        size=status.st_size,
        modified=status.st_mtime,
        closed=not status.st_mode & _WRITE_BITS,
        device=status.st_dev,
    )
