"""Opens a `.npy` file of a dump: by a memory map if it is large, never through a link, never with Python objects."""

from __future__ import annotations

import io
import math
import os
import stat
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from debugging.dumps.dump import UnreadableTensorError
from summaries.beneath import Beneath

__all__ = ["open_file", "open_npy"]

_MAPPED: Final = 1 << 16
"""Bytes from which a file is mapped. A process may have 65,530 maps; small files are read."""
_HEADER: Final = 4096
"""Most bytes of a header."""


def open_file(root: Path, relative: str) -> tuple[int, int]:
    """A descriptor of a regular file below a folder, and its size. Links are not followed.

    Raises:
        UnreadableTensorError: It cannot be opened, or is no regular file.
    """
    try:
        descriptor = Beneath(root, relative).open()
    except PermissionError as error:
        raise UnreadableTensorError("your account may not read it (chmod u+r, or ask its owner)") from error
    except (OSError, ValueError) as error:
        raise UnreadableTensorError(f"it cannot be opened: {getattr(error, 'strerror', None) or error}") from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise UnreadableTensorError("it is no regular file")
    return descriptor, found.st_size


def open_npy(root: Path, relative: str) -> np.ndarray[Any, Any]:
    """The array in a `.npy` file.

    Args:
        root: The dump.
        relative: Path of the file below it.

    Raises:
        UnreadableTensorError: It cannot be read, breaks off, or holds Python objects.
    """
    descriptor, size = open_file(root, relative)
    with os.fdopen(descriptor, "rb") as file:
        shape, fortran, dtype, offset = _header(_only_header(file.read(_HEADER)))
        wanted = math.prod(shape) * dtype.itemsize
        if size < offset + wanted:
            raise UnreadableTensorError(
                f"it breaks off: {size:,} bytes of {offset + wanted:,}; was the training killed while it wrote?"
            )
        order: Any = "F" if fortran else "C"
        if wanted >= _MAPPED:
            array: np.ndarray[Any, Any] = np.memmap(file, dtype, "r", offset, shape, order)
        else:
            file.seek(offset)
            array = np.frombuffer(file.read(wanted), dtype).reshape(shape, order=order)
    return _bfloat16(array) if "bfloat16" in relative[-32:].lower() and dtype.itemsize == 2 else array


def _only_header(data: bytes) -> bytes:
    """The bytes of the header without those of elements."""
    size = 2 if data[6:7] == b"\x01" else 4
    return data[: 8 + size + int.from_bytes(data[8 : 8 + size], "little")]


# Most files of a dump have one of a few headers, and parsing one takes longer than opening its file.
@lru_cache(1024)
def _header(data: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(stream)
    except (ValueError, TypeError, SyntaxError, EOFError) as error:
        raise UnreadableTensorError(f"it is no .npy file: {str(error).splitlines()[0]}") from error
    if dtype.hasobject:
        raise UnreadableTensorError("it holds Python objects, which are not read because they could run any code")
    if any(not isinstance(one, int) or one < 0 for one in shape):
        raise UnreadableTensorError(f"it is no .npy file: its shape is {shape}")
    return shape, fortran, dtype, stream.tell()


def _bfloat16(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Two bytes that the file's name calls bfloat16; numpy's format has no name for it."""
    if array.dtype.kind not in "Vui":
        return array
    import ml_dtypes

    return array.view(ml_dtypes.bfloat16)
