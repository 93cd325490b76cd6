"""A file that is created atomically: it appears under its name only when it is complete."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from mindinsight.transfer.errors import TransferError


class NewFile:
    """Writes to a temporary file beside `path`, and renames it if the block ends without an error.

    Directories are created as needed. After an error the file and these directories are removed.

        Args:
            path: the final path.
            replace: whether to replace an existing file.
            finished: whether to remove the write permission, which tells a dashboard that the file is complete.
    """

    def __init__(self, path: Path, *, replace: bool, finished: bool = False) -> None:
        self.path = path
        self._replace = replace
        self._finished = finished
        self._made: list[Path] = []
        self._temporary = path.parent / f".mindinsight-{secrets.token_hex(8)}.part"

    def __enter__(self) -> Self:
        try:
            self._make_directories()
            self.file: BinaryIO = self._temporary.open("xb")
        except OSError as error:
            self._remove()
            raise cannot_write(self.path, error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.file.close()
            if error is None:
                self._name()
        except OSError as failure:
            self._remove()
            raise cannot_write(self.path, failure) from failure
        except TransferError:
            self._remove()
            raise
        if error is not None:
            self._remove()
        if isinstance(error, OSError):
            raise cannot_write(self.path, error) from error

    def _make_directories(self) -> None:
        missing = [self.path.parent]
        while not missing[-1].exists():
            missing.append(missing[-1].parent)
        for directory in reversed(missing[:-1]):
            directory.mkdir()
            self._made.append(directory)

    def _name(self) -> None:
        if self._finished:
            self._temporary.chmod(self._temporary.stat().st_mode & ~0o222)
        if not self._replace and os.path.lexists(self.path):
            raise TransferError(f"{self.path} was created in the meantime. Choose another directory, or add --force.")
        self._temporary.replace(self.path)

    def _remove(self) -> None:
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)
        for directory in reversed(self._made):
            with suppress(OSError):
                directory.rmdir()


def cannot_write(path: Path, error: OSError) -> TransferError:
    """Returns the error for a file that could not be written and was removed."""
    return TransferError(
        f"Cannot write {path}: {error.strerror or error}. The incomplete file was removed. Make room, or choose "
        "another directory."
    )
