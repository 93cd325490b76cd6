"""Zeros where records should be, as after a power loss, a failed copy or a preallocation: one damage, soon passed."""

import os
import time
from pathlib import Path
from random import Random

import pytest

from summaries import EventFileReader
from summaries.records import RecordScanner, frame
from summaries.resync import GapSearch, header_candidates

from .both_ways import batches, read_both_ways
from .test_damaged_files import record_starts

PAGE = 4096
LARGEST = 2 << 20


@pytest.fixture(scope="module")
def files(real_data: Path) -> list[Path]:
    """Files of both writers with several records."""
    found = [*real_data.glob("mindspore/**/*_MS"), *real_data.glob("tensorboard/**/events.out.tfevents.*")]
    chosen = [path for path in sorted(found) if 1000 < path.stat().st_size <= LARGEST]
    assert len(chosen) > 5
    return chosen[:12]


def points_of(path: Path) -> list[object]:
    """All values of a file in its order; places are told by their steps, for their offsets differ between copies."""
    found: list[object] = []
    for batch in batches(EventFileReader(path), (1 << 20,)):
        found += [(batch.tags[tag], *point) for tag, point in zip(batch.tag, batch.points.tolist(), strict=True)]
        found += [
            (batch.tags[tag], place[0]) for tag, place in zip(batch.place_tag, batch.places.tolist(), strict=True)
        ]
    return found


def damages_of(path: Path) -> list[tuple[int, int, str]]:
    found = [each for batch in read_both_ways(path, [1 << 20, 50_000]) for each in batch.damages]
    return [(damage.offset, damage.length, damage.code) for damage in found]


def test_zeros_between_records_are_one_damage_and_cost_no_value(tmp_path: Path, files: list[Path]) -> None:
    copy, random = tmp_path / "copy", Random(1)
    for path in files:
        data, expected = path.read_bytes(), points_of(path)
        starts = [start for start, _ in record_starts(data)]
        at, size = random.choice(starts[1:]), random.choice((12, 13, 100, PAGE, 3 * PAGE + 5, 1 << 20, (1 << 20) + 7))
        copy.write_bytes(data[:at] + bytes(size) + data[at:])
        assert damages_of(copy) == [(at, size, "zeros")], (path, at, size)
        assert points_of(copy) == expected


def test_a_page_of_zeros_costs_only_the_records_in_it(tmp_path: Path, files: list[Path]) -> None:
    copy = tmp_path / "copy"
    for path in files:
        data = path.read_bytes()
        pages = len(data) // PAGE
        if pages < 3:
            continue
        at = pages // 2 * PAGE
        copy.write_bytes(data[:at] + bytes(PAGE) + data[at + PAGE :])
        sound = [stop for start, stop in record_starts(data) if stop <= at or start >= at + PAGE]
        damages = damages_of(copy)
        first = next(start for start, stop in record_starts(data) if stop > at)
        assert damages[:1]
        assert damages[0][0] == first
        records = sum(batch.records for batch in batches(EventFileReader(copy), (1 << 20,)))
        assert records >= len(sound)


def test_zeros_at_the_end_wait_and_are_described(tmp_path: Path, files: list[Path]) -> None:
    copy = tmp_path / "copy"
    for path in files:
        data = path.read_bytes()
        copy.write_bytes(data + bytes(5000))
        (*_, last) = read_both_ways(copy)
        assert (last.offset, last.complete, last.damage_count) == (len(data), True, 0)
        assert last.gap is not None
        assert (last.gap.offset, last.gap.length, last.gap.code) == (len(data), 5000, "zeros")
        assert "5000 zero bytes" in last.gap.message
    assert EventFileReader(files[0]).read(1 << 30).gap is None


def test_a_file_of_zeros_that_is_filled_is_read_as_if_it_had_grown(tmp_path: Path, files: list[Path]) -> None:
    copy = tmp_path / "copy"
    for path in files:
        data = path.read_bytes()
        copy.write_bytes(bytes(len(data) + PAGE))
        reader, found = EventFileReader(copy), 0
        assert reader.read(1 << 30).records == 0
        step = max(500, len(data) // 20)
        with copy.open("r+b") as file:
            for start in range(0, len(data), step):
                file.write(data[start : start + step])
                file.flush()
                os.utime(copy, (start + 1, start + 1))  # clocks of file systems are slow
                found += sum(batch.records for batch in batches(reader, (1 << 20,)))
        assert found == sum(1 for _ in record_starts(data)), path
        assert reader.offset == len(data)


def test_passing_zeros_finds_what_trying_every_byte_finds() -> None:
    random = Random(5)
    for _ in range(200):
        pieces = [
            random.choice(
                (bytes(random.randrange(40)), random.randbytes(random.randrange(20)), frame(b""), frame(b"x"))
            )
            for _ in range(12)
        ]
        data = b"".join(pieces)
        gap = GapSearch(0, 1 << 20)
        found = gap.search(lambda offset, count, data=data: data[offset : offset + count], len(data), 1 << 30)
        positions, lengths = header_candidates(data, 1 << 20) if len(data) >= 12 else ([], [])
        whole = [
            at for at, length in zip(positions, lengths, strict=True) if data[at:].startswith(frame(b"x"[:length]))
        ]
        assert found == (whole[0] if whole else None)


def test_a_hole_of_gigabytes_takes_no_time(tmp_path: Path) -> None:
    path = tmp_path / "events.out.tfevents.1.host"
    first, last = frame(b"\x09" + bytes(8)), frame(b"\x11" + bytes(8))
    with path.open("wb") as file:
        file.write(first)
        file.seek(5 << 30)
        file.write(last)
    if path.stat().st_blocks * 512 > 1 << 20:
        pytest.skip("the file system has no holes")
    began = time.process_time()
    found = list(batches(EventFileReader(path), (4 << 20,)))
    assert time.process_time() - began < 5
    assert len(found) < 10
    (damage,) = [damage for batch in found for damage in batch.damages]
    assert (damage.offset, damage.offset + damage.length) == (len(first), 5 << 30)
    assert (damage.code, damage.detail["zeros"]) == ("zeros", damage.length)


def test_a_hundred_megabytes_of_zeros_are_read_once(tmp_path: Path) -> None:
    size = 100 << 20
    looked: list[int] = []

    def read_at(offset: int, count: int) -> bytes:
        looked.append(count)
        return bytes(min(count, size - offset))

    scanner = RecordScanner()
    for _ in range(100):
        assert list(scanner.scan(read_at, size, 4 << 20)) == []
        if scanner.complete:
            break
    assert scanner.complete
    assert sum(looked) < 1.1 * size
    looked.clear()
    for _ in range(10):
        assert list(scanner.scan(read_at, size, 4 << 20)) == []
    assert sum(looked) < 4096
    tail = scanner.gap(size)
    assert tail is not None
    assert (tail.offset, tail.length, tail.detail["zeros"]) == (0, size, size)


def test_many_zeros_are_not_read_again_each_time_that_something_is_written_before_them() -> None:
    size, looked = 100 << 20, 0
    written = b""

    def read_at(offset: int, count: int) -> bytes:
        nonlocal looked
        looked += count
        count = min(count, size - offset)
        return (written[offset : offset + count]).ljust(count, b"\0")

    scanner = RecordScanner()
    assert list(scanner.scan(read_at, size, 1 << 30)) == []
    looked = 0
    for number in range(10):
        written += frame(bytes([number]) * 50)
        assert len(list(scanner.scan(read_at, size, 1 << 30))) == 1
    assert looked < size
