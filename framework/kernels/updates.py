"""Steps of optimizers: by numpy, operation by operation, and by generated kernels in one pass over memory.

Both compute the same to the bit. The generated kernels take arrays of one floating-point type, and numbers of that type
or of Python.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from framework.common.device import Array, ArrayModule
from framework.kernels.choices import Kernel, listed
from framework.kernels.fused import Cluster, kernel_of
from framework.kernels.fused.compiling import Kernel as Compiled
from framework.kernels.generated import DOES, SOURCE, Number, Outputs, cluster_of, run

__all__ = ["adam", "adam_cluster", "momentum", "momentum_cluster", "moving_cluster"]


def _plain_momentum(
    xp: ArrayModule, variable: Array, accumulation: Array, rate: Number, gradient: Array, momentum: Number, out: Outputs
) -> tuple[Array, ...]:
    """accumulation * momentum + gradient, and variable - rate * that; returns variable and accumulation."""
    accumulation = xp.add(xp.multiply(accumulation, momentum, out=out[1]), gradient, out=out[1])
    return xp.subtract(variable, rate * accumulation, out=out[0]), accumulation


def _fast_momentum(
    variable: Array, accumulation: Array, rate: Number, gradient: Array, momentum: Number, out: Outputs
) -> tuple[Array, ...]:
    return run(_momentum_kernel, (variable, accumulation, gradient), (rate, momentum), out)


@functools.cache
def _momentum_kernel(dtype: str) -> Compiled:
    return kernel_of(momentum_cluster(dtype))


def momentum_cluster(dtype: str) -> Cluster:
    """A step of momentum as a cluster for arrays of any length.

    Inputs: variable 0, accumulation 1, gradient 2, rate 3, momentum 4; made: variable 8, accumulation 6.
    """
    steps = (("Mul", 1, 4), ("Add", 5, 2), ("Mul", 3, 6), ("Sub", 0, 7))
    return cluster_of(dtype, 3, 2, steps, (8, 6))


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
    return run(_adam_kernel, (var, m, v, grad), numbers, out)


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
    return cluster_of(dtype, 4, 6, steps, (21, 12, 16))


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
    return cluster_of("float32", 4, 0, steps, (6, 10))


momentum: Final = listed(Kernel("momentum", _plain_momentum, _fast_momentum, SOURCE, DOES))
adam: Final = listed(Kernel("adam", _plain_adam, _fast_adam, SOURCE, DOES))
