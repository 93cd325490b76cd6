"""The private directory of one instance's Redis socket, and the removal of directories that crashes left behind.

Made by `launch` before anything starts. Unix sockets need short paths and a local file system, so it is in the user's
runtime directory or in /tmp, never in the workspace.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from pathlib import Path

from mindinsight.supervisor.errors import StartError
from mindinsight.supervisor.lock import FileLock

# The kernel allows 107 bytes on Linux and 103 elsewhere.
MAX_SOCKET_PATH = 100
_OWNER = "owner.lock"
_SWEEP_PATIENCE_S = 5.0


class RuntimeDirectory:
    """A new directory that only this user can enter. It exists as long as its owner lives.

    Args:
        parent: the directory around it; by default `default_parent()`.

    Raises:
        StartError: the place is not safe or cannot be written.
    """

    def __init__(self, parent: Path | None = None) -> None:
        parent = parent or default_parent()
        _make_private(parent)
        try:
            with FileLock(parent / "sweep.lock") as sweeping:
                # A process that sweeps at this moment must not see a directory that has no lock yet.
                if not sweeping.acquire(_SWEEP_PATIENCE_S):
                    raise StartError(f"Another start has been holding {sweeping.path} for seconds; end it first.")
                _sweep(parent)
                self.path = parent / secrets.token_hex(4)
                self.path.mkdir(mode=0o700)
                self._owner = FileLock(self.path / _OWNER)
                self._owner.acquire()
        except OSError as error:
            raise StartError(
                f"Cannot make a directory for the Redis socket in {parent}: {error.strerror}.\n"
                "Make room there, or set MINDINSIGHT_REDIS_URL to a Redis of yours."
            ) from error

    @property
    def socket(self) -> Path:
        """The path of Redis' socket."""
        return self.path / "redis.sock"

    def remove(self) -> None:
        """Removes the directory and everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._owner.release()


def default_parent() -> Path:
    """Returns the user's runtime directory if the system has one, else a private directory in /tmp."""
    given = os.environ.get("XDG_RUNTIME_DIR")
    if given and Path(given).is_absolute():
        parent = Path(given) / f"mindinsight-{os.getuid()}"
        usable = os.access(given, os.W_OK | os.X_OK) and Path(given).stat().st_uid == os.getuid()
        if usable and len(os.fsencode(parent / "12345678" / "redis.sock")) < MAX_SOCKET_PATH:
            return parent
    return Path("/tmp") / f"mindinsight-{os.getuid()}"  # noqa: S108  (checked by _make_private)


def _make_private(directory: Path) -> None:
    """Makes sure that `directory` is ours alone: in /tmp anybody may have made it before us."""
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
        found = directory.lstat()
    except (FileExistsError, NotADirectoryError):
        raise _unsafe(directory, "is not a directory") from None
    except OSError as error:
        raise StartError(f"Cannot make {directory} for the Redis socket: {error.strerror}.") from error
    if stat.S_ISLNK(found.st_mode) or not stat.S_ISDIR(found.st_mode):
        raise _unsafe(directory, "is a link, not a directory")
    if found.st_uid != os.getuid():
        raise _unsafe(directory, f"belongs to another user (uid {found.st_uid})")
    if found.st_mode & 0o077:
        directory.chmod(0o700)


def _unsafe(directory: Path, what: str) -> StartError:
    return StartError(
        f"{directory} {what}, so the Redis socket would not be safe in it.\n"
        "Remove it, or set XDG_RUNTIME_DIR to a directory of yours, or MINDINSIGHT_REDIS_URL to a Redis of yours."
    )


def _sweep(parent: Path) -> None:
    """Removes directories whose owner is gone."""
    for directory in parent.iterdir():
        if directory.is_symlink() or not directory.is_dir():
            continue
        with FileLock(directory / _OWNER) as owner:
            if owner.acquire():
                shutil.rmtree(directory, ignore_errors=True)
