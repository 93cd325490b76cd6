"""The compiled loops and those in Python find the same, to the last node; the library says why it cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.measuring.graph_planted import Planted, experts, planted, training, transformer
from mindinsight.graphs.substructures import full_document, recognise
from mindinsight.graphs.substructures.kernel import library
from mindinsight.graphs.substructures.kernel.build import PART
from mindinsight.graphs.substructures.kernel.library import Kernel
from summaries.kernel.loading import UnusableError

GRAPHS = {
    "layers": transformer(6),
    "swapped": transformer(8).swapped(0.5, 1),
    "changed": transformer(10).changed("layer", 0.2, 2),
    "shuffled": transformer(5).shuffled(3),
    "experts": experts(3, 3),
    "training": training(3),
    "noise": planted(600, 2, 4, 15, seed=5),
    "few labels": planted(500, 2, 4, 15, labels=6, seed=6),
}


@pytest.mark.parametrize("made", GRAPHS.values(), ids=GRAPHS.keys())
def test_python_finds_what_the_kernel_finds(made: Planted, compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = made.graph()
    monkeypatch.setattr(library, "KERNEL", Kernel(compiled))
    ours = full_document(recognise(graph))
    monkeypatch.setattr(library, "KERNEL", None)
    assert full_document(recognise(graph)) == ours
    assert ours["substructures"]


def test_a_missing_library_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match=r"python -m mindinsight\.graphs\.substructures\.kernel\.build"):
        Kernel(tmp_path / "none.so")


def test_a_library_of_another_source_is_not_used(compiled: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.so"
    other.write_bytes(compiled.read_bytes().replace(PART.mark(), b"repeats.c " + b"0" * 32))
    with pytest.raises(UnusableError, match="another version"):
        Kernel(other)


def test_a_library_for_another_machine_is_not_used(tmp_path: Path) -> None:
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"no library" + PART.mark())
    with pytest.raises(UnusableError, match="cannot be loaded"):
        Kernel(broken)
