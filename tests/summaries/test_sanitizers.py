"""Parts in C with the compiler's checks for memory and undefined behaviour, on their ordinary tests' inputs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from debugging.tensors.kernel.build import PART as STATISTICS
from framework.dataset.vision.kernel.compiled import PART as IMAGES
from framework.kernels.loops.build import PART as LOOPS
from framework.pynative.fast.kernel.build import PART as OPERATORS
from mindinsight.graphs.substructures.kernel.build import PART as RECOGNITION
from mindinsight.profiles.kernel.build import PART as PROFILES
from mindinsight.scalars.kernel.build import PART as QUERIES
from mindinsight.store.kernel.build import PART as STORE
from summaries.kernel.build import PART as READER
from summaries.kernel.compiling import CompiledPart, CompilerError, NoCompilerError, find_compiler
from tests.sanitized import FLAGS, VARIABLE

ROOT = Path(__file__).resolve().parents[2]
SEEDS = 5000 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 100

#: By name of a part what is compiled, and the files of tests that call it.
PARTS: dict[str, tuple[CompiledPart, tuple[str, ...]]] = {
    "images": (IMAGES, ("framework/dataset/vision/test_kernel",)),
    "levels": (STORE, ("mindinsight/store/test_levels",)),
    "loops": (LOOPS, tuple(f"framework/kernels/test_{name}" for name in ("loops", "recurrent", "gelu"))),
    "pixels": (
        QUERIES,
        (
            *(f"mindinsight/scalars/{name}" for name in ("kernel/test_kernel", "test_view_frames")),
            *(f"mindinsight/scalars/curves/test_{name}" for name in ("envelope", "smoothing", "windows")),
            "mindinsight/scalars/groups/test_groups",
        ),
    ),
    "repeats": (RECOGNITION, ("mindinsight/graphs/substructures/test_kernel",)),
    "small tensors": (OPERATORS, ("framework/pynative/test_small",)),
    "statistics": (STATISTICS, ("debugging/tensors/test_statistics",)),
    "traces": (PROFILES, tuple(f"mindinsight/profiles/test_{name}" for name in ("reading", "columns"))),
    # Files made by chance are read by the tests below.
    "walk": (READER, ("summaries/test_kernel",)),
}
#: Tests in these files that compute without the part, compile it, or compute so much that the checks take minutes, as
#: pytest's `-k` has it.
WITHOUT = (
    "test_gelu.py and not test_the_loops",
    "scalars and (numpy or long_series or of_the_definition)",
    "test_statistics.py and not compiled",
    "profiles and (plain or recorded_trace or facts)",
    "summaries and (both_ways or protobuf or large_records)",
    "test_kernel and (compil or another_source or switched_off)",
)


def checked_libraries(folder: Path, *parts: CompiledPart) -> dict[str, str]:
    """Compile parts that check themselves; the environment in which Python can load them."""
    if not all(part.is_possible() for part in parts):
        pytest.skip("Python has no headers here")
    try:
        for part in parts:
            threads = ("-fopenmp",) if part is LOOPS else ()
            part.build(folder / f"_{part.source.stem}.so", flags=(*FLAGS, *threads))
        named = [*find_compiler(), "-print-file-name=libasan.so"]
        runtime = subprocess.run(named, capture_output=True, text=True, check=True).stdout.strip()
    except (NoCompilerError, CompilerError, subprocess.CalledProcessError) as error:
        pytest.skip(f"the compiler cannot check memory: {error}")
    if not Path(runtime).is_absolute():
        pytest.skip("the compiler has no libasan.so to load")
    return os.environ | {
        "LD_PRELOAD": runtime,
        # Into files: the output of a test that is broken off is lost.
        "ASAN_OPTIONS": f"detect_leaks=0:log_path={folder / 'report'}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={folder / 'report'}",
        # Every bytes object is a block of its own, so that a byte read beyond its end is noticed.
        "PYTHONMALLOC": "malloc",
        VARIABLE: str(folder),
        # Code that checks itself is slow; the usual number of cases runs without the checks.
        "MINDINSIGHT_TEST_COUNTS": os.environ.get("MINDINSIGHT_TEST_COUNTS", "few"),
    }


def reports(folder: Path) -> str:
    """What the checks have found."""
    return "".join(path.read_text()[:4000] for path in folder.glob("report*"))


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    """How many tests of each file passed with the parts that check themselves, all in one process."""
    folder = tmp_path_factory.mktemp("checked")
    environment = checked_libraries(folder, *(part for part, _ in PARTS.values()))
    files = [f"tests/{name}.py" for _, names in PARTS.values() for name in names]
    results = folder / "results.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.sanitized", "-p", "no:cacheprovider"]
    command += [f"--junit-xml={results}", "-k", " and ".join(f"not ({tests})" for tests in WITHOUT), *files]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, reports(folder) + done.stdout[-4000:] + done.stderr[-4000:]
    cases = ElementTree.parse(results).iter("testcase")
    return Counter(case.attrib["classname"] for case in cases if case.find("skipped") is None)


@pytest.mark.parametrize("name", PARTS)
def test_ordinary_inputs_break_no_rule_of_c(name: str, passed: Counter[str]) -> None:
    for file in PARTS[name][1]:
        assert passed["tests." + file.replace("/", ".")] > 0, f"no test of {file} ran"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The reader that checks itself, and the environment in which it can be loaded."""
    folder = tmp_path_factory.mktemp("checked")
    return folder / f"_{READER.source.stem}.so", checked_libraries(folder, READER)


def replay(reader: tuple[Path, dict[str, str]], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Read files in a process of its own, which may be broken off."""
    target, environment = reader
    command = [sys.executable, "-m", "tests.summaries.replay", str(target), *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_files_made_by_chance_break_no_rule_of_c(reader: tuple[Path, dict[str, str]]) -> None:
    done = replay(reader, str(SEEDS))
    assert done.returncode == 0, reports(reader[0].parent) + done.stderr
    assert done.stdout.startswith(f"{SEEDS} and 0 files")


def test_real_files_break_no_rule_of_c(reader: tuple[Path, dict[str, str]], real_data: Path) -> None:
    files = [*real_data.glob("mindspore/**/*_MS"), *real_data.glob("tensorboard/**/events.out.tfevents.*")]
    done = replay(reader, "0", *map(str, files))
    assert done.returncode == 0, reports(reader[0].parent) + done.stderr
    assert f"and {len(files)} files" in done.stdout
