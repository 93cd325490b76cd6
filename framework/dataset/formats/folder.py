"""A source that reads images from one folder per class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path

import numpy as np

from framework.dataset.runtime.rows import Array

__all__ = ["ImageFolder"]

_EXTENSIONS = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp")


class ImageFolder:
    """The images below a folder, searched when they are first needed.

    Args:
        folder: folder that contains the classes' folders.
        extensions: file name extensions of images; None for the usual ones.
        class_indexing: labels by folder name; None to number the folders in order.
        decode: makes pixels of the bytes of a file; None to return the bytes.
    """

    columns: tuple[str, ...] = ("image", "label")
    #: Several threads may read files at once.
    concurrent = True

    def __init__(
        self,
        folder: str,
        extensions: Sequence[str] | None,
        class_indexing: Mapping[str, int] | None,
        decode: Callable[[Array], Array] | None,
    ) -> None:
        self.folder = folder
        self.extensions = tuple(extension.lower() for extension in extensions or _EXTENSIONS)
        self.class_indexing = class_indexing
        self.decode = decode

    @cached_property
    def classes(self) -> dict[str, int]:
        """The label of each class by folder name."""
        names = sorted(path.name for path in Path(self.folder).iterdir() if path.is_dir())
        if not self.class_indexing:
            return {name: number for number, name in enumerate(names)}
        missing = sorted(set(self.class_indexing) - set(names))
        if missing:
            raise RuntimeError(f"{self.folder} has no folder {missing[0]!r}, which class_indexing names")
        return dict(self.class_indexing)

    @cached_property
    def _files(self) -> list[tuple[Path, int]]:
        found = [
            (path, label)
            for name, label in self.classes.items()
            for path in sorted((Path(self.folder) / name).rglob("*"))
            if path.suffix.lower() in self.extensions
        ]
        if not found:
            raise RuntimeError(f"{self.folder} has no folders with images ({', '.join(self.extensions)})")
        return found

    def __len__(self) -> int:
        return len(self._files)

    def row(self, index: int) -> tuple[Array, ...]:
        """The image and its label."""
        path, label = self._files[index]
        number = np.asarray(label, np.int32)
        if "image" not in self.columns:
            return (number,) if self.columns else ()
        data = np.fromfile(path, np.uint8)
        image = data if self.decode is None else self.decode(data)
        return (image, number) if "label" in self.columns else (image,)

    def only(self, columns: tuple[str, ...]) -> ImageFolder:
        """The same images with some of the columns, in their order; without the image, no file is read."""
        other = copy(self)
        other.columns = columns
        return other

    def describe(self, index: int) -> str:
        """The file."""
        return str(self._files[index][0])

    def labels(self) -> Array:
        """The label of each image."""
        return np.asarray([label for _, label in self._files])
