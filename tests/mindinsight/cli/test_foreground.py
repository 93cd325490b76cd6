"""Real dashboards in the foreground: deaths, restarts, prefixes, tokens, a Redis of the user's own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from mindinsight.supervisor.children.commands import redis_command
from mindinsight.supervisor.redis_server import find_server
from mindinsight.supervisor.runtime_directory import RuntimeDirectory
from tests.dashboard import Dashboard, is_running, wait_until

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    with Dashboard.start(tmp_path_factory.mktemp("summaries"), url_path_prefix="/x/") as started:
        yield started


def test_serves_below_its_prefix(dashboard: Dashboard) -> None:
    assert dashboard.link == f"http://127.0.0.1:{dashboard.port}/x"
    assert dashboard.get_json("/api/status")["base_directory"] == str(dashboard.base_directory)


def test_is_small(dashboard: Dashboard) -> None:
    pids = [dashboard.pid, *dashboard.pids().values()]
    # Pages that several processes share count once.
    assert sum(psutil.Process(pid).memory_full_info().pss for pid in pids) < 200e6


@pytest.mark.parametrize("name", ["redis", "worker", "web"])
def test_comes_back_from_the_death_of_any_child(dashboard: Dashboard, name: str) -> None:
    old = dashboard.kill(name)
    new = dashboard.wait_for_restart(name, old)
    line = rf"{name} \(pid {old}\) was killed by SIGKILL; started again as pid {new} after [\d.]+ s"
    wait_until(lambda: any(re.fullmatch(line, printed) for printed in dashboard.lines))
    assert dashboard.restarts(name) == 1


def test_a_killed_supervisor_leaves_no_orphans_and_the_next_start_works_at_once(tmp_path: Path) -> None:
    first = Dashboard.start(tmp_path, workspace=tmp_path / "workspace")
    pids = first.pids()
    first.kill("supervisor")
    with Dashboard.start(tmp_path, port=first.port, workspace=tmp_path / "workspace") as second:
        assert second.get_json("/api/status")["runs"] == 0
        assert not any(is_running(pid) for pid in pids.values())
    first.stop()


def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    dashboard = Dashboard.start(tmp_path)
    pids = dashboard.pids()
    assert dashboard.stop(signal.SIGINT) == 0
    assert not any(is_running(pid) for pid in pids.values())


def test_other_machines_need_the_token(tmp_path: Path) -> None:
    with Dashboard.start(tmp_path, host="0.0.0.0") as dashboard:
        assert dashboard.link == f"{dashboard.address}/?token={dashboard.token}"
        assert any("token once" in line for line in dashboard.lines)
        assert dashboard.get("/api/status", Authorization="Bearer wrong")[0] in (401, 403)
        assert dashboard.get("/api/status")[0] == 200


def test_uses_a_redis_of_the_users(tmp_path: Path) -> None:
    runtime = RuntimeDirectory()
    command = redis_command(find_server(), runtime.socket)
    with subprocess.Popen(command.arguments, cwd=command.directory, stdout=subprocess.DEVNULL) as redis:
        wait_until(runtime.socket.exists)
        environment = {"MINDINSIGHT_REDIS_URL": f"unix://{runtime.socket}"}
        with Dashboard.start(tmp_path, environment=environment) as dashboard:
            assert set(dashboard.pids()) == {"worker", "web"}
        redis.terminate()
    runtime.remove()


def test_the_users_files_are_not_imported(tmp_path: Path) -> None:
    for name in ("redis", "celery", "django", "uvicorn", "random"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported the wrong file')\n")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        with Dashboard.start(tmp_path, workspace=tmp_path):
            pass
    finally:
        os.chdir(before)
