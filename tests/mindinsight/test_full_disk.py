"""A real dashboard on a small disk that gets full or read-only while trainings write elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.dashboard import ROOT, Dashboard, command_environment, command_line, free_port, is_running, wait_until
from tests.small_disk import SmallDisk

pytestmark = pytest.mark.processes
LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
WRITERS, ROUNDS = (20, 5) if LONG else (3, 1)

# Scalars and texts go into different files of the store, so that a disk may take one and not the other.
TRAINING = """
import sys, time
from summaries import SummaryWriter
with SummaryWriter(sys.argv[1], flush_secs=0.05) as writer:
    step = 0
    for line in iter(sys.stdin.readline, "end\\n"):
        for step in range(step + 1, step + 1 + int(line)):
            writer.add_scalar("loss", step % 1024, step)
            writer.add_text("note", str(step), step)
        writer.flush()
        print(step, flush=True)
"""


class Training:
    """A process that writes as many steps as requested."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._process = subprocess.Popen(
            [sys.executable, "-c", TRAINING, directory],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.steps = 0

    def write(self, steps: int) -> None:
        """Writes steps; returns at once."""
        assert self._process.stdin is not None
        self.steps += steps
        self._process.stdin.write(f"{steps}\n")
        self._process.stdin.flush()

    def close(self) -> None:
        """Ends the training, with everything written."""
        self._process.communicate("end\n", timeout=60)
        assert self._process.returncode == 0


@pytest.fixture
def trainings() -> Iterator[Callable[[Path], Training]]:
    """Starts trainings that end with the test."""
    started: list[Training] = []

    def start(directory: Path) -> Training:
        started.append(Training(directory))
        return started[-1]

    yield start
    for training in started:
        training._process.kill()
        training._process.communicate()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """A disk of 24 MiB."""
    with SmallDisk(tmp_path / "disk", 24) as made:
        yield made


@pytest.fixture
def dashboard(tmp_path: Path, disk: SmallDisk) -> Iterator[Dashboard]:
    """A dashboard whose workspace is on the small disk, and whose runs are not."""
    base = tmp_path / "summaries"
    base.mkdir()
    with Dashboard.start(base, workspace=disk.path / "workspace", disk=disk) as started:
        yield started


