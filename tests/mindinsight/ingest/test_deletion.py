"""Only files that were stored are deleted, whatever was put in their place: an attacker changes the directories."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mindinsight.ingest.deletion import delete_files
from mindinsight.runs.stored_files import StoredFile

ROUNDS = 3000 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 200
NAME = "events.out.tfevents.1"


class Place:
    """A base directory with a run, and a directory outside with a file of the same name."""

    def __init__(self, root: Path) -> None:
        self.base = root / "base"
        self.outside = root / "outside"
        self.run = self.base / "group" / "run"
        self.file = self.run / NAME
        self.run.mkdir(parents=True)
        (self.outside / "run").mkdir(parents=True)
        self.file.write_bytes(b"events")
        self.foreign = self.outside / "run" / NAME
        self.foreign.write_bytes(b"events")
        (self.outside / NAME).hardlink_to(self.foreign)

    def stored(self) -> StoredFile:
        status = self.file.stat()
        return StoredFile(f"group/run/{NAME}", status.st_size, status.st_ino, status.st_mtime)


def swap_run(place: Place) -> None:
    place.run.rename(place.outside / "moved")
    place.run.symlink_to(place.outside / "run")


def swap_parent(place: Place) -> None:
    place.run.parent.rename(place.outside / "moved")
    place.run.parent.symlink_to(place.outside)


def link_file(place: Place) -> None:
    place.file.unlink()
    place.file.symlink_to(place.foreign)


def hard_link_file(place: Place) -> None:
    place.file.unlink()
    place.file.hardlink_to(place.foreign)


def replace_file(place: Place) -> None:
    (place.run / "new").write_bytes(b"others")
    (place.run / "new").replace(place.file)


def rewrite_file(place: Place) -> None:
    place.file.write_bytes(b"other")


def replace_by_directory(place: Place) -> None:
    place.file.unlink()
    place.file.mkdir()


ATTACKS: dict[Callable[[Place], None], str] = {
    swap_run: "symbolic_link",
    swap_parent: "symbolic_link",
    link_file: "symbolic_link",
    hard_link_file: "other_file",
    replace_file: "other_file",
    rewrite_file: "other_file",
    replace_by_directory: "other_file",
}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_nothing_else_is_deleted(place: Place, attack: Callable[[Place], None]) -> None:
    stored = place.stored()
    attack(place)
    (refusal,) = delete_files(place.base, [stored])
    assert (refusal.file, refusal.code) == (stored, f"not_deleted_{ATTACKS[attack]}")
    assert place.foreign.read_bytes() == b"events"
    assert os.path.lexists(place.file)


def test_what_was_stored_is_deleted_with_its_empty_directory(place: Place) -> None:
    assert delete_files(place.base, [place.stored()]) == []
    assert not place.run.exists()
    assert place.run.parent.is_dir()


def test_a_file_that_grew_is_the_same(place: Place) -> None:
    stored = place.stored()
    with place.file.open("ab") as file:
        file.write(b"more")
    assert delete_files(place.base, [stored]) == []


def test_an_entry_of_an_older_version_knows_no_inode(place: Place) -> None:
    assert delete_files(place.base, [StoredFile.of([f"group/run/{NAME}", 6])]) == []
    assert not place.file.exists()


def test_some_of_a_run_s_files_are_left(place: Place) -> None:
    first = place.stored()
    second = place.run / "events.out.tfevents.2"
    second.write_bytes(b"more")
    status = second.stat()
    others = StoredFile(f"group/run/{second.name}", 4, status.st_ino, status.st_mtime)
    link_file(place)
    assert [refusal.file for refusal in delete_files(place.base, [first, others])] == [first]
    assert list(place.run.iterdir()) == [place.file]


def test_a_file_that_is_gone_is_deleted(place: Place) -> None:
    stored = place.stored()
    shutil.rmtree(place.run)
    assert delete_files(place.base, [stored]) == []


def test_a_read_only_file_system_is_named(place: Place) -> None:
    if subprocess.run(["mount", "--bind", place.run, place.run], check=False, capture_output=True).returncode:
        pytest.skip("this account may not mount")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", place.run], check=True)
        (refusal,) = delete_files(place.base, [place.stored()])
    finally:
        subprocess.run(["umount", place.run], check=True)
    assert refusal.code == "not_deleted_read_only"
    assert place.file.exists()


def test_directories_that_are_swapped_all_the_time_lead_nowhere(place: Place) -> None:
    """Somebody exchanges the parent for a link while files are deleted; the files outside have the same names."""
    stopping = threading.Event()
    parent, kept = place.run.parent, place.base / "kept"

    def swap() -> None:
        while not stopping.is_set():
            parent.rename(kept)
            parent.symlink_to(place.outside)
            parent.unlink()
            kept.rename(parent)

    status = place.foreign.stat()
    stored = StoredFile(f"group/run/{NAME}", status.st_size, status.st_ino, status.st_mtime)
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        # The attacker knows even the inode: what is stored says the file outside.
        codes = {refusal.code for _ in range(ROUNDS) for refusal in delete_files(place.base, [stored])}
    finally:
        stopping.set()
        thread.join()
    assert place.foreign.exists()
    assert codes <= {"not_deleted_symbolic_link", "not_deleted_other_file"}
    assert place.file.exists()
