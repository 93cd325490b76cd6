"""The types of what kernels compute with."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np

__all__ = ["Array", "ArrayModule"]

#: An array of numpy's, or one with its methods such as cupy's.
Array: TypeAlias = np.ndarray[Any, Any]


class ArrayModule(Protocol):
    """The module to compute with: numpy, or one with its functions such as cupy."""

    def __getattr__(self, name: str) -> Any: ...
