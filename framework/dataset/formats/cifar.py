"""The binary files of CIFAR (https://www.cs.toronto.edu/~kriz/cifar.html).

Each image has its labels, one byte each, then 32 x 32 bytes of red, of green and of blue.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np

from framework.dataset.runtime.rows import Array

__all__ = ["CifarFiles"]

_PIXELS = 3 * 32 * 32
_NAMES = {
    10: {"train": [f"data_batch_{number}.bin" for number in range(1, 6)], "test": ["test_batch.bin"]},
    100: {"train": ["train.bin"], "test": ["test.bin"]},
}


class CifarFiles:
    """The images and labels in a folder, read when the first row is needed.

    Args:
        folder: folder of the files, which may lie in sub-folders.
        usage: "train", "test" or "all".
        classes: number of classes, 10 or 100.
    """

    def __init__(self, folder: str, usage: str, classes: int) -> None:
        self.folder = folder
        self.usage = usage
        self.classes = classes

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; CIFAR-100 has two labels."""
        return ("image", "label") if self.classes == 10 else ("image", "coarse_label", "fine_label")

    @property
    def fixed(self) -> dict[str, int]:
        """The bytes of the columns, whose values have one shape in all rows."""
        return {name: _PIXELS if name == "image" else 4 for name in self.columns}

    @cached_property
    def files(self) -> list[tuple[Path, Array]]:
        """The files with their records."""
        names = _NAMES[self.classes]
        file_names = [*names["train"], *names["test"]] if self.usage == "all" else names[self.usage]
        paths = {path.name: path for path in sorted(Path(self.folder).rglob("*.bin"))}
        existing = [paths[name] for name in file_names if name in paths]
        if not existing:
            raise RuntimeError(f"there is no {' or '.join(file_names)} in {self.folder} or its sub-folders")
        return [(path, self._records(path)) for path in existing]

    def _records(self, path: Path) -> Array:
        size = _PIXELS + len(self.columns) - 1
        data = np.fromfile(path, np.uint8)
        if len(data) == 0 or len(data) % size:
            raise RuntimeError(
                f"{path} is damaged: it has {len(data)} bytes, which is not a multiple of the {size} bytes of an image "
                f"of CIFAR-{self.classes}; fetch it again"
            )
        return data.reshape(-1, size)

    @cached_property
    def _data(self) -> Array:
        return np.concatenate([records for _, records in self.files])

    def __len__(self) -> int:
        return len(self._data)

    def row(self, index: int) -> tuple[Array, ...]:
        """The image and its labels."""
        record, count = self._data[index], len(self.columns) - 1
        image = np.ascontiguousarray(record[count:].reshape(3, 32, 32).transpose(1, 2, 0))
        return (image, *[np.asarray(label, np.uint32) for label in record[:count]])

    def block(self, places: Array) -> tuple[Array, ...]:
        """The images and labels of many rows."""
        records, count = self._data[places], len(self.columns) - 1
        images = np.ascontiguousarray(records[:, count:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
        return (images, *[records[:, number].astype(np.uint32) for number in range(count)])

    def describe(self, index: int) -> str:
        """The file, and the index of the image in it."""
        for path, records in self.files:
            if index < len(records):
                return f"image {index} of {path}"
            index -= len(records)
        return f"image {index}"

    def labels(self) -> Array:
        """The finest label of each image."""
        return self._data[:, len(self.columns) - 2]
