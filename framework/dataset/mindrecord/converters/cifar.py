"""CIFAR in the form of Python's pickles (https://www.cs.toronto.edu/~kriz/cifar.html) to MindRecord files."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.dataset.mindrecord.converters.writing import checked_path, write_rows
from framework.dataset.mindrecord.refusals import PathNotExistsError
from framework.dataset.mindrecord.writer import FileWriter
from framework.dataset.runtime.rows import Array
from framework.dataset.vision.codecs.coding import encode_jpeg

__all__ = ["Cifar10ToMR", "Cifar100ToMR"]

_QUALITY: Final = 95
#: What the files need: arrays of numpy, and bytes in the form of Python 2.
_ALLOWED: Final = {
    *((f"numpy.{core}.multiarray", "_reconstruct") for core in ("core", "_core")),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("_codecs", "encode"),
}


class _Unpickler(pickle.Unpickler):
    """Reads pickles that hold numbers and arrays, and refuses those that would run other code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which files of CIFAR do not need")
        return super().find_class(module, name)


def _batch(path: Path, labels: Sequence[str]) -> tuple[Array, list[list[int]]]:
    """The images of a file, UInt8 (n, 32, 32, 3), and its labels, one list for each kind."""
    try:
        with path.open("rb") as file:
            content = _Unpickler(file, encoding="bytes").load()
        data = np.asarray(content[b"data"])
        found = [[int(label) for label in content[name.encode()]] for name in labels]
        if data.dtype != np.uint8 or any(len(kind) != len(data) for kind in found):
            raise ValueError(f"{data.dtype} of shape {data.shape} for {len(found[0])} labels")
        return data.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), found
    except FileNotFoundError as error:
        raise PathNotExistsError(f"there is no {path}") from error
    except (pickle.UnpicklingError, EOFError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"{path} is not a file of CIFAR for Python, or is damaged ({error})") from error


class _CifarToMR:
    """Converts the folder of a CIFAR data set; subclasses say which.

    Args:
        source: folder with the unpacked files of the version for Python.
        destination: path of the MindRecord file for training; the one for tests has `_test` behind its name.

    Raises:
        ValueError: an argument is no path.

    """

    _files: tuple[Sequence[str], Sequence[str]]
    #: Names of labels in the pickles, and of their fields.
    _labels: dict[str, str]

    def __init__(self, source: str, destination: str) -> None:
        self.source = checked_path("source", source)
        self.destination = checked_path("destination", destination)

    def run(self, fields: Sequence[str] | None = None) -> int:
        """Write both files.

        Args:
            fields: names of the fields in the index; None for the default.

        Returns:
            SUCCESS.

        Raises:
            ValueError: `fields` is no list, or a file is damaged.
            PathNotExistsError: a file is missing.
        """
        if fields is not None and not isinstance(fields, list):
            raise ValueError(f"fields must be a list of names or None, not {fields!r}")
        schema = {"id": {"type": "int64"}, **{field: {"type": "int64"} for field in self._labels.values()}}
        schema["data"] = {"type": "bytes"}
        done = 0
        for names, end, description in zip(self._files, ("", "_test"), ("img_train", "img_test"), strict=True):
            done |= write_rows(FileWriter(self.destination + end), schema, description, fields, self._rows(names))
        return done

    def transform(self, fields: Sequence[str] | None = None) -> int:
        """Write both files, as `run` does."""
        return self.run(fields)

    def _rows(self, names: Sequence[str]) -> Iterator[dict[str, Any]]:
        number = 0
        for name in names:
            images, kinds = _batch(Path(self.source) / name, list(self._labels))
            for place, image in enumerate(images):
                labels = {field: kind[place] for field, kind in zip(self._labels.values(), kinds, strict=True)}
                data = encode_jpeg(np.ascontiguousarray(image), _QUALITY).tobytes()
                yield {"id": number, **labels, "data": data}
                number += 1


class Cifar10ToMR(_CifarToMR):
    """Converts CIFAR-10: rows of `id`, `label` and the image as JPEG, `data`."""

    _files = ([f"data_batch_{number}" for number in range(1, 6)], ["test_batch"])
    _labels = {"labels": "label"}


class Cifar100ToMR(_CifarToMR):
    """Converts CIFAR-100: rows of `id`, `fine_label`, `coarse_label` and the image as JPEG, `data`."""

    _files = (["train"], ["test"])
    _labels = {"fine_labels": "fine_label", "coarse_labels": "coarse_label"}
