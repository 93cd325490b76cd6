"""Paths below the base directory as text that can be stored and shown, whatever their bytes are.

A name on disk may have any bytes. Python reads bytes that are not UTF-8 as surrogates, which no database stores. Such a
byte is therefore written as `\\xNN` in stored names. A backslash that a name really has before such digits becomes
`\\x5c`, so two names never become one.
"""

from __future__ import annotations

import re
from pathlib import Path

from summaries.beneath import Beneath

_SURROGATE = re.compile(r"[\udc80-\udcff]|\\(?=x(?:5c|[89a-f][0-9a-f]))")
_ESCAPED = re.compile(r"\\x(5c|[89a-f][0-9a-f])")


def stored(path: str) -> str:
    """Returns a path on disk, as Python reads it, in the form in which it is stored and shown."""
    if path.isascii() and "\\" not in path:
        return path  # Nearly all paths, of which a scan has tens of thousands.
    return _SURROGATE.sub(lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", path)


def on_disk(path: str) -> str:
    """Returns a stored path as Python opens it."""
    if "\\" not in path:
        return path
    return _ESCAPED.sub(lambda found: "\\" if found[1] == "5c" else chr(0xDC00 + int(found[1], 16)), path)


def beneath(base: str | Path, path: str) -> Beneath:
    """Returns the file of a stored path."""
    return Beneath(base, on_disk(path))
