"""Generated kernels for arrays of one shape and type, from a few steps: of `updates` and of `error_function`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from framework.common.device import Array
from framework.kernels.choices import Source
from framework.kernels.fused import Cluster, Input, Output, Step, version
from framework.kernels.fused.cluster import ANY
from framework.kernels.fused.compiling import Kernel

__all__ = ["DOES", "SOURCE", "Number", "Outputs", "cluster_of", "run"]

Number = float | Array
"""A number of Python or numpy, or an array without dimensions."""

Outputs = Sequence[Array | None]
"""Where results go, None for a new array."""

_LEAST: Final = 4096
"""For arrays with fewer elements, loading a kernel costs a short program more than it saves."""

SOURCE: Final = Source(version)
DOES: Final = f"Float32 and Float64 on the CPU, from {_LEAST} elements on"


def cluster_of(dtype: str, arrays: int, numbers: int, steps: Sequence[tuple[Any, ...]], made: Sequence[int]) -> Cluster:
    """A cluster for arrays of any length. Its inputs are arrays, then numbers; the arrays to write come last."""
    inputs = (*(Input(dtype, ANY, ANY),) * arrays, *(Input(dtype, (1,), (1,)),) * numbers)
    written = tuple(Step(name, dtype, tuple(operands), dtype) for name, *operands in steps)
    return Cluster(ANY, inputs, written, tuple(map(Output, made)))


def run(
    kernel: Callable[[str], Kernel], arrays: Sequence[Array], numbers: Sequence[Number], out: Outputs
) -> tuple[Array, ...]:
    """The new values, or NotImplemented for arrays that are small, not alike or not contiguous."""
    first = arrays[0]
    dtype = first.dtype
    if first.size < _LEAST or dtype.char not in "fd" or any(item.shape != first.shape for item in arrays):
        return NotImplemented
    given = []
    for number in numbers:
        # A float64 of numpy is a Python float too, and makes doubles of what it is multiplied with.
        if type(number) not in (int, float) and getattr(number, "dtype", None) != dtype:
            return NotImplemented
        given.append(np.asarray(number, dtype))
    made = tuple(np.empty(first.shape, dtype) if item is None else item for item in out)
    # The kernel checks that all are of this type and contiguous, and else leaves them as they are.
    return NotImplemented if kernel(dtype.name)(*arrays, *given, *made) is None else made
