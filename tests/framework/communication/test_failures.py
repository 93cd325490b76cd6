"""A rank that fails ends the program, says which rank it is and where, and leaves no process. With real processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from framework.communication.watchdog import timeout_from_environment
from tests.framework.communication.mpi_programs import ROOT, needs_mpi, run_mpi

PROGRAM = Path(__file__).with_name("failing.py")
LINES = {
    line.partition("# line: ")[2]: f"failing.py:{number}"
    for number, line in enumerate(PROGRAM.read_text().splitlines(), 1)
    if "# line: " in line
}
#: By the way to fail: the return code, and what the message says.
WAYS = {
    "raise": (1, "rank {rank} of {ranks} failed at {place}: ValueError: an error of one rank"),
    "thread": (1, "rank {rank} of {ranks} failed at {place}: ZeroDivisionError"),
    "exit": (3, "rank {rank} of {ranks} called sys.exit(3) at {place}"),
    "end": (1, "rank {rank} of {ranks} called sys.exit(None) at {place}, and rank {other} waits for it in AllReduce"),
    "kill": (9, "rank {rank} (process {process}) was killed while it computed at {place}"),
    "differ": (1, "and rank 1 calls"),
    "hang": (1, "rank {rank} computes at {place}, since its collective 1, AllReduce(sum)"),
}
FEW = [("raise", 0, 2), ("exit", 1, 2), ("end", 0, 2), ("kill", 1, 3), ("hang", 1, 2), ("differ", 1, 2)]
ALL = [(way, rank, ranks) for way in WAYS for rank in (0, 1) for ranks in (2, 4)]
IS_LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"


def processes_of_the_program() -> list[str]:
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if str(PROGRAM) in line]


@needs_mpi
@pytest.mark.processes
@pytest.mark.parametrize(("way", "rank", "ranks"), ALL if IS_LONG else FEW)
def test_the_end_of_a_rank_is_that_of_all(way: str, rank: int, ranks: int) -> None:
    limit = {"MS_COLLECTIVE_TIMEOUT": "1.5"} if way == "hang" else {}
    done = run_mpi(ranks, PROGRAM, way, str(rank), **limit)
    code, message = WAYS[way]
    told = done.stderr.split("mindinsight: ", 1)[-1]
    process = told.partition("(process ")[2].partition(")")[0]
    wanted = message.format(rank=rank, ranks=ranks, place=LINES[way], process=process, other=int(rank == 0))
    # Paths are those of the user's program, of which the tests know the end.
    assert wanted.split(" at failing")[0] in told, done.stderr
    assert LINES[way] in told, done.stderr
    assert done.returncode == code, done.stderr
    if way == "hang":
        assert f"has waited 1.{told.partition('has waited 1.')[2][:1]} s in AllReduce(sum) of float32[2]" in told
        assert LINES["waits"] in told
    wait_until_none_is_left()


def wait_until_none_is_left() -> None:
    """The launcher has returned; its processes have got their signal."""
    deadline = time.monotonic() + 3
    while processes_of_the_program():
        assert time.monotonic() < deadline, processes_of_the_program()
        time.sleep(0.02)


@needs_mpi
@pytest.mark.processes
def test_no_rank_is_left_when_none_fails() -> None:
    done = run_mpi(2, PROGRAM, "not", "0")
    assert (done.returncode, done.stderr) == (0, "")
    wait_until_none_is_left()


def test_the_limit_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MS_COLLECTIVE_TIMEOUT", "soon")
    with pytest.raises(ValueError, match="MS_COLLECTIVE_TIMEOUT must be a number of seconds, 0 for no limit"):
        timeout_from_environment()
    monkeypatch.delenv("MS_COLLECTIVE_TIMEOUT")
    assert timeout_from_environment() == 300


def test_processes_without_mpi4py_are_told_what_to_install() -> None:
    hidden = "import sys; sys.modules['mpi4py'] = None\nfrom framework import communication\ncommunication.init()"
    done = subprocess.run(
        [sys.executable, "-c", hidden],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PMI_SIZE": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 processes were started, and mpi4py" in done.stderr
    assert "pip install 'mindinsight[parallel]'" in done.stderr
