"""Brings the checkout up to date: Python packages, front end packages, built pages. Called by the Makefile.

`prepare.sh run` makes what `make run` needs, `dev` what linters and generators need, `test` what the tests
need. A step that is up to date costs no process: its key (a hash of what it depends on) is kept inside the
folder that it fills.
"""

from __future__ import annotations

import hashlib
import importlib.util
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from frontend import Frontend, NodeMissingError

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
ZIGLANG = "ziglang==0.17.1"


class Step(NamedTuple):
    """A step with a result that is made once, and again when it is out of date."""

    doing: str
    is_done: Callable[[], bool]
    make: Callable[[], None]


class PreparationError(RuntimeError):
    """The machine lacks a requirement; the message says what to do."""


def virtual_environment() -> Step:
    """The environment itself; a working one is kept."""

    def make() -> None:
        if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
            raise PreparationError(
                f"{sys.executable} comes without the venv module: install it (Debian, Ubuntu: "
                f"apt-get install python3.{sys.version_info.minor}-venv) and try again."
            )
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=True)

    def is_done() -> bool:
        return Path(sys.prefix).resolve() == VENV.resolve()

    return Step("Making the Python environment .venv", is_done, make)


def python_packages(name: str, source: Path, *pip_arguments: str) -> Step:
    """Packages installed with pip; up to date while `source` is unchanged and the checkout was not moved."""
    stamp = VENV / ".stamps" / name

    def key() -> str:
        return hashlib.sha256(f"{ROOT}\0{PYTHON.resolve()}\0".encode() + source.read_bytes()).hexdigest()

    def make() -> None:
        pip = [str(PYTHON), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        subprocess.run([*pip, *pip_arguments], cwd=ROOT, check=True, stdin=subprocess.DEVNULL)
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(key())

    def is_done() -> bool:
        return stamp.is_file() and stamp.read_text() == key()

    return Step(f"Installing Python packages ({name})", is_done, make)


def compiled_parts() -> list[Step]:
    """The parts in C, and a compiler if the machine has none. This step is optional."""
    sys.path.insert(0, str(ROOT))
    from mindinsight.graphs.substructures.kernel.build import PART as GRAPHS
    from mindinsight.profiles.kernel.build import PART as PROFILES
    from mindinsight.scalars.kernel.build import PART as QUERIES
    from mindinsight.store.kernel.build import PART as STORE
    from summaries.kernel.build import PART as READER
    from summaries.kernel.compiling import NoCompilerError, find_compiler

    # Their packages need numpy, which may not be installed yet.
    builds = (
        *("debugging/tensors/kernel/build.py", "framework/dataset/vision/kernel/compiled.py"),
        *("framework/kernels/loops/build.py", "framework/pynative/fast/kernel/build.py"),
    )
    by_path = [ROOT / build for build in builds]
    others = (runpy.run_path(str(build))["PART"] for build in by_path)
    parts = (READER, STORE, QUERIES, GRAPHS, PROFILES, *others)
    stamp = VENV / ".stamps" / ZIGLANG

    def is_compiled() -> bool:
        return all(part.is_built() for part in parts if part.is_possible())

    def has_compiler() -> bool:
        try:
            return stamp.is_file() or is_compiled() or bool(find_compiler())
        except NoCompilerError:
            return False

    def install_compiler() -> None:
        pip = [str(PYTHON), "-m", "pip", "install", "-qq", "--disable-pip-version-check", ZIGLANG]
        if subprocess.run(pip, check=False, capture_output=True, stdin=subprocess.DEVNULL).returncode == 0:
            stamp.parent.mkdir(exist_ok=True)
            stamp.touch()

    def compile_parts() -> None:
        for package in (
            *("summaries", "mindinsight.store", "mindinsight.scalars"),
            *("mindinsight.graphs.substructures", "mindinsight.profiles"),
        ):
            subprocess.run([str(PYTHON), "-m", f"{package}.kernel.build"], cwd=ROOT, check=False)
        for build in by_path:
            subprocess.run([str(PYTHON), str(build)], cwd=ROOT, check=False)

    return [
        Step(f"Installing a C compiler ({ZIGLANG}), for none was found", has_compiler, install_compiler),
        Step("Compiling the parts in C", is_compiled, compile_parts),
    ]


def steps(purpose: str) -> list[Step]:
    """The steps for `run`, `dev` or `test`, in order."""
    frontend = Frontend(ROOT)
    requirements = ROOT / ("requirements.txt" if purpose == "run" else "requirements-dev.txt")
    wanted = [
        virtual_environment(),
        python_packages(requirements.stem, requirements, "-r", str(requirements)),
        python_packages("mindinsight", ROOT / "pyproject.toml", "--no-deps", "--editable", "."),
    ]
    if purpose != "run":
        packages = frontend.has_packages, frontend.install_packages
        wanted.append(Step("Installing front end packages", *packages))
    if purpose != "dev":
        wanted += compiled_parts()
        wanted.append(Step("Building the pages", frontend.is_built, frontend.build))
    return wanted


def main() -> int:
    """Bring everything up to date for the purpose named on the command line."""
    try:
        for step in steps(sys.argv[1]):
            if not step.is_done():
                print(f"{step.doing} …", flush=True)
                step.make()
    except (PreparationError, NodeMissingError) as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"{step.doing} failed: see the lines above.", file=sys.stderr)
        return error.returncode or 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
