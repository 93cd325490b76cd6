"""The types of the arrays and array modules that kernels compute with."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np

__all__ = ["Array", "ArrayModule"]

#: A numpy array, or an array with the same methods such as cupy's.
Array: TypeAlias = np.ndarray[Any, Any]


class ArrayModule(Protocol):
    """The array module: numpy, or a module with the same functions such as cupy."""

    def __getattr__(self, name: str) -> Any: ...
