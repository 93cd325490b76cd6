"""Who holds an array: what may be overwritten, and what stays as it is for as long as somebody holds it.

Asked by compiled programs before they overwrite a Parameter, and by what records a tensor without copying it.
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
    """The array of a tensor that nobody else holds, else None.

    A compiled program overwrites a Parameter only then, so an array that somebody holds beside it, as who called
    `asnumpy()` and kept the result does, never changes: nobody's numbers change behind their back. The references are
    counted: the tensor's, and one of who asks, which has read the array already.

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
    """What `own` counts where only a tensor and the caller hold an array."""
    tensor = SimpleNamespace(_data=np.empty(1))
    array = tensor._data
    return _references(tensor) if array is not None else 0


_ALONE = _least_references()
