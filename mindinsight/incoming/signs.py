"""The sign that the writer of an incoming file lives: this web server holds the lock that a writer here would hold.

A file loses it after half a minute without a request. Called by `files`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time

from summaries.beneath import Beneath

SILENT_S = 30.0
"""Seconds without a request after which the writer counts as gone."""

_guard = threading.Lock()
_signs: dict[Beneath, tuple[int, float]] = {}
_sweeper: threading.Timer | None = None


def keep_alive(place: Beneath, descriptor: int) -> None:
    """Hold the lock of a file for another half minute.

    Args:
        place: the file.
        descriptor: an open descriptor of it; it is duplicated.
    """
    now = time.monotonic()
    with _guard:
        known = _signs.get(place)
        if known is not None and os.path.sameopenfile(known[0], descriptor):
            _signs[place] = (known[0], now)
            return
        _forget(place)
        # A reader that looks at the lock at this moment may hold it: then the next request takes it.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _signs[place] = (os.dup(descriptor), now)
            _start_sweeper()


def release(place: Beneath) -> None:
    """Let go of a file's lock."""
    with _guard:
        _forget(place)


def _forget(place: Beneath) -> None:
    known = _signs.pop(place, None)
    if known is not None:
        os.close(known[0])


def _start_sweeper() -> None:
    global _sweeper
    if _sweeper is None:
        _sweeper = threading.Timer(SILENT_S / 2, _sweep)
        _sweeper.daemon = True
        _sweeper.start()


def _sweep() -> None:
    global _sweeper
    with _guard:
        _sweeper = None
        for place, (_, seen) in list(_signs.items()):
            if time.monotonic() - seen > SILENT_S:
                _forget(place)
        if _signs:
            _start_sweeper()
