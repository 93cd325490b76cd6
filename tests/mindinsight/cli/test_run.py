"""`mindinsight run` starts ranks as `mpirun` does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mindinsight.cli import main
from mindinsight.cli.run import environment, find_mpirun

needs_mpi = pytest.mark.skipif(find_mpirun() is None, reason="there is no mpirun")
ROOT = Path(__file__).resolve().parents[3]


@needs_mpi
@pytest.mark.processes
def test_ranks_get_the_arguments_and_their_code_is_returned(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(
        "import os, sys\n"
        "rank = os.environ.get('PMI_RANK', os.environ.get('OMPI_COMM_WORLD_RANK'))\n"
        "print('rank', rank, sys.argv[1:], os.environ['OMP_NUM_THREADS'], flush=True)\n"
        "sys.exit(7 if '--fail' in sys.argv else 0)\n"
    )

    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "mindinsight", "run", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "5"},
            capture_output=True,
            text=True,
            check=False,
        )

    done = start("-n", "2", "train.py", "--epochs", "3", "-n", "9")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == [f"rank {rank} ['--epochs', '3', '-n', '9'] 5" for rank in range(2)]
    done = start("--worker_num=2", "--local_worker_num=2", "--log_dir", "logs", "train.py", "--fail")
    assert done.returncode == 7
    assert [(tmp_path / "logs" / f"worker_{rank}.log").read_text() for rank in range(2)] == [
        f"rank {rank} ['--fail'] 5\n" for rank in range(2)
    ]


def test_refusals_say_what_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "train.py"
    program.touch()

    def refusal(*arguments: str) -> str:
        done = CliRunner().invoke(main, ["run", *arguments])
        assert done.exit_code == 1
        return done.stderr

    assert "on this machine alone" in refusal("-n", "4", "--local_worker_num", "2", str(program))
    assert "mpirun with its list of hosts" in refusal("-n", "4", "--master_addr", "10.0.0.1", str(program))
    assert "write & behind the command" in refusal("--join", "False", str(program))
    assert "there is no program" in refusal(str(tmp_path / "other.py"))
    monkeypatch.setattr("mindinsight.cli.run.find_mpirun", lambda: None)
    assert "pip install 'mindinsight[parallel]'" in refusal(str(program))


def test_processors_are_divided_among_the_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)), raising=False)
    assert environment(2, {})["OMP_NUM_THREADS"] == environment(2, {})["OPENBLAS_NUM_THREADS"] == "4"
    assert environment(16, {})["OMP_NUM_THREADS"] == "1"
    given = environment(2, {"OMP_NUM_THREADS": "3", "HOME": "/home/me"})
    assert (given["OMP_NUM_THREADS"], given["OPENBLAS_NUM_THREADS"], given["HOME"]) == ("3", "3", "/home/me")
