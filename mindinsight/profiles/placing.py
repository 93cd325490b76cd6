"""Puts traces into a run's directory, under names that the page finds. Called by `mindinsight profile`."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mindinsight.profiles.found import is_trace

_ENDING = ".chrometrace.json"


def traces_in(source: Path) -> list[Path]:
    """Returns the traces that a path names: the file itself, or those below a directory, by name."""
    if source.is_file():
        return [source]
    return sorted(path for path in source.rglob("*") if is_trace(path.name) and path.is_file())


def place(source: Path, directory: Path) -> Path:
    """Puts a trace into a directory: as a hard link where the file system allows one, else as a copy.

    Args:
        source: the trace.
        directory: is created if it does not exist.

    Returns:
        The path of the new file. It is `source` if the trace is there already.

    Raises:
        OSError: the file cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for target in _names(source, directory):
        if not target.exists():
            break
        if target.samefile(source) or _same(target, source):
            return target
    try:
        # A link to a link would lead out of the watched directory.
        os.link(source.resolve(), target)
    except OSError:
        _copy(source, target)
    return target


def _names(source: Path, directory: Path) -> Iterator[Path]:
    name = source.name
    if not is_trace(name):
        packed = ".gz" if name.endswith(".gz") else ""
        name = f"{name.removesuffix('.gz').removesuffix('.json')}{_ENDING}{packed}"
    yield directory / name
    stem, point, rest = name.partition(".")
    for number in range(2, 10_000):
        yield directory / f"{stem}-{number}{point}{rest}"
    raise FileExistsError(f"{directory} has too many files named {name}")


def _same(one: Path, other: Path) -> bool:
    a, b = one.stat(), other.stat()
    return (a.st_size, a.st_mtime_ns) == (b.st_size, b.st_mtime_ns)


def _copy(source: Path, target: Path) -> None:
    # The watched directory shows the file when it is whole.
    descriptor, making = tempfile.mkstemp(dir=target.parent, prefix=".")
    os.close(descriptor)
    try:
        shutil.copy2(source, making)
        Path(making).replace(target)
    finally:
        Path(making).unlink(missing_ok=True)
