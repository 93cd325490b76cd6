"""Runs below a directory, growing files, and the remains of a stored file."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mindinsight.ingest import discovery, watcher
from mindinsight.ingest.deletion import is_there
from mindinsight.ingest.discovery import find_runs, search
from mindinsight.ingest.storing.notes import newer
from mindinsight.ingest.watcher import GrowingFiles
from mindinsight.runs.stored_files import StoredFile
from mindinsight.stored_names import beneath
from summaries.beneath import Beneath
from summaries.reading.environment import Noted

OLD, NEW = "events.out.tfevents.1600000000.host", "events.out.tfevents.1700000000.host"


def put(path: Path, content: bytes = b"events") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_run_is_a_directory_with_event_files_oldest_first(tmp_path: Path) -> None:
    new = put(tmp_path / "a" / "b" / NEW, b"12345")
    put(tmp_path / "a" / "b" / OLD)
    put(tmp_path / "a" / "notes.txt")
    put(tmp_path / ".hidden" / NEW)
    put(tmp_path / NEW)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "b" / f"{NEW}.link").symlink_to(new)
    (tmp_path / "a" / f"{NEW}.folder").mkdir()
    new.chmod(0o400)
    runs = find_runs(tmp_path)
    assert sorted(runs) == [".", "a/b"]
    assert [run.name for run in runs.values()] == list(runs)
    old_file, new_file = runs["a/b"].files
    assert (old_file.relative, old_file.opened, old_file.closed) == (f"a/b/{OLD}", 1.6e9, False)
    status = new.stat()
    told = (new_file.inode, new_file.size, new_file.modified, new_file.closed, new_file.device)
    assert told == (status.st_ino, 5, status.st_mtime, True, status.st_dev)
    assert new_file.location == str(new)
    assert new_file.path == Beneath(tmp_path, f"a/b/{NEW}")
    assert [file.relative for file in runs["."].files] == [NEW]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"caf\xe9", "caf\\xe9"),
        (b"\xff/\xfe", "\\xff/\\xfe"),
        (rb"a\xe9", r"a\x5cxe9"),
        (rb"a\x5c", r"a\x5cx5c"),
        (rb"a\n", r"a\n"),
        ("café".encode(), "café"),
    ],
)
def test_names_that_are_not_text_are_shown_escaped(tmp_path: Path, raw: bytes, shown: str) -> None:
    put(Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + raw)) / NEW, b"12345")
    (run,) = find_runs(tmp_path).values()
    assert run.name == shown
    (file,) = run.files
    assert file.relative == f"{shown}/{NEW}"
    assert file.path.stat().st_size == 5
    assert file.path == beneath(tmp_path, file.relative)


def test_directories_of_hparams_belong_to_the_run_around_them(tmp_path: Path) -> None:
    put(tmp_path / "run" / OLD)
    put(tmp_path / "run" / "1600000000.25" / NEW)
    put(tmp_path / "alone" / "1600000000.25" / NEW)
    runs = find_runs(tmp_path)
    assert {name: len(run.files) for name, run in runs.items()} == {"run": 2, "alone/1600000000.25": 1}


def test_what_cannot_be_read_is_left_out_but_for_the_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "a" / NEW)
    put(tmp_path / "b" / NEW)
    scan = os.scandir

    def refuse(path: str) -> Any:
        if str(path).endswith("/a"):
            raise PermissionError(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert list(find_runs(tmp_path)) == ["b"]
    with pytest.raises(FileNotFoundError):
        find_runs(tmp_path / "missing")


def test_very_deep_directories_are_not_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "MAX_DEPTH", 2)
    for name in ("1", "1/2", "1/2/3"):
        put(tmp_path / name / NEW)
    assert list(find_runs(tmp_path)) == ["1", "1/2"]
    pieces = list(search(tmp_path, {}))
    assert [[file.relative for file in files] for files in pieces] == [[], [f"1/{NEW}"], [f"1/2/{NEW}"]]


def file(number: int, path: Path, size: int, complete: bool = True) -> Any:
    row = SimpleNamespace(pk=number, size=size, complete=complete)
    return SimpleNamespace(row=row, found=SimpleNamespace(location=str(path)))


def test_files_that_have_more_than_was_read_are_told_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, clock = put(tmp_path / "file", b"12345"), [100.0]
    monkeypatch.setattr(watcher, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    growing = GrowingFiles()
    grown, same, unread = file(1, path, 4), file(2, path, 5), file(3, path, 4, complete=False)
    (tmp_path / "link").symlink_to(path)
    linked = file(5, tmp_path / "link", len(str(path)))
    path.write_bytes(bytes(len(str(path)) + 1))
    same.row.size = len(str(path)) + 1
    for one in (grown, same, unread, file(4, tmp_path / "gone", 0), linked):
        growing.note(one)
    assert growing.grown() == [grown]
    assert growing.grown() == []
    clock[0] += watcher.LOOK_EVERY_S
    assert growing.grown() == [grown]
    clock[0] += 29.0
    growing.note(same)
    same.row.size = 1
    assert growing.grown() == [grown, same]
    clock[0] += 5.0
    assert growing.grown() == [same]


def test_a_bounded_number_of_files_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "_MOST_FILES", 2)
    path, growing = put(tmp_path / "file"), GrowingFiles()
    files = [file(number, path, 0) for number in range(3)]
    for one in (files[0], files[1], files[0], files[2]):
        growing.note(one)
    assert growing.grown() == [files[0], files[2]]


def test_a_file_is_there_unless_its_path_surely_ends(tmp_path: Path) -> None:
    put(tmp_path / "run" / NEW)
    (tmp_path / "link").symlink_to(tmp_path / "run")

    def there(path: str) -> bool:
        return is_there(tmp_path, StoredFile(path, 6, 1, 0.0))

    assert there(f"run/{NEW}")
    assert not there(f"run/{OLD}")
    assert not there(f"gone/{NEW}")
    assert not there(f"run/{NEW}/below")
    # Nobody knows what a link hides.
    assert there(f"link/{OLD}")


def test_the_newer_environment_counts_and_a_time_that_is_none_is_the_oldest() -> None:
    early, late, never = (Noted(wall, {}) for wall in (1.0, 2.0, float("nan")))
    assert newer(None, None) is None
    assert newer(early, None) is newer(None, early) is early
    assert newer(early, late) is newer(late, early) is late
    assert newer(never, early) is newer(early, never) is early
    again = Noted(2.0, {"again": 1})
    assert newer(late, again) is again
