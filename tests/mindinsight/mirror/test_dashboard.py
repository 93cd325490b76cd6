"""A dashboard on an object store: what trainings copied there is shown while it grows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from summaries import SummaryWriter
from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.mirror.conftest import ObjectServer

pytestmark = pytest.mark.processes


def test_runs_of_a_store_are_shown_and_grow(s3: ObjectServer, tmp_path: Path) -> None:
    with (
        SummaryWriter(tmp_path / "lenet") as writer,
        Dashboard.start(s3.address, workspace=tmp_path / "workspace", environment=s3.environment) as dashboard,
    ):
        wait_until(lambda: _status(dashboard)["mirror"]["state"] == "current", 30, "the first listing")
        assert _status(dashboard)["base_directory"] == s3.address
        assert _status(dashboard)["runs"] == 0
        for steps in (3, 7):
            _record(writer, steps)
            _upload(s3, tmp_path / "lenet")
            _wait_for(dashboard, steps)
        dashboard.wait_for_restart("mirror", dashboard.kill("mirror"))
        _record(writer, 9)
        _upload(s3, tmp_path / "lenet")
        _wait_for(dashboard, 9)


def test_a_store_that_cannot_be_read_is_shown_as_such(s3: ObjectServer, tmp_path: Path) -> None:
    environment = s3.environment | {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_MAX_ATTEMPTS": "1"}
    with Dashboard.start(s3.address, workspace=tmp_path, environment=environment) as dashboard:
        mirror = wait_until(
            lambda: (found := _status(dashboard)["mirror"])["state"] == "failing" and found, 60, "the error"
        )
        assert s3.address in mirror["error"]
        assert "127.0.0.1:9" in mirror["error"]


def _record(writer: SummaryWriter, step: int) -> None:
    writer.add_scalar("loss", 1.0 / step, step)
    writer.flush()


def _upload(store: ObjectServer, folder: Path) -> None:
    for file in folder.iterdir():
        store.put(f"lenet/{file.name}", file.read_bytes())


def _status(dashboard: Dashboard) -> dict[str, Any]:
    found: dict[str, Any] = dashboard.get_json("/api/status")
    return found


def _wait_for(dashboard: Dashboard, step: int) -> None:
    wait_until(lambda: _last_step(dashboard) == step, 40, f"step {step} in the list of runs")


def _last_step(dashboard: Dashboard) -> int | None:
    return max((run["last_step"] or 0 for run in dashboard.get_json("/api/runs")["results"]), default=None)
