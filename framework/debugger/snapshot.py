"""Snapshots of a training's state, which restore it bit for bit."""

from __future__ import annotations

from typing import Any

from framework.common import device, seed
from framework.nn.cell import Cell

__all__ = ["Snapshot"]


class Snapshot:
    """All that the next step depends on: Parameters (weights, the optimizer's state and step count) and randomness.

    Nothing is copied. An array that is held outside its Parameter is never overwritten: an operator that changes the
    Parameter gives it a new array (`framework.common.holding.own`). So a snapshot only holds the current arrays, and a
    training that takes one before every step pays with memory alone.

    Args:
        network: The whole training step.

    Attributes:
        step: Number of the last finished step when it was taken; -1 before it is taken.
    """

    def __init__(self, network: Cell) -> None:
        self._parameters = list(network.get_parameters())
        self._arrays: list[Any] = []
        self._by_name: dict[str, Any] = {}
        self._random = ""
        self.step = -1

    @property
    def is_taken(self) -> bool:
        """Whether there is a state to restore."""
        return self.step >= 0

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that only the snapshot holds."""
        pairs = zip(self._arrays, self._parameters, strict=False)
        return sum(array.nbytes for array, parameter in pairs if array is not parameter._data)

    def take(self, step: int) -> None:
        """Hold the current state.

        Args:
            step: Number of the last finished step.
        """
        self._arrays = [parameter._data for parameter in self._parameters]
        self._by_name = {}
        self._random = seed.get_state()
        self.step = step

    def forget(self) -> None:
        """Release the state."""
        self._arrays = []
        self._by_name = {}
        self.step = -1

    def restore(self) -> None:
        """Restore the state; the snapshot keeps it.

        Raises:
            RuntimeError: No state was taken.
        """
        if not self.is_taken:
            raise RuntimeError("the snapshot holds no state: call take() first")
        for kept, parameter in zip(self._arrays, self._parameters, strict=True):
            parameter._data = kept
        seed.set_state(self._random)

    def array(self, name: str) -> Any:
        """The elements of a Parameter as a numpy array.

        Args:
            name: Of the Parameter.

        Raises:
            KeyError: There is no such Parameter.
        """
        for kept, parameter in zip(self._arrays, self._parameters, strict=False):
            if parameter.name == name:
                return device.to_numpy(kept)
        raise KeyError(name)

    @property
    def arrays(self) -> dict[str, Any]:
        """All arrays by the names of their Parameters."""
        return {one.name: kept for kept, one in zip(self._arrays, self._parameters, strict=False)}

    def view(self, name: str) -> Any:
        """The array of a Parameter; None if it has none."""
        if not self._by_name:
            self._by_name = self.arrays
        return self._by_name.get(name)
