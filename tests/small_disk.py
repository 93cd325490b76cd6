"""A small disk for tests: a tmpfs that only processes in its own mount namespace see at its path.

    with SmallDisk(tmp_path / "disk", megabytes=16) as disk:
        Dashboard.start(base, workspace=disk.path / "workspace", disk=disk)
        disk.fill()

Root may make one, and where user namespaces are allowed everybody may. It vanishes with the process that holds it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType

import pytest

_FILLER = "filler"


class SmallDisk:
    """A tmpfs at a path, in a mount namespace of its own.

    Args:
        path: where it is mounted; made when missing.
        megabytes: its size in MiB.

    Raises:
        pytest.skip.Exception: this machine does not let us mount.

    Attributes:
        inside: what stands before a command that is to see the disk.
    """

    def __init__(self, path: Path, megabytes: int) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        root = os.geteuid() == 0
        program = shutil.which("unshare")
        if program is None or shutil.which("nsenter") is None:
            pytest.skip("a small disk needs unshare and nsenter (Debian: apt-get install util-linux)")
        namespaces = ["--mount"] if root else ["--mount", "--user", "--map-root-user"]
        script = f'mount -t tmpfs -o size={megabytes}m,mode=0700 tmpfs "$0" && echo mounted && exec cat'
        self._holder = subprocess.Popen(
            [program, *namespaces, "--propagation=private", "sh", "-c", script, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._holder.stdout is not None
        if self._holder.stdout.readline() != "mounted\n":
            _, said = self._holder.communicate(timeout=10)
            pytest.skip(f"no small disk can be mounted here: {said.strip()}")
        user = [] if root else ["--user", "--preserve-credentials"]
        self.inside = ["nsenter", f"--target={self._holder.pid}", "--mount", *user, "--"]

    def seen(self, path: Path) -> Path:
        """A path of the disk as processes outside reach it."""
        return Path(f"/proc/{self._holder.pid}/root{path}")

    @property
    def free(self) -> int:
        """Bytes that are free."""
        found = os.statvfs(self.seen(self.path))
        return found.f_bavail * found.f_frsize

    def fill(self, leave: int = 0) -> None:
        """Takes all room but some bytes."""
        with self.seen(self.path / _FILLER).open("ab", buffering=0) as filler, contextlib.suppress(OSError):
            while (room := self.free - leave) > 0:
                filler.write(bytes(room))

    def empty(self) -> None:
        """Gives the room back that `fill` took."""
        self.seen(self.path / _FILLER).unlink()

    def run(self, *command: object) -> subprocess.CompletedProcess[str]:
        """Runs a command that sees the disk; it may fail."""
        arguments = [*self.inside, *map(str, command)]
        return subprocess.run(arguments, check=False, capture_output=True, text=True, timeout=60)

    def __enter__(self) -> SmallDisk:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Processes that are still inside keep the disk; its path in the tests' directory is empty outside.
        self._holder.communicate(timeout=10)
