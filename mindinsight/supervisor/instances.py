"""The running dashboards of a workspace. Each has a file `<workspace>/instances/<port>.json` and a lock beside it.

Written by the supervisor, read by `mindinsight start`, `stop` and `status`. The lock is held as long as the
supervisor lives, so a file whose lock is free is a leftover, whatever process number it names.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mindinsight.supervisor.lock import FileLock, is_held

# A process that only looks holds the lock for an instant, which does not mean that an instance is running.
_LOCK_PATIENCE_S = 0.1


@dataclass(frozen=True)
class ChildRecord:
    """One child process as its supervisor sees it; `state` is `running`, `waiting` (for its restart) or `stopped`."""

    name: str
    pid: int | None
    restarts: int
    state: str


@dataclass(frozen=True)
class Instance:
    """One running dashboard.

    `state` is `starting`, `ready` or `stopping`; `public` says that other machines can reach it, `require_token` that
    everybody needs the token.
    """

    pid: int
    port: int
    host: str
    address: str
    base_directory: str
    workspace: str
    prefix: str
    logs: str
    started: float
    public: bool = False
    require_token: bool = False
    state: str = "starting"
    children: tuple[ChildRecord, ...] = ()


class InstanceFile:
    """The place of one instance in its workspace.

    Args:
        workspace: the workspace.
        port: the instance's port.
    """

    def __init__(self, workspace: Path, port: int) -> None:
        self._directory = workspace / "instances"
        self._path = self._directory / f"{port}.json"
        self._lock = FileLock(self._directory / f"{port}.lock")
        self.left_behind = False

    def claim(self) -> bool:
        """Takes the place. A leftover is removed and stored in `left_behind`.

        Returns:
            False if a running instance has it.

        Raises:
            OSError: the workspace cannot be written.
        """
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self._lock.acquire(_LOCK_PATIENCE_S):
            return False
        self.left_behind = self._path.exists()
        self._path.unlink(missing_ok=True)
        return True

    def write(self, instance: Instance) -> None:
        """Shows the instance to others, in one step.

        Raises:
            OSError: the workspace cannot be written; what was shown before stays.
        """
        draft = self._path.with_suffix(".json.new")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(asdict(instance), file, indent=1)
        draft.replace(self._path)

    def release(self) -> None:
        """Releases the place, if it was claimed."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
        self._lock.release()


def running_instance(workspace: Path, port: int) -> Instance | None:
    """Returns the instance on a port, or None if none is running."""
    directory = workspace / "instances"
    if not is_held(directory / f"{port}.lock"):
        return None
    try:
        found = json.loads((directory / f"{port}.json").read_text(encoding="utf-8"))
        children = tuple(ChildRecord(**child) for child in found.pop("children"))
        return replace(Instance(**found), children=children)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def running_instances(workspace: Path) -> list[Instance]:
    """Returns all instances of a workspace by port."""
    ports = sorted(int(path.stem) for path in (workspace / "instances").glob("*.lock") if path.stem.isdigit())
    found = (running_instance(workspace, port) for port in ports)
    return [instance for instance in found if instance is not None]


def has_ended(workspace: Path, port: int) -> bool:
    """Returns whether no instance holds the place of a port any longer."""
    return not is_held(workspace / "instances" / f"{port}.lock")
