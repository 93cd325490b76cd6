"""Lists directories. A cached listing is used until the directory's modification time changes. Used by `finding`."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

MOST_KEPT = 20_000
"""Maximum number of cached directories."""
_SETTLED = 2_000_000_000
"""Age in nanoseconds from which a listing is cached. A younger directory may change without a new modification time."""
_ENDINGS = (".pb", ".onnx", ".mindir", ".msir")


@dataclass(frozen=True, slots=True)
class Listing:
    """The relevant entries of a directory.

    Attributes:
        directories: names of its subdirectories, in order.
        dumps: names of its `.pb` files and model files, in order.
        looked: number of checked entries.
    """

    directories: tuple[str, ...]
    dumps: tuple[str, ...]
    looked: int


_kept: OrderedDict[str, tuple[tuple[int, int, int], Listing]] = OrderedDict()
_lock = threading.Lock()


def list_directory(directory: Path, most: int) -> Listing:
    """Returns the entries of a directory, or nothing if it cannot be read. Symbolic links are left out.

    Args:
        directory: the directory.
        most: maximum number of checked entries.
    """
    place = str(directory)
    try:
        status = directory.stat(follow_symlinks=False)
    except OSError:
        return Listing((), (), 0)
    stamp = (status.st_mtime_ns, status.st_ino, most)
    with _lock:
        known = _kept.get(place)
        if known is not None and known[0] == stamp:
            _kept.move_to_end(place)
            return known[1]
    listing = _listed(place, most)
    if time.time_ns() - status.st_mtime_ns > _SETTLED:
        with _lock:
            _kept[place] = (stamp, listing)
            while len(_kept) > MOST_KEPT:
                _kept.popitem(last=False)
    return listing


def _listed(place: str, most: int) -> Listing:
    directories, dumps, looked = [], [], 0
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                looked += 1
                if entry.is_dir(follow_symlinks=False):
                    directories.append(entry.name)
                elif entry.name.endswith(_ENDINGS) and entry.is_file(follow_symlinks=False):
                    dumps.append(entry.name)
                if looked >= most:
                    break
    except OSError:
        pass
    return Listing(tuple(sorted(directories)), tuple(sorted(dumps)), looked)
