"""Tensors of MindSpore as numpy arrays that stay as they are: each is copied once while it keeps its value."""

from __future__ import annotations

from typing import Any

import mindspore as ms
import numpy as np

__all__ = ["Copies", "to_array"]

Array = np.ndarray[Any, Any]


def to_array(tensor: ms.Tensor) -> Array:
    """A copy of a tensor's elements; bfloat16 becomes float32."""
    plain = tensor.astype(ms.float32) if tensor.dtype == ms.bfloat16 else tensor
    return np.array(plain.asnumpy(), copy=True)


class Copies:
    """Arrays of tensors and Parameters. The same tensor has the same array, so that readers find its maker."""

    def __init__(self) -> None:
        #: Tensors live as long as their arrays: a new one does not get the id of an old one.
        self._tensors: dict[int, tuple[ms.Tensor, Array]] = {}
        self._weights: dict[int, Array] = {}
        #: Whether arrays of tensors are kept: within a step.
        self._keeps = False

    def begin(self) -> None:
        """A step begins: forget what was copied before, and keep what is copied from now on."""
        self.forget()
        self.drop_weights()
        self._keeps = True

    def of(self, item: Any) -> Array | None:
        """The elements of a tensor as they are now, or an array itself; None for anything else."""
        if isinstance(item, np.ndarray):
            return item
        if isinstance(item, ms.Parameter):
            return self.of_weight(item)
        if not isinstance(item, ms.Tensor):
            return None
        known = self._tensors.get(id(item))
        return self.anew(item) if known is None else known[1]

    def anew(self, tensor: ms.Tensor) -> Array:
        """The elements of a tensor that was computed just now, perhaps in place."""
        array = to_array(tensor)
        if self._keeps:
            self._tensors[id(tensor)] = (tensor, array)
        return array

    def of_weight(self, parameter: ms.Parameter) -> Array:
        """The elements of a Parameter; copied once until `drop_weights`."""
        known = self._weights.get(id(parameter))
        if known is None:
            known = self._weights[id(parameter)] = to_array(parameter)
        return known

    def drop_weights(self) -> None:
        """Forget the arrays of Parameters, which may have changed."""
        self._weights.clear()

    def forget(self) -> None:
        """Forget the arrays of tensors, and keep none from now on."""
        self._keeps = False
        self._tensors.clear()
