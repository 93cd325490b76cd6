"""The wheel: its contents, and its use in an empty environment on a machine without Node.js."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest

from framework.kernels.loops.build import PART as LOOPS
from framework.pynative.fast.kernel.build import PART as OPERATORS
from mindinsight.graphs.substructures.kernel.build import PART as GRAPHS
from mindinsight.scalars.kernel.build import PART as QUERIES
from mindinsight.store.kernel.build import PART as STORE
from summaries.kernel.build import PART as READER

from .checkout import ROOT, free_port, tracked_files

pytestmark = [pytest.mark.wheel, pytest.mark.processes]

Run = Callable[..., subprocess.CompletedProcess[str]]
PACKAGES = ("debugging", "framework", "mindinsight", "summaries")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that `make dist` builds."""
    target = tmp_path_factory.mktemp("dist")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    subprocess.run(["make", "dist", f"DIST={target}"], cwd=ROOT, env=environment, check=True)
    (found,) = target.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def contents(wheel: Path) -> set[str]:
    """The names in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_checksum_is_that_of_the_wheel(wheel: Path) -> None:
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert wheel.with_name("SHA256SUMS").read_text() == f"{digest}  {wheel.name}\n"


def test_everything_of_the_three_packages_is_in_it(contents: set[str]) -> None:
    names = {path.relative_to(ROOT).as_posix() for path in tracked_files()}
    assert {name for name in names if name.split("/")[0] in PACKAGES} - contents == set()


@pytest.mark.parametrize(
    "pattern",
    [
        r"mindinsight/static/dist/index\.html",
        r"mindinsight/static/dist/assets/.+\.js",
        r"mindinsight/runs/migrations/0001_.+\.py",
        r"summaries/schema/.+\.proto",
        r"mindinsight-[\d.]+\.dist-info/licenses/LICENSE",
        r"mindinsight-[\d.]+\.dist-info/entry_points\.txt",
    ],
)
def test_what_a_user_needs_is_in_it(contents: set[str], pattern: str) -> None:
    assert any(re.fullmatch(pattern, name) for name in contents)


def test_nothing_else_is_in_it(contents: set[str]) -> None:
    folders = {name.split("/")[0] for name in contents}
    assert folders - set(PACKAGES) == {folder for folder in folders if folder.endswith(".dist-info")}
    assert [name for name in contents if "__pycache__" in name or "node_modules" in name] == []


def test_the_compiled_parts_are_in_it(wheel: Path, contents: set[str]) -> None:
    if not all(part.is_built() for part in (READER, STORE, QUERIES, GRAPHS, LOOPS)):
        pytest.skip("nothing was compiled here")
    assert {path for path in contents if path.endswith(".so")} == {
        "summaries/kernel/_walk.so",
        "mindinsight/store/kernel/_levels.so",
        "mindinsight/scalars/kernel/_pixels.so",
        "mindinsight/graphs/substructures/kernel/_repeats.so",
        "framework/kernels/loops/_loops.so",
        *([f"framework/pynative/fast/kernel/{OPERATORS.target.name}"] if OPERATORS.is_possible() else []),
    }
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert wheel.name.endswith(f"-py3-none-{platform}.whl")


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `mindinsight` command of a new environment that holds the wheel and nothing of this checkout."""
    target = tmp_path_factory.mktemp("empty environment")
    subprocess.run([sys.executable, "-m", "venv", str(target)], check=True)
    pip = [str(target / "bin" / "python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel), "--constraint", str(ROOT / "requirements.txt")], check=True)
    return target / "bin" / "mindinsight"


@pytest.fixture
def run(command: Path, tmp_path: Path) -> Iterator[Run]:
    """Call the command in an empty directory, with an empty home and nothing but its own programs on PATH."""
    home = tmp_path / "home"
    (home / "summaries").mkdir(parents=True)
    environment = {"HOME": str(home), "PATH": str(command.parent), "LANG": "C.UTF-8"}

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(command), *arguments],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    yield call
    call("stop")


@pytest.mark.parametrize(
    ("code", "library"),
    [
        ("from framework.kernels.loops import version; print(version() and '_loops.so')", "_loops.so"),
        ("from framework.pynative.fast import small_tensors; print(small_tensors.version())", "extension module"),
        ("from summaries.kernel import LIBRARY; print(LIBRARY)", "_walk.so"),
        ("from mindinsight.store.kernel.library import KERNEL; print(KERNEL and '_levels.so')", "_levels.so"),
        ("from mindinsight.scalars.kernel.library import KERNEL; print(KERNEL and '_pixels.so')", "_pixels.so"),
        (
            "from mindinsight.graphs.substructures.kernel.library import KERNEL; print(KERNEL and '_repeats.so')",
            "_repeats.so",
        ),
    ],
)
def test_the_compiled_parts_are_used(command: Path, tmp_path: Path, code: str, library: str) -> None:
    if not all(part.is_built() for part in (READER, STORE, QUERIES, GRAPHS)):
        pytest.skip("nothing was compiled here")
    if "small_tensors" in code and not OPERATORS.is_possible():
        pytest.skip("Python has no headers here")
    python = command.with_name("python")
    said = subprocess.run([str(python), "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert library in said


def test_it_starts_serves_its_pages_and_stops(run: Run, tmp_path: Path) -> None:
    port = free_port()
    started = run("start", "--summary-base-dir", str(tmp_path / "home" / "summaries"), "--port", str(port))
    assert started.returncode == 0, started.stderr
    address = f"http://127.0.0.1:{port}"
    assert f"Web address: {address}" in started.stdout

    page = _get(f"{address}/")
    assert "<title>MindInsight</title>" in page
    scripts = re.findall(r'<script[^>]+src="([^"]+\.js)"', page)
    assert scripts
    assert all(_get(urljoin(f"{address}/", script)) for script in scripts)
    assert '"version"' in _get(f"{address}/api/status")

    assert str(port) in run("status").stdout
    assert run("stop", "--port", str(port)).returncode == 0
    with pytest.raises(urllib.error.URLError):
        _get(f"{address}/")


def _get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=10) as answer:
        return str(answer.read().decode())
