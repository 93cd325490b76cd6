"""Writes directories atomically: they appear complete or not at all. Used by all code that stores parts of graphs."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def appearing(directory: Path, *, replace: bool = False) -> Iterator[Path]:
    """Yields a temporary directory, which is renamed after success and removed after an error.

    Args:
        directory: the final path. Its parent is created.
        replace: whether to replace an existing directory.

    Raises:
        OSError: the directory cannot be written, or exists already.
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
