"""A benchmark case returns its result or the reason for its failure; the processes that it starts end with it."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from benchmarks.measuring.cases import UnfinishedError, run_case


def program(folder: Path, text: str) -> Path:
    """A script of a case."""
    script = folder / "case.py"
    script.write_text(f"import json, subprocess, sys, time\nasked = json.loads(sys.argv[1])\n{text}")
    return script


def test_a_case_gives_what_it_prints_last(tmp_path: Path) -> None:
    script = program(tmp_path, "print('first'); print(json.dumps({'twice': 2 * asked['number']}))")
    assert run_case(script, {"number": 4}, 60) == {"twice": 8}


def test_a_case_that_fails_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnfinishedError, match="ended with status 3"):
        run_case(program(tmp_path, "sys.exit(3)"), {}, 60)


def test_a_case_that_hangs_ends_with_all_that_it_has_started(tmp_path: Path) -> None:
    child = tmp_path / "child"
    script = program(
        tmp_path,
        "one = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
        "open(asked['child'], 'w').write(str(one.pid))\ntime.sleep(600)",
    )
    with pytest.raises(UnfinishedError, match="did not finish in 5 s"):
        run_case(script, {"child": str(child)}, 5)
    started = child.read_text() if child.exists() else ""
    # On a busy machine it may not have come so far.
    assert not started or not psutil.pid_exists(int(started))
