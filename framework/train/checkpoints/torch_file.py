"""Reads a state dict that PyTorch has saved (`torch.save(model.state_dict(), path)`), without PyTorch.

The file is a zip archive: `data.pkl` has names, shapes and places, and each storage is an entry with raw elements. The
unpickler knows the few names that a state dict holds, and has stand-ins for them; it imports and calls nothing else.
`framework.train.serialization` uses it.
"""

from __future__ import annotations

import io
import math
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.train.checkpoints.elements import Array
from framework.train.checkpoints.errors import CheckpointError, damaged

__all__ = ["read_torch"]

MOST_PICKLED: Final = 100 << 20
"""The most bytes of `data.pkl`, which has names and shapes only."""
_STORAGES: Final[dict[str, DType]] = {
    "BoolStorage": mstype.bool_, "CharStorage": mstype.int8, "ShortStorage": mstype.int16, "IntStorage": mstype.int32,
    "LongStorage": mstype.int64, "ByteStorage": mstype.uint8, "HalfStorage": mstype.float16,
    "FloatStorage": mstype.float32, "DoubleStorage": mstype.float64, "BFloat16Storage": mstype.bfloat16,
    "ComplexFloatStorage": mstype.complex64, "ComplexDoubleStorage": mstype.complex128,
}  # fmt: skip


@dataclass(frozen=True)
class _Storage:
    """A storage: the entry of the archive with its elements."""

    key: str
    dtype: DType
    count: int


@dataclass(frozen=True)
class _Stored:
    """A tensor as a view of a storage."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def _rebuilt(storage: object, offset: object, shape: object, strides: object, *rest: object) -> _Stored:
    """What `torch._utils._rebuild_tensor_v2` is called with, as a tensor that is read later."""
    numbers = (shape, strides, (offset,))
    if not isinstance(storage, _Storage) or not all(
        isinstance(part, tuple) and all(type(item) is int and item >= 0 for item in part) for part in numbers
    ):
        raise pickle.UnpicklingError("a tensor has no storage, or sizes that are no numbers")
    assert isinstance(shape, tuple) and isinstance(strides, tuple) and isinstance(offset, int)  # noqa: S101, PT018
    if len(shape) != len(strides) or len(shape) > 32:
        raise pickle.UnpicklingError(f"a tensor of shape {list(shape)} has strides {list(strides)}")
    return _Stored(storage, offset, shape, strides)


def _parameter(data: object, *rest: object) -> object:
    """What `torch._utils._rebuild_parameter` is called with: a Parameter is its tensor here."""
    return data


_KNOWN: Final[dict[tuple[str, str], Callable[..., Any]]] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuilt,
    ("torch._utils", "_rebuild_parameter"): _parameter,
}


class _Unpickler(pickle.Unpickler):
    """Reads `data.pkl`. A name that is not on the list is refused."""

    def find_class(self, module: str, name: str) -> Any:
        """The stand-in for a name; for a storage its element type."""
        if module == "torch" and name in _STORAGES:
            return _STORAGES[name]
        if (module, name) in _KNOWN:
            return _KNOWN[module, name]
        raise pickle.UnpicklingError(f"it holds {module}.{name}, which no state dict needs")

    def persistent_load(self, pid: Any) -> _Storage:
        """A storage from its number in the archive."""
        match pid:
            case ("storage", DType() as dtype, str() as key, str(), int() as count) if count >= 0 and key.isalnum():
                return _Storage(key, dtype, count)
        raise pickle.UnpicklingError("it names a storage in an unknown way")


def read_torch(path: Path) -> Iterator[tuple[str, Array]]:
    """The tensors of a state dict, in their order.

    Args:
        path: the file.

    Returns:
        Pairs of a name and an array.

    Raises:
        CheckpointError: the file is no state dict of PyTorch 1.6 or newer, is damaged, or holds something else.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        try:
            archive = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise CheckpointError(
                f"{path} is no state dict that torch.save has written since PyTorch 1.6 ({error})"
            ) from None
        yield from _tensors(path, archive)


def _tensors(path: Path, archive: zipfile.ZipFile) -> Iterator[tuple[str, Array]]:
    entries = {info.filename: info for info in archive.infolist()}
    found = [name for name in entries if name.endswith("/data.pkl") and name.count("/") == 1]
    if len(found) != 1:
        raise CheckpointError(f"{path} is no state dict that torch.save has written: it has no data.pkl")
    folder = found[0].removesuffix("data.pkl")
    if f"{folder}byteorder" in entries and _content(path, archive, entries[f"{folder}byteorder"], 16) != b"little":
        raise CheckpointError(f"{path} has big-endian elements, which are not supported")
    values = _unpickled(path, _content(path, archive, entries[found[0]], MOST_PICKLED))
    for name, stored in values.items():
        storage = stored.storage
        info = entries.get(f"{folder}data/{storage.key}")
        nbytes = storage.count * storage.dtype.itemsize
        if info is None or info.file_size != nbytes:
            raise damaged(path, f"the elements of {name!r} are missing, or not {nbytes:,} bytes")
        yield name, _viewed(path, name, stored, _content(path, archive, info, nbytes))


def _unpickled(path: Path, content: bytes) -> dict[str, _Stored]:
    try:
        values = _Unpickler(io.BytesIO(content)).load()
    except pickle.UnpicklingError as error:
        raise CheckpointError(f"{path} is no state dict: {error}") from None
    except Exception as error:
        raise damaged(path, f"data.pkl cannot be read ({type(error).__name__}: {error})") from None
    if not isinstance(values, dict):
        raise CheckpointError(f"{path} holds a {type(values).__name__}: save model.state_dict()")
    for name, value in dict.items(values):
        if not isinstance(name, str) or not isinstance(value, _Stored):
            raise CheckpointError(
                f"{path} holds something else than tensors: {name!r} is a {type(value).__name__}. Save "
                "model.state_dict() alone"
            )
    return dict(dict.items(values))


def _content(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """The bytes of an entry. PyTorch does not compress entries, so none can unfold to more than the file has."""
    if info.compress_type != zipfile.ZIP_STORED or info.file_size > most or info.file_size != info.compress_size:
        raise damaged(path, f"{info.filename} is compressed, or larger than {most:,} bytes")
    try:
        return archive.read(info)
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise damaged(path, f"{info.filename} cannot be read ({error})") from None


def _viewed(path: Path, name: str, stored: _Stored, content: bytes) -> Array:
    """The elements of a tensor, in an array of its own."""
    elements = np.frombuffer(content, stored.storage.dtype.numpy)
    count = math.prod(stored.shape)
    if count == 0:
        try:
            return np.zeros(stored.shape, elements.dtype)
        except ValueError:
            raise damaged(path, f"{name!r} has the shape {list(stored.shape)}, which is too large") from None
    last = stored.offset + sum((n - 1) * step for n, step in zip(stored.shape, stored.strides, strict=True))
    if last >= len(elements) or count > len(elements):
        raise damaged(path, f"{name!r} has the shape {list(stored.shape)}, and its storage {len(elements):,} elements")
    size = elements.dtype.itemsize
    view = np.lib.stride_tricks.as_strided(
        elements[stored.offset :], stored.shape, tuple(step * size for step in stored.strides), writeable=False
    )
    return view.copy()
