"""The compiled library: used where it is there and of this source, named where not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mindinsight.scalars.kernel.build import PART
from mindinsight.scalars.kernel.library import Kernel
from mindinsight.store import Table
from summaries.kernel.compiling import CompilerError, NoCompilerError, find_compiler
from summaries.kernel.loading import UnusableError

SAY = "from mindinsight.scalars.kernel import library; print(library.KERNEL is None, library.MISSING)"


def test_a_missing_library_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match=r"python -m mindinsight\.scalars\.kernel\.build"):
        Kernel(tmp_path / "none.so")


def test_a_library_of_another_source_is_not_used(compiled: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.so"
    other.write_bytes(compiled.read_bytes().replace(PART.mark(), b"pixels.c " + b"0" * 32))
    assert PART.is_built(compiled)
    assert not PART.is_built(other)
    with pytest.raises(UnusableError, match="another version"):
        Kernel(other)


def test_a_library_for_another_machine_is_not_used(tmp_path: Path) -> None:
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"no library" + PART.mark())
    with pytest.raises(UnusableError, match="cannot be loaded"):
        Kernel(broken)


def test_an_error_of_the_compiler_is_told(compiled: Path, tmp_path: Path) -> None:
    with pytest.raises(CompilerError, match="failed"):
        PART.build(tmp_path / "never.so", flags=("--no-such-flag",))
    assert not list(tmp_path.iterdir())


def test_a_machine_without_a_compiler_is_told_what_was_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CC", "no-such-compiler -O1")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(NoCompilerError, match="ziglang"):
        find_compiler()


def test_the_compiler_that_is_named_is_taken(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", f"{sys.executable} -I")
    assert find_compiler() == [sys.executable, "-I"]


@pytest.mark.processes
def test_it_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDINSIGHT_KERNEL", "0")
    said = subprocess.run([sys.executable, "-c", SAY], capture_output=True, text=True, check=True).stdout
    assert said == "True MINDINSIGHT_KERNEL=0 asks for Python alone\n"


def test_places_are_found_in_any_order(compiled: Path) -> None:
    points = np.zeros(1000, Table.POINTS.dtype)
    points["step"] = np.sort(np.random.default_rng(0).integers(0, 300, 1000))
    sought = np.random.default_rng(1).integers(-10, 310, 500)
    found = Kernel(compiled).search(points, None, "step", sought)
    assert found.tolist() == np.searchsorted(points["step"], sought).tolist()
