"""The bytes of a MindRecord row: scalars as MessagePack (https://msgpack.org), and packed integer arrays.

An array of integers is a 32-bit count (big-endian), a 2-bit code of the width of each value (four codes in a byte, the
first in the highest bits; 0 to 3 for 1, 2, 4 and 8 bytes), and the values, little-endian and signed.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from framework.dataset.runtime.rows import Array

__all__ = ["NUMBERS", "pack_integers", "pack_scalars", "unpack_integers", "unpack_scalars"]

_WIDTHS: Final = (1, 2, 4, 8)
#: Lead byte and struct format of MessagePack's numbers, the narrowest first.
_UNSIGNED: Final = ((0xCC, ">B"), (0xCD, ">H"), (0xCE, ">I"), (0xCF, ">Q"))
_SIGNED: Final = ((0xD0, ">b"), (0xD1, ">h"), (0xD2, ">i"), (0xD3, ">q"))
#: The struct format of MessagePack's numbers by their lead byte.
NUMBERS: Final = dict((*_UNSIGNED, *_SIGNED, (0xCA, ">f"), (0xCB, ">d")))
_TEXTS: Final = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xC4: ">B", 0xC5: ">H", 0xC6: ">I"}
_MAPS: Final = {0xDE: ">H", 0xDF: ">I"}
_PLAIN: Final[dict[int, Any]] = {0xC0: None, 0xC2: False, 0xC3: True}


def pack_scalars(row: Mapping[str, int | float | str]) -> bytes:
    """Scalars by name as a MessagePack map; the number 0 if there are none."""
    if not row:
        return b"\x00"
    head = bytes([0x80 | len(row)]) if len(row) < 16 else b"\xde" + struct.pack(">H", len(row))
    return head + b"".join(_packed(name) + _packed(value) for name, value in row.items())


def _packed(value: int | float | str) -> bytes:
    if isinstance(value, str):
        data = value.encode()
        if len(data) < 32:
            return bytes([0xA0 | len(data)]) + data
        lead = 0xD9 if len(data) < 1 << 8 else 0xDA if len(data) < 1 << 16 else 0xDB
        return bytes([lead]) + struct.pack(_TEXTS[lead], len(data)) + data
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if -32 <= value < 128:
        return struct.pack(">b", value)
    bits = value.bit_length() if value > 0 else (~value).bit_length() + 1
    width = next(place for place, size in enumerate(_WIDTHS) if bits <= 8 * size)
    lead, form = (_UNSIGNED if value > 0 else _SIGNED)[width]
    return bytes([lead]) + struct.pack(form, value)


def unpack_scalars(data: bytes, spans: dict[str, tuple[int, int]] | None = None) -> dict[str, Any]:
    """The scalars of a MessagePack map; empty if there is a number instead.

    Args:
        data: the map.
        spans: takes the first byte of each value, and that behind it; None if they are not needed.

    Raises:
        ValueError: the bytes are something else, or values are no scalars.
    """
    try:
        count, place = _count(data)
        found: dict[str, Any] = {}
        for _ in range(count):
            name, place = _unpacked(data, place)
            begin = place
            found[str(name)], place = _unpacked(data, place)
            if spans is not None:
                spans[str(name)] = begin, place
        if place != len(data) or len(found) != count:
            raise ValueError(f"{count} values end at byte {place} of {len(data)}")
    except (IndexError, struct.error, ValueError) as error:
        raise ValueError(f"the scalars of a row are damaged ({error})") from error
    return found


def _count(data: bytes) -> tuple[int, int]:
    """The number of entries of the map, and the byte after it."""
    lead = data[0]
    if 0x80 <= lead < 0x90:
        return lead & 0x0F, 1
    if lead in _MAPS:
        return struct.unpack_from(_MAPS[lead], data, 1)[0], 1 + struct.calcsize(_MAPS[lead])
    return 0, _unpacked(data, 0)[1]


def _unpacked(data: bytes, place: int) -> tuple[Any, int]:
    lead = data[place]
    place += 1
    if lead < 0x80 or lead >= 0xE0:
        return lead if lead < 0x80 else lead - 256, place
    if 0xA0 <= lead < 0xC0:
        return _text(data, place, lead & 0x1F)
    if lead in NUMBERS:
        return struct.unpack_from(NUMBERS[lead], data, place)[0], place + struct.calcsize(NUMBERS[lead])
    if lead in _PLAIN:
        return _PLAIN[lead], place
    if lead in _TEXTS:
        size = struct.unpack_from(_TEXTS[lead], data, place)[0]
        return _text(data, place + struct.calcsize(_TEXTS[lead]), size)
    raise ValueError(f"{lead:#04x} is not the start of a scalar")


def _text(data: bytes, place: int, size: int) -> tuple[str, int]:
    if place + size > len(data):
        raise ValueError(f"a text of {size} bytes ends too early")
    return data[place : place + size].decode(), place + size


def pack_integers(values: Array) -> bytes:
    """Pack an array of integers, each in as few bytes as possible.

    Args:
        values: integers of any shape; they are packed in order.
    """
    flat = np.asarray(values, np.int64).ravel()
    codes = np.zeros(flat.size, np.uint8)
    for bits in (8, 16, 32):
        codes += (flat < -(1 << bits - 1)) | (flat >= 1 << bits - 1)
    padded = np.zeros(-(-flat.size // 4) * 4, np.uint8)
    padded[: flat.size] = codes
    four = padded.reshape(-1, 4) << np.array([6, 4, 2, 0], np.uint8)
    wide = flat.astype("<i8").view(np.uint8).reshape(-1, 8)
    kept = wide[np.arange(8) < (1 << codes.astype(np.int64))[:, None]]
    widths: bytes = np.bitwise_or.reduce(four, axis=1).astype(np.uint8).tobytes()
    return struct.pack(">I", flat.size) + widths + kept.tobytes()


def unpack_integers(data: bytes | memoryview) -> Array:
    """The integers of a packed array, Int64 (count,).

    Raises:
        ValueError: there are fewer bytes than the head promises.
    """
    if len(data) < 4:
        raise ValueError("a packed array is shorter than its header")
    count = int.from_bytes(data[:4], "big")
    start = 4 + -(-count // 4)
    four = np.frombuffer(data, np.uint8, max(min(start, len(data)) - 4, 0), 4)
    codes = (four[:, None] >> np.array([6, 4, 2, 0], np.uint8) & 3).ravel()[:count]
    sizes = 1 << codes.astype(np.int64)
    if len(codes) < count or len(data) - start < sizes.sum():
        raise ValueError(f"a packed array of {count} integers ends too early")
    if len(data) - start > sizes.sum():
        raise ValueError(f"a packed array of {count} integers is followed by other bytes")
    wide = np.zeros((count, 8), np.uint8)
    taken = np.arange(8) < sizes[:, None]
    wide[taken] = np.frombuffer(data, np.uint8, int(sizes.sum()), start)
    # The sign fills the bytes that were left out.
    last = wide[np.arange(count), sizes - 1] if count else np.zeros(0, np.uint8)
    wide[~taken & (last >= 128)[:, None]] = 255
    return wide.view("<i8").ravel()
