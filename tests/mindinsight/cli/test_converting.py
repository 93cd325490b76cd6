"""`mindinsight check` and `convert` pass their arguments to the training core, and end with its exit status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.processes
def test_the_core_answers(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "mindinsight", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )

    (tmp_path / "damaged.onnx").write_bytes(b"no model")
    for arguments in (("check", "damaged.onnx"), ("convert", "damaged.onnx", "new.msir", "--shape", "x=1,?")):
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("Error: damaged.onnx cannot be loaded: it is no ONNX file")
        assert len(done.stderr.splitlines()) == 1
