"""What was copied of an object store, so that a restart copies only what is new. Called by `copying`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from mindinsight.json_files import read_json, write_json

_FORMAT = 1


class Copied(NamedTuple):
    """An object as it was copied last: its size in bytes and its version."""

    size: int
    version: str


class Known:
    """The copied objects, by their relative path.

    Args:
        file: where they are kept. A file that cannot be read counts as empty: then everything is copied again.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._objects: dict[str, Copied] = {}
        with suppress(ValueError, TypeError, KeyError):
            kept = read_json(file)
            if kept["format"] == _FORMAT:
                self._objects = {
                    name: Copied(int(size), str(version)) for name, (size, version) in kept["objects"].items()
                }
        self._changed = False

    @property
    def names(self) -> set[str]:
        """The relative paths."""
        return set(self._objects)

    def get(self, relative: str) -> Copied | None:
        """What was copied of an object, or None."""
        return self._objects.get(relative)

    def set(self, relative: str, copied: Copied) -> None:
        """Note that an object was copied."""
        self._objects[relative] = copied
        self._changed = True

    def drop(self, relative: str) -> None:
        """Forget an object."""
        self._changed |= self._objects.pop(relative, None) is not None

    def save(self) -> None:
        """Write the file if something has changed.

        Raises:
            OSError: the disk is full, or something else prevents writing.
        """
        if self._changed:
            write_json(self._file, {"format": _FORMAT, "objects": self._objects})
            self._changed = False
