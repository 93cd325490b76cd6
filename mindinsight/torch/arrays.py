"""Tensors as numpy arrays that stay as they are: each value of a tensor is copied once."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import torch

from mindinsight.torch.held import Held, Holding, can_hold
from mindinsight.torch.private import CAN_HOLD, is_fake

__all__ = ["Copies", "to_array", "view_of"]

#: Element types that numpy has not, and those that hold their values.
_WIDER: Final = {
    getattr(torch, name): torch.float32
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
    if hasattr(torch, name)
} | {torch.complex32: torch.complex64}

Array = np.ndarray[Any, Any]
Value = Array | Held


def to_array(tensor: torch.Tensor) -> Array | None:
    """A copy of a tensor's elements; see `view_of`."""
    array = view_of(tensor)
    return None if array is None else np.array(array, copy=True)


def view_of(tensor: torch.Tensor) -> Array | None:
    """A tensor's elements, in its own memory if possible; None if it has none, as on the meta device.

    bfloat16 and the types of 8 bits become float32. Sparse tensors become dense, quantized ones are dequantized.
    """
    if can_hold(tensor):
        plain = tensor.detach() if tensor.requires_grad else tensor
        return np.asarray(plain.numpy())
    if is_fake(tensor):
        return None
    plain = tensor.detach()
    if plain.is_quantized:
        plain = plain.dequantize()
    if plain.layout is not torch.strided:
        plain = plain.to_dense()
    plain = plain.to(_WIDER.get(plain.dtype, plain.dtype)).resolve_conj().resolve_neg()
    return np.asarray(plain.cpu().numpy())


class Copies:
    """Arrays of tensors. A tensor whose value has not changed since has the same array.

    An array is copied at once, or held: while an observer sees all that is written, it is copied where that is needed.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[torch.Tensor], int, Value | None]] = {}
        #: Arrays of views by the places of their elements, with the tensors that own the memory, and their versions.
        self._views: dict[tuple[Any, ...], tuple[weakref.ref[torch.Tensor], int, Value | None]] = {}
        self._holding = Holding()

    def of(self, tensor: torch.Tensor) -> Value | None:
        """The elements of a tensor as they are now, copied unless they are held already."""
        return self._of(tensor, False)

    def hold(self, tensor: torch.Tensor) -> Value | None:
        """The elements of a tensor as they are now, held if that is possible, until `settle`."""
        return self._of(tensor, CAN_HOLD)

    def _of(self, tensor: torch.Tensor, holds: bool) -> Value | None:
        try:
            version = tensor._version
        except RuntimeError:
            version = -1
        known = self._known.get(id(tensor))
        if known is not None and known[1] == version and known[0]() is tensor and version >= 0:
            return known[2]
        value = self._of_view(tensor, version) if self._views else None
        if value is None:
            is_held = holds and version >= 0 and can_hold(tensor)
            value = self._holding.hold(tensor) if is_held else to_array(tensor)
        self._known[id(tensor)] = (weakref.ref(tensor), version, value)
        return value

    @property
    def is_holding(self) -> bool:
        """Whether values are held."""
        return bool(self._holding)

    def keep_before_write(self, tensors: Iterable[torch.Tensor]) -> None:
        """Copy the held values in the memory of tensors that an operator is about to write."""
        self._holding.copy_before_write(tensors)

    def settle(self) -> None:
        """Hold nothing any more, as writes are not seen from now on: copy what others can write."""
        self._holding.settle()

    def _of_view(self, tensor: torch.Tensor, version: int) -> Value | None:
        """The array of a view that autograd has made anew of the one that an operator returned."""
        if (
            version < 0
            or getattr(tensor, "_base", None) is None
            or tensor.layout is not torch.strided
            or is_fake(tensor)
        ):
            return None
        known = self._views.get(_place_of(tensor))
        if known is None or known[1] != version or (owner := known[0]()) is None or _version(owner) != version:
            return None
        return known[2]

    def note_view(self, owner: torch.Tensor, view: torch.Tensor) -> None:
        """Note that an operator has returned a view of a tensor, so that the same view is known again."""
        known = self._known.get(id(view))
        version = _version(owner)
        is_strided = view.layout is torch.strided
        if is_strided and version >= 0 and known is not None and known[0]() is view:
            self._views[_place_of(view)] = (weakref.ref(owner), version, known[2])

    def share(self, tensor: torch.Tensor, other: torch.Tensor) -> None:
        """Let another tensor of the same elements have the array of a tensor, if that has one."""
        known = self._known.get(id(tensor))
        if known is not None and known[0]() is tensor and known[1] == _version(tensor) >= 0 and known[2] is not None:
            self.give(other, known[2])

    def hold_written(self, tensor: torch.Tensor) -> Value | None:
        """The elements of a tensor that an operator has just written, whose write PyTorch counts after the observer."""
        value = self._holding.hold(tensor) if CAN_HOLD and can_hold(tensor) else to_array(tensor)
        self.give(tensor, value, is_written=True)
        return value

    def give(self, tensor: torch.Tensor, array: Value | None, is_written: bool = False) -> None:
        """Let a tensor have the array of another one whose numbers it has taken over.

        Args:
            tensor: The tensor.
            array: Its elements.
            is_written: Whether an operator has just written it.
        """
        version = _version(tensor)
        if version >= 0:
            version += is_written
        self._known[id(tensor)] = (weakref.ref(tensor), version, array)

    def drop(self, tensors: Iterable[torch.Tensor]) -> None:
        """Forget the arrays of some tensors, which may have changed without a new version, as by `weight.data`."""
        for tensor in tensors:
            self._known.pop(id(tensor), None)

    def forget(self) -> None:
        """Forget all arrays; tensors that are seen again are copied again."""
        self._holding.settle()
        self._known.clear()
        self._views.clear()


def _version(tensor: torch.Tensor) -> int:
    """The number of writes so far; -1 where PyTorch does not count."""
    try:
        return int(tensor._version)
    except RuntimeError:
        return -1


def _place_of(tensor: torch.Tensor) -> tuple[Any, ...]:
    """Where the elements of a tensor are."""
    return tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype, tensor.device
