"""Encodes pixels as PNG (ISO/IEC 15948), with numpy and zlib alone. Called by `image.py`, in the writer's thread.

Each row is stored as differences from its neighbours, by the filter whose differences are smallest: the standard's own
heuristic (section 12.8).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}
_BAND_BYTES = 1 << 20
# Filters of the standard, by number; the mean of two neighbours (3) is rarely the best.
_NONE, _SUB, _UP, _PAETH = 0, 1, 2, 4


def encode(pixels: Bytes) -> bytes:
    """Returns a PNG file.

    Args:
        pixels: (rows, columns, channels) with one channel (grey), three (RGB) or four (RGBA).

    Raises:
        KeyError: the number of channels is another one.
    """
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    packer = zlib.compressobj(6, zlib.DEFLATED, zlib.MAX_WBITS, 9, zlib.Z_FILTERED)
    data = [packer.compress(band.data) for band in _filtered(pixels.reshape(height, -1), channels)]
    chunks = ((b"IHDR", header), (b"IDAT", b"".join([*data, packer.flush()])), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(name, content) for name, content in chunks)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(content, zlib.crc32(name)))


def _filtered(rows: Bytes, channels: int) -> Iterator[Bytes]:
    """Yields bands of rows, each row after the number of its filter."""
    height, length = rows.shape
    # Neighbours outside the picture count as zero.
    padded = np.zeros((height + 1, length + channels), np.uint8)
    padded[1:, channels:] = rows
    step = max(1, _BAND_BYTES // length)
    for first in range(0, height, step):
        last = min(first + step, height)
        here, above = padded[first + 1 : last + 1], padded[first:last]
        candidates = _differences(here[:, channels:], here[:, :-channels], above[:, channels:], above[:, :-channels])
        # A difference of 255 is one of -1.
        sizes = [np.minimum(one, np.negative(one)).sum(axis=1, dtype=np.int64) for one in candidates.values()]
        best = np.argmin(sizes, axis=0)
        band = np.empty((last - first, 1 + length), np.uint8)
        for place, (number, one) in enumerate(candidates.items()):
            chosen = best == place
            band[chosen, 0], band[chosen, 1:] = number, one[chosen]
        yield band


def _differences(here: Bytes, left: Bytes, above: Bytes, corner: Bytes) -> dict[int, Bytes]:
    """Returns the rows by each filter, modulo 256."""
    a, b, c = (neighbour.astype(np.int16) for neighbour in (left, above, corner))
    to_left, to_above, to_corner = np.abs(b - c), np.abs(a - c), np.abs(a + b - 2 * c)
    nearest_is_left = (to_left <= to_above) & (to_left <= to_corner)
    guess = np.where(nearest_is_left, left, np.where(to_above <= to_corner, above, corner))
    return {_NONE: here, _SUB: here - left, _UP: here - above, _PAETH: here - guess}
