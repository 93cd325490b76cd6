"""What worker and web server share, and that nothing is shared that must not be."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.dashboard import Dashboard, command_environment

PREPARE = """
import importlib, json, os, sys
from pathlib import Path
from mindinsight.config.django_setup import set_up
from mindinsight.config.forked import SHARED
set_up()
from mindinsight.database.migrating import migrate_before_forking, migrate_once
for module in SHARED:
    importlib.import_module(module)
migrate_before_forking()
"""
LOOK = """
held = [os.readlink(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")
        if os.path.exists(f"/proc/self/fd/{number}")]
print(json.dumps({"threads": len(os.listdir("/proc/self/task")), "held": held, "modules": sorted(sys.modules)}))
"""
MIGRATE_AGAIN = """
from django.db import connections
database = Path(os.environ["MINDINSIGHT_DATA_DIR"]) / "dashboard.sqlite3"
there = [database.exists()]
for path in database.parent.glob("dashboard.sqlite3*"):
    path.unlink()
for _ in range(2):
    migrate_once()
    connections.close_all()
    there.append(database.exists())
print(json.dumps(there))
"""


def run(tmp_path: Path, program: str) -> Any:
    environment = command_environment(
        MINDINSIGHT_WORKSPACE=str(tmp_path), MINDINSIGHT_DATA_DIR=str(tmp_path / "data"), OPENBLAS_NUM_THREADS="1"
    )
    done = subprocess.run(
        [sys.executable, "-c", PREPARE + program], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_is_open_and_no_thread_runs_before_the_fork(tmp_path: Path) -> None:
    found = run(tmp_path, LOOK)
    assert found["threads"] == 1
    assert not [held for held in found["held"] if "sqlite" in held or "socket:" in held or "migrate.lock" in held]


def test_what_only_one_of_them_needs_is_not_shared(tmp_path: Path) -> None:
    modules = set(run(tmp_path, LOOK)["modules"])
    assert not modules & {"celery", "uvicorn", "uvloop", "rest_framework.views", "mindinsight.live.hub"}


def test_who_was_forked_need_not_look_at_the_database_once(tmp_path: Path) -> None:
    assert run(tmp_path, MIGRATE_AGAIN) == [True, False, True]


def private_bytes(dashboard: Dashboard) -> int:
    """What worker and web server have for themselves."""
    pids = dashboard.pids()
    return sum(psutil.Process(pids[name]).memory_full_info().uss for name in ("worker", "web"))


@pytest.mark.processes
@pytest.mark.skipif(sys.platform != "linux", reason="needs a kernel that gives orphans to a grandparent")
def test_processes_share_memory_unless_told_not_to(tmp_path: Path) -> None:
    sizes = []
    for share in ("true", "false"):
        place = tmp_path / share
        place.mkdir()
        with Dashboard.start(place, environment={"MINDINSIGHT_SHARE_MEMORY": share}) as dashboard:
            assert dashboard.get_json("/api/status")["runs"] == 0
            sizes.append(private_bytes(dashboard))
    shared, separate = sizes
    assert shared + 15e6 < separate
