"""Resynchronization: finds the next valid record after a broken one.

Called by the record scanner only. A record starts where a length passes its checksum and the payload after it passes
its own. Every byte offset is tried, with numpy and CRC tables, at about 100 MB/s. No header is all zeros, so zeros are
skipped at the speed of reading, and holes of sparse files are not read at all.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import google_crc32c

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADER_BYTES = 12
_OVERHEAD_BYTES = 16
_FIRST_CHUNK = 4 << 10
_LARGEST_CHUNK = 1 << 20
_WAITING = 64
# One call checks payloads of at most this many times its budget, so that a file made of headers cannot stall
# a reader.
_PAYLOAD_FACTOR = 4
_NO_HEADER = bytes(_HEADER_BYTES)
_ZEROS = bytes(_LARGEST_CHUNK)
# Number of zeros that cost as much as one byte of a possible header.
_ZEROS_PER_BYTE = 16

NextData = Callable[[int], int]
"""`next_data(offset)` returns the offset of the first byte at or after `offset` that is not in a hole of the file."""


class GapSearch:
    """The search after one broken record. It remembers its position while the file grows.

    `spent` is the number of bytes that the last call scanned. `exhausted` is True once the whole file was scanned.
    `nonzero` is the offset of the first byte that is not zero; None while only zeros were seen.
    """

    def __init__(self, start: int, max_record_bytes: int) -> None:
        self.spent = 0
        self.exhausted = False
        self.nonzero: int | None = None
        self._frontier = start
        self._cap = max_record_bytes
        self._chunk = _FIRST_CHUNK
        self._waiting: list[tuple[int, int]] = []

    def search(
        self, read_at: Callable[[int, int], bytes], size: int, budget: int, next_data: NextData | None = None
    ) -> int | None:
        """Return the offset of the next record with two correct checksums, or None if none was found yet."""
        self.spent = 0
        self.exhausted = False
        self._payload_budget = max(budget, 1) * _PAYLOAD_FACTOR
        found = self._revisit(read_at, size)
        while found is None and size - self._frontier >= _HEADER_BYTES:
            if (self.spent and self.spent >= budget) or self._payload_budget < 0:
                return None
            found = self._search_chunk(read_at, size, next_data)
        self.exhausted = found is None and self._payload_budget >= 0
        return found

    def _revisit(self, read_at: Callable[[int, int], bytes], size: int) -> int | None:
        """Check the candidates that were incomplete before and are complete now."""
        whole = [entry for entry in self._waiting if entry[0] + entry[1] + _OVERHEAD_BYTES <= size]
        self._waiting = [entry for entry in self._waiting if entry not in whole]
        return next((offset for offset, length in whole if self._sound(read_at, offset, length)), None)

    def _search_chunk(self, read_at: Callable[[int, int], bytes], size: int, next_data: NextData | None) -> int | None:
        window = read_at(self._frontier, min(self._chunk, size - self._frontier))
        self._chunk = min(2 * self._chunk, _LARGEST_CHUNK)
        if len(window) < _HEADER_BYTES:
            self._payload_budget = -1
            return None
        if window.startswith(_NO_HEADER):
            self._pass_zeros(window, size, next_data)
            return None
        if self.nonzero is None:
            self.nonzero = self._frontier + _leading_zeros(window)
        start = self._frontier
        positions, lengths = header_candidates(window, self._cap)
        for position, length in zip(positions.tolist(), lengths.tolist(), strict=True):
            offset = start + position
            if offset + length + _OVERHEAD_BYTES > size:
                self._waiting = [*self._waiting, (offset, length)][:_WAITING]
            elif self._sound(read_at, offset, length):
                self._move_to(offset)
                return offset  # type: ignore[no-any-return]
            elif self._payload_budget < 0:
                self._move_to(offset + 1)
                return None
        self._move_to(start + len(window) - _HEADER_BYTES + 1)
        return None

    def _pass_zeros(self, window: bytes, size: int, next_data: NextData | None) -> None:
        """Move to the first offset at which a header that is not all zeros may start."""
        zeros = _leading_zeros(window)
        behind = self._frontier + zeros
        self.spent += max(1, zeros // _ZEROS_PER_BYTE)
        if zeros < len(window):
            self.nonzero = self.nonzero or behind
        elif next_data is not None:
            behind = min(max(behind, next_data(behind)), size)
        self._frontier = behind - _HEADER_BYTES + 1

    def _move_to(self, offset: int) -> None:
        self.spent += offset - self._frontier
        self._frontier = offset

    def _sound(self, read_at: Callable[[int, int], bytes], offset: int, length: int) -> bool:
        record = read_at(offset + _HEADER_BYTES, length + 4)
        self._payload_budget -= len(record)
        crc = google_crc32c.value(record[:-4])
        masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
        return len(record) == length + 4 and masked == int.from_bytes(record[-4:], "little")


def _leading_zeros(window: bytes) -> int:
    return len(window) if window == _ZEROS else len(window) - len(window.lstrip(b"\0"))


def header_candidates(window: bytes, max_length: int) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the positions of headers with a correct checksum in `window`, and their lengths.

    Lengths above `max_length`, which is below 2**32, are skipped: the upper half of a length is always zero.
    """
    import numpy as np

    data = np.frombuffer(window, np.uint8)
    count = len(data) - _HEADER_BYTES + 1
    zero = data == 0
    upper = zero[4 : 4 + count] & zero[5 : 5 + count] & zero[6 : 6 + count] & zero[7 : 7 + count]
    positions = np.flatnonzero(upper)
    lengths = _uint32_at(data, positions)
    allowed = lengths <= max_length
    positions, lengths = positions[allowed], lengths[allowed]
    tables, base = _length_tables()
    crc = np.full(len(positions), base, np.uint32)
    for index, table in enumerate(tables):
        crc ^= table[data[positions + index]]
    masked = (crc >> np.uint32(15) | crc << np.uint32(17)) + np.uint32(0xA282EAD8)
    good = masked == _uint32_at(data, positions + 8)
    return positions[good], lengths[good]


def _uint32_at(data: "NDArray[np.uint8]", positions: "NDArray[np.int64]") -> "NDArray[np.int64]":
    import numpy as np

    total = np.zeros(len(positions), np.int64)
    for index in range(4):
        total |= data[positions + index].astype(np.int64) << 8 * index
    return total


@cache
def _length_tables() -> "tuple[NDArray[np.uint32], int]":
    """Return a table for each of a length's four lower bytes, and the CRC of length zero.

    A CRC is affine over GF(2): the CRC of a length is the CRC of zero xor one table entry per byte.
    """
    import numpy as np

    base = google_crc32c.value(bytes(8))
    rows = [
        [google_crc32c.value((value << 8 * index).to_bytes(8, "little")) ^ base for value in range(256)]
        for index in range(4)
    ]
    return np.array(rows, np.uint32), base
