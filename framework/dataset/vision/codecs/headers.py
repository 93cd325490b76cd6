"""What the first bytes of a file say of the image: its format, size and channels, and whether the end is missing.

Nothing is decoded and no memory is asked for, so this is safe for any bytes.
"""

from __future__ import annotations

import io
import warnings
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

__all__ = ["Header", "header_of"]

_PNG = b"\x89PNG\r\n\x1a\n"
#: Channels of PNG's color types: gray, RGB, palette, gray and alpha, RGB and alpha.
_PNG_CHANNELS = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}
_JPEG_END = b"\xff\xd9"
#: Markers of frames, of which the first has the size; of these numbers three are something else.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_SCAN = 0xDA


class Header(NamedTuple):
    """The format, size and channels of an encoded image.

    Attributes:
        kind: JPEG, PNG, BMP, or Pillow's name of the format; empty for bytes that are no image.
        height: number of rows.
        width: number of columns.
        channels: number of channels in the file.
        cut: whether the end is missing.
    """

    kind: str
    height: int = 0
    width: int = 0
    channels: int = 0
    cut: bool = False


def header_of(data: npt.NDArray[np.uint8]) -> Header:
    """The header of an encoded image."""
    start = data[:64].tobytes()
    if start[:3] == b"\xff\xd8\xff":
        return _jpeg(data.tobytes())
    if start[:8] == _PNG:
        return _png(data)
    if start[:2] == b"BM" and len(start) >= 54 and start[14] >= 40:
        return _bmp(start, data.size)
    return _other(data)


def _jpeg(data: bytes) -> Header:
    """Goes from segment to segment up to the first scan, behind which the end may not be missing."""
    place, frame = 2, (0, 0, 0)
    while place + 9 < len(data):
        if data[place] != 0xFF:
            break
        marker = data[place + 1]
        if marker == 0xFF:
            place += 1
            continue
        length = int.from_bytes(data[place + 2 : place + 4], "big")
        if marker in _FRAMES:
            height, width = (int.from_bytes(data[place + at : place + at + 2], "big") for at in (5, 7))
            frame = (height, width, data[place + 9])
        if marker == _SCAN:
            return Header("JPEG", *frame, cut=data.find(_JPEG_END, place) < 0)
        place += 2 + length if length >= 2 else 2
    return Header("JPEG", *frame, cut=True)


def _png(data: npt.NDArray[np.uint8]) -> Header:
    head = data[:33].tobytes()
    if head[12:16] != b"IHDR" or len(head) < 33:
        return Header("PNG", cut=True)
    width, height = int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
    # The last chunk is empty; whatever may follow it is short.
    cut = b"IEND" not in data[-4096:].tobytes() and b"IEND" not in data.tobytes()
    return Header("PNG", height, width, _PNG_CHANNELS.get(head[25], 0), cut)


def _bmp(start: bytes, size: int) -> Header:
    offset = int.from_bytes(start[10:14], "little")
    width, height = (abs(int.from_bytes(start[at : at + 4], "little", signed=True)) for at in (18, 22))
    bits, packing = int.from_bytes(start[28:30], "little"), int.from_bytes(start[30:34], "little")
    needed = offset + (width * bits + 31) // 32 * 4 * height if packing == 0 else offset
    return Header("BMP", height, width, max(bits // 8, 1), cut=size < needed)


def _other(data: npt.NDArray[np.uint8]) -> Header:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data.tobytes())) as image:
                return Header(image.format or "", image.height, image.width, len(image.getbands()))
    except Exception:  # Pillow's readers fail in many ways on bytes that are no image.
        return Header("")
