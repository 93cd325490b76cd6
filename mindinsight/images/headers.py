"""Finds the type and size of an encoded picture from its first bytes. Called by `records.py`.

Nothing is decoded here. The browser decodes the picture, and needs its declared size beforehand.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple


class Header(NamedTuple):
    """The header of a picture.

    Attributes:
        media_type: such as `image/png`.
        width: width in pixels.
        height: height in pixels.
    """

    media_type: str
    width: int
    height: int


_Size = tuple[int, int]

# JPEG markers that begin a frame. C4, C8 and CC have other meanings.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD8)})
_OLD_BMP_HEADER = 12
_GIF_EXTENSION, _GIF_IMAGE = 0x21, 0x2C


def read_header(data: bytes) -> Header | None:
    """Returns type and size of a picture, or None if browsers cannot show its type.

    Raises:
        ValueError: it begins like a picture but has no size. The message completes "the picture ...".
    """
    for matches, media_type, read_size in _TYPES:
        if not matches(data):
            continue
        try:
            width, height = read_size(data)
        except (struct.error, IndexError):
            raise ValueError("ends before it says its size") from None
        if width < 1 or height < 1:
            raise ValueError(f"says that it has {width} x {height} pixels")
        return Header(media_type, width, height)
    return None


def _png_size(data: bytes) -> _Size:
    if data[12:16] != b"IHDR":
        raise ValueError("does not begin with its size, as PNG has to")
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def _gif_size(data: bytes) -> _Size:
    """The larger of the screen's and the first image's size: browsers enlarge the screen to fit the image."""
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    position = 13 + _colours_bytes(flags)
    while data[position] == _GIF_EXTENSION:
        position = _behind_blocks(data, position + 2)
    if data[position] != _GIF_IMAGE:
        raise ValueError("has no image, as GIF has to")
    left, top, own_width, own_height = struct.unpack_from("<HHHH", data, position + 1)
    return max(width, left + own_width), max(height, top + own_height)


def _colours_bytes(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _behind_blocks(data: bytes, position: int) -> int:
    while data[position]:
        position += data[position] + 1
    return position + 1


def _jpeg_size(data: bytes) -> _Size:
    position = 2
    while True:
        if data[position] != 0xFF:
            raise ValueError("has no marker where JPEG has to have one")
        marker = data[position + 1]
        if marker == 0xFF or marker in _JPEG_BARE:
            position += 1 if marker == 0xFF else 2
            continue
        (length,) = struct.unpack_from(">H", data, position + 2)
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, position + 5)
            return width, height
        position += 2 + max(length, 2)


def _bmp_size(data: bytes) -> _Size:
    (header,) = struct.unpack_from("<I", data, 14)
    width, height = struct.unpack_from("<HH" if header == _OLD_BMP_HEADER else "<ii", data, 18)
    return width, abs(height)


def _webp_size(data: bytes) -> _Size:
    kind = data[12:16]
    if kind == b"VP8X":
        return _three_bytes(data, 24) + 1, _three_bytes(data, 27) + 1
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind != b"VP8 ":
        raise ValueError("does not begin with its size, as WebP has to")
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _three_bytes(data: bytes, at: int) -> int:
    low, high = struct.unpack_from("<HB", data, at)
    return int(low | high << 16)


def _begins(*beginnings: bytes) -> Callable[[bytes], bool]:
    return lambda data: data.startswith(beginnings)


_TYPES: tuple[tuple[Callable[[bytes], bool], str, Callable[[bytes], _Size]], ...] = (
    (_begins(b"\x89PNG\r\n\x1a\n"), "image/png", _png_size),
    (_begins(b"\xff\xd8\xff"), "image/jpeg", _jpeg_size),
    (_begins(b"GIF87a", b"GIF89a"), "image/gif", _gif_size),
    (_begins(b"BM"), "image/bmp", _bmp_size),
    (lambda data: data[:4] == b"RIFF" and data[8:12] == b"WEBP", "image/webp", _webp_size),
)
