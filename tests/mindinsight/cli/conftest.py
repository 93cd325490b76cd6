"""The `mindinsight` command as a process, with a workspace and a port of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.dashboard import command_environment, command_line, free_port


@dataclass
class Command:
    """Runs `mindinsight` commands on one workspace, in one directory."""

    workspace: Path
    base_directory: Path
    port: int

    def run(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a command until it ends; a background dashboard keeps running."""
        return subprocess.run(
            command_line(*arguments),
            cwd=self.base_directory,
            env=command_environment(MINDINSIGHT_WORKSPACE=str(self.workspace), **environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
        )

    def start(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs `mindinsight start` on this port."""
        return self.run("start", "--port", self.port, *arguments, **environment)

    def status(self) -> list[dict[str, Any]]:
        """What `mindinsight status --json` prints."""
        return list(json.loads(self.run("status", "--json").stdout))


def make_command(directory: Path) -> Command:
    """Prepares a base directory and names a workspace below `directory`."""
    (directory / "summaries").mkdir()
    return Command(directory / "workspace", directory / "summaries", free_port())


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    """A command whose dashboards are stopped at the end."""
    made = make_command(tmp_path)
    yield made
    for row in made.status():
        made.run("stop", "--port", row["port"])


@pytest.fixture
def not_root() -> None:
    """For actions that only root may do."""
    if os.getuid() == 0:
        pytest.skip("root may do what is forbidden here")


def imported_modules(*arguments: str) -> set[str]:
    """The top-level packages that `python ARGUMENTS` imports."""
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        env=command_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line for line in ran.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}
