"""The example trains for real, writes the documented files, and stops cleanly."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from summaries import WriterState, writer_state

pytest.importorskip("sklearn", reason="the example needs scikit-learn")

# Matrices this small gain nothing from threads that wait for each other on a busy machine.
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@pytest.fixture
def script():
    return [sys.executable, str(Path(__file__).resolve().parents[2] / "examples" / "digits.py")]


def test_the_defaults_reach_95_percent(script, tmp_path, drain):
    command = [*script, "--summary-dir", str(tmp_path), "--pace", "0"]
    subprocess.run(command, check=True, capture_output=True, env=ONE_THREAD, timeout=240)
    (path,) = tmp_path.glob("*/*_MS")
    drained = drain(path)
    final = {tag: value for tag, _, _, value in drained.points}
    assert final["accuracy/val"] > 0.95
    assert final["loss"] < 0.3
    assert final["learning_rate"] < 0.001
    assert set(final) == {
        *("loss", "accuracy/train", "learning_rate", "grad_norm", "weights/norm", "loss/val", "accuracy/val")
    }
    assert drained.counts()["loss"] == 900
    assert drained.damages == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_runs_move_together_until_they_are_stopped(script, tmp_path, drain, number):
    command = [*script, "--summary-dir", str(tmp_path), "--runs", "3", "--forever", "--pace", "200"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=ONE_THREAD, text=True) as process:
        try:
            paths = [process.stdout.readline().split()[-1] for _ in range(3)]
            while any(len(drain(path).points) < 100 for path in paths):
                assert {writer_state(path) for path in paths} == {WriterState.WRITING}
                assert process.poll() is None
            process.send_signal(number)
            process.wait(20)
        finally:
            process.kill()
    assert process.returncode == 0
    assert {writer_state(path) for path in paths} == {WriterState.CLOSED}
    assert len({path.split("/")[-2] for path in paths}) == 3
    counts = [drain(path).counts()["loss"] for path in paths]
    assert max(counts) - min(counts) <= 1


def test_a_wrong_option_is_named(script, tmp_path):
    command = [*script, "--summary-dir", str(tmp_path), "--batch-size", "0"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 2
    assert "--batch-size" in result.stderr
