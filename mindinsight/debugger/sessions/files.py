"""Paths of a session's files in the data directory. Used by all code that reads or writes them."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

_KEY = re.compile(r"[0-9a-f]{16}")


def is_key(text: object) -> bool:
    """Whether a text is a valid session key."""
    return isinstance(text, str) and _KEY.fullmatch(text) is not None


def session_directory(key: str) -> Path:
    """Returns the directory of a session's files.

    Raises:
        ValueError: the key is invalid.
    """
    if not is_key(key):
        raise ValueError(f"{key[:40]!r} is not a key of a debugger session")
    directory: Path = settings.ENVIRONMENT.data_directory / "debugger" / key
    return directory


def tensor_file(key: str, number: int) -> Path:
    """Returns the file of a tensor's elements: raw, little-endian, row by row."""
    return session_directory(key) / f"tensor-{number}.bin"


def program_file(key: str) -> Path:
    """Returns the file of a program as compressed JSON."""
    return session_directory(key) / "program.json.gz"
