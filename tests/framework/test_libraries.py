"""The core without its libraries: one sentence that names the extra, as an error or as a command's last word."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

EXTRA = "pip install 'mindinsight[framework]'"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def without(tmp_path: Path) -> Path:
    """A folder for PYTHONPATH that hides what the extra brings, as if it were not installed."""
    hidden = ("llvmlite", "PIL", "tqdm")
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({hidden}))\n")
    return tmp_path


def python(without: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(without), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_an_import_is_refused_with_one_sentence(without: Path) -> None:
    code = "try:\n    import framework.nn\nexcept ImportError as error:\n    print(error.name, error)"
    refused = python(without, "-c", code)
    assert refused.stderr == ""
    wanted = "llvmlite, pillow and tqdm" if platform.machine() == "x86_64" else "pillow and tqdm"
    assert refused.stdout == f"framework The training core needs {wanted}, which are not installed: {EXTRA}\n"


def test_the_command_prints_the_sentence_and_no_traceback(without: Path) -> None:
    refused = python(without, "-m", "framework", "run", "train.py")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.count("\n") == 1
    assert refused.stderr.endswith(f"{EXTRA}\n")
