"""Real files cut off and broken at random places: no record outside the broken ones is lost, by either way of reading.

What each record holds is taken from the whole file, read record by record by hand.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import pytest

from summaries import Batch, EventFileReader
from summaries.kernel import library

from .both_ways import batches, everything, python_alone, read_both_ways

COUNT = 1000 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 20
LARGEST = 2 << 20


@pytest.fixture(scope="module", autouse=True)
def compiled():
    if library.LIBRARY is None:
        pytest.skip(f"no compiled reader: {library.MISSING}")


@pytest.fixture(scope="module")
def files(real_data: Path) -> list[Path]:
    """Files of both writers, up to a size that can be read over and over."""
    found = [*real_data.glob("mindspore/**/*_MS"), *real_data.glob("tensorboard/**/events.out.tfevents.*")]
    assert len(found) > 12
    return sorted(path for path in found if path.stat().st_size <= LARGEST)


def test_every_real_file_is_the_same_both_ways(real_data):
    found = [path for path in real_data.rglob("*") if path.is_file() and path.stat().st_size < 64 << 20]
    assert len(found) > 20
    for path in found:
        read_both_ways(path, [1 << 20, 100_000, 777])


def record_starts(data: bytes) -> Iterator[tuple[int, int]]:
    offset = 0
    while offset < len(data):
        stop = offset + 16 + int.from_bytes(data[offset : offset + 8], "little")
        yield offset, stop
        offset = stop


Rows = tuple[list[object], list[object]]


def rows_by_record(path: Path) -> dict[int, Rows]:
    """What each record of a sound file holds, by its offset."""
    found: dict[int, Rows] = {}
    with python_alone():
        reader = EventFileReader(path)
        for start, _ in list(record_starts(path.read_bytes())):
            batch = reader.read(1)
            found[start] = rows([batch])
            assert batch.records == 1
    return found


def rows(found: Iterable[Batch]) -> Rows:
    """The points and the places of batches, each with its tag."""
    points: list[object] = []
    places: list[object] = []
    names = ["step", "wall", "length", "start", "size"]
    for batch in found:
        tags = batch.tags
        points += [(tags[tag], point.tobytes()) for tag, point in zip(batch.tag, batch.points, strict=True)]
        columns = zip(batch.place_tag, batch.place_kind, batch.places, strict=True)
        places += [(tags[tag], int(kind), place[names].tobytes()) for tag, kind, place in columns]
    return points, places


def harm(random: Random, data: bytes) -> tuple[bytes, list[int]]:
    """Return a broken copy, and the places that are broken. The first record, which says whose file it is, stays."""
    content = bytearray(data)
    _, first = next(record_starts(data))
    broken = [random.randrange(first, len(data)) for _ in range(random.choice([1, 1, 5]))]
    if random.random() < 0.5:
        return bytes(content[: broken[0]]), []
    for place in broken:
        content[place] ^= 1 << random.randrange(8)
    return bytes(content), broken


def test_no_record_outside_the_broken_ones_is_lost(files, tmp_path):
    sound = {path: (path.read_bytes(), rows_by_record(path)) for path in files}
    path = tmp_path / "file"
    for seed in range(COUNT):
        random = Random(seed)
        source = random.choice(files)
        data, expected = sound[source]
        content, broken = harm(random, data)
        path.write_bytes(content)
        found = rows(read_both_ways(path, [random.choice([1 << 20, 4096])]))
        for start, stop in record_starts(data):
            if stop <= len(content) and not any(start <= place < stop for place in broken):
                for of_record, of_file in zip(expected[start], found, strict=True):
                    drop(of_record, of_file, f"{source.name}, seed {seed}, byte {start}")


def drop(wanted: list[object], found: list[object], what: str) -> None:
    """Drop everything before the wanted rows, which must exist, from the results."""
    for row in wanted:
        assert row in found[:200], what
        del found[: found.index(row) + 1]


def test_broken_copies_are_the_same_both_ways_while_they_grow(files, tmp_path):
    for seed in range(COUNT):
        random = Random(seed)
        data = bytearray(random.choice(files).read_bytes()[: random.choice([3000, 60_000])])
        for _ in range(random.randrange(4)):
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        path = tmp_path / f"file {seed}"
        path.touch()
        with python_alone():
            slow = EventFileReader(path)
        fast = EventFileReader(path)
        for end in [*sorted(random.randrange(len(data)) for _ in range(6)), len(data)]:
            path.write_bytes(data[:end])
            for one, other in zip(batches(fast, [1 << 20]), batches(slow, [1 << 20]), strict=True):
                assert everything(one) == everything(other), seed
        assert fast.tail() == slow.tail()
