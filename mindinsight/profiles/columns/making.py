"""Turns a trace file into a directory of columns. Called by the worker's task and by `mindinsight profile`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO

from mindinsight.profiles.columns.details import DetailsWriter
from mindinsight.profiles.columns.stored import Head
from mindinsight.profiles.columns.writing import write_columns
from mindinsight.profiles.reading.trace import read_trace


def make_columns(file: IO[bytes], directory: Path, progress: Callable[[int], None] = lambda position: None) -> Head:
    """Reads a trace and writes its columns.

    Args:
        file: the open trace, plain or compressed by gzip.
        directory: an existing, empty directory.
        progress: called with the position in the file, in bytes.

    Returns:
        What the head says.

    Raises:
        TraceError: the file is not a trace.
        OSError: a file cannot be read or written.
    """
    with DetailsWriter(directory) as details:
        trace = read_trace(file, details.add, progress)
        details.close()
    return write_columns(directory, trace)
