"""The files of MNIST to MindRecord files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.dataset.formats.mnist import read_idx
from framework.dataset.mindrecord.converters.writing import LARGE_PAGE, checked_count, checked_path, write_rows
from framework.dataset.mindrecord.refusals import PathNotExistsError
from framework.dataset.mindrecord.writer import FileWriter
from framework.dataset.vision.codecs.coding import encode_jpeg

__all__ = ["MnistToMR"]

_QUALITY: Final = 95
_SCHEMA: Final = {"label": {"type": "int64"}, "data": {"type": "bytes"}}


class MnistToMR:
    """Converts MNIST: rows of `label` and the image as JPEG, `data`.

    Args:
        source: folder with `train-images-idx3-ubyte.gz` and the three other files, packed or not.
        destination: path of the MindRecord files; `_train.mindrecord` and `_test.mindrecord` are added.
        partition_number: number of files of each.

    Raises:
        ValueError: an argument has a wrong type.

    """

    def __init__(self, source: str, destination: str, partition_number: int = 1) -> None:
        self.source = checked_path("source", source)
        self.destination = checked_path("destination", destination)
        self.partition_number = checked_count(partition_number)

    def run(self) -> int:
        """Write both sets of files.

        Returns:
            SUCCESS.

        Raises:
            PathNotExistsError: a file is missing.
            RuntimeError: a file is damaged.
        """
        done = 0
        for prefix, end in (("train", "train"), ("t10k", "test")):
            writer = FileWriter(f"{self.destination}_{end}.mindrecord", self.partition_number)
            writer.set_page_size(LARGE_PAGE)
            done |= write_rows(writer, _SCHEMA, "mnist_schema", ["label"], self._rows(prefix))
        return done

    def transform(self) -> int:
        """Write both sets of files, as `run` does."""
        return self.run()

    def _rows(self, prefix: str) -> Iterator[dict[str, Any]]:
        images = read_idx(self._path(f"{prefix}-images-idx3-ubyte"), 3)
        labels = read_idx(self._path(f"{prefix}-labels-idx1-ubyte"), 1)
        if len(images) != len(labels):
            raise RuntimeError(f"{self.source} has {len(images)} images and {len(labels)} labels of {prefix}")
        for image, label in zip(images, labels, strict=True):
            yield {"label": int(label), "data": encode_jpeg(np.ascontiguousarray(image), _QUALITY).tobytes()}

    def _path(self, name: str) -> Path:
        for path in (Path(self.source) / f"{name}.gz", Path(self.source) / name):
            if path.is_file():
                return path
        raise PathNotExistsError(f"there is no {name}.gz in {self.source}")
