"""Record framing of event files (the TFRecord layout): frame a payload, scan bytes back into payloads.

A record is `length u64 | masked CRC-32C of the length | payload | masked CRC-32C of the payload`,
little-endian. The writer calls `frame`; the event file reader drives a `RecordScanner` over a growing file.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from struct import Struct

import google_crc32c

from summaries.beneath import FilePath, open_file
from summaries.damages import Damage
from summaries.resync import GapSearch, NextData

HEADER_BYTES = 12
OVERHEAD_BYTES = 16
MAX_RECORD_BYTES = 64 << 20
"""Default length of the longest payload that is read. Nothing is allocated for a record that claims more."""

ReadAt = Callable[[int, int], bytes]
"""`read_at(offset, count)` returns up to `count` bytes of a file, starting at `offset`."""

Walk = Callable[[bytes, int, int], int]
"""`walk(window, position, start)` handles records of a window that starts at offset `start` of the file."""

_LENGTH = Struct("<Q")
_CRC = Struct("<I")
_KNOWN_HEADERS = 4096
# After a damage, windows start small, so that a file full of damages is not read over and over; and each damage
# costs this many bytes of the budget, so that a call stays short.
_WINDOW_AFTER_DAMAGE = 64 << 10
# Memory of this size is reused for the next window and stays in the processor's caches.
_LARGEST_WINDOW = 1 << 20
_COST_OF_DAMAGE = 4096
_ZERO_HEADER = bytes(HEADER_BYTES)
# More zeros than these at the end of a file are not read again when something is written before them.
_REMEMBERED_ZEROS = 64 << 20

_value: Callable[[bytes], int] = google_crc32c.value


def masked_crc(data: bytes) -> int:
    """Return the CRC-32C of `data` in the masked form that records store."""
    crc = _value(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def frame(payload: bytes) -> bytes:
    """Return `payload` as one record, ready to be appended to a file."""
    length = _LENGTH.pack(len(payload))
    return b"".join((length, _CRC.pack(masked_crc(length)), payload, _CRC.pack(masked_crc(payload))))


def varint(number: int) -> bytes:
    """Return a non-negative length as a protobuf varint."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


class DamagedRecordError(ValueError):
    """A record that was read before now fails its checksums, or is missing."""


def read_record(path: FilePath, offset: int, length: int) -> bytes:
    """Return the payload of the record at `offset`, which is known to have `length` bytes.

    Raises:
        DamagedRecordError: there is no such record, or a checksum fails.
        OSError: the file cannot be read.
    """
    with os.fdopen(open_file(path), "rb", buffering=0) as file:
        payload = _payload_at(file.fileno(), offset, length)
    if payload is None:
        text = (
            f"{path}: there is no sound record of {length} bytes at byte {offset}; the file was changed or is damaged."
        )
        raise DamagedRecordError(text)
    return payload


def read_records(path: FilePath, places: Iterable[tuple[int, int]]) -> Iterator[bytes | None]:
    """Yield the payloads of many records of one file, None for each that is not sound.

    Args:
        path: the file, which is opened once.
        places: offset and length of each record, as `read_record` takes them.

    Raises:
        OSError: the file cannot be read.
    """
    with os.fdopen(open_file(path), "rb", buffering=0) as file:
        descriptor = file.fileno()
        for offset, length in places:
            yield _payload_at(descriptor, offset, length)


def _payload_at(descriptor: int, offset: int, length: int) -> bytes | None:
    data = os.pread(descriptor, length + OVERHEAD_BYTES, offset)
    payload = data[HEADER_BYTES:-4]
    return payload if len(payload) == length and data == frame(payload) else None