def ask(dashboard: Dashboard, method: str, path: str, body: object = None) -> tuple[int, Any]:
    """Sends a request; returns status and JSON."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {dashboard.token}", "Content-Type": "application/json"}
    try:
        with urlopen(Request(dashboard.address + path, data, headers, method=method), timeout=60) as answer:
            return int(answer.status), json.loads(answer.read() or b"null")
    except HTTPError as refusal:
        with refusal:
            return refusal.code, json.loads(refusal.read())


def disk_of(dashboard: Dashboard) -> Any:
    return dashboard.get_json("/api/status")["disk"]


def wait_for_condition(dashboard: Dashboard, condition: str | None) -> Any:
    """Waits until the dashboard reports this state of its disk; returns the report."""

    def said() -> bool:
        found = disk_of(dashboard)
        return (None if found is None else found["condition"]) == condition

    wait_until(said, 20, f"a disk that is {condition}")
    return disk_of(dashboard)


def health(socket: ClientConnection, condition: str | None) -> Any:
    """Reads a live socket until it says that the disk is so."""
    while True:
        message = json.loads(socket.recv(timeout=20, decode=True))
        if message["type"] == "health" and (message["disk"] or {}).get("condition") == condition:
            return message


def live(dashboard: Dashboard) -> ClientConnection:
    headers = {"Authorization": f"Bearer {dashboard.token}"}
    return connect(dashboard.address.replace("http", "ws", 1) + "/ws/live", additional_headers=headers)


def rows(dashboard: Dashboard) -> dict[str, Any]:
    return {row["name"]: row for row in dashboard.get_json("/api/runs")["results"]}


def series(dashboard: Dashboard, run: str) -> dict[str, Any]:
    """The series of a run by tag, of whatever kind."""
    number = rows(dashboard)[run]["number"]
    found = dashboard.get_json(f"/api/scalars/tags?runs={number}")["tags"]
    return {group["name"]: group["series"] for group in found}


def loss(dashboard: Dashboard, run: str) -> list[tuple[int, float]]:
    """All points of the tag `loss`; it must have one stretch."""
    (one,) = series(dashboard, run)["loss"]
    answer = dashboard.get_json(f"/api/scalars/points?series={one['series']}&width=10000&format=json")
    (frame,) = answer["frames"]
    return list(zip(frame["step"], frame["value"], strict=True))


def notes(dashboard: Dashboard, run: str) -> int:
    """How many texts of the tag `note` there are."""
    number = rows(dashboard)[run]["number"]
    listed = dashboard.get_json(f"/api/text/tags?runs={number}")["tags"]
    return sum(one["count"] for group in listed for one in group["series"])


def refused(answer: tuple[int, Any], dashboard: Dashboard, code: str) -> None:
    status, body = answer
    assert (status, body["code"]) == (507, code), answer
    assert "/workspace" in body["detail"]["directory"]
    assert body["detail"]["directory"] in body["message"]


def test_a_full_disk_is_told_everywhere_and_no_point_is_lost(
    disk: SmallDisk, dashboard: Dashboard, trainings: Callable[[Path], Training]
) -> None:
    written = [trainings(dashboard.base_directory / f"run{number}") for number in range(WRITERS)]
    with live(dashboard) as socket:
        for _ in range(ROUNDS):
            for training in written:
                training.write(500)
            wait_until(lambda: len(rows(dashboard)) == WRITERS, 20, "all runs")
            disk.fill()
            for training in written:
                training.write(1000)
            found = health(socket, "full")["disk"]
            assert found["directory"].startswith(str(disk.path))
            assert found["free"] < 4 << 20
            assert wait_for_condition(dashboard, "full")["directory"] == found["directory"]
            check_full(dashboard, disk)
            disk.empty()
            assert health(socket, None)["reader"] == "ok"
            wait_for_condition(dashboard, None)
            assert json.loads(dashboard.get("/readyz")[1])["status"] == "ok"
    for training in written:
        training.close()
    for training in written:
        name, steps = training.directory.name, training.steps
        wait_until(lambda name=name, steps=steps: rows(dashboard)[name]["points"] >= steps, 30, f"the points of {name}")
        assert loss(dashboard, name) == [(step, step % 1024) for step in range(1, steps + 1)]
        assert notes(dashboard, name) == steps
        assert len(rows(dashboard)[name]["segments"]) == 1
    assert ask(dashboard, "POST", "/api/views", {"name": "view", "page": "scalars", "query": ""})[0] == 201


def check_full(dashboard: Dashboard, disk: SmallDisk) -> None:
    assert dashboard.get("/healthz") == (200, b'{"status":"degraded","disk":"full"}')
    status, body = dashboard.get("/readyz")
    assert (status, json.loads(body)["status"], json.loads(body)["disk"]) == (200, "degraded", "full")
    shown = disk.run(*command_line("status", "--workspace", disk.path / "workspace"))
    assert "is full" in shown.stdout, shown
    (row,) = json.loads(disk.run(*command_line("status", "--workspace", disk.path / "workspace", "--json")).stdout)
    assert row["disk"]["condition"] == "full"
    number, uid = next((row["number"], row["id"]) for row in rows(dashboard).values())
    refused(
        ask(dashboard, "POST", "/api/views", {"name": "full", "page": "scalars", "query": ""}), dashboard, "disk_full"
    )
    refused(ask(dashboard, "PATCH", f"/api/runs/{uid}/marks", {"note": "x", "version": 0}), dashboard, "disk_full")
    refused(ask(dashboard, "POST", "/api/exports", {"runs": [number], "format": "csv"}), dashboard, "disk_full")
    refused(ask(dashboard, "DELETE", f"/api/runs/{uid}"), dashboard, "disk_full")
    assert dashboard.get("/api/exports")[0] == 200
    assert dashboard.get("/scalars")[0] == 200


def test_runs_that_appear_on_a_full_disk_are_there_later(
    disk: SmallDisk, dashboard: Dashboard, trainings: Callable[[Path], Training]
) -> None:
    disk.fill()
    training = trainings(dashboard.base_directory / "late")
    training.write(300)
    training.close()
    assert wait_for_condition(dashboard, "full")["free"] < 4 << 20
    log = dashboard.workspace / "logs" / str(dashboard.port) / "worker.log"
    disk.empty()
    wait_until(lambda: "late" in rows(dashboard) and rows(dashboard)["late"]["points"] == 300, 20, "the points")
    assert "Traceback" not in log.read_text()


def test_directories_that_are_read_only_are_told_until_they_are_not(
    disk: SmallDisk, dashboard: Dashboard, trainings: Callable[[Path], Training]
) -> None:
    training = trainings(dashboard.base_directory / "run")
    training.write(100)
    wait_until(lambda: "run" in rows(dashboard) and rows(dashboard)["run"]["points"] == 100, 20, "the first points")
    columns = next(path for path in (disk.seen(disk.path) / "workspace" / "bases").glob("*/columns"))
    inside = disk.path / columns.relative_to(disk.seen(disk.path))
    assert disk.run("mount", "--bind", inside, inside).returncode == 0
    assert disk.run("mount", "-o", "remount,bind,ro", inside).returncode == 0
    # Files that are open already go on; those of new series do not.
    other = trainings(dashboard.base_directory / "other")
    other.write(200)
    training.write(100)
    found = wait_for_condition(dashboard, "read_only")
    assert found["directory"].startswith(str(inside))
    assert disk.run("umount", "--lazy", inside).returncode == 0
    wait_for_condition(dashboard, None)
    for name, one in {"run": training, "other": other}.items():
        one.close()
        wait_until(lambda name=name: rows(dashboard)[name]["points"] == 200, 20, "all points")
        assert loss(dashboard, name) == [(step, step) for step in range(1, 201)]
        assert notes(dashboard, name) == 200


def start(disk: SmallDisk, base: Path) -> subprocess.CompletedProcess[str]:
    base.mkdir()
    command = command_line(
        "start", "--summary-base-dir", base, "--port", free_port(), "--workspace", disk.path / "workspace"
    )
    return disk.run("env", *(f"{name}={value}" for name, value in command_environment().items()), *command)


def test_a_start_on_a_full_disk_says_so(disk: SmallDisk, tmp_path: Path) -> None:
    disk.fill(leave=500_000)
    answer = start(disk, tmp_path / "summaries")
    assert answer.returncode == 1
    assert "Traceback" not in answer.stderr
    (line,) = answer.stderr.strip().splitlines()
    assert f"The disk of {disk.path}" in line
    assert "is full" in line
    assert "--workspace" in line


def test_a_start_on_a_read_only_disk_says_so(disk: SmallDisk, tmp_path: Path) -> None:
    assert disk.run("mount", "-o", "remount,ro", disk.path).returncode == 0
    answer = start(disk, tmp_path / "summaries")
    assert answer.returncode == 1
    (line,) = answer.stderr.strip().splitlines()
    assert "is read-only" in line


def test_the_supervisor_lives_through_a_full_disk(disk: SmallDisk, dashboard: Dashboard) -> None:
    disk.fill()
    old = dashboard.kill("web")
    wait_until(lambda: dashboard.get("/healthz")[0] == 200, 20, "another web server")
    assert dashboard.record()["state"] == "ready"
    dashboard.kill("worker")
    wait_until(lambda: json.loads(dashboard.get("/readyz")[1])["reader"] == "down", 20, "the end of the reader")
    wait_until(lambda: json.loads(dashboard.get("/readyz")[1])["reader"] == "ok", 20, "another reader")
    assert json.loads(dashboard.get("/readyz")[1])["disk"] == "full"
    disk.empty()
    new = wait_until(lambda: dashboard.pids().get("web", old) != old and dashboard.pids()["web"], 20, "the new number")
    assert is_running(int(new))
    disk.fill()
    children = list(dashboard.pids().values())
    assert dashboard.stop() == 0
    assert not any(is_running(pid) for pid in children)


def test_an_export_that_does_not_fit_says_so_and_others_can_be_removed(
    disk: SmallDisk, dashboard: Dashboard, trainings: Callable[[Path], Training]
) -> None:
    training = trainings(dashboard.base_directory / "run")
    training.write(60_000)
    training.close()
    wait_until(lambda: "run" in rows(dashboard) and rows(dashboard)["run"]["points"] == 60_000, 60, "the points")
    number = rows(dashboard)["run"]["number"]
    whole = export(dashboard, number, "tensorboard")
    assert whole["state"] == "done"

    disk.fill(leave=700_000)
    torn = export(dashboard, number, "csv")
    assert torn["state"] == "failed"
    assert "is full" in torn["message"]

    disk.fill()
    assert ask(dashboard, "DELETE", f"/api/exports/{torn['id']}")[0] in (204, 507)
    # What was written makes room for the change that says so.
    assert ask(dashboard, "DELETE", f"/api/exports/{whole['id']}")[0] == 204
    assert whole["id"] not in str(dashboard.get_json("/api/exports"))


def export(dashboard: Dashboard, run: int, target: str) -> Any:
    """Exports a run; returns the export when it has ended."""
    status, begun = ask(dashboard, "POST", "/api/exports", {"runs": [run], "format": target})
    assert status == 202, begun

    def ended() -> Any:
        found = dashboard.get_json(f"/api/exports/{begun['id']}")
        return found if found["state"] in ("failed", "done") else None

    return wait_until(ended, 60, "the end of the export")
