"""The token of the workspace: sent by clients outside a browser, and contained in the link of a public dashboard.

Made by the first `mindinsight start`, and read by the web server and by `mindinsight status`.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from pathlib import Path


def token_file(workspace: Path) -> Path:
    """The file that holds the token."""
    return workspace / "token"


def read_or_create_token(workspace: Path) -> str:
    """Returns the workspace's token. The first caller in any process creates it, readable by its owner only.

    Raises:
        OSError: the file can be neither read nor created.
    """
    path = token_file(workspace)
    token = _read(path)
    if token:
        return token
    directory = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        return _read(path) or _make(path)
    finally:
        os.close(directory)


def _make(path: Path) -> str:
    token = secrets.token_urlsafe(32)
    draft = path.with_name(f".token.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(token)
        # A reader without the lock finds the whole file or none.
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return token


def _read(path: Path) -> str:
    try:
        token = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""
    if token and path.stat().st_mode & 0o077:
        path.chmod(0o600)
    return token
