"""Many small files in one call: the same as file by file, and nothing of a file that is odd in any way."""

import os
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summaries import EventFileReader
from summaries.kernel import library
from summaries.reading.classify import Flavour
from summaries.reading.small_files import LONGEST_BYTES, SmallFileReader, SmallFiles

from .conftest import MINDSPORE, TENSORBOARD, Hand
from .hostile import plain_file

if library.LIBRARY is None:
    pytest.skip(f"no compiled reader: {library.MISSING}", allow_module_level=True)

FILES = 8
MOST = 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("small")


@pytest.fixture(scope="module")
def reader() -> SmallFileReader:
    return SmallFileReader(FILES, MOST)


class Parts:
    """What a call found, file by file and tag by tag."""

    def __init__(self, found: SmallFiles) -> None:
        self.by_path = {}
        series, points = iter(zip(found.tags, found.series, strict=True)), found.points
        for file in found.files:
            tags = {}
            for _ in range(file.series):
                tag, facts = next(series)
                tags[tag], points = (facts, points[: facts["count"]]), points[facts["count"] :]
            self.by_path[Path(file.path)] = (file, tags)
        assert not len(points)
        assert next(series, None) is None


def read(reader: SmallFileReader, *paths: Path) -> Parts:
    found = reader.read([str(path) for path in paths])
    assert found.looked == len(paths)
    return Parts(found)


def assert_same(parts: Parts, path: Path) -> None:
    """The results for a file equal those of the reader of single files."""
    file, tags = parts.by_path[path]
    batch = EventFileReader(path).read()
    assert (file.records, file.points, file.size, file.flavour) == (
        batch.records, len(batch.points), batch.offset, batch.flavour,
    )  # fmt: skip
    assert file.inode == path.stat().st_ino
    expected = {batch.tags[number]: points for number, points in batch.scalars()}
    assert list(tags) == batch.tags
    for tag, (facts, points) in tags.items():
        assert points.tobytes() == expected[tag].tobytes()
        finite = points["value"][np.isfinite(points["value"])]
        assert facts["not_finite"] == len(points) - len(finite)
        assert facts["total"] == pytest.approx(finite.sum(), abs=1e-12)
        assert (facts["low"], facts["high"]) == (finite.min(initial=np.inf), finite.max(initial=-np.inf))
        for end, row in (("first", points[0]), ("last", points[-1])):
            assert (facts[f"{end}_step"], facts[f"{end}_wall"]) == (row["step"], row["wall"])
        assert facts["last_value"].tobytes() == points["value"][-1].tobytes()
    if len(batch.points):
        step, wall = batch.points["step"], batch.points["wall"]
        assert (file.lowest_step, file.highest_step) == (step.min(), step.max())
        assert (file.first_wall, file.lowest_wall, file.highest_wall) == (wall[0], wall.min(), wall.max())


@given(seed=st.integers(0, 1 << 32))
def test_the_same_as_file_by_file(reader, folder, hand, seed):
    rounds = Random(seed)
    paths = [folder / f"same{number}" for number in range(rounds.randint(1, FILES))]
    for path in paths:
        path.write_bytes(b"".join(plain_file(rounds, hand)))
    found = read(reader, *paths)
    assert set(found.by_path) == set(paths)
    for path in paths:
        assert_same(found, path)


@given(seed=st.integers(0, 1 << 32))
@settings(max_examples=3 * settings.default.max_examples)
def test_a_damaged_file_gives_nothing_and_harms_no_other(reader, folder, hand, seed):
    rounds = Random(seed)
    before, damaged, behind = (folder / name for name in ("before", "damaged", "behind"))
    for path in (before, damaged, behind):
        path.write_bytes(b"".join(plain_file(rounds, hand)))
    content = bytearray(damaged.read_bytes())
    if rounds.random() < 0.5:
        content[rounds.randrange(len(content))] ^= 1 << rounds.randrange(8)
    else:
        del content[-rounds.randint(1, 15) :]
    damaged.write_bytes(content)
    found = read(reader, before, damaged, behind)
    assert set(found.by_path) == {before, behind}
    assert_same(found, before)
    assert_same(found, behind)


