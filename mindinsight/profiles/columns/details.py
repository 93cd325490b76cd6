"""The arguments of slices, compressed in blocks. Written while a trace is read, opened for one slice at a time."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np

_BLOCK = 1024
"""Slices in a block."""
_MOST = 1 << 20
"""Bytes of one slice's arguments. The rest of longer ones is left out."""
_FILE, _BOUNDS = "details.bin", "details.npy"


class DetailsWriter:
    """Writes arguments in the order of slices.

    Args:
        directory: an existing directory.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file = (directory / _FILE).open("wb")
        self._waiting: list[bytes] = []
        self._bounds = [0]

    def add(self, text: bytes) -> None:
        """Adds the JSON text of a slice's arguments, which may be empty."""
        self._waiting.append(text if len(text) <= _MOST else b"")
        if len(self._waiting) == _BLOCK:
            self._flush()

    def close(self) -> None:
        """Completes the files."""
        self._flush()
        self._file.close()
        np.save(self._directory / _BOUNDS, np.array(self._bounds, np.int64))

    def __enter__(self) -> DetailsWriter:
        return self

    def __exit__(self, *problem: object) -> None:
        self._file.close()

    def _flush(self) -> None:
        # JSON texts have no raw zero characters.
        self._file.write(zlib.compress(b"\0".join(self._waiting), 1))
        self._bounds.append(self._file.tell())
        self._waiting.clear()


def details_of(directory: Path, number: int) -> bytes:
    """Returns the JSON text of a slice's arguments; empty if it has none.

    Args:
        directory: the profile's directory.
        number: the slice's number in the order of the trace.

    Raises:
        OSError, ValueError, zlib.error: the files are damaged.
    """
    bounds = np.load(directory / _BOUNDS, mmap_mode="r")
    block, place = divmod(number, _BLOCK)
    with (directory / _FILE).open("rb") as file:
        file.seek(int(bounds[block]))
        texts = zlib.decompress(file.read(int(bounds[block + 1] - bounds[block]))).split(b"\0")
    return texts[place]
