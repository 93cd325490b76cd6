"""Encrypted checkpoints in MindSpore's format: blocks of 64 MiB, each encrypted on its own. `ckpt` uses it.

    AES-GCM            magic, tag (16 bytes), length, IV length, IV, length of the encrypted bytes, encrypted bytes
    AES-CBC, SM4-CBC   magic, length, IV length, IV, length of the encrypted bytes, encrypted bytes with PKCS #7 padding

Numbers are little-endian and have 4 bytes; `length` counts the bytes after it. The IV has 16 bytes, of which GCM uses
the first 12. Source: files of MindSpore 2.10 and `mindspore/core/utils/crypto.h`. The optional package `cryptography`
is imported only for a key.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

from framework.train.checkpoints.errors import CheckpointError, damaged
from framework.train.checkpoints.records import Sink, is_checkpoint

__all__ = ["DecryptingSource", "EncryptingSink", "Key", "mode_of"]

BLOCK_BYTES = 64 << 20
"""Size of a block in bytes; MindSpore reads no larger blocks."""

_MAGIC: Final = {"AES-GCM": 0x7F3A5ED8, "AES-CBC": 0x7F3A5ED9, "SM4-CBC": 0x7F3A5EDA}
_KEY_BYTES: Final = {"AES-GCM": (16, 24, 32), "AES-CBC": (16, 24, 32), "SM4-CBC": (16,)}
_IV_BYTES: Final = 16
_GCM_IV_BYTES: Final = 12
_TAG_BYTES: Final = 16
_NUMBER: Final = struct.Struct("<I")


@dataclass(frozen=True)
class Key:
    """A key with the mode of encryption.

    Args:
        value: 16, 24 or 32 bytes; 16 for SM4.
        mode: `AES-GCM`, `AES-CBC` or `SM4-CBC`.

    Raises:
        TypeError: the key is not bytes.
        ValueError: the mode is unknown, or the key has another length.
        ImportError: the package for encryption is not installed.
    """

    value: bytes = field(repr=False)
    mode: str = "AES-GCM"

    def __post_init__(self) -> None:
        if not isinstance(self.value, bytes):
            raise TypeError(f"a key must be bytes, not {type(self.value).__name__}")
        if self.mode not in _MAGIC:
            raise ValueError(f"the mode of encryption must be one of {', '.join(_MAGIC)}, not {self.mode!r}")
        if len(self.value) not in _KEY_BYTES[self.mode]:
            lengths = "16" if self.mode == "SM4-CBC" else "16, 24 or 32"
            raise ValueError(f"a key for {self.mode} must have {lengths} bytes, not {len(self.value)}")
        try:
            import cryptography.hazmat.primitives.ciphers  # noqa: F401
        except ImportError:
            raise ImportError(
                "encrypted checkpoints need the package cryptography: pip install 'mindinsight[encryption]'"
            ) from None

    def encrypt(self, data: bytes) -> bytes:
        """The block of a file with these bytes encrypted."""
        iv = os.urandom(_IV_BYTES)
        encryptor = self._cipher(iv, None).encryptor()
        content: bytes = encryptor.update(data if self._is_gcm else _padded(data)) + encryptor.finalize()
        tag: bytes = encryptor.tag if self._is_gcm else b""
        body = _NUMBER.pack(_IV_BYTES) + iv + _NUMBER.pack(len(content)) + content
        return _NUMBER.pack(_MAGIC[self.mode]) + tag + _NUMBER.pack(len(body)) + body

    def decrypt(self, content: bytes, iv: bytes, tag: bytes) -> bytes | None:
        """The decrypted bytes of a block; None if the key is another one or the block is damaged."""
        from cryptography.exceptions import InvalidTag

        decryptor = self._cipher(iv, tag).decryptor()
        try:
            data: bytes = decryptor.update(content) + decryptor.finalize()
        except (InvalidTag, ValueError):
            return None
        return data if self._is_gcm else _unpadded(data)

    @property
    def tag_bytes(self) -> int:
        """Number of bytes of the tag at the beginning of a block."""
        return _TAG_BYTES if self._is_gcm else 0

    @property
    def _is_gcm(self) -> bool:
        return self.mode == "AES-GCM"

    def _cipher(self, iv: bytes, tag: bytes | None) -> Any:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        algorithm = algorithms.SM4(self.value) if self.mode == "SM4-CBC" else algorithms.AES(self.value)
        return Cipher(algorithm, modes.GCM(iv[:_GCM_IV_BYTES], tag) if self._is_gcm else modes.CBC(iv))


def _padded(data: bytes) -> bytes:
    count = _IV_BYTES - len(data) % _IV_BYTES
    return data + bytes([count]) * count


def _unpadded(data: bytes) -> bytes | None:
    count = data[-1] if data else 0
    if not 1 <= count <= _IV_BYTES or data[-count:] != bytes([count]) * count:
        return None
    return data[:-count]


def mode_of(head: bytes) -> str | None:
    """The mode of encryption of a file; None if it is not encrypted.

    Args:
        head: the first bytes of the file.

    Returns:
        `AES-GCM`, `AES-CBC`, `SM4-CBC`, or None.
    """
    return next((mode for mode, magic in _MAGIC.items() if head[:4] == _NUMBER.pack(magic)), None)


class EncryptingSink:
    """Encrypts the bytes that are written to it.

    Args:
        file: the file to write blocks to.
        key: the key.
    """

    def __init__(self, file: Sink, key: Key) -> None:
        self._file, self._key = file, key
        self._waiting = bytearray()

    def write(self, data: bytes | memoryview, /) -> None:
        """Write more bytes."""
        self._waiting += data
        while len(self._waiting) >= BLOCK_BYTES:
            self._flush()

    def close(self) -> None:
        """Write the last block."""
        while self._waiting:
            self._flush()

    def _flush(self) -> None:
        self._file.write(self._key.encrypt(bytes(memoryview(self._waiting)[:BLOCK_BYTES])))
        del self._waiting[:BLOCK_BYTES]


class DecryptingSource:
    """The decrypted bytes of a file.

    Args:
        file: the file.
        size: its size in bytes.
        key: the key.
        path: path of the file, for messages.
    """

    def __init__(self, file: BinaryIO, size: int, key: Key, path: Path) -> None:
        self._file, self._key, self._path = file, key, path
        self._unread = size
        self._at = 0
        self._data = memoryview(b"")

    @property
    def left(self) -> int:
        """Upper limit of the number of bytes that are left."""
        return self._unread + len(self._data)

    def read(self, count: int, /) -> bytes:
        """The next `count` bytes; fewer only at the end."""
        pieces = []
        while count and (self._data or self._unread):
            if not self._data:
                self._data = memoryview(self._block())
            pieces.append(self._data[:count])
            self._data = self._data[count:]
            count -= len(pieces[-1])
        return b"".join(pieces)

    def _block(self) -> bytes:
        at = self._at
        if self._number() != _MAGIC[self._key.mode]:
            raise damaged(self._path, f"no encrypted block begins at byte {at:,}")
        tag = self._take(self._key.tag_bytes)
        length = self._number()
        iv_bytes = self._number()
        iv = self._take(_IV_BYTES)
        content_bytes = self._number()
        if iv_bytes != _IV_BYTES or content_bytes + _IV_BYTES + 8 != length:
            raise damaged(self._path, f"the lengths of the encrypted block at byte {at:,} contradict each other")
        data = self._key.decrypt(self._take(content_bytes), iv, tag)
        if data is None or (at == 0 and not is_checkpoint(data[:8])):
            raise CheckpointError(
                f"{self._path} cannot be decrypted: dec_key is not the key that it was encrypted with, or the block at "
                f"byte {at:,} is damaged. Check the key; if it is right, restore the file from a copy."
            )
        return data

    def _number(self) -> int:
        number: int = _NUMBER.unpack(self._take(_NUMBER.size))[0]
        return number

    def _take(self, count: int) -> bytes:
        if count > self._unread:
            raise damaged(self._path, f"it ends in the middle of the encrypted block before byte {self._at:,}")
        data = self._file.read(count)
        if len(data) < count:
            raise damaged(self._path, "it became shorter while it was read")
        self._unread -= count
        self._at += count
        return data
