"""Finds runs below the base directory: the directories with event files, and these files.

Called by the reader about once a second. Symbolic links are not followed: a link out of the base directory could expose
other files, and a link inside would show a run twice.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from mindinsight.stored_names import on_disk, stored
from summaries.beneath import Beneath
from summaries.naming import MAX_DEPTH, FileKind, is_hparams_directory, parse_name

_WRITE_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class FoundFile(NamedTuple):
    """One event file on disk, from its directory entry.

    Attributes:
        location: the full path as text, for speed: a directory may have tens of thousands of files, checked every
        second. relative: path relative to the base directory, in the form of `stored_names`.
        kind: kind of file, from its name.
        opened: creation time in its name, in seconds since 1970.
        inode, size, modified: inode, size in bytes, and modification time in seconds since 1970.
        device: device number of its file system.
        closed: whether it is write-protected, as our writer and MindSpore's leave a finished file.
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
        """The file, opened without following symbolic links."""
        relative = on_disk(self.relative)
        return Beneath(self.location[: -len(relative) - 1], relative)


@dataclass
class FoundRun:
    """One directory with event files.

    Attributes:
        name: path relative to the base directory in the form of `stored_names`, `.` for the base directory itself.
        files: its event files, oldest first, including those in TensorBoard's hparams sub-directories.
    """

    name: str
    files: list[FoundFile] = field(default_factory=list)


def find_runs(base: Path) -> dict[str, FoundRun]:
    """Returns the runs below `base` by name.

    Raises:
        OSError: the base directory cannot be read. Unreadable directories below it are left out.
    """
    runs: dict[str, FoundRun] = {}
    for _ in search(base, runs):
        pass
    return runs


def search(base: Path, runs: dict[str, FoundRun]) -> Iterator[list[FoundFile]]:
    """Yields the current event files of each directory.

    Args:
        base: the directory to begin at. Parents come before their subdirectories.
        runs: receives each run by name. Their files are sorted only at the end.

    Raises:
        OSError: the base directory cannot be read. Unreadable directories below it are left out.
    """
    for parent, directory, files in _directories(str(base).rstrip("/"), "", "", 0):
        if files:
            # Each directory is a run, except TensorBoard's hparams directories inside a run.
            own = parent if stored(parent) in runs and is_hparams_directory(directory.rpartition("/")[2]) else directory
            name = stored(own) or "."
            runs.setdefault(name, FoundRun(name)).files.extend(files)
        yield files
    for run in runs.values():
        run.files.sort(key=lambda file: (file.opened, file.relative))


def _directories(base: str, parent: str, directory: str, depth: int) -> Iterator[tuple[str, str, list[FoundFile]]]:
    """Yields every directory, parents first, with its event files. Both are relative to the base directory."""
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
    except OSError:
        return None
    return FoundFile(
        location=f"{base}/{relative}",
        relative=stored(relative),
        kind=name.kind,
        opened=name.opened,
        inode=status.st_ino,
        size=status.st_size,
        modified=status.st_mtime,
        closed=not status.st_mode & _WRITE_BITS,
        device=status.st_dev,
    )
