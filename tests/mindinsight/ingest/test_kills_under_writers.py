"""Writers in processes of their own, while worker, web server, Redis and supervisor are killed again and again.

At the end the dashboard serves every point of every writer, once and in order.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

from mindinsight.client import Client
from tests.dashboard import ROOT, Dashboard, free_port, wait_until

LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
WRITERS, POINTS, KILLS = (50, 4390, 20) if LONG else (6, 500, 5)
CHILDREN = ("worker", "web", "redis")
# Writes its points in bursts until it has written all of them, with a flush after each.
WRITER = """
import sys, time
from summaries import SummaryWriter
directory, points, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
with SummaryWriter(directory) as writer:
    for step in range(points):
        writer.add_scalar("loss", float(step) * 0.5, step)
        if step % 20 == 19:
            writer.flush()
            time.sleep(20 * seconds / points)
"""

pytestmark = pytest.mark.processes


@contextmanager
def writers(base: Path, seconds: float) -> Iterator[None]:
    """Writers that take about so many seconds; waits for all of them at the end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with ExitStack() as stack:
        for number in range(WRITERS):
            command = [sys.executable, "-c", WRITER, str(base / f"run{number:02}"), str(POINTS), str(seconds)]
            stack.enter_context(subprocess.Popen(command, env=environment))
        yield


def test_every_point_is_served_once_whatever_is_killed(tmp_path: Path) -> None:
    base, workspace, port = tmp_path / "base", tmp_path / "workspace", free_port()
    base.mkdir()
    dice = random.Random(17)
    dashboard = Dashboard.start(base, port=port, workspace=workspace)
    try:
        with writers(base, seconds=3.0 * KILLS):
            for kill in range(KILLS):
                if kill % 5 == 4:
                    # Its children go with it; who uses the dashboard starts another one.
                    dashboard.kill("supervisor")
                    dashboard.stop()
                    dashboard = Dashboard.start(base, port=port, workspace=workspace)
                else:
                    name = dice.choice(CHILDREN)
                    dashboard.wait_for_restart(name, dashboard.kill(name))
        total = WRITERS * POINTS
        wait_until(lambda: served(dashboard) == total, 60, f"all of {total} points")
        client = Client(dashboard.address, token=dashboard.token)
        curves = client.scalars("loss", superseded=True)
        assert sorted(curves) == [f"run{number:02}" for number in range(WRITERS)]
        for name, curve in curves.items():
            assert np.array_equal(curve.step, np.arange(POINTS)), name
            assert np.array_equal(curve.value, np.arange(POINTS) * 0.5), name
    finally:
        dashboard.stop()


def served(dashboard: Dashboard) -> int:
    status, _ = dashboard.get("/readyz")
    if status != 200:
        return 0
    return sum(int(run["points"]) for run in dashboard.get_json("/api/runs")["results"])
