"""Reads a tensor that `torch.save` wrote: a zip with a pickle and the bytes of storages. `msprobe.py` calls it.

A pickle can name any function to call. This reader gives out four names of its own, whatever the pickle asks for, and
refuses every other one. So a hostile file runs nothing.
"""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from debugging.dumps.dump import UnreadableTensorError
from debugging.dumps.formats.npy_files import open_file, open_npy

__all__ = ["open_tensor", "open_torch"]

_LONGEST_PICKLE: Final = 1 << 20
"""Most bytes of the pickle: that of one tensor has some hundred."""
_STORAGES: Final[Mapping[str, str]] = {
    "FloatStorage": "f4", "DoubleStorage": "f8", "HalfStorage": "f2", "BFloat16Storage": "bfloat16",
    "LongStorage": "i8", "IntStorage": "i4", "ShortStorage": "i2", "CharStorage": "i1", "ByteStorage": "u1",
    "BoolStorage": "b1", "ComplexFloatStorage": "c8", "ComplexDoubleStorage": "c16",
}  # fmt: skip


class _Kind(NamedTuple):
    """A class of storages: `torch.FloatStorage`."""

    dtype: str


class _Tensor(NamedTuple):
    """A tensor whose bytes were not read yet."""

    storage: Any
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class _Storage(NamedTuple):
    """A storage in the file: its element type, the name of its entry, its number of elements."""

    dtype: str
    key: str
    length: int


class _Unpickler(pickle.Unpickler):
    """Knows tensors and storages, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if module == "torch" and name in _STORAGES:
            return _Kind(_STORAGES[name])
        known: dict[tuple[str, str], Callable[..., Any]] = {
            ("torch._utils", "_rebuild_tensor_v2"): lambda storage, offset, shape, strides, *_: _Tensor(
                storage, offset, shape, strides
            ),
            ("torch._utils", "_rebuild_parameter"): lambda tensor, *_: tensor,
            ("collections", "OrderedDict"): lambda: OrderedDict(),
        }
        if (module, name) not in known:
            raise UnreadableTensorError(f"it asks for {module}.{name}, which is no part of a tensor: refused")
        return known[module, name]

    def persistent_load(self, pid: Any) -> _Storage:
        match pid:
            case ("storage", _Kind(dtype=dtype), str(key), str(), int(count)):
                return _Storage(dtype, key, count)
        raise UnreadableTensorError("it names a storage in a form that is not known")


def open_tensor(root: Path, relative: str) -> np.ndarray[Any, Any]:
    """The array in a `.pt` or `.npy` file below a dump."""
    return open_npy(root, relative) if relative.endswith(".npy") else open_torch(root, relative)


def open_torch(root: Path, relative: str) -> np.ndarray[Any, Any]:
    """The array in a `.pt` file.

    Args:
        root: The dump.
        relative: Path of the file below it.

    Raises:
        UnreadableTensorError: It cannot be read, breaks off, or holds anything but one tensor.
    """
    descriptor, _ = open_file(root, relative)
    with os.fdopen(descriptor, "rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                return _array(archive)
        except UnreadableTensorError:
            raise
        # A damaged or hostile pickle may fail in any way.
        except Exception as error:
            raise UnreadableTensorError(f"it is no file of torch.save, or breaks off: {error}") from error


def _array(archive: zipfile.ZipFile) -> np.ndarray[Any, Any]:
    pickles = [name for name in archive.namelist() if name.endswith("/data.pkl")]
    if len(pickles) != 1:
        raise UnreadableTensorError("it has no data.pkl: it is no file of torch.save")
    prefix = pickles[0].removesuffix("data.pkl")
    tensor = _Unpickler(io.BytesIO(_entry(archive, pickles[0], _LONGEST_PICKLE))).load()
    if not isinstance(tensor, _Tensor) or not isinstance(tensor.storage, _Storage):
        raise UnreadableTensorError(f"it holds a {type(tensor).__name__}, and no tensor")
    order = "little"
    if f"{prefix}byteorder" in archive.namelist():
        order = _entry(archive, f"{prefix}byteorder", 16).decode("ascii", "replace").strip()
    dtype = _dtype(tensor.storage.dtype, order)
    data = _entry(archive, f"{prefix}data/{tensor.storage.key}", tensor.storage.length * dtype.itemsize)
    return _strided(np.frombuffer(data, dtype), tensor)


def _entry(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """The bytes of an entry. Only entries that are not compressed are read, so none is larger than the file."""
    info = archive.getinfo(name)
    if info.compress_type != zipfile.ZIP_STORED or info.file_size > most:
        raise UnreadableTensorError(f"its entry {name} is compressed or too long; torch.save writes no such entry")
    return archive.read(info)


def _dtype(name: str, order: str) -> np.dtype[Any]:
    if name == "bfloat16":
        import ml_dtypes

        brain: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return brain
    found: np.dtype[Any] = np.dtype((">" if order == "big" else "<") + name)
    return found


def _strided(flat: np.ndarray[Any, Any], tensor: _Tensor) -> np.ndarray[Any, Any]:
    """The tensor over its storage; one that reaches beyond it is refused."""
    numbers: Sequence[Any] = (tensor.offset, *tensor.shape, *tensor.strides)
    if any(not isinstance(one, int) or one < 0 for one in numbers) or len(tensor.shape) != len(tensor.strides):
        raise UnreadableTensorError(f"its shape {tensor.shape} and strides {tensor.strides} are no tensor's")
    if 0 in tensor.shape:
        return np.empty(tensor.shape, flat.dtype)
    last = tensor.offset + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.strides, strict=True))
    if last >= flat.size:
        raise UnreadableTensorError(f"its tensor reaches to element {last} of a storage of {flat.size}")
    steps = [step * flat.itemsize for step in tensor.strides]
    return np.lib.stride_tricks.as_strided(flat[tensor.offset :], tensor.shape, steps, writeable=False)
