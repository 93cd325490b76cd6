"""The state of a training at one moment, taken and put back bit for bit; what runs a step again stands on this."""

from __future__ import annotations

from typing import Any

from framework.common import device, seed
from framework.nn.cell import Cell

__all__ = ["Snapshot"]


class Snapshot:
    """All that the next step depends on: Parameters (weights, the optimizer's state and count of steps), randomness.

    Its buffers are used again each time that it is taken, so a training that takes one before every step pays for
    copying and for nothing else.

    Args:
        network: the whole training step.

    Attributes:
        step: the number of the last step that was done when it was taken; -1 before it is taken.
    """

    def __init__(self, network: Cell) -> None:
        self._parameters = list(network.get_parameters())
        self._arrays: list[Any] = []
        self._random = ""
        self.step = -1

    @property
    def is_taken(self) -> bool:
        """Whether there is something to put back."""
        return self.step >= 0

    @property
    def nbytes(self) -> int:
        """Bytes of all copies."""
        return sum(array.nbytes for array in self._arrays)

    def take(self, step: int) -> None:
        """Copy the state of this moment.

        Args:
            step: the number of the last step that was done.
        """
        if not self._fits():
            self._arrays = [parameter._data.copy() for parameter in self._parameters]
        else:
            for kept, parameter in zip(self._arrays, self._parameters, strict=True):
                kept[...] = parameter._data
        self._random = seed.get_state()
        self.step = step

    def restore(self) -> None:
        """Make the state that which was copied; the copy stays.

        Raises:
            RuntimeError: it was never taken.
        """
        if not self.is_taken:
            raise RuntimeError("there is no snapshot to put back: take() comes first")
        for kept, parameter in zip(self._arrays, self._parameters, strict=True):
            # A new array: somebody may hold the one that is there, and what is seen of it must not change.
            parameter._data = kept.copy()
        seed.set_state(self._random)

    def array(self, name: str) -> Any:
        """A Parameter's elements as numpy has them.

        Args:
            name: the Parameter's.

        Raises:
            KeyError: there is no such Parameter.
        """
        for kept, parameter in zip(self._arrays, self._parameters, strict=False):
            if parameter.name == name:
                return device.to_numpy(kept)
        raise KeyError(name)

    def _fits(self) -> bool:
        """Whether the buffers are those of the Parameters as they are."""
        pairs = zip(self._arrays, self._parameters, strict=False)
        return len(self._arrays) == len(self._parameters) and all(
            type(kept) is type(now._data) and kept.shape == now._data.shape and kept.dtype == now._data.dtype
            for kept, now in pairs
        )
