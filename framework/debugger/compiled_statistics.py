"""Statistics of tensors by the core's compiled loops, in one pass: `debugging.tensors.statistics.Loops`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from framework.common.threads import threads_for
from framework.kernels.loops.library import Loops, address

__all__ = ["CompiledStatistics"]

_FLOATS: Final = {np.dtype(np.float32): "float32", np.dtype(np.float64): "float64"}
_OPERATIONS: Final = 10
"""Operations per element in one pass, for the choice of threads."""
_Array = np.ndarray[Any, Any]


class CompiledStatistics:
    """The loops over Float32 and Float64.

    Args:
        loops: The compiled library.

    """

    def __init__(self, loops: Loops) -> None:
        self._functions = loops.functions

    def take(self, dtype: np.dtype[Any]) -> bool:
        """Whether there are loops for a dtype."""
        return dtype in _FLOATS

    def statistics(self, values: _Array) -> list[float]:
        """Twelve numbers, in the order of `Loops.statistics`."""
        made = np.empty(12, np.float64)
        threads = threads_for(_OPERATIONS * values.size)
        self._of("statistics", values)(address(values), values.size, address(made), threads)
        return made.tolist()

    def is_finite(self, values: _Array) -> bool:
        """Whether every element is finite."""
        return bool(self._of("finite", values)(address(values), values.size))

    def zeros(self, values: _Array) -> int:
        """The number of zeros."""
        return int(self._of("zeros", values)(address(values), values.size))

    def change(self, now: _Array, then: _Array, rtol: float, atol: float) -> list[float]:
        """The fields of `Change`."""
        made = np.empty(4, np.float64)
        threads = threads_for(_OPERATIONS * now.size)
        self._of("change", now)(address(now), address(then), now.size, rtol, atol, address(made), threads)
        return made.tolist()

    def within(self, values: _Array, low: float, high: float) -> int:
        """The number of elements between two numbers."""
        return int(self._of("within", values)(address(values), values.size, low, high))

    def squares(self, values: _Array, mean: float) -> float:
        """The sum of squares of the distances of finite elements from a mean."""
        return float(self._of("deviation", values)(address(values), mean, values.size))

    def _of(self, name: str, values: _Array) -> Any:
        return self._functions[f"{_FLOATS[values.dtype]}_{name}"]
