"""The two wheels: what each holds and requires, and both in empty environments on a machine without Node.js.

Only the tests of the environments need a network.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import sysconfig
import tomllib
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from packaging.requirements import Requirement

from debugging.tensors.kernel.build import PART as STATISTICS
from framework.dataset.vision.kernel.compiled import PART as IMAGES
from framework.kernels.loops.build import PART as LOOPS
from framework.pynative.fast.kernel.build import PART as OPERATORS
from mindinsight import __version__
from mindinsight.graphs.substructures.kernel.build import PART as GRAPHS
from mindinsight.profiles.kernel.build import PART as PROFILES
from mindinsight.scalars.kernel.build import PART as QUERIES
from mindinsight.store.kernel.build import PART as STORE
from summaries import EventFileReader
from summaries.kernel.build import PART as READER

from .checkout import ROOT, free_port, tracked_files
from .wheels import Dist, make_dist

pytestmark = [pytest.mark.wheel, pytest.mark.processes]

Run = Callable[..., subprocess.CompletedProcess[str]]

PACKAGES = ("debugging", "framework", "mindinsight", "summaries")
# What a training's environment may get; each is a few megabytes at most, but for numpy.
LIGHT = {"numpy", "protobuf", "google-crc32c", "websockets", "ml-dtypes"}
HEAVY = {
    *("llvmlite", "onednn-cpu-gomp", "scipy", "scikit-learn", "pillow", "opencv-python-headless", "pyarrow"),
    *("tqdm", "cloudpickle", "mpi4py", "mpich"),
}
# The dashboard has them already, through the description of its API.
SHARED = {"jsonschema", "pyyaml"}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Dist:
    """The wheels that `make dist` builds."""
    return make_dist(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def project() -> Any:
    """The checkout's pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def names_of(requirements: list[str]) -> set[str]:
    """The names of required packages."""
    return {Requirement(one).name for one in requirements}


def test_the_checksums_are_those_of_the_wheels(dist: Dist) -> None:
    said = dict(line.split()[::-1] for line in (dist.folder / "SHA256SUMS").read_text().splitlines())
    wheels = (dist.dashboard.path, dist.writer.path)
    assert said == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in wheels}


def test_every_file_of_the_packages_is_in_one_wheel_and_no_file_is_in_both(dist: Dist) -> None:
    tracked = {path.relative_to(ROOT).as_posix() for path in tracked_files()}
    ours = {name for name in tracked if name.split("/")[0] in PACKAGES}
    assert ours - (dist.dashboard.files | dist.writer.files) == set()
    assert dist.dashboard.files & dist.writer.files == set()


def test_what_a_training_imports_is_in_the_writers_wheel(dist: Dist, project: Any) -> None:
    (adapters,) = (one for one in project["tool"]["importlinter"]["contracts"] if one["name"].startswith("Adapters of"))
    wanted = ("summaries", "debugging", "mindinsight", *adapters["source_modules"])
    for name in wanted:
        package = name.replace(".", "/")
        assert f"{package}/__init__.py" in dist.writer.files
        if name != "mindinsight":
            assert [file for file in dist.dashboard.files if file.startswith(f"{package}/")] == []


@pytest.mark.parametrize(
    "pattern",
    [
        r"mindinsight/static/dist/index\.html",
        r"mindinsight/static/dist/assets/.+\.js",
        r"mindinsight/runs/migrations/0001_.+\.py",
        r"mindinsight/__main__\.py",
        r"framework/__init__\.py",
        r"mindinsight-[\d.]+\.dist-info/licenses/LICENSE",
        r"mindinsight-[\d.]+\.dist-info/entry_points\.txt",
    ],
)
def test_what_a_user_needs_is_in_the_dashboards(dist: Dist, pattern: str) -> None:
    assert any(re.fullmatch(pattern, name) for name in dist.dashboard.names)


