"""Environments of their own for the programs that are measured, made at first use below `benchmarks/.envs/`.

Ours is what a user has: the wheels of this checkout with the pinned versions, and nothing for development, whose
packages others would import on the way.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measuring.figures import say

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS = ROOT / "benchmarks" / ".envs"
SOURCES = ("mindinsight", "summaries", "debugging", "framework", "writer", "frontend/src", "frontend/public")
FILES = (
    *(
        "pyproject.toml",
        "requirements-dashboard.txt",
        "hatch_build.py",
        "frontend/package-lock.json",
        "frontend/index.html",
    ),
    *(
        f"frontend/{name}.ts"
        for name in ("vite.config", "compiledTexts", "firstPageBudget", "pageFiles", "sharedFiles")
    ),
)
PINNED = ROOT / "requirements-dashboard.txt"
TENSORBOARD = "tensorboard==2.21.*"
TENSORBOARDX = "tensorboardX==2.6.*"
TORCH = "torch==2.13.*"
TORCH_TB_PROFILER = "torch-tb-profiler==0.4.3"
AIM = "aim==3.29.*"
TIMM = "timm==1.0.*"
TORCHVISION = ("torch==2.14.*", "torchvision==0.29.*")
"""Versions that belong together: timm imports torchvision."""
MINDSPORE = "mindspore==2.10.0"
MINDCV = "mindcv==0.3.*"
MODEL_EXPLORER = "ai-edge-model-explorer==0.1.*"


def our_program() -> Path:
    """The `mindinsight` command of an environment that holds the wheels of the present sources, without the core.

    Raises:
        subprocess.CalledProcessError: pip or the build failed; the output says why.
    """
    wanted = [str(ROOT / "writer"), f"{ROOT}[importance]", "--constraint", str(PINNED)]
    return _environment("mindinsight", wanted, _sources_key()) / "bin" / "mindinsight"


def tensorboard_program() -> Path | None:
    """TensorBoard's command, or None where it cannot be installed."""
    # TensorBoard 2.21 imports pkg_resources, which later versions of setuptools no longer have.
    return _peer("TensorBoard", "tensorboard", [TENSORBOARD, "setuptools<81"], TENSORBOARD, "tensorboard")


def tensorboardx_python() -> Path | None:
    """The Python of an environment with tensorboardX, or None where it cannot be installed."""
    return _peer("tensorboardX", "tensorboardx", [TENSORBOARDX, "pillow"], TENSORBOARDX, "python")


def torch_python() -> Path | None:
    """The Python of an environment with PyTorch, or None where it cannot be installed."""
    return _peer("PyTorch", "torch", [TORCH, "numpy==2.*"], TORCH, "python")


def torch_tb_profiler_python() -> Path | None:
    """The Python of an environment with PyTorch's plug-in of TensorBoard, or None where it cannot be installed."""
    wanted = [TORCH_TB_PROFILER, TENSORBOARD, "setuptools<81"]
    return _peer("torch-tb-profiler", "torch_tb_profiler", wanted, " ".join(wanted), "python")


def model_explorer_program() -> Path | None:
    """Model Explorer's command, or None where it cannot be installed."""
    return _peer("Model Explorer", "model_explorer", [MODEL_EXPLORER], MODEL_EXPLORER, "model-explorer")


def aim_program() -> Path | None:
    """Aim's command, or None where it cannot be installed."""
    return _peer("Aim", "aim", [AIM], AIM, "aim")


def timm_python() -> Path | None:
    """The Python of an environment with timm and PyTorch, or None where it cannot be installed."""
    wanted = [TIMM, *TORCHVISION, "numpy==2.*"]
    return _peer("timm", "timm", wanted, " ".join(wanted), "python")


def torchvision_python() -> Path | None:
    """The Python of an environment with PyTorch and torchvision, or None where it cannot be installed."""
    wanted = [*TORCHVISION, "numpy==2.*"]
    return _peer("torchvision", "torchvision", wanted, " ".join(wanted), "python")


def mindspore_python() -> Path | None:
    """The Python of an environment with MindSpore, or None where it cannot be installed."""
    # Its data sets of Python objects do not work with numpy 2.
    wanted = [MINDSPORE, "numpy<2", "scipy", "Pillow"]
    return _peer("MindSpore", "mindspore", wanted, " ".join(wanted), "python")


def mindcv_folder() -> Path | None:
    """The folder with the package mindcv and what it imports but numpy, or None where it cannot be installed."""
    wanted = ["--no-deps", MINDCV, "pyyaml", "tqdm"]
    python = _peer("mindcv", "mindcv", wanted, MINDCV, "python")
    return None if python is None else next(python.parent.parent.glob("lib/python*/site-packages"))


def plain_variables(**further: str) -> dict[str, str]:
    """Environment variables for a measured program: none that point into this checkout."""
    unwanted = ("MINDINSIGHT_", "PYTHON", "DJANGO_", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(unwanted)} | further


def _peer(title: str, name: str, packages: Sequence[str], key: str, program: str) -> Path | None:
    """A program of an environment, or None, with a message, if it cannot be installed."""
    try:
        return _environment(name, packages, key) / "bin" / program
    except subprocess.CalledProcessError:
        say(f"{title} cannot be installed here; its figures are left out.")
        return None


def _environment(name: str, packages: Sequence[str], key: str) -> Path:
    directory = ENVIRONMENTS / name
    stamp = directory / ".stamp"
    if stamp.is_file() and stamp.read_text() == key:
        return directory
    say(f"Installing {name} into {directory.relative_to(ROOT)} …")
    if not (directory / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True)
    pip = [str(directory / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    # What did not change is not installed again; our own package keeps its version while it changes.
    if name == "mindinsight" and stamp.is_file():
        needed = [*pip, "--requirement", str(PINNED)]
        subprocess.run(needed, check=True, env=plain_variables(), stdout=sys.stderr)
        # Both at once: a file may have moved from one wheel to the other.
        gone = [*pip[:-2], "uninstall", "-q", "--yes", "mindinsight", "mindinsight-writer"]
        subprocess.run(gone, check=True, env=plain_variables(), stdout=sys.stderr)
        pip.append("--no-deps")
    subprocess.run([*pip, *packages], check=True, env=plain_variables(), stdout=sys.stderr)
    stamp.write_text(key)
    return directory


def _sources_key() -> str:
    digest = hashlib.sha256()
    folders = [ROOT / name for name in SOURCES]
    paths = [path for folder in folders for path in folder.rglob("*") if _counts(path)] + [
        ROOT / name for name in FILES
    ]
    for path in sorted(paths):
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _counts(path: Path) -> bool:
    """Whether a wheel is another one when this file changes; what is compiled follows from its source."""
    return path.is_file() and path.suffix != ".so" and not {"__pycache__", "dist"} & set(path.parts)
