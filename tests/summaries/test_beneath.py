"""Files below a directory are opened without following links, whatever is swapped on the way."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from summaries import SummaryWriter
from summaries.beneath import Beneath
from summaries.reading.liveness import WriterState, writer_state
from summaries.reading.parameters import read_lineage
from summaries.reading.reader import EventFileReader
from summaries.records import read_record, read_records


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """An event file that nobody meant to show."""
    with SummaryWriter(tmp_path / "outside" / "run") as writer:
        writer.add_scalar("secret", 1.0, 0)
    return next((tmp_path / "outside" / "run").iterdir())


def linked_run(base: Path, outside: Path) -> str:
    base.mkdir()
    (base / "run").symlink_to(outside.parent)
    return f"run/{outside.name}"


def linked_parent(base: Path, outside: Path) -> str:
    base.mkdir()
    (base / "group").symlink_to(outside.parent.parent)
    return f"group/run/{outside.name}"


def linked_file(base: Path, outside: Path) -> str:
    (base / "run").mkdir(parents=True)
    (base / "run" / outside.name).symlink_to(outside)
    return f"run/{outside.name}"


LINKS = [linked_run, linked_parent, linked_file]
READERS: dict[str, Callable[[Beneath], object]] = {
    "open": Beneath.open,
    "events": lambda path: EventFileReader(path).read(),
    "record": lambda path: read_record(path, 0, 1),
    "records": lambda path: list(read_records(path, [(0, 1)])),
    "lineage": read_lineage,
}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("reader", READERS)
def test_no_link_is_followed(tmp_path: Path, outside: Path, link: Callable[[Path, Path], str], reader: str) -> None:
    path = Beneath(tmp_path / "base", link(tmp_path / "base", outside))
    assert Path(path).read_bytes()
    with pytest.raises(OSError, match="A symbolic link stands in the path") as caught:
        READERS[reader](path)
    assert caught.value.errno == errno.ELOOP


@pytest.mark.parametrize("link", LINKS)
def test_nothing_is_told_of_the_writer_behind_a_link(
    tmp_path: Path, outside: Path, link: Callable[[Path, Path], str]
) -> None:
    assert writer_state(outside) is WriterState.CLOSED
    assert writer_state(Beneath(tmp_path / "base", link(tmp_path / "base", outside))) is WriterState.UNKNOWN


def test_links_in_the_path_of_the_directory_itself_are_followed(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "base").symlink_to(tmp_path / "outside")
    path = Beneath(tmp_path / "base", f"run/{outside.name}")
    assert path.exists()
    assert read_all(EventFileReader(path)) == ["secret"]


def test_a_file_that_is_read_on_is_the_same_file(tmp_path: Path, outside: Path) -> None:
    """The run's directory is swapped between two reads."""
    base = tmp_path / "base"
    with SummaryWriter(base / "run") as writer:
        writer.add_scalar("loss", 1.0, 0)
    file = next((base / "run").iterdir())
    file.rename(file.with_name(outside.name))
    reader = EventFileReader(Beneath(base, f"run/{outside.name}"))
    assert read_all(reader) == ["loss"]
    (base / "run").rename(tmp_path / "moved")
    (base / "run").symlink_to(outside.parent)
    with pytest.raises(OSError, match="A symbolic link stands in the path"):
        reader.read()


@pytest.mark.parametrize("relative", ["", ".", "..", "/etc/passwd", "run/../../x", "run//x", "run/"])
def test_no_other_path_is_below_a_directory(tmp_path: Path, relative: str) -> None:
    with pytest.raises(ValueError, match="is not a path below a directory"):
        Beneath(tmp_path, relative)


def test_a_pipe_does_not_hold_anybody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.close(Beneath(tmp_path, "pipe").open())


def test_no_descriptor_is_left_open(tmp_path: Path, outside: Path) -> None:
    path = Beneath(tmp_path / "base", linked_parent(tmp_path / "base", outside))
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(10):
        assert not path.exists()
        assert Beneath(tmp_path / "outside", f"run/{outside.name}").exists()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def read_all(reader: EventFileReader) -> list[str]:
    """The tags of a file's scalars."""
    batch = reader.read()
    assert len(batch.points)
    return [tag for tag in batch.tags if tag]
