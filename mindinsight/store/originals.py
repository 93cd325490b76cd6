"""Keeps event files readable after their deletion, if the user wants that.

A hard link beside the store's rows costs nothing while the original exists, and grows with it. On another file system
it is a copy, which is renewed when the original has changed. Used by the reader, and by apps that read records from
event files.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path

from summaries.beneath import Beneath, FilePath


class Originals:
    """The event files that stay readable.

    Args:
        root: the store's directory.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def link(self, run: int, file: int, original: Beneath) -> bool:
        """Makes a hard link to an event file. Returns False if only a copy is possible.

        Args:
            run: number of the run.
            file: number of the event file.
            original: the event file.
        """
        kept = self._path(run, file)
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            if kept.exists() and os.path.samestat(kept.stat(), original.stat()):
                return True
            kept.unlink(missing_ok=True)
            with original.folder() as folder:
                os.link(original.name, kept, src_dir_fd=folder, follow_symlinks=False)
        except OSError:
            return False
        if not stat.S_ISREG(kept.lstat().st_mode):
            # It became a symbolic link, and a reader of the hard link would follow it.
            kept.unlink()
            return False
        return True

    def copy(self, run: int, file: int, original: Beneath) -> None:
        """Copies an event file that cannot be linked, unless the copy already has the same length.

        Raises:
            OSError: the original cannot be read or the disk is full. An older copy stays.
        """
        kept = self._path(run, file)
        if kept.exists() and kept.stat().st_size == original.stat().st_size:
            return
        draft = kept.with_suffix(".draft")
        try:
            with os.fdopen(original.open(), "rb") as source, draft.open("wb") as copy:
                shutil.copyfileobj(source, copy)
            draft.chmod(0o600)
            draft.replace(kept)
        finally:
            draft.unlink(missing_ok=True)

    def find(self, run: int, file: int, original: Beneath) -> FilePath:
        """Returns the path at which an event file can be read: its own path, or the kept link or copy if it is gone."""
        kept = self._path(run, file)
        return kept if not original.exists() and kept.exists() else original

    def remove(self, run: int, file: int) -> None:
        """Removes the kept file of an event file that was replaced."""
        with contextlib.suppress(OSError):
            self._path(run, file).unlink(missing_ok=True)

    def _path(self, run: int, file: int) -> Path:
        return self._root / str(run) / f"file-{file}.events"
