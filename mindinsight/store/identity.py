"""The identity of a store: its format, and a name that changes with every rebuild.

Used by `columns`. Any process may create a store in a new directory. A store with another format is empty for all
processes until the writer clears it.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from pathlib import Path

FORMAT = 3
"""Version of the format. A store with another version is cleared and filled again."""


class Identity:
    """Format and name of the store in a directory.

    Args:
        root: the directory; created if needed.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._format = root / "FORMAT"
        self._name = root / "identity"
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._readable = self._begun() or self._begin()

    @property
    def readable(self) -> bool:
        """Whether the store has this format. Once it has, it keeps it."""
        if not self._readable:
            self._readable = self._begun() or self._begin()
        return self._readable

    @property
    def name(self) -> str:
        """Identifies this store; empty if it has another format."""
        if not self.readable:
            return ""
        with contextlib.suppress(FileNotFoundError):
            return self._name.read_text(encoding="ascii")
        # If somebody deleted the directory, its format is gone too.
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._begin()
        _create(self._name, uuid.uuid4().hex)
        return self._name.read_text(encoding="ascii")

    def drop(self) -> None:
        """Removes the identity. The next access creates a new one."""
        self._name.unlink(missing_ok=True)

    def renew(self) -> str:
        """Sets this format and a new name, which it returns. Only the writer may call it."""
        _replace(self._format, f"{FORMAT}\n")
        self._name.unlink(missing_ok=True)
        return self.name

    def _begun(self) -> bool:
        try:
            return self._format.read_text(encoding="ascii").strip() == str(FORMAT)
        except (FileNotFoundError, UnicodeDecodeError):
            return False

    def _begin(self) -> bool:
        """Creates a store if there is none. Returns whether it did."""
        if self._format.exists() or self._name.exists() or any(entry.is_dir() for entry in self._root.iterdir()):
            # Another process may have created it just now.
            return self._begun()
        _create(self._format, f"{FORMAT}\n")
        return self._begun()


def _create(path: Path, text: str) -> None:
    """Creates a file with all its text atomically, unless another process has created it."""
    draft = _draft(path, text)
    with contextlib.suppress(FileExistsError):
        path.hardlink_to(draft)
    draft.unlink()


def _replace(path: Path, text: str) -> None:
    _draft(path, text).replace(path)


def _draft(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{uuid.uuid4().hex}")
    draft.write_text(text, encoding="ascii")
    return draft
