"""One file of the local copy: grows with its object, and is replaced if the object is another one.

Called by `copying`, by several threads for different files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from mindinsight.mirror.listing import Listed, Store, described

BLOCK_BYTES = 8 << 20
"""Bytes of one request."""
OVERLAP_BYTES = 4096
"""Bytes at the end of the local file that the object must have, too, to count as the same file that grew."""
_MODE_OPEN = 0o600


class ChangedError(OSError):
    """An object was replaced while it was copied. The next round copies it again."""


class LocalCopy:
    """The local file of an object.

    Args:
        path: the file.
        drafts: a folder on the same disk, for files that are not complete.
        arrived: called with the number of bytes of each block that has arrived.
    """

    def __init__(self, path: Path, drafts: Path, arrived: Callable[[int], None]) -> None:
        self._path = path
        self._drafts = drafts
        self._arrived = arrived

    def update(self, store: Store, wanted: Listed, *, sure: bool) -> None:
        """Bring the file up to date.

        Args:
            store: the file system.
            wanted: the object.
            sure: whether the local file is known to be a beginning of an earlier version of the object.

        Raises:
            ChangedError: the object changed meanwhile. The local file then counts as not sure.
            OSError: the store cannot be read or the disk cannot be written.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        size = self._path.stat().st_size if self._path.is_file() else 0
        if not (sure and 0 < size < wanted.size and self._append(store, wanted, size)):
            self._replace(store, wanted)
        os.utime(self._path, (wanted.modified, wanted.modified))

    def _append(self, store: Store, wanted: Listed, size: int) -> bool:
        """Append what the object has more; False if it does not begin as the local file does."""
        overlap = min(size, OVERLAP_BYTES)
        first = store.cat_file(wanted.key, start=size - overlap, end=min(wanted.size, size + BLOCK_BYTES))
        self._path.chmod(_MODE_OPEN)
        with self._path.open("r+b") as file:
            file.seek(size - overlap)
            if file.read(overlap) != first[:overlap]:
                return False
            self._write(file.fileno(), first[overlap:], size)
            self._fetch(store, wanted, file.fileno(), size + len(first) - overlap, requests=1)
        return True

    def _replace(self, store: Store, wanted: Listed) -> None:
        draft = self._drafts / f"{os.getpid()}-{abs(hash(wanted.key)):x}"
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _MODE_OPEN)
        try:
            self._fetch(store, wanted, descriptor, 0, requests=0)
            draft.replace(self._path)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise
        finally:
            os.close(descriptor)

    def _fetch(self, store: Store, wanted: Listed, descriptor: int, offset: int, *, requests: int) -> None:
        """Write the object's bytes from `offset` on. Some requests may have been made before."""
        while offset < wanted.size:
            block = store.cat_file(wanted.key, start=offset, end=min(wanted.size, offset + BLOCK_BYTES))
            if not block:
                raise ChangedError(f"{wanted.key} has become shorter")
            self._write(descriptor, block, offset)
            offset += len(block)
            requests += 1
        # Two requests may have read two versions.
        if requests > 1 and described(wanted.key, wanted.relative, store.info(wanted.key)).version != wanted.version:
            raise ChangedError(f"{wanted.key} has changed meanwhile")

    def _write(self, descriptor: int, data: bytes, offset: int) -> None:
        view = memoryview(data)
        while view:
            written = os.pwrite(descriptor, view, offset)
            view, offset = view[written:], offset + written
            self._arrived(written)