def odd_files(hand: Hand) -> dict[str, bytes]:
    version, plain = hand.record(hand.version(TENSORBOARD)), hand.event(1, hand.scalar("loss", 1.0, tensorboard=True))
    file = {
        "nothing": b"",
        "no version": hand.record(plain),
        "another version": hand.record(hand.version("other.Event:1")) + hand.record(plain),
        "a writer": hand.record(hand.version(MINDSPORE) + hand.field(1000, b"")) + hand.record(plain),
        "a second version": version + hand.record(plain) + version,
        "an image": version + hand.record(hand.event(1, hand.field(1, b"picture") + hand.field(4, b""))),
        "an empty event": version + hand.record(b"\x10\x01"),
        "an empty tag": version + hand.record(hand.event(1, hand.scalar("", 1.0, tensorboard=True))),
        "no text": version + hand.record(hand.event(1, hand.scalar(b"\xff", 1.0, tensorboard=True))),
        "a wall time without number": version + hand.record(hand.event(1, hand.scalar("loss", 1.0), wall=float("nan"))),
        "too many points": version + hand.record(plain) * (MOST + 1),
        "a falling step": version + hand.record(plain) + hand.record(hand.event(0, hand.scalar("loss", 1.0))),
        "too many tags": version
        + b"".join(hand.record(hand.event(1, hand.scalar(f"t{number}", 1.0))) for number in range(1025)),
    }
    file["too long"] = version + hand.record(plain) * (LONGEST_BYTES // len(hand.record(plain)) + 1)
    return file


@pytest.mark.parametrize("name", odd_files(Hand()))
def test_what_is_odd_is_left_to_the_other_reader(reader, tmp_path, hand, name):
    odd, good = tmp_path / "odd", tmp_path / "good"
    odd.write_bytes(odd_files(hand)[name])
    good.write_bytes(b"".join(hand.file(3)))
    found = read(reader, odd, good)
    assert set(found.by_path) == {good}
    assert_same(found, good)


def test_as_many_points_as_are_wanted_are_taken(reader, tmp_path, hand):
    path = tmp_path / "file"
    path.write_bytes(b"".join(hand.file(MOST)))
    assert_same(read(reader, path), path)


def test_what_is_no_file_is_left_alone(reader, tmp_path, hand):
    good, missing, pipe, link = (tmp_path / name for name in ("good", "missing", "pipe", "link"))
    good.write_bytes(b"".join(hand.file(3)))
    os.mkfifo(pipe)
    link.symlink_to(good)
    assert set(read(reader, missing, pipe, link, tmp_path, good).by_path) == {good}


def test_a_call_stops_where_the_next_file_might_find_no_room(tmp_path, hand):
    tags = [f"tag{number}" for number in range(1000)]
    paths = []
    for number in range(FILES):
        paths.append(tmp_path / f"file{number}")
        paths[-1].write_bytes(b"".join(hand.file(1, tags=tags)))
    reader, left = SmallFileReader(FILES, MOST), paths
    while left:
        found = reader.read([str(path) for path in left])
        assert 0 < found.looked < FILES
        parts = Parts(found)
        assert list(parts.by_path) == left[: found.looked]
        assert_same(parts, left[0])
        left = left[found.looked :]


def test_more_files_than_were_asked_for_are_refused(reader):
    with pytest.raises(ValueError, match="at most"):
        reader.read(["file"] * (FILES + 1))


def test_an_empty_training_has_no_series(reader, tmp_path, hand):
    path = tmp_path / "file"
    path.write_bytes(hand.record(hand.version(TENSORBOARD)))
    file, tags = read(reader, path).by_path[path]
    assert (file.records, file.points, tags, file.flavour) == (1, 0, {}, Flavour.TENSORBOARD)
