"""Checks whether the disk of a directory is full or read-only, for the reader, the web server and `mindinsight start`.

There are two sources: the file system's own numbers (`look_at`), and write errors (`trouble_in`), which also cover
quotas. Uses only fast imports of the standard library.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

Condition = Literal["full", "read_only", "failing"]

LOW_BYTES = 4 << 20
"""Free bytes below which a disk counts as full. SQLite's write-ahead log grows to 4 MiB, and the reader stores windows
of 4 MiB, so the next write may fail. A full disk is also reported before data is lost.
"""
LOOK_EVERY_S = 2.0
"""Seconds between two queries of the file system by a watch. A query takes some microseconds."""
REMEMBER_S = 6.0
"""Seconds for which a write error counts. The reader tries again every 2 s."""

_CONDITIONS: dict[int | None, Condition] = {errno.ENOSPC: "full", errno.EDQUOT: "full", errno.EROFS: "read_only"}
# Primary result codes of https://www.sqlite.org/rescode.html.
_SQLITE_READONLY, _SQLITE_IOERR, _SQLITE_FULL, _SQLITE_CANTOPEN = 8, 10, 13, 14


@dataclass(frozen=True)
class DiskTrouble:
    """The reason why nothing can be written.

    Attributes:
        condition: `full` (also a used-up quota), `read_only`, or `failing` (input or output errors).
        directory: absolute path of a directory on that disk.
        free: free bytes on the disk.
    """

    condition: Condition
    directory: str
    free: int

    def as_json(self) -> dict[str, Any]:
        """The trouble as an object for the API and for messages."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any] | None) -> DiskTrouble | None:
        """Makes the trouble from such an object. None stays None."""
        return None if found is None else cls(found["condition"], found["directory"], found["free"])

    @property
    def message(self) -> str:
        """A sentence in English: what is wrong, where, and what to do."""
        match self.condition:
            case "full":
                free = f"{self.free / 1e6:.1f} MB are free"
                return f"The disk of {self.directory} is full ({free}). Make room there, or raise the quota."
            case "read_only":
                return f"The disk of {self.directory} is read-only. Mount it for writing, and look for its errors."
            case "failing":
                return f"The disk of {self.directory} fails to write. Look for its errors."

    def same_as(self, other: DiskTrouble | None) -> bool:
        """Whether a user would read the same text. Free bytes are compared in MiB."""
        return other is not None and self._shown() == other._shown()

    def _shown(self) -> tuple[Condition, str, int]:
        return self.condition, self.directory, self.free >> 20


def look_at(directory: Path, low: int = LOW_BYTES) -> DiskTrouble | None:
    """Asks the file system for the state of a directory's disk.

    Args:
        directory: the directory to write to. Its nearest existing parent is checked.
        low: free bytes below which the disk counts as full.

    Returns:
        The trouble, or None if there is none or the file system reports no numbers.
    """
    place = _existing(directory)
    try:
        found = os.statvfs(place)
    except OSError:
        return None
    if found.f_flag & os.ST_RDONLY:
        return DiskTrouble("read_only", str(place), _free(found))
    # Some file systems count neither blocks nor files.
    without_room = found.f_blocks > 0 and _free(found) < low
    without_names = found.f_files > 0 and found.f_ffree == 0
    return DiskTrouble("full", str(place), _free(found)) if without_room or without_names else None


def trouble_in(error: BaseException, directory: Path) -> DiskTrouble | None:
    """Returns the disk trouble behind an error of the operating system or SQLite.

    Args:
        error: the error of a write. Its causes are checked too.
        directory: the directory of the write, if the error does not name a file.

    Returns:
        The trouble, or None if the error has another cause.
    """
    for one in _with_causes(error):
        if isinstance(one, OSError) and (condition := _CONDITIONS.get(one.errno)) is not None:
            return _trouble(condition, Path(os.fsdecode(one.filename)).parent if _names(one) else directory)
        code = getattr(one, "sqlite_errorcode", None)
        if code is not None:
            return _sqlite_trouble(code & 0xFF, directory)
    return None


def _sqlite_trouble(code: int, directory: Path) -> DiskTrouble | None:
    if code == _SQLITE_READONLY:
        return _trouble("read_only", directory)
    if code == _SQLITE_FULL:
        # SQLite may sort more than fits into memory, and then uses the directory of temporary files.
        temporary = Path(os.environ.get("SQLITE_TMPDIR") or os.environ.get("TMPDIR") or "/var/tmp")  # noqa: S108
        return look_at(directory) or look_at(temporary) or _trouble("full", directory)
    if code == _SQLITE_IOERR:
        return look_at(directory) or _trouble("failing", directory)
    # There are other reasons why a file cannot be opened.
    return look_at(directory) if code == _SQLITE_CANTOPEN else None


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = error
    while one is not None:
        yield one
        one = one.__cause__


def _names(error: OSError) -> bool:
    return isinstance(error.filename, (str, bytes)) and bool(error.filename)


def _trouble(condition: Condition, directory: Path) -> DiskTrouble:
    place = _existing(directory)
    try:
        return DiskTrouble(condition, str(place), _free(os.statvfs(place)))
    except OSError:
        return DiskTrouble(condition, str(place), 0)


def _existing(directory: Path) -> Path:
    directory = directory.absolute()
    return next((place for place in (directory, *directory.parents) if place.exists()), directory)


def _free(found: os.statvfs_result) -> int:
    # Some blocks are reserved for root.
    return found.f_frsize * (found.f_bfree if os.geteuid() == 0 else found.f_bavail)


class DiskWatch:
    """Watches the disks of some directories.

    Args:
        directories: directories of the files. The first one with trouble is reported.
        clock: returns monotonic seconds.
    """

    def __init__(self, directories: Sequence[Path], clock: Callable[[], float] = time.monotonic) -> None:
        self._directories = tuple(dict.fromkeys(directories))
        self._clock = clock
        self._seen: DiskTrouble | None = None
        self._seen_at = float("-inf")
        self._failed: DiskTrouble | None = None
        self._failed_at = float("-inf")

    def failed(self, error: BaseException) -> DiskTrouble | None:
        """Notes a write error. Returns the disk trouble behind it, if any."""
        found = trouble_in(error, self._directories[0])
        if found is not None:
            self._failed, self._failed_at = found, self._clock()
        return found

    def look(self) -> DiskTrouble | None:
        """Returns the current trouble. Asks the file system only once in a while."""
        now = self._clock()
        if now - self._seen_at >= LOOK_EVERY_S:
            self._seen_at = now
            self._seen = next((found for place in self._directories if (found := look_at(place))), None)
        return self._failed if self._seen is None and now - self._failed_at < REMEMBER_S else self._seen
