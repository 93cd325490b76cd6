"""`mindinsight profile`: its summary, what it puts into a run, and its status."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mindinsight.cli import main

EVENTS = [
    {"ph": "X", "name": "outer", "pid": "P", "tid": "T", "ts": 0, "dur": 1000},
    {"ph": "X", "name": "inner", "pid": "P", "tid": "T", "ts": 100, "dur": 250},
    {"ph": "X", "name": "inner", "pid": "P", "tid": "T", "ts": 400, "dur": 150},
    {"ph": "X", "name": "late", "pid": "P", "tid": "T", "ts": 3000, "dur": 1000},
    *({"ph": "X", "name": f"ProfilerStep#{n}", "pid": 1, "tid": 1, "ts": 1000 * n, "dur": 1000} for n in range(4)),
]


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["profile", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "elsewhere" / "recorded.json"
    path.parent.mkdir()
    path.write_text(json.dumps(EVENTS))
    return path


def test_the_summary_says_totals_names_and_gaps(trace: Path) -> None:
    code, said, complaints = run(trace)
    lines = said.splitlines()
    assert (code, complaints) == (0, "")
    assert lines[0] == f"{trace}: 4 ms, 8 slices on 2 threads"
    assert lines[1] == "4 steps of 1 ms (median; 1 ms to 1 ms)"
    (inner,) = (line.split() for line in lines if line.endswith(" inner"))
    assert inner[:2] == ["400", "us"]  # Own time, of both calls.
    assert inner[-2] == "2"
    (gap,) = (line for line in lines if line.startswith("P / T:"))
    assert gap == "P / T: idle 50.0 %; the longest gap is 2 ms at 1 ms, between outer and late"


def test_top_limits_the_names(trace: Path) -> None:
    assert "inner" not in run(trace, "--top", 1)[1].partition("P / T")[0].replace("and ", "")


def test_a_trace_gets_into_a_run_once(trace: Path, tmp_path: Path) -> None:
    base = tmp_path / "summaries"
    base.mkdir()
    for _ in range(2):
        code, said, _ = run(trace, "--run", "a/b", "--summary-base-dir", base)
        assert code == 0
        assert "In the run: " in said
    (placed,) = (base / "a" / "b").iterdir()
    assert placed.name == "recorded.chrometrace.json"
    assert placed.read_bytes() == trace.read_bytes()
    trace.unlink()
    trace.write_text(json.dumps(EVENTS[:2]))
    run(trace, "--run", "a/b", "--summary-base-dir", base)
    assert {path.name for path in placed.parent.iterdir()} == {placed.name, "recorded-2.chrometrace.json"}


def test_a_run_outside_the_base_directory_is_refused(trace: Path, tmp_path: Path) -> None:
    code, _, complaints = run(trace, "--run", "../x", "--summary-base-dir", tmp_path / "elsewhere")
    assert code == 2
    assert "leads out of" in complaints


def test_damage_is_said_and_told_by_the_status(tmp_path: Path) -> None:
    whole = json.dumps(EVENTS).encode()
    (tmp_path / "a.trace.json").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "b.trace.json.gz").write_bytes(gzip.compress(whole))
    (tmp_path / "c.trace.json").write_text("nothing")
    (tmp_path / "notes.json").write_text("{}")
    code, said, complaints = run(tmp_path)
    assert code == 1
    assert [line.partition(":")[0] for line in said.splitlines() if "slices on" in line] == [
        str(tmp_path / "a.trace.json"),
        str(tmp_path / "b.trace.json.gz"),
    ]
    assert "a.trace.json: The file ends in the list of events" in complaints
    assert "c.trace.json: The file is not a trace" in complaints


def test_a_directory_without_traces_is_refused(tmp_path: Path) -> None:
    code, _, complaints = run(tmp_path)
    assert code == 1
    assert "No traces in" in complaints
