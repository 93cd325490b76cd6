"""Runs programs under `mpirun`, and finds out whether there is one."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
MPIRUN = shutil.which("mpirun", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")

needs_mpi = pytest.mark.skipif(
    MPIRUN is None or importlib.util.find_spec("mpi4py") is None, reason="there is no mpirun, or no mpi4py"
)


def run_mpi(ranks: int, program: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program as some ranks, each with one thread."""
    assert MPIRUN is not None
    settings = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MS_CHECK_COLLECTIVES": "1", **environment}
    return subprocess.run(
        [MPIRUN, "-n", str(ranks), sys.executable, str(program), *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), **settings},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
