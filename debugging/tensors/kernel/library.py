"""Finds and loads the compiled library once per process, and calls its functions with arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import c_double, c_int, c_int64, c_void_p
from pathlib import Path
from typing import Any, Final

import numpy as np

from debugging.tensors.kernel.build import PART
from summaries.kernel.loading import find, load

__all__ = ["KERNEL", "Kernel"]

_Array = np.ndarray[Any, Any]
_FLOATS: Final = {"f": "float32", "d": "float64"}
_FUNCTIONS: Final[dict[str, tuple[Any, ...]]] = {
    "statistics": (None, c_void_p, c_int64, c_void_p, c_int),
    "change": (None, c_void_p, c_void_p, c_int64, c_double, c_double, c_void_p, c_int),
    "changes": (None, c_void_p, c_void_p, c_void_p, c_int64, c_double, c_double, c_void_p, c_int),
    "deviation": (c_double, c_void_p, c_double, c_int64),
    "within": (c_int64, c_void_p, c_int64, c_double, c_double),
    "finite": (c_int64, c_void_p, c_int64),
    "zeros": (c_int64, c_void_p, c_int64),
}
"""The result and the arguments of each function, which exists for both types."""
_OPERATIONS: Final = 10
"""Operations per element in one pass, for the choice of threads."""


class Kernel:
    """The functions of statistics.c, for contiguous arrays of Float32 and Float64.

    Args:
        path: The library.

    Attributes:
        threads_for: Gives the number of threads for a number of operations.

    Raises:
        UnusableError: The library cannot be used.
    """

    def __init__(self, path: Path = PART.target) -> None:
        library = load(PART, path, "debugging.tensors.kernel")
        self.threads_for: Callable[[float], int] = lambda operations: 1
        self._functions: dict[str, dict[str, Any]] = {}
        for char, kind in _FLOATS.items():
            self._functions[char] = {name: getattr(library, f"{kind}_{name}") for name in _FUNCTIONS}
            for name, function in self._functions[char].items():
                function.restype, *function.argtypes = _FUNCTIONS[name]

    def takes(self, dtype: np.dtype[Any]) -> bool:
        """Whether there are loops for a dtype."""
        return dtype.char in _FLOATS and dtype.isnative

    def statistics(self, values: _Array) -> list[float]:
        """Twelve numbers: zeros, NaNs, positive and negative infinities, negative and positive numbers, sum, sum of
        absolute values, sum of squares, smallest and largest element, smallest absolute value that is not zero."""
        made = np.empty(12, np.float64)
        threads = self.threads_for(_OPERATIONS * values.size)
        self._functions[values.dtype.char]["statistics"](_address(values), values.size, _address(made), threads)
        return made.tolist()

    def is_finite(self, values: _Array) -> bool:
        """Whether every element is finite."""
        return bool(self._functions[values.dtype.char]["finite"](_address(values), values.size))

    def zeros(self, values: _Array) -> int:
        """The number of zeros."""
        return int(self._functions[values.dtype.char]["zeros"](_address(values), values.size))

    def change(self, now: _Array, then: _Array, rtol: float, atol: float) -> list[float]:
        """The fields of `debugging.tensors.statistics.Change`."""
        made = np.empty(4, np.float64)
        threads = self.threads_for(_OPERATIONS * now.size)
        function = self._functions[now.dtype.char]["change"]
        function(_address(now), _address(then), now.size, rtol, atol, _address(made), threads)
        return made.tolist()

    def changes(self, now: Sequence[_Array], then: Sequence[_Array | None], rtol: float, atol: float) -> _Array:
        """Of each of several tensors of one type the fields of a `Change`, and 1 if all its elements are finite.

        Args:
            now: The tensors.
            then: Their former values; None for one that is not compared.
            rtol: Relative tolerance of close elements.
            atol: Absolute tolerance of close elements.
        """
        counts = [array.size for array in now]
        given = np.array(
            [[_address(array) for array in now], [0 if array is None else _address(array) for array in then], counts],
            np.int64,
        )
        made = np.empty((len(now), 5), np.float64)
        at, row = _address(given), given.strides[0]
        threads = self.threads_for(_OPERATIONS * sum(counts))
        function = self._functions[now[0].dtype.char]["changes"]
        function(at, at + row, at + 2 * row, len(now), rtol, atol, _address(made), threads)
        return made

    def within(self, values: _Array, low: float, high: float) -> int:
        """The number of elements between two numbers, both included."""
        return int(self._functions[values.dtype.char]["within"](_address(values), values.size, low, high))

    def squares(self, values: _Array, mean: float) -> float:
        """The sum of squares of the distances of finite elements from a mean."""
        return float(self._functions[values.dtype.char]["deviation"](_address(values), mean, values.size))


def _address(array: _Array) -> int:
    """The address of an array's first element."""
    return int(array.__array_interface__["data"][0])


KERNEL, _ = find(Kernel)
"""The loaded library, or None where numpy does the work."""
