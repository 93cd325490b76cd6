"""Directories that appear whole or not at all. Used by all that keeps something of a graph on disk."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def appearing(directory: Path, *, replace: bool = False) -> Iterator[Path]:
    """Gives a directory to write into, which gets its name when all went well and is removed when not.

    Args:
        directory: the name; its parent is made.
        replace: whether one of this name may be there; it is deleted then.

    Raises:
        OSError: it cannot be written, or is there.
    """
    directory.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(dir=directory.parent, prefix=f".{directory.name}-"))
    try:
        yield making
        if replace:
            shutil.rmtree(directory, ignore_errors=True)
        os.rename(making, directory)  # noqa: PTH104  (pathlib's would follow nothing else either)
    finally:
        shutil.rmtree(making, ignore_errors=True)
