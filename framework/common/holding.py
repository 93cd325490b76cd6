"""Whether an array may be overwritten: only if nobody else holds it.

Compiled programs ask before they overwrite a Parameter, and recorders before they keep a tensor without a copy.
"""

from __future__ import annotations

from sys import getrefcount
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from framework.common.device import Array

if TYPE_CHECKING:
    from framework.common.tensor import Tensor

__all__ = ["own"]


def own(tensor: Tensor) -> Array | None:
    """The array of a tensor if nobody else holds it, else None.

    A compiled program overwrites a Parameter only then. So an array that somebody kept, such as the result of
    `asnumpy()`, never changes behind their back. References are counted: that of the tensor, and one of the caller, who
    has read the array already.

    Args:
        tensor: a Parameter or tensor.

    """
    array = tensor._data
    is_alone = getrefcount(array) <= _ALONE and array.base is None
    return array if is_alone and getattr(array.flags, "writeable", True) else None


def _references(tensor: Tensor | SimpleNamespace) -> int:
    array = tensor._data
    return getrefcount(array)


def _least_references() -> int:
    """The count that `own` finds if only a tensor and the caller hold an array."""
    tensor = SimpleNamespace(_data=np.empty(1))
    array = tensor._data
    return _references(tensor) if array is not None else 0


_ALONE = _least_references()