@pytest.mark.parametrize(
    "pattern", [r"summaries/schema/.+\.proto", r"mindinsight_writer-[\d.]+\.dist-info/licenses/LICENSE"]
)
def test_what_a_training_needs_is_in_the_writers(dist: Dist, pattern: str) -> None:
    assert any(re.fullmatch(pattern, name) for name in dist.writer.names)


def test_nothing_else_is_in_them(dist: Dist) -> None:
    assert {name.split("/")[0] for name in dist.dashboard.files} == {"framework", "mindinsight"}
    assert {name.split("/")[0] for name in dist.writer.files} == {"debugging", "mindinsight", "summaries"}
    both = dist.dashboard.names | dist.writer.names
    assert [name for name in both if "__pycache__" in name or "node_modules" in name] == []


def test_the_compiled_parts_are_in_them(dist: Dist) -> None:
    if not all(part.is_built() for part in (READER, STORE, QUERIES, GRAPHS, PROFILES, IMAGES, LOOPS, STATISTICS)):
        pytest.skip("nothing was compiled here")
    assert {name for name in dist.writer.files if name.endswith(".so")} == {
        "summaries/kernel/_walk.so",
        "debugging/tensors/kernel/_statistics.so",
    }
    assert {name for name in dist.dashboard.files if name.endswith(".so")} == {
        "mindinsight/store/kernel/_levels.so",
        "mindinsight/profiles/kernel/_traces.so",
        "mindinsight/scalars/kernel/_pixels.so",
        "mindinsight/graphs/substructures/kernel/_repeats.so",
        "framework/dataset/vision/kernel/_pixels.so",
        "framework/kernels/loops/_loops.so",
        *([f"framework/pynative/fast/kernel/{OPERATORS.target.name}"] if OPERATORS.is_possible() else []),
    }
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    for wheel in (dist.dashboard, dist.writer):
        assert wheel.path.name.endswith(f"-py3-none-{platform}.whl")


def test_both_have_the_version_and_the_dashboard_requires_that_writer(dist: Dist) -> None:
    assert [wheel.metadata["Version"] for wheel in (dist.dashboard, dist.writer)] == [__version__] * 2
    assert f"mindinsight-writer=={__version__}" in dist.dashboard.requirements


def test_a_trainings_environment_gets_nothing_heavy(dist: Dist) -> None:
    assert names_of(dist.writer.requirements) == LIGHT


def test_the_dashboard_requires_none_of_the_heavy_libraries_and_extras_bring_them(dist: Dist, project: Any) -> None:
    assert names_of(dist.dashboard.requirements) & HEAVY == set()
    extras = project["project"]["optional-dependencies"]
    brought = set.union(*(names_of(extras[name]) for name in ("framework", "importance", "parquet", "parallel")))
    assert brought == HEAVY | SHARED
    assert set(dist.dashboard.metadata.get_all("Provides-Extra", [])) == set(extras)


def environment(target: Path, *packages: str | Path) -> Path:
    """The Python of a new environment that holds these packages and nothing of this checkout."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(target)], check=True)
    python = target / "bin" / "python"
    # Most of what is installed is never imported here, so it is not compiled.
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-qq", "--no-compile"]
    pip.append("--disable-pip-version-check")
    pinned = ["--constraint", str(ROOT / "requirements-dashboard.txt")]
    subprocess.run([*pip, *map(str, packages), *pinned], check=True)
    return python


def said(python: Path, folder: Path, code: str) -> str:
    """What a program prints that runs in a folder."""
    command = [str(python), "-c", code]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def refused(python: Path, folder: Path, *arguments: str) -> list[str]:
    """The lines that a program prints before it fails."""
    done = subprocess.run([str(python), *arguments], cwd=folder, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr.splitlines()


@pytest.fixture(scope="module")
def training(dist: Dist, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment for trainings: the writer's wheel alone."""
    return environment(tmp_path_factory.mktemp("training"), dist.writer.path)


