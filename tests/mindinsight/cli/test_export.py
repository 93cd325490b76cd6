"""`mindinsight export` as a process: on a full disk, at a terminal, and quick to start."""

from __future__ import annotations

import os
import pty
import resource
import subprocess
from pathlib import Path

import pytest

from summaries import SummaryWriter
from tests.dashboard import command_environment, command_line
from tests.mindinsight.cli.conftest import imported_modules


def make_run(directory: Path, steps: int) -> None:
    with SummaryWriter(directory) as writer:
        for step in range(steps):
            writer.add_scalar("loss", 1 / (step + 1), step)


def limited(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs a command whose files cannot grow beyond 64 KiB, which simulates a full disk."""
    return subprocess.run(
        command_line(*arguments),
        env=command_environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)),
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_nothing_is_imported_before_it_is_needed() -> None:
    for command in ("export", "import", "parse_summary"):
        loaded = imported_modules("-m", "mindinsight", command, "--help")
        assert not loaded & {"numpy", "google", "summaries", "pyarrow", "django"}


@pytest.mark.parametrize("target", ["csv", "parquet", "tensorboard", "mindspore"])
def test_a_full_disk_leaves_no_half_file(tmp_path: Path, target: str) -> None:
    if target == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    make_run(tmp_path / "base" / "a", 10)
    make_run(tmp_path / "base" / "b", 20_000)
    out = tmp_path / "out"
    answer = limited("export", tmp_path / "base", "--format", target, "--output", out)
    assert answer.returncode == 1, answer
    assert "Traceback" not in answer.stderr
    assert "File too large" in answer.stderr
    assert "The incomplete file was removed" in answer.stderr
    assert answer.stdout == ""
    assert [path.name for path in out.iterdir()] == ["a"]
    assert len(list((out / "a").iterdir())) == 1


def test_an_import_on_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    lines = "".join(f"run,loss,{step},{step / 7},{step / 3}\n" for step in range(20_000))
    (tmp_path / "table.csv").write_text(f"run,tag,step,wall_time,value\n{lines}")
    (tmp_path / "base").mkdir()
    answer = limited("import", tmp_path / "table.csv", "--summary-base-dir", tmp_path / "base")
    assert answer.returncode == 1, answer
    assert "File too large. Nothing was imported." in answer.stderr
    assert list((tmp_path / "base").iterdir()) == []


def test_a_summary_is_not_half_parsed_on_a_full_disk(tmp_path: Path) -> None:
    make_run(tmp_path / "run", 20_000)
    answer = limited("parse_summary", "--summary-dir", tmp_path / "run", "--output", tmp_path / "out")
    assert answer.returncode == 1, answer
    assert "File too large" in answer.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_progress_is_shown_at_a_terminal_only(tmp_path: Path) -> None:
    make_run(tmp_path / "run", 10)
    command = command_line("export", tmp_path / "run", "--format", "csv", "--output", tmp_path / "out", "--force")
    quiet = subprocess.run(command, env=command_environment(), capture_output=True, text=True)
    assert (quiet.returncode, quiet.stderr) == (0, "")
    ours, theirs = pty.openpty()
    shown = subprocess.run(command, env=command_environment(), stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    assert shown.stdout == quiet.stdout
    text = os.read(ours, 4096).decode()
    os.close(ours)
    assert "% run ..." in text
    assert text.endswith("\r\x1b[K")
