"""The trash of a real dashboard while somebody changes its directories."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from summaries import SummaryWriter
from tests.dashboard import Dashboard, wait_until

RUNS = 40 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 4
NOBODY = 65534


def write(directory: Path) -> Path:
    """A finished run with one event file, which is returned."""
    with SummaryWriter(directory) as writer:
        writer.add_scalar("loss", 1.0, 0)
    return next(directory.iterdir())


def ask(dashboard: Dashboard, path: str, *runs: str) -> None:
    """Puts runs into the trash, or has them deleted."""
    headers = {"Authorization": f"Bearer {dashboard.token}", "Content-Type": "application/json"}
    request = Request(f"{dashboard.address}/api/runs/trash{path}", json.dumps({"runs": runs}).encode(), headers)
    with urlopen(request, timeout=10) as answer:
        assert answer.status == 202


def ids(dashboard: Dashboard) -> dict[str, str]:
    return {row["name"]: row["id"] for row in dashboard.get_json("/api/runs")["results"]}


def trashed(dashboard: Dashboard) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in dashboard.get_json("/api/runs/trash")["runs"]}


def refused(dashboard: Dashboard, count: int) -> dict[str, str]:
    """Waits until this many runs could not be deleted; returns the reasons."""

    def problems() -> dict[str, str] | None:
        found = {name: row["problem"]["code"] for name, row in trashed(dashboard).items() if row["problem"]}
        return found if len(found) == count else None

    return dict(wait_until(problems, 20, "the refusals"))


def test_swapped_directories_and_files_let_nothing_else_be_deleted(tmp_path: Path) -> None:
    """A quarter of the runs is attacked in each way; then everything is put back and deleted."""
    base, outside, moved = tmp_path / "base", tmp_path / "outside", tmp_path / "moved"
    moved.mkdir()
    files = [write(base / f"group{number}" / "run") for number in range(RUNS)]
    with Dashboard.start(base) as dashboard:
        runs = wait_until(lambda: len(found := ids(dashboard)) == RUNS and found, 30, "the runs")
        ask(dashboard, "", *runs.values())
        wait_until(lambda: len(trashed(dashboard)) == RUNS and not ids(dashboard), 20, "the trash")
        foreign, swapped = [], []
        for number, file in enumerate(files):
            victim = (file.parent.parent, file.parent, file, file)[number % 4]
            copy = outside / str(number)
            inside = copy / file.relative_to(victim)
            inside.parent.mkdir(parents=True) if victim != file else outside.mkdir(exist_ok=True)
            inside.write_bytes(b"mine")
            victim.rename(moved / str(number))
            victim.hardlink_to(copy) if number % 4 == 3 else victim.symlink_to(copy)
            foreign.append(inside)
            swapped.append(victim)
        ask(dashboard, "/purge", *runs.values())
        reasons = refused(dashboard, RUNS)
        assert set(reasons.values()) == {"not_deleted_symbolic_link", "not_deleted_other_file"}
        assert all(path.read_bytes() == b"mine" for path in foreign)

        for number, victim in enumerate(swapped):
            victim.unlink()
            (moved / str(number)).rename(victim)
        ask(dashboard, "/purge", *runs.values())
        wait_until(lambda: not any(file.exists() for file in files), 20, "the deletion")
        wait_until(lambda: not trashed(dashboard), 20, "an empty trash")


@pytest.fixture
def bound_by_modes() -> list[str]:
    """A command that starts another one for which the modes of directories hold, although root runs the tests."""
    if os.getuid() != 0:
        return []
    command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"]
    if shutil.which("setpriv") is None or subprocess.run([*command, "true"], check=False).returncode:
        pytest.skip("root is above modes, and there is no setpriv to change that")
    return command


def test_a_directory_without_permission_is_named_and_can_be_tried_again(
    tmp_path: Path, bound_by_modes: list[str]
) -> None:
    file = write(tmp_path / "run")
    file.parent.chmod(0o555)
    if bound_by_modes:
        os.chown(file.parent, NOBODY, -1)
    with Dashboard.start(tmp_path, through=bound_by_modes) as dashboard:
        run = wait_until(lambda: ids(dashboard), 30, "the run")["run"]
        ask(dashboard, "/purge", run)
        assert refused(dashboard, 1) == {"run": "not_deleted_no_permission"}
        assert trashed(dashboard)["run"]["problem"]["detail"]["file"] == f"run/{file.name}"
        assert file.exists()

        file.parent.chmod(0o777)
        ask(dashboard, "/purge", run)
        wait_until(lambda: not trashed(dashboard), 20, "the deletion")
        assert not file.exists()
