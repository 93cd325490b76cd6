"""A spool: the directory in which a remote run's event files wait until the dashboard has them.

It lies below `MINDINSIGHT_SPOOL`, by default `mindinsight/spool` in the user's cache. `target.json` names the run; the
files are in `run/`. The process that writes holds a lock, so that others know which spools are left over.
"""

import contextlib
import fcntl
import json
import os
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from summaries.naming import parse_name
from summaries.remote.address import RunAddress

SPOOL_VARIABLE = "MINDINSIGHT_SPOOL"
_TARGET = "target.json"
_FILES = "run"


def spools() -> Path:
    """The directory of this user's spools."""
    given = os.environ.get(SPOOL_VARIABLE)
    if given:
        return Path(given).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "mindinsight" / "spool"


@dataclass(frozen=True)
class Spool:
    """A spool that this process holds locked.

    Attributes:
        folder: its directory.
        origin: scheme, host and port of the dashboard.
        path: the run's name there, after the dashboard's own path.
        lock: descriptor of the locked directory.
    """

    folder: Path
    origin: str
    path: str
    lock: int

    @classmethod
    def create(cls, address: RunAddress) -> "Spool":
        """Make a new spool.

        Raises:
            OSError: it cannot be created.
        """
        folder = (spools() / uuid.uuid4().hex).absolute()
        folder.mkdir(parents=True, mode=0o700)
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (folder / _FILES).mkdir()
        # The token is not written down: another one may be needed later.
        (folder / _TARGET).write_text(json.dumps({"origin": address.origin, "path": address.path}), "utf-8")
        return cls(folder, address.origin, address.path, lock)

    @property
    def files(self) -> Path:
        """The directory of the event files."""
        return self.folder / _FILES

    def event_files(self) -> list[Path]:
        """The event files, the oldest name first.

        Raises:
            OSError: the directory cannot be read.
        """
        return sorted(path for path in self.files.iterdir() if parse_name(path.name) is not None)

    def remove(self) -> None:
        """Delete the spool, whose files the dashboard has."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.release()

    def release(self) -> None:
        """Leave the spool to others."""
        with contextlib.suppress(OSError):
            os.close(self.lock)


def left_over() -> Iterator[Spool]:
    """The spools whose writers are gone, each locked by this process from now on."""
    root = spools()
    if not root.is_dir():
        return
    for folder in sorted(root.iterdir()):
        spool = _take(folder)
        if spool is not None:
            yield spool


def _take(folder: Path) -> Spool | None:
    """Lock a spool; None if it is in use, or is none."""
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        target = json.loads((folder / _TARGET).read_text("utf-8"))
        return Spool(folder, str(target["origin"]), str(target["path"]), lock)
    except (OSError, ValueError, KeyError, TypeError):
        os.close(lock)
        return None
