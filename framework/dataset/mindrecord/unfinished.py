"""Files of a set that are being written: they have hidden names until all are whole.

The first one is a part as in `framework.common.replacing`: `.NAME.TOKEN.part`, with a lock that ends with its writer.
The others of the set have its token, `.NAME.TOKEN.more`, and are abandoned when the first one is.
"""

from __future__ import annotations

import contextlib
import os
import re
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Final

from framework.common.replacing import new_part, remove_abandoned

__all__ = ["Unfinished"]

_MORE: Final = re.compile(r"\..+\.([0-9a-f]{16})\.more")


class Unfinished:
    """The hidden files that become a set of files.

    Args:
        paths: the paths that the files have when they are whole.

    Raises:
        OSError: the folder cannot be written to.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        folder = paths[0].parent
        _remove_abandoned(folder)
        self.path, self._lock = new_part(paths[0])
        token = self.path.name.rsplit(".", 2)[1]
        others = [path.with_name(f".{path.name}.{token}.more") for path in paths[1:]]
        self._hidden = dict(zip(paths, [self.path, *others], strict=True))
        # Also when the program ends without having completed the files.
        self._end = weakref.finalize(self, _discard, list(self._hidden.values()), self._lock, os.getpid())

    def hidden(self, path: Path) -> Path:
        """The present path of a file."""
        return self._hidden[path]

    def complete(self) -> None:
        """Give all files their names. The first one is last, so a set that has it is whole.

        Raises:
            OSError: a file cannot be written or renamed.
        """
        for hidden in self._hidden.values():
            with hidden.open("rb+") as file:
                os.fsync(file.fileno())
        first, *others = self._hidden
        first.unlink(missing_ok=True)
        for path in others:
            self._hidden[path].replace(path)
        self.path.replace(first)
        self._end.detach()
        self._lock.close()

    def discard(self) -> None:
        """Remove the hidden files."""
        self._end()


def _discard(hidden: Sequence[Path], lock: BinaryIO, process: int) -> None:
    if os.getpid() == process:
        for path in reversed(hidden):
            with contextlib.suppress(OSError):
                path.unlink()
    lock.close()


def _remove_abandoned(folder: Path) -> None:
    remove_abandoned(folder)
    with contextlib.suppress(OSError):
        names = [entry.name for entry in os.scandir(folder)]
        living = {name.rsplit(".", 2)[1] for name in names if name.endswith(".part")}
        for name in names:
            found = _MORE.fullmatch(name)
            if found and found[1] not in living:
                with contextlib.suppress(OSError):
                    (folder / name).unlink()
