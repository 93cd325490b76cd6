"""The store's identity and format: the same until it is cleared, and nothing of another format is ever mixed in."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mindinsight.store import ColumnStore, Table

ROW = np.zeros(1, Table.POINTS.dtype)
ASK = """
import sys
from pathlib import Path
from mindinsight.store import ColumnStore
sys.stdin.readline()
print(ColumnStore(Path(sys.argv[1])).identity)
"""


@pytest.fixture(params=["0", "1\n", "4\n", None])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A store of another format, or of the first one, which did not name itself."""
    (tmp_path / "1" / "07").mkdir(parents=True)
    (tmp_path / "1" / "7.points").write_bytes(bytes(48))
    (tmp_path / "identity").write_text("before")
    if request.param is not None:
        (tmp_path / "FORMAT").write_text(request.param)
    return tmp_path


def test_the_identity_lasts_until_the_store_is_cleared(tmp_path: Path) -> None:
    store = ColumnStore(tmp_path / "columns")
    first = store.identity
    assert first
    assert ColumnStore(tmp_path / "columns").identity == first
    store.write(Table.POINTS, 1, 7, 0, ROW)
    second = store.clear()
    assert second not in (first, "")
    assert ColumnStore(tmp_path / "columns").identity == second
    assert store.count(Table.POINTS, 1, 7) == 0


def test_a_new_store_is_empty_until_something_is_written(tmp_path: Path) -> None:
    store = ColumnStore(tmp_path)
    assert store.identity
    assert store.empty
    store.write(Table.POINTS, 1, 7, 0, ROW)
    assert not store.empty
    store.clear()
    assert store.empty


def test_another_format_is_empty_for_readers_and_says_so(other: Path) -> None:
    store = ColumnStore(other)
    assert store.identity == ""
    assert store.count(Table.POINTS, 1, 7) == 0
    assert len(store.read(Table.POINTS, 1, 7)) == 0
    assert (other / "1" / "7.points").exists()
    assert not store.empty
    with pytest.raises(RuntimeError, match="another format"):
        store.write(Table.POINTS, 1, 7, 0, ROW)


def test_the_writer_clears_another_format_and_readers_go_on_with_the_new_one(other: Path) -> None:
    reader, writer = ColumnStore(other), ColumnStore(other)
    assert reader.identity == ""
    identity = writer.clear()
    assert identity not in ("", "before")
    assert reader.identity == identity
    assert not (other / "1").exists()
    writer.write(Table.POINTS, 1, 7, 0, ROW)
    assert reader.count(Table.POINTS, 1, 7) == 1
    assert ColumnStore(other).identity == identity


def test_another_format_without_content_is_another_format(tmp_path: Path) -> None:
    (tmp_path / "identity").write_text("before")
    store = ColumnStore(tmp_path)
    assert store.identity == ""
    assert not store.empty
    assert store.clear() != "before"
    assert store.empty


def test_clearing_that_was_broken_off_leaves_another_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ColumnStore(tmp_path)
    first = store.identity
    store.write(Table.POINTS, 1, 7, 0, ROW)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shutil.rmtree", killed)
    with pytest.raises(KeyboardInterrupt):
        store.clear()
    monkeypatch.undo()
    assert ColumnStore(tmp_path).identity != first


def test_a_directory_that_was_deleted_is_another_store(tmp_path: Path) -> None:
    store = ColumnStore(tmp_path / "columns")
    first = store.identity
    shutil.rmtree(tmp_path / "columns")
    second = store.identity
    assert second not in (first, "")
    assert ColumnStore(tmp_path / "columns").identity == second


def test_no_drafts_are_left_behind(tmp_path: Path) -> None:
    store = ColumnStore(tmp_path)
    assert store.identity
    store.clear()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["FORMAT", "identity"]


@pytest.mark.processes
def test_processes_that_start_together_agree(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ASK, str(tmp_path / "columns")]
    racers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    names = {racer.communicate("go\n")[0].strip() for racer in racers}
    assert len(names) == 1
    assert names != {""}
