"""EMNIST (Cohen et al. 2017) and QMNIST (Yadav and Bottou 2019): idx files like MNIST's, under other names."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from framework.dataset.formats.mnist import read_idx
from framework.dataset.runtime.rows import Array

__all__ = ["QMNIST_PARTS", "DigitFiles", "emnist_names"]

#: The files of each usage of QMNIST, and the rows of them that belong to it.
QMNIST_PARTS: Final = {
    "train": (("qmnist-train", slice(None)),),
    "test": (("qmnist-test", slice(None)),),
    "test10k": (("qmnist-test", slice(10000)),),
    "test50k": (("qmnist-test", slice(10000, None)),),
    "nist": (("xnist", slice(None)),),
    "all": (("qmnist-train", slice(None)), ("qmnist-test", slice(None)), ("xnist", slice(None))),
}
_LABEL_NUMBERS: Final = 8
_MAGIC: Final = 0x0C02


def emnist_names(name: str, usage: str) -> tuple[tuple[str, slice], ...]:
    """The beginnings of EMNIST's file names."""
    usages = ("train", "test") if usage == "all" else (usage,)
    return tuple((f"emnist-{name}-{one}", slice(None)) for one in usages)


class DigitFiles:
    """Images (28, 28, 1) with labels UInt32: one number, or QMNIST's eight.

    Args:
        folder: folder of the files.
        parts: beginning of the names of each pair of files, and its rows.
        labels: the end of the names of label files.
        whole: return all eight numbers of a label, not only the first.
    """

    columns = ("image", "label")
    #: The bytes of the columns, whose values have one shape in all rows.
    fixed = {"image": 28 * 28, "label": 4}

    def __init__(self, folder: str, parts: tuple[tuple[str, slice], ...], labels: str, whole: bool = False) -> None:
        self.folder = Path(folder)
        self._parts, self._end, self._whole = parts, labels, whole

    @cached_property
    def _files(self) -> list[tuple[Path, int, Array, Array]]:
        found = []
        for name, rows in self._parts:
            images, labels = self._file(f"{name}-images-idx3-ubyte"), self._file(f"{name}-{self._end}")
            pixels = read_idx(images, 3)
            numbers = _eights(labels) if self._end.endswith("int") else read_idx(labels, 1)
            if len(pixels) != len(numbers):
                raise RuntimeError(f"{images} has {len(pixels)} images, but {labels} has {len(numbers)} labels")
            found.append((images, rows.start or 0, pixels[rows], numbers[rows].astype(np.uint32)))
        if not sum(len(pixels) for _, _, pixels, _ in found):
            raise RuntimeError(f"there is no image in {', '.join(str(path) for path, *_ in found)}")
        return found

    def _file(self, name: str) -> Path:
        for path in (self.folder / name, self.folder / f"{name}.gz"):
            if path.is_file():
                return path
        raise RuntimeError(f"there is no {name}[.gz] in {self.folder}")

    @cached_property
    def _images(self) -> Array:
        return np.concatenate([images for _, _, images, _ in self._files])[..., None]

    @cached_property
    def _labels(self) -> Array:
        return np.concatenate([labels for *_, labels in self._files])

    def __len__(self) -> int:
        return len(self._images)

    def row(self, index: int) -> tuple[Array, ...]:
        """The image and its label."""
        label = self._labels[index]
        return self._images[index].copy(), np.array(label if self._whole or label.ndim == 0 else label[0], np.uint32)

    def describe(self, index: int) -> str:
        """The file, and the index of the image in it."""
        for path, start, images, _ in self._files:
            if index < len(images):
                return f"image {start + index} of {path}"
            index -= len(images)
        return f"image {index}"

    def labels(self) -> Array:
        """The class of each image."""
        return self._labels if self._labels.ndim == 1 else self._labels[:, 0]


def _eights(path: Path) -> Array:
    """The labels of QMNIST: an idx file of 32-bit integers (n, 8)."""
    if path.suffix == ".gz":
        raise RuntimeError(f"unpack {path} first")
    data = path.read_bytes()
    magic, count, width = (int(number) for number in np.frombuffer(data, ">u4", 3)) if len(data) >= 12 else (0, 0, 0)
    if magic != _MAGIC or width != _LABEL_NUMBERS:
        raise RuntimeError(f"{path} is not a file of QMNIST's labels: it does not begin with {_MAGIC:#010x} and 8")
    if len(data) - 12 != 4 * count * width:
        raise RuntimeError(f"{path} is damaged: its header declares {count} labels, but {len(data) - 12} bytes follow")
    return np.frombuffer(data, ">u4", count * width, 12).reshape(count, width)
