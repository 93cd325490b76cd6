"""One real dashboard in the background: start, second start, status, stop."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.dashboard import free_port, is_running, wait_until
from tests.mindinsight.cli.conftest import Command, make_command

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """A dashboard that runs in the background."""
    made = make_command(tmp_path_factory.mktemp("background"))
    answer = made.start("--summary-base-dir", made.base_directory)
    assert answer.returncode == 0, answer
    assert answer.stdout.startswith(f"Web address: http://127.0.0.1:{made.port}\n")
    assert f"mindinsight stop --port {made.port}\n" in answer.stdout
    yield made
    made.run("stop", "--port", made.port)


def test_the_current_directory_is_the_default(running: Command) -> None:
    answer = running.start()
    assert answer.returncode == 0
    assert "is already running" in answer.stdout


def test_a_second_start_tells_address_and_pid(running: Command) -> None:
    answer = running.start()
    pid = running.status()[0]["pid"]
    assert f"Web address: http://127.0.0.1:{running.port}\n" in answer.stdout
    assert f"(pid {pid})" in answer.stdout
    assert answer.returncode == 0


def test_another_directory_on_the_same_port_is_refused(running: Command, tmp_path: Path) -> None:
    answer = running.start("--summary-base-dir", tmp_path)
    assert answer.returncode == 1
    assert f"already serves {running.base_directory}" in answer.stderr


def test_the_same_directory_on_another_port_is_refused(running: Command) -> None:
    answer = running.run("start", "--port", free_port())
    assert answer.returncode == 1
    assert f"is already served at http://127.0.0.1:{running.port}" in answer.stderr
    assert len(running.status()) == 1


def test_status_for_scripts(running: Command) -> None:
    (row,) = running.status()
    assert row["address"] == f"http://127.0.0.1:{running.port}"
    assert row["base_directory"] == str(running.base_directory)
    assert row["state"] == "ready"
    assert row["runs"] == 0
    assert row["uptime"] >= 0
    assert [child["name"] for child in row["children"]] == ["redis", "worker", "web"]
    for child in row["children"]:
        assert child["rss"] > 1_000_000
        assert (child["state"], child["restarts"]) == ("running", 0)
        assert psutil.Process(child["pid"]).ppid() == row["pid"]


def test_status_for_people(running: Command) -> None:
    text = running.run("status").stdout
    for part in (f"http://127.0.0.1:{running.port}   {running.base_directory}", "ready, up ", "0 runs", "redis", "MB"):
        assert part in text


def test_it_has_no_terminal_and_its_own_session(running: Command) -> None:
    pid = running.status()[0]["pid"]
    assert os.getsid(pid) == pid
    assert psutil.Process(pid).terminal() is None
    assert psutil.Process(pid).cwd() == "/"


def test_several_are_listed_to_choose_from(running: Command, tmp_path: Path) -> None:
    other = free_port()
    started = running.run("start", "--port", other, "--summary-base-dir", tmp_path, "--reload-interval", 0)
    assert started.returncode == 0, started
    answer = running.run("stop")
    assert answer.returncode == 2
    assert f"--port {running.port}   {running.base_directory}" in answer.stderr
    assert f"--port {other}   {tmp_path}" in answer.stderr
    assert running.run("stop", "--port", other).stdout.startswith(f"Stopped the dashboard on port {other}")
    assert [row["port"] for row in running.status()] == [running.port]


def test_stop_ends_all_processes(command: Command) -> None:
    command.start()
    (row,) = command.status()
    pids = [row["pid"], *(child["pid"] for child in row["children"])]
    answer = command.run("stop")
    assert answer.stdout == f"Stopped the dashboard on port {command.port} (pid {row['pid']}).\n"
    assert not any(is_running(pid) for pid in pids)
    assert command.status() == []


def test_stop_ends_one_that_hangs(command: Command) -> None:
    command.start()
    (row,) = command.status()
    os.kill(row["pid"], signal.SIGSTOP)
    answer = command.run("stop")
    assert answer.returncode == 0
    assert "did not end within 5 s and was killed" in answer.stdout
    pids = [child["pid"] for child in row["children"]]
    wait_until(lambda: not any(is_running(pid) for pid in pids), 3, "the end of the children")


def test_a_dashboard_that_cannot_start_says_why(command: Command) -> None:
    answer = command.start(MINDINSIGHT_DATABASE_URL="sqlite:////proc/no/such/database.sqlite3")
    assert answer.returncode == 1
    assert "The dashboard did not start" in answer.stderr
    assert "unable to open database file" in answer.stderr
    assert command.status() == []
