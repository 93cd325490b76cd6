"""The compiled walker with the compiler's checks for memory and undefined behaviour, over files of every kind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from summaries.kernel.build import PART
from summaries.kernel.compiling import CompilerError, NoCompilerError, find_compiler

ROOT = Path(__file__).resolve().parents[2]
SEEDS = 5000 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 100


@pytest.fixture(scope="module")
def checked(tmp_path_factory) -> tuple[Path, str]:
    """A library that checks itself, and the runtime that has to be loaded before Python."""
    target = tmp_path_factory.mktemp("checked") / "walk.so"
    try:
        PART.build(target, flags=("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"))
        named = [*find_compiler(), "-print-file-name=libasan.so"]
        runtime = subprocess.run(named, capture_output=True, text=True, check=True).stdout.strip()
    except (NoCompilerError, CompilerError, subprocess.CalledProcessError) as error:
        pytest.skip(f"the compiler cannot check memory: {error}")
    if not Path(runtime).is_absolute():
        pytest.skip("the compiler has no libasan.so to load")
    return target, runtime


def replay(checked: tuple[Path, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    target, runtime = checked
    environment = os.environ | {
        "LD_PRELOAD": runtime,
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        # Every bytes object a block of its own, so that a byte read beyond its end is noticed.
        "PYTHONMALLOC": "malloc",
    }
    command = [sys.executable, "-m", "tests.summaries.replay", str(target), *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_files_made_by_chance_break_no_rule_of_c(checked):
    done = replay(checked, str(SEEDS))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{SEEDS} and 0 files")


def test_real_files_break_no_rule_of_c(checked, real_data):
    files = [*real_data.glob("mindspore/**/*_MS"), *real_data.glob("tensorboard/**/events.out.tfevents.*")]
    done = replay(checked, "0", *map(str, files))
    assert done.returncode == 0, done.stderr
    assert f"and {len(files)} files" in done.stdout