def test_a_trainings_environment_records_a_run(training: Path, tmp_path: Path) -> None:
    code = """
import numpy, sys, debugging.session, mindinsight.dumps, mindinsight.integrations
from summaries import SummaryWriter
with SummaryWriter("run") as writer:
    writer.add_scalar("loss", 0.5, 1)
    writer.add_histogram("weights", numpy.arange(8.0), 1)
    writer.add_image("picture", numpy.zeros((3, 4, 5), numpy.uint8), 1)
print(*(name for name in ("django", "framework", "PIL") if name in sys.modules))
"""
    assert said(training, tmp_path, code) == "\n"
    (file,) = (tmp_path / "run").glob("*_MS")
    assert {"loss", "weights", "picture"} <= set(EventFileReader(file).read().tags)


@pytest.mark.parametrize(
    ("module", "package"),
    [("torch", "torch"), ("integrations.accelerate", "accelerate"), ("integrations.keras", "keras")],
)
def test_an_adapter_names_the_framework_that_is_missing(
    training: Path, tmp_path: Path, module: str, package: str
) -> None:
    wanted = f"mindinsight.{module} needs the package {package}, which is not installed: pip install {package}"
    assert refused(training, tmp_path, "-c", f"import mindinsight.{module}")[-1] == f"ModuleNotFoundError: {wanted}"


@pytest.fixture(scope="module")
def command(dist: Dist, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `mindinsight` command of an environment with both wheels and no extra."""
    target = tmp_path_factory.mktemp("empty environment")
    return environment(target, dist.writer.path, dist.dashboard.path).with_name("mindinsight")


def test_the_core_names_the_extra_that_it_needs(command: Path, tmp_path: Path) -> None:
    python = command.with_name("python")
    extra = "which are not installed: pip install 'mindinsight[framework]'"
    assert refused(python, tmp_path, "-c", "import framework")[-1].endswith(extra)
    (only,) = refused(python, tmp_path, "-m", "framework", "run", "train.py")
    assert only.endswith(extra)


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


@pytest.fixture(scope="module")
def unpacked(dist: Dist, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of both wheels."""
    target = tmp_path_factory.mktemp("unpacked")
    for wheel in (dist.dashboard, dist.writer):
        with zipfile.ZipFile(wheel.path) as archive:
            archive.extractall(target)
    return target


@pytest.mark.parametrize(
    ("code", "library"),
    [
        ("from framework.kernels.loops import version; print(version() and '_loops.so')", "_loops.so"),
        ("from framework.pynative.fast import small_tensors; print(small_tensors.version())", "extension module"),
        ("from summaries.kernel import LIBRARY; print(LIBRARY)", "_walk.so"),
        ("from debugging.tensors.kernel.library import KERNEL; print(KERNEL and '_statistics.so')", "_statistics.so"),
        ("from mindinsight.store.kernel.library import KERNEL; print(KERNEL and '_levels.so')", "_levels.so"),
        ("from mindinsight.profiles.kernel.library import KERNEL; print(KERNEL and '_traces.so')", "_traces.so"),
        ("from mindinsight.scalars.kernel.library import KERNEL; print(KERNEL and '_pixels.so')", "_pixels.so"),
        (
            "from mindinsight.graphs.substructures.kernel.library import KERNEL; print(KERNEL and '_repeats.so')",
            "_repeats.so",
        ),
    ],
)
def test_the_compiled_parts_are_used(unpacked: Path, code: str, library: str) -> None:
    if not all(part.is_built() for part in (READER, STORE, QUERIES, GRAPHS)):
        pytest.skip("nothing was compiled here")
    if "small_tensors" in code and not OPERATORS.is_possible():
        pytest.skip("Python has no headers here")
    # With the libraries of the checkout's environment, and none of its files: the current folder comes first.
    assert library in said(Path(sys.executable), unpacked, code)


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
