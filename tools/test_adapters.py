"""Tests the adapters with the real packages: `python tools/test_adapters.py [pytest arguments]`.

The packages are large, so they get environments of their own, `.venv-adapters` and `.venv-adapters-mindspore`, made at
first use. Called by `make test-adapters`; continuous integration does not call it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ".venv-adapters"
#: The frameworks, and what the shared half of the debugger and the writer need.
PACKAGES = (
    "torch==2.14.*", "transformers==5.24.*", "accelerate==1.15.*", "lightning==2.6.*", "keras==3.15.*",
    "tensorboard==2.21.*", "torchvision==0.29.*", "timm==1.0.*",
)  # fmt: skip
MINDSPORE = ("mindspore==2.10.*",)
OURS = ("numpy", "protobuf", "websockets", "google-crc32c", "pytest")


def wanted(packages: Sequence[str]) -> list[str]:
    """The requirements: frameworks, and our own packages at their pinned versions."""
    lines = (ROOT / "requirements-dev.txt").read_text().splitlines()
    return [*packages, *(line for line in lines if line.partition("==")[0] in OURS)]


def environment(packages: Sequence[str] = PACKAGES, name: str = FOLDER) -> Path:
    """The Python of an environment.

    Args:
        packages: The frameworks in it.
        name: Its folder in the checkout.
    """
    folder = ROOT / name
    python, stamp = folder / "bin" / "python", folder / "requirements.txt"
    lines = wanted(packages)
    text = "\n".join(lines) + "\n"
    if not (stamp.is_file() and stamp.read_text() == text):
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *lines], check=True)
        stamp.write_text(text)
    return python


def main(arguments: list[str]) -> int:
    """Run the tests; returns pytest's status."""
    # The settings and plug-ins of the other tests import Django.
    options = [
        "-c",
        os.devnull,
        "--rootdir",
        "tests/adapters",
        "--confcutdir",
        "tests/adapters",
        "-p",
        "no:cacheprovider",
    ]
    variables = {"OMP_NUM_THREADS": "1", "KERAS_BACKEND": "torch"} | os.environ | {"PYTHONPATH": str(ROOT)}
    pythons = [environment(), environment(MINDSPORE, f"{FOLDER}-mindspore")]
    # Tests of a framework skip where it is not installed.
    commands = [[str(python), "-m", "pytest", *options, *(arguments or ["-q"]), "tests/adapters"] for python in pythons]
    return max(subprocess.run(command, check=False, cwd=ROOT, env=variables).returncode for command in commands)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
