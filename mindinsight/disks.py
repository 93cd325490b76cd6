"""Is the disk of a directory full or read-only? One answer for the reader, the web server and `mindinsight start`.

Two sources: the file system's own numbers (`look_at`), and errors of writes (`trouble_in`), which also know quotas.
Standard library only, and nothing of it that takes long to import.
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
"""With less free than this a disk counts as full, in bytes: SQLite's write-ahead log grows to 4 MiB, and the reader
stores windows of 4 MiB, so that the next write may fail. It is also reported before anything is lost."""
LOOK_EVERY_S = 2.0
"""Time between two questions of a watch to the file system, in seconds; a question takes some microseconds."""
REMEMBER_S = 6.0
"""Time for which an error of a write counts, in seconds: the reader tries again every 2 s."""

_CONDITIONS: dict[int | None, Condition] = {errno.ENOSPC: "full", errno.EDQUOT: "full", errno.EROFS: "read_only"}
# Primary result codes of https://www.sqlite.org/rescode.html.
_SQLITE_READONLY, _SQLITE_IOERR, _SQLITE_FULL, _SQLITE_CANTOPEN = 8, 10, 13, 14


@dataclass(frozen=True)
class DiskTrouble:
    """Why nothing can be written.

    Attributes:
        condition: `full` (or a quota is used up), `read_only`, or `failing` (input and output errors).
        directory: absolute path of a directory on that disk.
        free: bytes that are free there.
    """

    condition: Condition
    directory: str
    free: int

    def as_json(self) -> dict[str, Any]:
        """The trouble as an object of the API and of messages."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any] | None) -> DiskTrouble | None:
        """The trouble that such an object tells of; None for None."""
        return None if found is None else cls(found["condition"], found["directory"], found["free"])

    @property
    def message(self) -> str:
        """What is wrong, where, and what to do, in English."""
        match self.condition:
            case "full":
                free = f"{self.free / 1e6:.1f} MB are free"
                return f"The disk of {self.directory} is full ({free}). Make room there, or raise the quota."
            case "read_only":
                return f"The disk of {self.directory} is read-only. Mount it for writing, and look for its errors."
            case "failing":
                return f"The disk of {self.directory} does not take what is written. Look for its errors."

    def same_as(self, other: DiskTrouble | None) -> bool:
        """Whether a person would read the same: free bytes count by the MiB."""
        return other is not None and self._shown() == other._shown()

    def _shown(self) -> tuple[Condition, str, int]:
        return self.condition, self.directory, self.free >> 20


def look_at(directory: Path, low: int = LOW_BYTES) -> DiskTrouble | None:
    """Asks the file system how a directory's disk is.

    Args:
        directory: where files are to be written; its nearest parent that exists is asked.
        low: with fewer bytes free the disk counts as full.

    Returns:
        What is wrong, or None where nothing is, or where the file system tells no numbers.
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
    """Says what an error tells of a disk, be it the operating system's or SQLite's.

    Args:
        error: what a write raised; its causes are looked at too.
        directory: where was written, unless the error names a file itself.

    Returns:
        What is wrong with the disk, or None where the error has another reason.
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
        # What SQLite sorts may be more than memory takes; that goes into the directory of temporary files.
        temporary = Path(os.environ.get("SQLITE_TMPDIR") or os.environ.get("TMPDIR") or "/var/tmp")  # noqa: S108
        return look_at(directory) or look_at(temporary) or _trouble("full", directory)
    if code == _SQLITE_IOERR:
        return look_at(directory) or _trouble("failing", directory)
    # A file that cannot be opened has other reasons, too.
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
    # Some blocks are kept for root.
    return found.f_frsize * (found.f_bfree if os.geteuid() == 0 else found.f_bavail)


class DiskWatch:
    """Watches the disks of some directories.

    Args:
        directories: where files are written; the first that has trouble is reported.
        clock: seconds that never go back.
    """

    def __init__(self, directories: Sequence[Path], clock: Callable[[], float] = time.monotonic) -> None:
        self._directories = tuple(dict.fromkeys(directories))
        self._clock = clock
        self._seen: DiskTrouble | None = None
        self._seen_at = float("-inf")
        self._failed: DiskTrouble | None = None
        self._failed_at = float("-inf")

    def failed(self, error: BaseException) -> DiskTrouble | None:
        """Takes an error of a write; returns what it tells of the disk, if anything."""
        found = trouble_in(error, self._directories[0])
        if found is not None:
            self._failed, self._failed_at = found, self._clock()
        return found

    def look(self) -> DiskTrouble | None:
        """Returns what is wrong now; asks the file system once in a while only."""
        now = self._clock()
        if now - self._seen_at >= LOOK_EVERY_S:
            self._seen_at = now
            self._seen = next((found for place in self._directories if (found := look_at(place))), None)
        return self._failed if self._seen is None and now - self._failed_at < REMEMBER_S else self._seen
