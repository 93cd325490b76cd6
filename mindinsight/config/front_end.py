"""Tells one build of the front end from the next, which a running server has to notice. For the views and `asgi`."""

from __future__ import annotations

from pathlib import Path

Build = tuple[int, ...]
_WRITTEN = ("index.html", "pages.json", "assets")


def build_of(directory: Path) -> Build:
    """Returns what differs between two builds of the front end; three looks at the file system.

    Args:
        directory: where builds lie.
    """
    return tuple(_changed(directory / name) for name in _WRITTEN)


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # Between two builds nothing is there.
        return -1
