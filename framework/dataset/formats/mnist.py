"""The files of MNIST in the idx format of http://yann.lecun.com/exdb/mnist: a magic number, sizes, then bytes."""

from __future__ import annotations

import gzip
import zlib
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from framework.dataset.runtime.rows import Array

__all__ = ["MnistFiles", "read_idx"]

_PREFIXES: Final = {"train": "train", "test": "t10k"}


class MnistFiles:
    """The images and labels in a folder, read when the first row is needed.

    Args:
        folder: folder of the files, which may lie in sub-folders.
        usage: "train", "test" or "all".
    """

    columns = ("image", "label")
    #: The bytes of the columns, whose values have one shape in all rows.
    fixed = {"image": 28 * 28, "label": 4}

    def __init__(self, folder: str, usage: str) -> None:
        self.folder = folder
        self.usage = usage

    @cached_property
    def parts(self) -> list[tuple[Path, Array, Array]]:
        """The existing parts, training and test: the file of the images, the images, and the labels."""
        usages = ["train", "test"] if self.usage == "all" else [self.usage]
        found = [self._part(usage) for usage in usages]
        parts = [part for part in found if part is not None]
        if not parts or (self.usage != "all" and None in found):
            names = " or ".join(f"{_PREFIXES[usage]}-images-idx3-ubyte[.gz]" for usage in usages)
            raise RuntimeError(f"there is no {names} in {self.folder} or its sub-folders")
        return parts

    def _part(self, usage: str) -> tuple[Path, Array, Array] | None:
        images = self._find(f"{_PREFIXES[usage]}-images-idx3-ubyte")
        if images is None:
            return None
        labels = self._find(f"{_PREFIXES[usage]}-labels-idx1-ubyte")
        if labels is None:
            raise RuntimeError(f"{images} has no labels: {_PREFIXES[usage]}-labels-idx1-ubyte[.gz] is missing")
        pixels, classes = read_idx(images, 3), read_idx(labels, 1)
        if len(pixels) != len(classes):
            raise RuntimeError(f"{images} has {len(pixels)} images, but {labels} has {len(classes)} labels")
        return images, pixels, classes

    def _find(self, name: str) -> Path | None:
        # Some programs unpack the files with a dot before idx.
        names = {spelling + end for spelling in (name, name.replace("-idx", ".idx")) for end in ("", ".gz")}
        return next((path for path in sorted(Path(self.folder).rglob("*idx*")) if path.name in names), None)

    @cached_property
    def _images(self) -> Array:
        return np.concatenate([images for _, images, _ in self.parts])[..., None]

    @cached_property
    def _labels(self) -> Array:
        return np.concatenate([labels for _, _, labels in self.parts]).astype(np.uint32)

    def __len__(self) -> int:
        return len(self._labels)

    def row(self, index: int) -> tuple[Array, ...]:
        """The image and its label."""
        return self._images[index].copy(), np.asarray(self._labels[index])

    def block(self, places: Array) -> tuple[Array, ...]:
        """The images and labels of many rows."""
        return self._images[places], self._labels[places]

    def describe(self, index: int) -> str:
        """The file, and the index of the image in it."""
        for path, images, _ in self.parts:
            if index < len(images):
                return f"image {index} of {path}"
            index -= len(images)
        return f"image {index}"

    def labels(self) -> Array:
        """The label of each image."""
        return self._labels


def read_idx(path: Path, rank: int) -> Array:
    """The bytes of an idx file as an array.

    Args:
        path: path of the file.
        rank: number of dimensions.

    Returns:
        A UInt8 array.

    Raises:
        RuntimeError: the file has another format, or ends too early.
    """
    data = path.read_bytes()
    if path.suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise RuntimeError(f"{path} cannot be unpacked ({error}); fetch it again") from error
    magic = 0x0800 + rank
    if len(data) < 4 + 4 * rank or int.from_bytes(data[:4], "big") != magic:
        raise RuntimeError(f"{path} is not an idx file of {rank} dimensions: it does not begin with {magic:#010x}")
    shape = tuple(int(size) for size in np.frombuffer(data, ">u4", rank, 4))
    promised, available = int(np.prod(shape, dtype=np.int64)), len(data) - 4 - 4 * rank
    if promised != available:
        raise RuntimeError(
            f"{path} is damaged: its header declares {promised} bytes for the shape {shape}, but {available} follow;"
            " fetch it again"
        )
    return np.frombuffer(data, np.uint8, promised, 4 + 4 * rank).reshape(shape)
