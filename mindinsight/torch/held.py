"""Values of tensors that are held by reference, and copied only where something may write their memory.

The observer holds them while it sees each operator: it copies what an operator is about to write, and at its end what
others can write. Only memory of the CPU is held: on a device it would be missed by the training.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import torch

from mindinsight.torch.private import owners_of, without_modes

__all__ = ["Held", "Holding", "can_hold"]

Array = np.ndarray[Any, Any]

_TYPES: Final[dict[torch.dtype, np.dtype[Any]]] = {
    torch.float32: np.dtype(np.float32),
    torch.float64: np.dtype(np.float64),
    torch.float16: np.dtype(np.float16),
    torch.int64: np.dtype(np.int64),
    torch.int32: np.dtype(np.int32),
    torch.bool: np.dtype(np.bool_),
}
_CLASSES: Final = frozenset({torch.Tensor, torch.nn.Parameter})


def can_hold(tensor: torch.Tensor) -> bool:
    """Whether the value of a tensor can be held: a plain one in the memory of the CPU."""
    return (
        type(tensor) in _CLASSES
        and tensor.is_cpu
        and tensor.dtype in _TYPES
        and tensor.layout is torch.strided
        and not tensor.is_neg()
    )


class Held:
    """The value that a tensor has now, as an array that is copied when that is needed.

    Args:
        tensor: A tensor that can be held.
    """

    __slots__ = ("_alias", "_array")

    def __init__(self, tensor: torch.Tensor) -> None:
        # Another tensor of the same memory: who counts the references to this one sees no difference.
        self._alias: torch.Tensor | None = tensor.detach()
        self._array: Array | None = None

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its element type."""
        return self._array.dtype if self._alias is None else _TYPES[self._alias.dtype]  # type: ignore[union-attr]

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self._array.shape if self._alias is None else tuple(self._alias.shape)  # type: ignore[union-attr]

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """The bytes of its elements."""
        return self.size * int(self.dtype.itemsize)

    @property
    def is_borrowed(self) -> bool:
        """Whether its memory may be that of somebody else, too."""
        return self._array is None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The elements, which stay as they are."""
        if self._array is None:
            self.copy()
        made = np.asarray(self._array, dtype)
        return made.copy() if copy else made

    def copy(self) -> None:
        """Copy the elements now, as their memory is about to change."""
        if self._array is None:
            assert self._alias is not None  # noqa: S101
            self._array = np.array(self._alias.numpy(), copy=True)
            self._alias = None

    def own(self) -> None:
        """Nobody else has the memory any more: it stays as it is."""
        if self._array is None:
            assert self._alias is not None  # noqa: S101
            self._array = self._alias.numpy()
            self._alias = None


class Holding:
    """The values that are held, by the memory in which they are."""

    def __init__(self) -> None:
        self._held: dict[int, list[Held]] = {}

    def __bool__(self) -> bool:
        return bool(self._held)

    def hold(self, tensor: torch.Tensor) -> Held:
        """Hold the value that a tensor has now."""
        made = Held(tensor)
        memory = tensor.untyped_storage()._cdata
        known = self._held.get(memory)
        if known is None:
            self._held[memory] = [made]
        else:
            known.append(made)
        return made

    def copy_before_write(self, tensors: Iterable[torch.Tensor]) -> None:
        """Copy the values in the memory of tensors that an operator is about to write."""
        for tensor in tensors:
            if tensor.layout is torch.strided and type(tensor) in _CLASSES:
                for value in self._held.pop(tensor.untyped_storage()._cdata, ()):
                    value.copy()

    def settle(self) -> None:
        """Copy the values whose memory others have, too. The rest keeps its memory. Nothing is held from now on."""
        if not self._held:
            return
        held, self._held = self._held, {}
        with without_modes():
            for memory, values in held.items():
                borrowed = [value for value in values if value.is_borrowed]
                is_shared = len(borrowed) != owners_of(memory)
                for value in borrowed:
                    value.copy() if is_shared else value.own()
