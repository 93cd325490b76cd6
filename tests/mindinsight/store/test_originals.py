"""Second names for event files: they keep what was deleted, follow what grows, and never lead anywhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindinsight.store import Originals
from summaries.beneath import Beneath


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Where the store keeps the second name of file 5 of run 3."""
    return tmp_path / "columns" / "3" / "file-5.events"


@pytest.fixture
def originals(tmp_path: Path) -> Originals:
    return Originals(tmp_path / "columns")


@pytest.fixture
def original(tmp_path: Path) -> Beneath:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "events.out").write_bytes(b"as written")
    return Beneath(tmp_path / "runs", "events.out")


def test_a_link_is_the_same_file_and_grows_with_it(originals: Originals, original: Beneath, kept: Path) -> None:
    assert originals.link(3, 5, original)
    assert originals.link(3, 5, original)
    with Path(original).open("ab") as file:
        file.write(b" later")
    assert kept.read_bytes() == b"as written later"
    assert kept.stat().st_ino == original.stat().st_ino


def test_a_link_follows_a_file_that_was_replaced(originals: Originals, original: Beneath, kept: Path) -> None:
    assert originals.link(3, 5, original)
    Path(original).unlink()
    Path(original).write_bytes(b"another")
    assert originals.link(3, 5, original)
    assert kept.read_bytes() == b"another"


def test_a_symbolic_link_is_not_kept(originals: Originals, tmp_path: Path, kept: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "secret").write_bytes(b"of somebody else")
    (tmp_path / "runs" / "events.out").symlink_to(tmp_path / "secret")
    assert not originals.link(3, 5, Beneath(tmp_path / "runs", "events.out"))
    assert not kept.is_symlink()
    assert not kept.exists()


def test_what_cannot_be_linked_says_so(originals: Originals, original: Beneath, kept: Path) -> None:
    Path(original).unlink()
    assert not originals.link(3, 5, original)
    assert not kept.exists()


def test_a_copy_is_made_again_when_the_original_has_grown(originals: Originals, original: Beneath, kept: Path) -> None:
    kept.parent.mkdir(parents=True)
    originals.copy(3, 5, original)
    assert kept.read_bytes() == b"as written"
    assert kept.stat().st_mode & 0o777 == 0o600
    made = kept.stat().st_ino
    originals.copy(3, 5, original)
    assert kept.stat().st_ino == made
    Path(original).write_bytes(b"as written later")
    originals.copy(3, 5, original)
    assert kept.read_bytes() == b"as written later"
    assert [path.name for path in kept.parent.iterdir()] == ["file-5.events"]


def test_a_copy_that_fails_leaves_the_older_one_and_no_draft(
    originals: Originals, original: Beneath, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.parent.mkdir(parents=True)
    originals.copy(3, 5, original)
    Path(original).write_bytes(b"as written later")

    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(OSError, match="No space"):
        originals.copy(3, 5, original)
    assert kept.read_bytes() == b"as written"
    assert [path.name for path in kept.parent.iterdir()] == ["file-5.events"]


def test_a_file_is_read_where_it_is_and_then_where_it_was_kept(
    originals: Originals, original: Beneath, kept: Path
) -> None:
    assert originals.find(3, 5, original) is original
    originals.link(3, 5, original)
    assert originals.find(3, 5, original) is original
    Path(original).unlink()
    assert originals.find(3, 5, original) == kept
    originals.remove(3, 5)
    originals.remove(3, 5)
    assert originals.find(3, 5, original) is original
    assert not kept.exists()
