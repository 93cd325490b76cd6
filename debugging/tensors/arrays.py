"""Arrays of frameworks as numpy arrays."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

__all__ = ["dtype_name", "to_numpy"]


@singledispatch
def to_numpy(array: Any) -> np.ndarray[Any, Any]:
    """The elements of an array as a numpy array, without a copy where they are in the memory of the CPU.

    An adapter registers its own type: `to_numpy.register(torch.Tensor)`. Arrays of cupy have a method `get`.
    """
    return np.asarray(array.get() if hasattr(array, "get") else array)


@to_numpy.register
def _(array: np.ndarray) -> np.ndarray[Any, Any]:
    return array


def dtype_name(array: Any) -> str:
    """The name of an array's element type, such as `float32`."""
    return str(array.dtype).rpartition(".")[2].lower()
