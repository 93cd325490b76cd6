"""Framing: checksums by known vectors, records by hand, scanning of whole, torn and broken bytes."""

import struct

import pytest

from summaries.damages import DamageReason
from summaries.records import MAX_RECORD_BYTES, RecordScanner, frame, masked_crc


def scan(data: bytes, scanner: RecordScanner | None = None, budget: int = 1 << 30, **options):
    scanner = scanner or RecordScanner(**options)
    found = list(scanner.scan(lambda offset, count: data[offset : offset + count], len(data), budget))
    return found, scanner


@pytest.mark.parametrize(
    ("data", "crc"),
    [
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(reversed(range(32))), 0x113FDB5C),
    ],
)
def test_crc_has_the_values_of_rfc_3720(hand, data, crc):
    assert hand.crc32c(data) == crc
    assert masked_crc(data) == ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF == hand.masked(data)


@pytest.mark.parametrize("payload", [b"", b"x", b"hello world", bytes(1000), bytes(range(256)) * 9])
def test_a_frame_is_what_the_format_says(hand, payload):
    assert frame(payload) == hand.record(payload)


def test_scanning_gives_payloads_and_their_offsets(hand):
    payloads = [b"one", b"", b"three" * 100]
    found, scanner = scan(b"".join(map(hand.record, payloads)))
    assert found == [(0, b"one"), (19, b""), (35, payloads[2])]
    assert scanner.complete
    assert not scanner.damages
    assert scanner.offset == scanner.spent == 35 + 516


@pytest.mark.parametrize("budget", [1, 20, 60, 100, 10_000])
def test_small_budgets_give_the_same_records_in_more_calls(hand, budget):
    payloads = [bytes([n]) * n for n in range(40)]
    data = b"".join(map(hand.record, payloads))
    scanner = RecordScanner()
    found = []
    calls = 0
    while not scanner.complete:
        found += scan(data, scanner, budget)[0]
        assert scanner.spent <= max(budget, 56)
        calls += 1
    assert [payload for _, payload in found] == payloads
    assert calls >= len(data) / max(budget, 56)


@pytest.mark.parametrize("cut", range(1, 24))
def test_a_half_written_record_waits_for_its_last_byte(hand, cut):
    data = hand.record(b"first") + hand.record(b"second")
    scanner = RecordScanner()
    whole = len(hand.record(b"first"))
    found, _ = scan(data[:-cut] if cut <= 22 else data[:whole], scanner)
    assert [payload for _, payload in found] == [b"first"]
    assert scanner.complete
    assert not scanner.damages
    assert scan(data, scanner)[0] == [(whole, b"second")]


def test_the_tail_of_a_dead_file_can_be_described(hand):
    data = hand.record(b"first") + hand.record(b"second")[:-1]
    _, scanner = scan(data)
    tail = scanner.tail(len(data))
    assert (tail.offset, tail.length, tail.reason) == (21, 21, DamageReason.UNFINISHED)
    assert scanner.tail(21) is None


def test_a_broken_payload_is_skipped_alone(hand):
    records = [bytearray(hand.record(name)) for name in (b"aaaa", b"bbbb", b"cccc")]
    records[1][13] ^= 1
    found, scanner = scan(b"".join(records))
    assert [payload for _, payload in found] == [b"aaaa", b"cccc"]
    (damage,) = scanner.damages
    assert (damage.offset, damage.length, damage.reason) == (20, 20, DamageReason.PAYLOAD_CRC)
    assert "byte 20" in damage.message


def test_a_broken_payload_at_the_end_is_reported_at_once(hand):
    data = hand.record(b"aaaa") + hand.record(b"bbbb")[:-1] + b"?"
    found, scanner = scan(data)
    assert [payload for _, payload in found] == [b"aaaa"]
    assert [damage.offset for damage in scanner.damages] == [20]
    assert scanner.offset == len(data)


def test_a_broken_length_is_searched_past(hand):
    records = [bytearray(hand.record(name)) for name in (b"aaaa", b"bbbb", b"cccc", b"dddd")]
    records[1][0] ^= 4
    found, scanner = scan(b"".join(records))
    assert [payload for _, payload in found] == [b"aaaa", b"cccc", b"dddd"]
    (damage,) = scanner.damages
    assert (damage.offset, damage.length, damage.reason) == (20, 20, DamageReason.LENGTH_CRC)
    assert "next valid record is at byte 40" in damage.message


def test_records_behind_a_torn_one_are_not_lost(hand):
    """A writer died in the middle of a record and another went on in the same file."""
    torn = hand.record(b"x" * 100)[:50]
    rest = [hand.record(bytes([n]) * 20) for n in range(6)]
    found, scanner = scan(hand.record(b"first") + torn + b"".join(rest))
    assert [payload for _, payload in found] == [b"first", *(bytes([n]) * 20 for n in range(6))]
    assert [(damage.offset, damage.length) for damage in scanner.damages] == [(21, 50)]


def test_bytes_before_the_first_record_are_a_gap(hand):
    found, scanner = scan(b"garbage!" + hand.record(b"one"))
    assert found == [(8, b"one")]
    assert [(damage.offset, damage.length) for damage in scanner.damages] == [(0, 8)]


def header(length: int, hand) -> bytes:
    data = struct.pack("<Q", length)
    return data + struct.pack("<I", hand.masked(data))


@pytest.mark.parametrize("length", [MAX_RECORD_BYTES + 1, 1 << 40, 1 << 60, (1 << 64) - 1])
def test_an_impossible_length_is_never_allocated(hand, length):
    data = header(length, hand) + b"payload" + hand.record(b"after")
    largest = 0

    def read_at(offset: int, count: int) -> bytes:
        nonlocal largest
        largest = max(largest, count)
        return data[offset : offset + count]

    scanner = RecordScanner()
    assert list(scanner.scan(read_at, len(data), 1 << 30)) == [(19, b"after")]
    assert largest <= len(data)
    (damage,) = scanner.damages
    assert (damage.offset, damage.length, damage.reason) == (0, 19, DamageReason.TOO_LARGE)


def test_a_record_over_the_cap_is_passed_over_unread(hand):
    data = hand.record(b"a") + hand.record(bytes(5000)) + hand.record(b"b")
    found, scanner = scan(data, max_record_bytes=4999)
    assert [payload for _, payload in found] == [b"a", b"b"]
    assert [(d.offset, d.length, d.reason) for d in scanner.damages] == [(17, 5016, DamageReason.TOO_LARGE)]
    assert len(scan(data, max_record_bytes=5000)[0]) == 3


@pytest.mark.parametrize("cap", [0, -1, 1 << 32])
def test_the_cap_has_limits(cap):
    with pytest.raises(ValueError, match="max_record_bytes"):
        RecordScanner(max_record_bytes=cap)
