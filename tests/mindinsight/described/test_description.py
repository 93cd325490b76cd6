"""Schemathesis sends requests that the description allows, and many that it forbids; all its checks are on.

Generated cases depend on the seed; a failure names the seed and the request.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dashboard import ROOT
from tests.mindinsight.described.filled import Filled, filled_dashboard
from tests.mindinsight.described.settings_of_schemathesis import written

IS_LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
SECONDS = 60
QUICK = ("list_runs", "change_run_marks", "save_view", "export_runs", "show_scalar_points", "read_image_file")
"""Operations of the quick run: one of each kind of parameter and answer."""

pytestmark = pytest.mark.processes


def run(filled: Filled, folder: Path, *options: str) -> tuple[int, str]:
    """Runs schemathesis; returns the number of cases, and its output."""
    settings = folder / "schemathesis.toml"
    settings.write_text(written(filled, hooks="tests.mindinsight.described.hooks"))
    program = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings), "run"]
    command = [
        *program,
        str(ROOT / "frontend" / "openapi.json"),
        f"--url={filled.dashboard.address}",
        f"--header=Authorization: Bearer {filled.dashboard.token}",
        "--checks=all",
        "--no-color",
        *options,
    ]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-10_000:]
    found = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
    assert found is not None, done.stdout[-2000:]
    return int(found[1]), done.stdout


@pytest.mark.skipif(IS_LONG, reason="the long run asks all operations")
def test_some_operations_answer_as_described(tmp_path: Path) -> None:
    base = tmp_path / "summaries"
    base.mkdir()
    with filled_dashboard(base) as filled:
        chosen = [f"--include-operation-id={operation}" for operation in QUICK]
        cases, _ = run(filled, tmp_path, "--phases=fuzzing", "--max-examples=8", "--seed=1", "--no-shrink", *chosen)
    assert cases > 40


@pytest.mark.skipif(not IS_LONG, reason="takes a minute; part of `make test-long`")
def test_all_operations_answer_as_described(tmp_path: Path, real_files: Path) -> None:
    base = tmp_path / "summaries"
    base.mkdir()
    with filled_dashboard(base, real_files) as filled:
        cases, _ = run(filled, tmp_path, f"--max-time={SECONDS}", "--continue-on-failure")
    assert cases > 1000
