"""Opens files below a directory without following symbolic links.

A directory on the path may be replaced by a link after the path was checked. The readers of this package therefore
accept a `Beneath` in place of a path; the dashboard also deletes files through it.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Beneath(os.PathLike[str]):
    """A file below a directory.

    Every method opens the path's components one by one, each relative to the previous one (`openat` with
    `O_NOFOLLOW`). A component that is swapped meanwhile cannot lead out of the directory.

    Args:
        base: the directory. Links in its own path are followed.
        relative: the file's path relative to it, without `..`.

    Raises:
        ValueError: `relative` is absolute or leads upwards.
    """

    __slots__ = ("_folders", "base", "name", "relative")

    def __init__(self, base: str | Path, relative: str) -> None:
        *folders, name = relative.split("/")
        if not name or any(part in ("", ".", "..") for part in (*folders, name)):
            raise ValueError(f"{relative!r} is not a path below a directory.")
        self.base = str(base)
        self.relative = relative
        self.name = name
        self._folders = folders

    def __fspath__(self) -> str:
        """Return the whole path, for messages; opening it follows links."""
        return f"{self.base}/{self.relative}"

    def __str__(self) -> str:
        return self.__fspath__()

    def __repr__(self) -> str:
        return f"Beneath({self.base!r}, {self.relative!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Beneath) and (self.base, self.relative) == (other.base, other.relative)

    def __hash__(self) -> int:
        return hash((self.base, self.relative))

    def open(self) -> int:
        """Return a descriptor of the file, for reading; the caller closes it. A pipe is opened without waiting.

        Raises:
            OSError: it cannot be opened; `ELOOP` if the path contains a symbolic link.
        """
        with self.folder() as folder:
            try:
                return os.open(self.name, _FILE, dir_fd=folder)
            except OSError as error:
                raise _linked(self.name) if error.errno == errno.ELOOP else error from None

    def stat(self) -> os.stat_result:
        """Return the status of the directory entry (lstat: of a symbolic link, its own).

        Raises:
            OSError: there is none; `ELOOP` if the path to it contains a symbolic link.
        """
        with self.folder() as folder:
            return os.stat(self.name, dir_fd=folder, follow_symlinks=False)

    def exists(self) -> bool:
        """Return whether there is a directory entry that can be reached without following links."""
        try:
            self.stat()
        except OSError:
            return False
        return True

    @contextmanager
    def folder(self) -> Iterator[int]:
        """Open the file's directory, as a descriptor for `dir_fd`, and close it at the end.

        Raises:
            OSError: it cannot be reached; `ELOOP` if the path to it contains a symbolic link.
        """
        descriptor = os.open(self.base, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in self._folders:
                inner = _open_folder(name, descriptor)
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)


FilePath = str | Path | Beneath
"""A file for the readers of this package: a path, whose links are followed, or a `Beneath`."""


def open_file(path: FilePath) -> int:
    """Return a descriptor of a file, for reading; the caller closes it.

    Raises:
        OSError: it cannot be opened.
    """
    return path.open() if isinstance(path, Beneath) else os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)


def stat_file(path: FilePath) -> os.stat_result:
    """Return the status of a file.

    Raises:
        OSError: there is none.
    """
    return path.stat() if isinstance(path, Beneath) else os.stat(path)  # noqa: PTH116  (pathlib takes longer)


def _open_folder(name: str, above: int) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=above)
    except NotADirectoryError:
        # The system says the same of a symbolic link and of a file.
        if _is_link(name, above):
            raise _linked(name) from None
        raise


def _linked(name: str) -> OSError:
    return OSError(errno.ELOOP, "A symbolic link stands in the path", name)


def _is_link(name: str, above: int) -> bool:
    try:
        os.readlink(name, dir_fd=above)
    except OSError:
        return False
    return True
