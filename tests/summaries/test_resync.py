"""Finding the next valid record: against a search byte by byte, in growing files, in files made to be slow."""

import time

import numpy as np
import pytest

from summaries.damages import DamageReason
from summaries.records import RecordScanner
from summaries.resync import GapSearch, header_candidates

LENGTHS = [0, 1, 255, 256, 70_000, (64 << 20) - 1, 64 << 20, (64 << 20) + 1, 1 << 40]


def sound_headers(hand, data: bytes, cap: int) -> list[tuple[int, int]]:
    found = []
    for position in range(len(data) - 11):
        length = int.from_bytes(data[position : position + 8], "little")
        crc = int.from_bytes(data[position + 8 : position + 12], "little")
        if length <= cap and hand.masked(data[position : position + 8]) == crc:
            found.append((position, length))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_headers_are_found_wherever_they_stand(hand, seed):
    rng = np.random.default_rng(seed)
    pieces = []
    for _ in range(12):
        length = LENGTHS[rng.integers(len(LENGTHS))]
        data = length.to_bytes(8, "little")
        pieces.append(data + hand.masked(data).to_bytes(4, "little"))
        pieces.append([b"", bytes(rng.integers(30)), rng.bytes(rng.integers(30))][rng.integers(3)])
    window = b"".join(pieces)
    positions, lengths = header_candidates(window, 64 << 20)
    expected = sound_headers(hand, window, 64 << 20)
    assert len(expected) >= 3
    assert list(zip(positions.tolist(), lengths.tolist(), strict=True)) == expected


def test_zeros_are_no_headers():
    assert len(header_candidates(bytes(100_000), 64 << 20)[0]) == 0


class Growing:
    """Bytes that become visible little by little, with a count of what was read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = 0
        self.read = 0

    def read_at(self, offset: int, count: int) -> bytes:
        part = self.data[offset : min(offset + count, self.size)]
        self.read += len(part)
        return part


def test_a_gap_is_not_searched_again_each_time_the_file_grows(hand):
    garbage = np.random.default_rng(1).bytes(200_000)
    source = Growing(garbage + hand.record(b"found"))
    scanner = RecordScanner()
    for size in range(0, 200_000, 1000):
        source.size = size
        assert list(scanner.scan(source.read_at, size, 8 << 20)) == []
        assert scanner.complete
        assert not scanner.damages
        assert scanner.offset == 0
    assert source.read < 3 * 200_000
    source.size = len(source.data)
    assert list(scanner.scan(source.read_at, source.size, 8 << 20)) == [(200_000, b"found")]
    assert [(d.offset, d.length, d.reason) for d in scanner.damages] == [(0, 200_000, DamageReason.LENGTH_CRC)]


def test_a_record_that_grows_behind_a_gap_is_found_with_its_last_byte(hand):
    first = bytearray(hand.record(b"broken"))
    first[9] ^= 0x40
    source = Growing(bytes(first) + hand.record(b"sound" * 10))
    scanner = RecordScanner()
    for size in range(len(source.data)):
        source.size = size
        assert list(scanner.scan(source.read_at, size, 1 << 20)) == []
        assert not scanner.damages
    source.size = len(source.data)
    assert list(scanner.scan(source.read_at, source.size, 1 << 20)) == [(22, b"sound" * 10)]
    assert [(d.offset, d.length) for d in scanner.damages] == [(0, 22)]


def test_a_false_candidate_does_not_stop_the_search(hand):
    """A header in the garbage claims a megabyte that never comes; later records are found all the same."""
    claim = (1 << 20).to_bytes(8, "little")
    garbage = b"garbage" + claim + hand.masked(claim).to_bytes(4, "little") + b"more"
    source = Growing(garbage + hand.record(b"sound"))
    source.size = len(source.data)
    scanner = RecordScanner()
    assert list(scanner.scan(source.read_at, source.size, 1 << 20)) == [(len(garbage), b"sound")]


def test_a_tail_of_garbage_is_described_once_the_file_grows_no_more(hand):
    data = hand.record(b"sound") + b"garbage" * 10
    scanner = RecordScanner()
    found = list(scanner.scan(lambda offset, count: data[offset : offset + count], len(data), 1 << 20))
    assert len(found) == 1
    assert scanner.complete
    tail = scanner.tail(len(data))
    assert (tail.offset, tail.length, tail.reason) == (21, 70, DamageReason.LENGTH_CRC)


def test_a_search_within_a_budget_goes_on_where_it_stopped(hand):
    data = np.random.default_rng(2).bytes(3 << 20) + hand.record(b"found")
    gap = GapSearch(0, 64 << 20)
    calls = 0
    while (found := gap.search(lambda offset, count: data[offset : offset + count], len(data), 1 << 20)) is None:
        assert not gap.exhausted
        assert gap.spent <= 3 << 20
        calls += 1
    assert found == 3 << 20
    assert 1 <= calls <= 4


def test_a_file_of_nothing_but_headers_cannot_stall_a_call(hand):
    """Each header is sound and claims all the rest of the file, so each would have megabytes checked."""
    length = 2 << 20
    claim = length.to_bytes(8, "little") + hand.masked(length.to_bytes(8, "little")).to_bytes(4, "little")
    data = b"?" + claim * (2 * length // 12)
    scanner = RecordScanner()
    for _ in range(5):
        start = time.perf_counter()
        assert list(scanner.scan(lambda offset, count: data[offset : offset + count], len(data), 1 << 20)) == []
        assert time.perf_counter() - start < 2
        assert not scanner.complete


def test_many_broken_places_take_bounded_calls(hand):
    records = [bytearray(hand.record(b"payload%d" % n)) for n in range(4000)]
    for broken in records[::2]:
        broken[8] ^= 1
    data = b"".join(records)
    scanner = RecordScanner()
    found, calls = 0, 0
    while not scanner.complete:
        found += len(list(scanner.scan(lambda offset, count: data[offset : offset + count], len(data), 1 << 20)))
        calls += 1
    assert found == 2000
    assert len(scanner.damages) == 2000
    assert calls > 5
