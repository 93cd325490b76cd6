"""Detects a new build of the front end, which a running server has to notice. Used by the views and by `asgi`."""

from __future__ import annotations

from pathlib import Path

Build = tuple[int, ...]
_WRITTEN = ("index.html", "pages.json", "assets")


def build_of(directory: Path) -> Build:
    """Returns a value that differs between two builds of the front end. Takes three calls to the file system.

    Args:
        directory: directory of the builds.
    """
    return tuple(_changed(directory / name) for name in _WRITTEN)


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # There is no file while a build replaces the last one.
        return -1
