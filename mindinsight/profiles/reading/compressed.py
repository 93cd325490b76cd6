"""Decompresses gzip files up to the first damaged byte. Called by `events`."""

from __future__ import annotations

import zlib
from typing import IO

_BLOCK = 1 << 16
_GZIP = 31


class Decompressed:
    """The text of a gzip file.

    Python's own reader loses the block in which it meets damage, up to 64 KiB of text and more.

    Args:
        file: the compressed file, at its start.

    Attributes:
        damage: why the text ends early; empty if it does not.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.damage = ""
        self._file = file
        self._machine = zlib.decompressobj(_GZIP)
        self._over = False

    def read(self, size: int) -> bytes:
        """Returns at least `size` bytes, fewer only at the end."""
        parts: list[bytes] = []
        count = 0
        while count < size and not self._over:
            text = self._next()
            parts.append(text)
            count += len(text)
        return b"".join(parts)

    def _next(self) -> bytes:
        block = self._file.read(_BLOCK)
        if not block:
            self._over = True
            if not self._machine.eof:
                self.damage = "The compressed file is cut; it is read up to there."
            return b""
        before = self._machine.copy()
        try:
            text = self._machine.decompress(block)
        except zlib.error as error:
            self._over = True
            self.damage = f"The compressed file is damaged ({error}); it is read up to there."
            return _before_damage(before, block)
        if self._machine.eof and self._machine.unused_data.strip(b"\0"):
            rest = self._machine.unused_data
            self._machine = zlib.decompressobj(_GZIP)
            self._file.seek(-len(rest), 1)
        return text


def _before_damage(machine: zlib._Decompress, block: bytes) -> bytes:
    """What a block holds up to its first damaged byte."""
    parts = []
    try:
        for at in range(len(block)):
            parts.append(machine.decompress(block[at : at + 1]))
    except zlib.error:
        pass
    return b"".join(parts)
