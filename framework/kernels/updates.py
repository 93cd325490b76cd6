"""Steps of optimizers: by numpy, operation by operation, and by generated kernels in one pass over memory.

Both compute the same to the bit. The generated kernels take arrays of one floating-point type, and numbers of that type
or of Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from framework.common.device import Array, ArrayModule
from framework.kernels.choices import Kernel, Source, listed
from framework.kernels.fused import Cluster, Input, Output, Step, kernel_of, version
from framework.kernels.fused.cluster import ANY
from framework.kernels.fused.compiling import Kernel as Compiled

__all__ = ["adam", "adam_cluster", "momentum", "momentum_cluster", "moving_cluster"]

Number = float | Array
"""A number of Python or numpy, or an array without dimensions."""

Outputs = Sequence[Array | None]
"""Where results go, None for a new array."""

_LEAST: Final = 4096
"""For arrays with fewer elements, loading a kernel costs a short program more than it saves."""


def _plain_momentum(
    xp: ArrayModule, variable: Array, accumulation: Array, rate: Number, gradient: Array, momentum: Number, out: Outputs
) -> tuple[Array, ...]:
    """accumulation * momentum + gradient, and variable - rate * that; returns variable and accumulation."""
    accumulation = xp.add(xp.multiply(accumulation, momentum, out=out[1]), gradient, out=out[1])
    return xp.subtract(variable, rate * accumulation, out=out[0]), accumulation


def _fast_momentum(
    variable: Array, accumulation: Array, rate: Number, gradient: Array, momentum: Number, out: Outputs
) -> tuple[Array, ...]:
    return _run(_momentum_kernel, (variable, accumulation, gradient), (rate, momentum), out)


@functools.cache
def _momentum_kernel(dtype: str) -> Compiled:
    return kernel_of(momentum_cluster(dtype))


def momentum_cluster(dtype: str) -> Cluster:
    """A step of momentum as a cluster for arrays of any length.

    Inputs: variable 0, accumulation 1, gradient 2, rate 3, momentum 4; made: variable 8, accumulation 6.
    """
    steps = (("Mul", 1, 4), ("Add", 5, 2), ("Mul", 3, 6), ("Sub", 0, 7))
    return _cluster(dtype, 3, 2, steps, (8, 6))


def _plain_adam(
    xp: ArrayModule, var: Array, m: Array, v: Array,
    rate: Number, beta1: Number, beta2: Number, epsilon: Number, grad: Array, out: Outputs,
) -> tuple[Array, ...]:  # fmt: skip
    """Means of the gradient and of its square, and var - rate * m / (sqrt(v) + epsilon); returns var, m and v."""
    m = xp.add(xp.multiply(beta1, m, out=out[1]), (1 - beta1) * grad, out=out[1])
    v = xp.add(xp.multiply(beta2, v, out=out[2]), (1 - beta2) * grad * grad, out=out[2])
    return xp.subtract(var, rate * m / (xp.sqrt(v) + epsilon), out=out[0]), m, v


def _fast_adam(
    var: Array, m: Array, v: Array,
    rate: Number, beta1: Number, beta2: Number, epsilon: Number, grad: Array, out: Outputs,
) -> tuple[Array, ...]:  # fmt: skip
    numbers = (rate, beta1, 1 - beta1, beta2, 1 - beta2, epsilon)
    return _run(_adam_kernel, (var, m, v, grad), numbers, out)


@functools.cache
def _adam_kernel(dtype: str) -> Compiled:
    return kernel_of(adam_cluster(dtype))


def adam_cluster(dtype: str) -> Cluster:
    """A step of Adam as a cluster for arrays of any length.

    Inputs: var 0, m 1, v 2, grad 3, rate 4, beta1 5, 1 - beta1 6, beta2 7, 1 - beta2 8, epsilon 9.
    """
    steps = (
        ("Mul", 5, 1), ("Mul", 6, 3), ("Add", 10, 11),  # m: 12
        ("Mul", 7, 2), ("Mul", 8, 3), ("Mul", 14, 3), ("Add", 13, 15),  # v: 16
        ("Mul", 4, 12), ("Sqrt", 16), ("Add", 18, 9), ("Div", 17, 19), ("Sub", 0, 20),  # var: 21
    )  # fmt: skip
    return _cluster(dtype, 4, 6, steps, (21, 12, 16))


def moving_cluster(share: float, count: int) -> Cluster:
    """The moving mean and variance of batch normalization after a batch, as a cluster for any number of channels.

    Inputs: moving mean 0, moving variance 1, mean 2 and biased variance 3 of the batch; made: moving mean 6, moving
    variance 10: (1 - share) * moving + share * batch, with the unbiased variance.

    Args:
        share: the weight of the batch, 0 to 1.
        count: the number of elements that the batch has for each channel.
    """
    kept, new = (float(1 - np.float32(share)),), (float(np.float32(share)),)
    unbiased = (float(np.float32(count / max(count - 1, 1))),)
    steps = (
        ("Mul", kept, 0), ("Mul", new, 2), ("Add", 4, 5),  # moving mean: 6
        ("Mul", kept, 1), ("Mul", 3, unbiased), ("Mul", new, 8), ("Add", 7, 9),  # moving variance: 10
    )  # fmt: skip
    return _cluster("float32", 4, 0, steps, (6, 10))


def _cluster(dtype: str, arrays: int, numbers: int, steps: Sequence[tuple[Any, ...]], made: Sequence[int]) -> Cluster:
    """A cluster for arrays of any length. Its inputs are arrays, then numbers; the arrays to write come last."""
    inputs = (*(Input(dtype, ANY, ANY),) * arrays, *(Input(dtype, (1,), (1,)),) * numbers)
    written = tuple(Step(name, dtype, tuple(operands), dtype) for name, *operands in steps)
    return Cluster(ANY, inputs, written, tuple(map(Output, made)))


def _run(
    kernel: Callable[[str], Compiled], arrays: Sequence[Array], numbers: Sequence[Number], out: Outputs
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


_SOURCE: Final = Source(version)
_DOES: Final = f"Float32 and Float64 on the CPU, from {_LEAST} elements on"
momentum: Final = listed(Kernel("momentum", _plain_momentum, _fast_momentum, _SOURCE, _DOES))
adam: Final = listed(Kernel("adam", _plain_adam, _fast_adam, _SOURCE, _DOES))