class RecordScanner:
    """Follows the framing of one file, call by call, and resynchronizes after damages.

    `offset` is the start of the next record: everything before it was yielded or reported. While the scanner searches
    the next valid record after a broken one, `offset` stays at the broken one.

    Args:
        offset: where to start.
        max_record_bytes: length of the longest payload that is read.
        walk: handles as many sound records as it can, given a window, a position in it and the window's offset in
            the file, and returns the position after them. These records are not yielded.
    """

    def __init__(self, offset: int = 0, *, max_record_bytes: int = MAX_RECORD_BYTES, walk: Walk | None = None) -> None:
        if not 0 < max_record_bytes < 1 << 32:
            raise ValueError(f"max_record_bytes is {max_record_bytes}; it must be from 1 to {(1 << 32) - 1}.")
        self.offset = offset
        self.spent = 0
        self.complete = False
        self.damages: list[Damage] = []
        self._walk_on = walk
        self._cap = max_record_bytes
        self._need = HEADER_BYTES
        self._header = b""
        self._window = _LARGEST_WINDOW
        self._gap: GapSearch | None = None
        self._before_gap: Damage | None = None
        self._headers: dict[bytes, int] = {}
        self._zeros_until = 0

    def scan(
        self, read_at: ReadAt, size: int, budget: int, next_data: NextData | None = None
    ) -> Iterator[tuple[int, bytes]]:
        """Yield `(offset, payload)` of the sound records between `offset` and `size`, in order.

        An incomplete record is left for a later call with a larger `size`. Damages are appended to `damages`.
        Afterwards, `spent` is the number of bytes that were read, and `complete` is True if there is nothing more to
        read until the file grows.

        Args:
            read_at: reads the file.
            size: current size of the file; nothing after it is read.
            budget: approximate number of bytes to read. A single longer record is still read completely.
            next_data: finds the ends of holes; without it, holes are read as zeros.
        """
        self.spent = 0
        if self.complete and self._gap is not None and self._is_filled(read_at, size):
            self._leave_gap()
        self.complete = False
        if self._need > HEADER_BYTES and read_at(self.offset, HEADER_BYTES) != self._header:
            self._need = HEADER_BYTES  # The unfinished record was truncated and replaced by another one.
        while True:
            if self._gap is not None:
                if not self._search(self._gap, read_at, size, budget - self.spent, next_data):
                    return
            elif size - self.offset < self._need:
                self.complete = True
                return
            if self.spent and self.spent + self._need > budget:
                return
            count = min(max(min(budget - self.spent, self._window), self._need), size - self.offset)
            self._window = min(2 * self._window, _LARGEST_WINDOW)
            window = read_at(self.offset, count)
            if len(window) < count:  # The file shrank meanwhile; the caller sees its new size next time.
                self.complete = True
                return
            yield from self._walk(window, size)

    def rewind(self) -> None:
        """Read the bytes from `offset` again, because the file was truncated somewhere after it."""
        self._leave_gap()
        self._zeros_until = 0

    def _leave_gap(self) -> None:
        self._gap = self._before_gap = None
        self._need = HEADER_BYTES

    def tail(self, size: int) -> Damage | None:
        """Return the bytes from `offset` to `size` as a damage, for a file that will not grow any more."""
        length = size - self.offset
        if length <= 0:
            return None
        if self._before_gap is not None:
            return self._passed_over(self._before_gap, None, length)
        return Damage(self.offset, length, "unfinished", {"length": length})

    def gap(self, size: int) -> Damage | None:
        """Return the bytes from `offset` as a damage if no record starts there; None if one may be unfinished."""
        return None if self._before_gap is None else self.tail(size)

    def _is_filled(self, read_at: ReadAt, size: int) -> bool:
        """Whether there is now a sound record at the start of the gap, written after the bytes that follow."""
        header = read_at(self.offset, HEADER_BYTES)
        if len(header) < HEADER_BYTES or masked_crc(header[:8]) != _CRC.unpack_from(header, 8)[0]:
            return False
        (length,) = _LENGTH.unpack_from(header)
        if length > self._cap or self.offset + length + OVERHEAD_BYTES > size:
            return False
        record = read_at(self.offset, length + OVERHEAD_BYTES)
        self.spent += len(record)
        return len(record) == length + OVERHEAD_BYTES and record == frame(record[HEADER_BYTES:-4])

    def _walk(self, window: bytes, size: int) -> Iterator[tuple[int, bytes]]:
        """Yield the records of `window`, which starts at `offset`, up to its end or to a damage."""
        start = self.offset
        position, end = 0, len(window)
        headers, value, crc_of = self._headers, _value, _CRC.unpack_from
        walk = self._walk_on
        self._need = HEADER_BYTES
        while end - position >= HEADER_BYTES:
            if walk is not None:
                position = walk(window, position, start)
                self._advance(start + position)
                if end - position < HEADER_BYTES:
                    return
            header = window[position : position + HEADER_BYTES]
            length = headers.get(header)
            if length is None:
                length = self._length(header, size)
                if length is None:
                    return
            stop = position + length + OVERHEAD_BYTES
            if stop > end:
                self._need = stop - position
                self._header = header
                return
            payload = window[position + HEADER_BYTES : stop - 4]
            crc = value(payload)
            if ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF == crc_of(window, stop - 4)[0]:
                position = stop
                self._advance(start + stop)
                yield start + stop - length - OVERHEAD_BYTES, payload
            elif self._skip_payload(length, window[stop : stop + HEADER_BYTES]):
                position = stop
            else:
                return

    def _advance(self, offset: int) -> None:
        self.spent += offset - self.offset
        self.offset = offset

    def _length(self, header: bytes, size: int) -> int | None:
        """Return the payload's length if `header` is sound and allowed; else skip the record or open a gap."""
        (length,) = _LENGTH.unpack_from(header)
        if masked_crc(header[:8]) != _CRC.unpack_from(header, 8)[0]:
            self._open_gap(Damage(self.offset, 0, "zeros" if header == _ZERO_HEADER else "length_crc"))
            return None
        if length > self._cap:
            self._refuse_length(length, size)
            return None
        if len(self._headers) >= _KNOWN_HEADERS:
            self._headers.clear()
        self._headers[header] = length
        return length  # type: ignore[no-any-return]

    def _refuse_length(self, length: int, size: int) -> None:
        stop = self.offset + length + OVERHEAD_BYTES
        damage = Damage(self.offset, stop - self.offset, "too_large", {"claimed": length, "most": self._cap})
        if stop > size:
            self._open_gap(damage)
            return
        self.damages.append(damage)
        self.spent += _COST_OF_DAMAGE
        self._window = _WINDOW_AFTER_DAMAGE
        self.offset = stop

    def _skip_payload(self, length: int, following: bytes) -> bool:
        """Skip the record at `offset`, whose payload fails its checksum, unless its length is doubtful.

        If no sound header follows, the record was probably torn, and other records start inside it.
        """
        whole = length + OVERHEAD_BYTES
        damage = Damage(self.offset, whole, "payload_crc")
        torn = len(following) == HEADER_BYTES and masked_crc(following[:8]) != _CRC.unpack_from(following, 8)[0]
        if torn:
            self._open_gap(damage)
            return False
        self.damages.append(damage)
        self._advance(self.offset + whole)
        return True

    def _open_gap(self, damage: Damage) -> None:
        self._before_gap = damage
        start = self.offset + 1
        if damage.code == "zeros" and self._zeros_until - start > _REMEMBERED_ZEROS:
            start = self._zeros_until - HEADER_BYTES + 1
        self._gap = GapSearch(start, self._cap)
        self._window = _WINDOW_AFTER_DAMAGE
        self.spent += _COST_OF_DAMAGE

    def _search(self, gap: GapSearch, read_at: ReadAt, size: int, budget: int, next_data: NextData | None) -> bool:
        """Continue the search for the record after a gap; return whether it was found."""
        found = gap.search(read_at, size, budget, next_data)
        self.spent += gap.spent
        if found is None:
            self.complete = gap.exhausted
            self._zeros_until = size if gap.exhausted and gap.nonzero is None else 0
            return False
        self._zeros_until = 0
        if self._before_gap is not None:
            self.damages.append(self._passed_over(self._before_gap, found, found - self.offset))
        self.offset = found
        self._leave_gap()
        return True

    def _passed_over(self, damage: Damage, following: int | None, length: int) -> Damage:
        """Return the damage of a gap of `length` bytes before the record at `following`."""
        if damage.code == "zeros" and self._gap is not None:
            nonzero = self._gap.nonzero or following
            zeros = length if nonzero is None else nonzero - self.offset
            damage = replace(damage, detail={**damage.detail, "zeros": min(zeros, length)})
        return damage.passed_over(following, length)
