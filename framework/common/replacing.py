"""Writes files so that they are there whole or as they were before, whatever happens meanwhile.

Called by checkpoints, model files and the kernels that are kept on disk.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["replacing"]


@contextlib.contextmanager
def replacing(path: Path, *, synced: bool = True) -> Iterator[BinaryIO]:
    """A file to write beside another, which takes that one's place when it is whole.

    Args:
        path: the place; folders on the way are made.
        synced: wait until the disk has it, so that it is whole after a power cut too. What carries a checksum and can
            be made again does without.

    Raises:
        OSError: the file cannot be written; what was there before is as it was.

    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        with part.open("wb") as file:
            yield file
            if synced:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
