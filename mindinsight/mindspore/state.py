"""The weights of a MindSpore training before a step. Nothing restores them: no step of MindSpore runs again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from debugging.executions import Weight
from debugging.steps.last_steps import NotKeptError

__all__ = ["NO_REPEAT", "WeightsBefore"]

NO_REPEAT = (
    "no step of MindSpore can run again, because the random states of its operators cannot be restored; run one more "
    "step in PyNative mode, whose tensors are kept"
)


class WeightsBefore:
    """The weights before a step, which a user compares with those after it; see `debugging.contract.State`.

    Args:
        weights: All that lasts from step to step.
    """

    def __init__(self, weights: Sequence[Weight]) -> None:
        self._weights = weights
        self._arrays: dict[str, Any] = {}
        self.step = -1

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in self._arrays.values())

    @property
    def arrays(self) -> dict[str, Any]:
        """The arrays by name."""
        return self._arrays

    def view(self, name: str) -> Any:
        """The array of a weight; None if it has none."""
        return self._arrays.get(name)

    def take(self, step: int) -> None:
        """Hold the current weights."""
        self._arrays = {weight.name: weight.array for weight in self._weights}
        self.step = step

    def restore(self) -> None:
        """Refuse.

        Raises:
            NotKeptError: always.
        """
        raise NotKeptError(NO_REPEAT)

    def forget(self) -> None:
        """Release them."""
        self._arrays = {}
        self.step = -1
