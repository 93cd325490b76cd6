"""The core without its libraries: one sentence that names the extra, as an error or as a command's last word."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

from tests.hidden import without

EXTRA = "pip install 'mindinsight[framework]'"
ROOT = Path(__file__).resolve().parents[2]


def python(hidden: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs Python where nothing of the extra can be found."""
    environment = without(hidden, "llvmlite", "cv2", "PIL", "tqdm") | {"PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_an_import_is_refused_with_one_sentence(tmp_path: Path) -> None:
    code = "try:\n    import framework.nn\nexcept ImportError as error:\n    print(error.name, error)"
    refused = python(tmp_path, "-c", code)
    assert refused.stderr == ""
    wanted = "llvmlite, opencv-python-headless, pillow and tqdm"
    if platform.machine() != "x86_64":
        wanted = "opencv-python-headless, pillow and tqdm"
    assert refused.stdout == f"framework The training core needs {wanted}, which are not installed: {EXTRA}\n"


def test_the_command_prints_the_sentence_and_no_traceback(tmp_path: Path) -> None:
    refused = python(tmp_path, "-m", "framework", "run", "train.py")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.count("\n") == 1
    assert refused.stderr.endswith(f"{EXTRA}\n")
