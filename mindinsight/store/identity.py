"""Which store a directory holds: its format, and a name that is another one after every rebuild.

Used by `columns`. Anybody may begin a store in a fresh directory; one of another format is left to the writer, who
clears it, and is empty for everybody else until then.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from pathlib import Path

FORMAT = 3
"""Version of the format; a store of another version is cleared and read again."""


class Identity:
    """Format and name of the store in a directory.

    Args:
        root: the directory; made at need.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._format = root / "FORMAT"
        self._name = root / "identity"
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._readable = self._begun() or self._begin()

    @property
    def readable(self) -> bool:
        """Whether the store has this format; once it has, it keeps it."""
        if not self._readable:
            self._readable = self._begun() or self._begin()
        return self._readable

    @property
    def name(self) -> str:
        """Names this store; empty where it has another format."""
        if not self.readable:
            return ""
        with contextlib.suppress(FileNotFoundError):
            return self._name.read_text(encoding="ascii")
        # Where somebody deleted the directory, its format is gone too.
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._begin()
        _create(self._name, uuid.uuid4().hex)
        return self._name.read_text(encoding="ascii")

    def drop(self) -> None:
        """Removes the identity; the next one who asks makes a new one."""
        self._name.unlink(missing_ok=True)

    def renew(self) -> str:
        """Makes this a store of this format with a new name, which it returns; only the writer may."""
        _replace(self._format, f"{FORMAT}\n")
        self._name.unlink(missing_ok=True)
        return self.name

    def _begun(self) -> bool:
        try:
            return self._format.read_text(encoding="ascii").strip() == str(FORMAT)
        except (FileNotFoundError, UnicodeDecodeError):
            return False

    def _begin(self) -> bool:
        """Begins a store where there is none; returns whether this was so."""
        if self._format.exists() or self._name.exists() or any(entry.is_dir() for entry in self._root.iterdir()):
            # Somebody else may have begun it just now.
            return self._begun()
        _create(self._format, f"{FORMAT}\n")
        return self._begun()


def _create(path: Path, text: str) -> None:
    """Makes a file with all of its text at once, unless another process has made it."""
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
