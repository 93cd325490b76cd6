"""The state of a training at one moment, taken and put back bit for bit; what runs a step again stands on this."""

from __future__ import annotations

from typing import Any

from framework.common import device, seed
from framework.nn.cell import Cell

__all__ = ["Snapshot"]


class Snapshot:
    """All that the next step depends on: Parameters (weights, the optimizer's state and count of steps), randomness.

    Nothing is copied. An array that somebody holds beside its Parameter is never overwritten: operators that change a
    Parameter give it a new one then (`framework.common.holding.own`). So a snapshot holds the arrays of its moment, and
    a training that takes one before every step pays for memory and for nothing else.

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
        """Bytes of the arrays that would be gone without it."""
        pairs = zip(self._arrays, self._parameters, strict=False)
        return sum(array.nbytes for array, parameter in pairs if array is not parameter._data)

    def take(self, step: int) -> None:
        """Hold the state of this moment.

        Args:
            step: the number of the last step that was done.
        """
        self._arrays = [parameter._data for parameter in self._parameters]
        self._random = seed.get_state()
        self.step = step

    def forget(self) -> None:
        """Hold nothing any more."""
        self._arrays = []
        self.step = -1

    def restore(self) -> None:
        """Make the state that which was taken; it can be put back again.

        Raises:
            RuntimeError: it was never taken.
        """
        if not self.is_taken:
            raise RuntimeError("there is no snapshot to put back: take() comes first")
        for kept, parameter in zip(self._arrays, self._parameters, strict=True):
            parameter._data = kept
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

    @property
    def arrays(self) -> dict[str, Any]:
        """All arrays by the names of their Parameters."""
        return {one.name: kept for kept, one in zip(self._arrays, self._parameters, strict=False)}
