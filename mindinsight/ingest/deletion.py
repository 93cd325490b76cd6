"""Deletes event files below the base directory, but only those that the store knows. Called by `removal.py`.

No symbolic link is followed, and just before it is unlinked a file is compared with its stored data.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from mindinsight.runs.stored_files import StoredFile
from mindinsight.stored_names import beneath
from summaries.beneath import Beneath

_PERMISSION = (errno.EACCES, errno.EPERM)
_GONE = (errno.ENOENT, errno.ENOTDIR)


class Refusal(NamedTuple):
    """An event file that was not deleted.

    Attributes:
        file: the file.
        code: the reason, as an error code of the API.
        error: the operating system's message; empty if there is none.
    """

    file: StoredFile
    code: str
    error: str = ""


def delete_files(base: Path, files: Iterable[StoredFile]) -> list[Refusal]:
    """Deletes event files, and directories that become empty. All other files stay.

    Args:
        base: the watched directory, which is never deleted.
        files: the files. Missing files count as deleted.

    Returns:
        The files that were not deleted, each with the reason.
    """
    files = list(files)
    refusals = [refusal for file in files if (refusal := _delete(base, file)) is not None]
    left = {refusal.file.path for refusal in refusals}
    folders = {file.path.rpartition("/")[0] for file in files if file.path not in left} - {""}
    for folder in sorted(folders, key=lambda folder: folder.count("/"), reverse=True):
        _remove_empty(beneath(base, folder))
    return refusals


def is_there(base: Path, file: StoredFile) -> bool:
    """Whether a file exists at a path, or could exist if the path could be followed to its end."""
    try:
        beneath(base, file.path).stat()
    except OSError as error:
        return error.errno not in _GONE
    return True


def _delete(base: Path, file: StoredFile) -> Refusal | None:
    path = beneath(base, file.path)
    try:
        with path.folder() as folder:
            status = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
            if not file.is_at(status):
                link = stat.S_ISLNK(status.st_mode)
                return Refusal(file, "not_deleted_symbolic_link" if link else "not_deleted_other_file")
            os.unlink(path.name, dir_fd=folder)
    except OSError as error:
        return None if error.errno in _GONE else Refusal(file, _code(error), error.strerror or str(error))
    return None


def _code(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "not_deleted_symbolic_link"
    if error.errno == errno.EROFS:
        return "not_deleted_read_only"
    return "not_deleted_no_permission" if error.errno in _PERMISSION else "not_deleted"


def _remove_empty(directory: Beneath) -> None:
    with contextlib.suppress(OSError), directory.folder() as folder:
        os.rmdir(directory.name, dir_fd=folder)
