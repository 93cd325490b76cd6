"""The arguments of slices: in the trace itself, or compressed in blocks where the trace is compressed.

Written while a trace is read, opened for one slice at a time.
"""

from __future__ import annotations

import zlib
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO

import msgspec
import numpy as np

from mindinsight.profiles.reading.events import MOST_EVENT, Event, end_of_object

_BLOCK = 1024
"""Texts in a block."""
_MOST = 1 << 20
"""Bytes of one slice's arguments. The rest of longer ones is left out."""
_AHEAD = 16
"""Blocks that wait for being compressed."""
_FILE, _BOUNDS = "details.bin", "details.npy"
_NEAR = 1 << 14
"""Bytes that are read first for one event."""
_EVENT = msgspec.json.Decoder(Event)


class DetailsWriter:
    """Writes arguments in the order in which they come. A thread compresses them meanwhile.

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
        self._thread = ThreadPoolExecutor(1, "details")
        self._packing: deque[Future[bytes]] = deque()

    def add(self, text: bytes) -> None:
        """Adds the JSON text of a slice's arguments, which may be empty."""
        self._waiting.append(text if len(text) <= _MOST else b"")
        if len(self._waiting) == _BLOCK:
            self._flush(_AHEAD)

    def close(self) -> None:
        """Completes the files."""
        self._flush(0)
        self._file.close()
        np.save(self._directory / _BOUNDS, np.array(self._bounds, np.int64))

    def __enter__(self) -> DetailsWriter:
        return self

    def __exit__(self, *problem: object) -> None:
        self._thread.shutdown(cancel_futures=True)
        self._file.close()

    def _flush(self, ahead: int) -> None:
        # JSON texts have no raw zero characters.
        self._packing.append(self._thread.submit(zlib.compress, b"\0".join(self._waiting), 1))
        self._waiting.clear()
        while len(self._packing) > ahead:
            self._file.write(self._packing.popleft().result())
            self._bounds.append(self._file.tell())


def details_of(directory: Path, place: int, source: IO[bytes]) -> bytes:
    """Returns the JSON text of a slice's arguments; empty if it has none.

    Args:
        directory: the profile's directory.
        place: the slice's value in the column `detail`.
        source: the trace.

    Raises:
        OSError, ValueError, IndexError, zlib.error: the files are damaged, or the trace has changed.
    """
    if place >= 0:
        return _in_trace(source, place)
    bounds = np.load(directory / _BOUNDS, mmap_mode="r")
    block, number = divmod(-1 - place, _BLOCK)
    with (directory / _FILE).open("rb") as file:
        file.seek(int(bounds[block]))
        texts = zlib.decompress(file.read(int(bounds[block + 1] - bounds[block]))).split(b"\0")
    return texts[number]


def _in_trace(source: IO[bytes], place: int) -> bytes:
    for size in (_NEAR, 2 * MOST_EVENT):
        source.seek(place)
        text = source.read(size)
        end = end_of_object(text, 0)
        if end > 0:
            try:
                return bytes(_EVENT.decode(text[:end]).args)
            except msgspec.MsgspecError as error:
                raise ValueError(f"the event cannot be decoded: {error}") from error
    raise ValueError("the trace has changed")
