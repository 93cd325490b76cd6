"""Random numbers from Laplace, truncated normal, gamma, Poisson and Bernoulli distributions."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.casting import cast
from framework.ops.arrays import Array, ArrayModule
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.random.uniform_and_normal import Random
from framework.ops.shapes import Dims, broadcast

__all__ = [
    "Bernoulli",
    "Gamma",
    "Poisson",
    "StandardLaplace",
    "TruncatedNormal",
    "bernoulli",
    "gamma",
    "laplace",
    "poisson",
    "random_gamma",
    "random_poisson",
    "standard_laplace",
]


class StandardLaplace(Random):
    """Float32 numbers from the Laplace distribution with density exp(-|x|) / 2: `StandardLaplace()(shape)`.

    Inputs: shape, a tuple of ints.

    Output: a Float32 tensor of that shape.

    Args:
        seed: seed, together with `seed2`; if one of them is not 0, every execution draws the same numbers.
        seed2: second part of the seed.

    Example:
        >>> x = ops.StandardLaplace()((2, 3))
        >>> print(x.shape, x.dtype)
        (2, 3) Float32
    """

    def compute(self, xp: ArrayModule, shape: tuple[int, ...]) -> Array:
        return xp.asarray(self.stream().laplace(size=shape).astype(np.float32))


def standard_laplace(shape: int | Sequence[int], seed: int | None = None) -> Tensor:
    """Numbers from the Laplace distribution with density exp(-|x|) / 2.

    Args:
        shape: shape of the result.
        seed: seed of the numbers; None for the global random stream.

    Returns:
        A Float32 tensor of that shape.

    Example:
        >>> print(ops.standard_laplace((2, 3)).shape)
        (2, 3)

    """
    return cached(StandardLaplace, 0 if seed is None else seed)(shape)


class TruncatedNormal(Random):
    """Float32 numbers from the standard normal distribution truncated to -2 to 2: `TruncatedNormal()(shape)`.

    Inputs: shape, a tuple of ints.

    Output: a Float32 tensor of that shape.

    Args:
        seed: seed, together with `seed2`; if one of them is not 0, every execution draws the same numbers.
        seed2: second part of the seed.

    Example:
        >>> x = ops.TruncatedNormal()((1000,)).asnumpy()
        >>> print(x.shape, bool((abs(x) <= 2).all()))
        (1000,) True
    """

    def compute(self, xp: ArrayModule, shape: tuple[int, ...]) -> Array:
        stream = self.stream()
        drawn = stream.standard_normal(shape, dtype=np.float32)
        while (outside := np.abs(drawn) > 2).any():
            drawn[outside] = stream.standard_normal(int(outside.sum()), dtype=np.float32)
        return xp.asarray(drawn)


class Gamma(Random):
    """Float32 numbers from gamma distributions: `Gamma()(shape, alpha, beta)`, with the rate beta and the mean alpha /
    beta.

    Inputs: shape, a tuple of ints; alpha and beta, tensors of numbers above 0, whose shapes broadcast.

    Output: a Float32 tensor of shape `shape` + the broadcast shape of alpha and beta.

    Args:
        seed: seed, together with `seed2`; if one of them is not 0, every execution draws the same numbers.
        seed2: second part of the seed.

    Example:
        >>> x = ops.Gamma()((5,), Tensor([1.0, 2.0], ms.float32), Tensor(4.0, ms.float32)).asnumpy()
        >>> print(x.shape, bool((x >= 0).all()))
        (5, 2) True
    """

    takes = MappingProxyType({1: mstype.real_type, 2: mstype.real_type})

    def infer_shape(self, shape: Dims, *others: object) -> Dims:
        return (*shape, *broadcast(*others))

    def compute(self, xp: ArrayModule, shape: tuple[int, ...], alpha: Array, beta: Array) -> Array:
        alpha, beta = np.broadcast_arrays(on_host(alpha), on_host(beta))
        drawn = self.stream().gamma(alpha, 1 / beta, (*shape, *alpha.shape))
        return xp.asarray(drawn.astype(np.float32))


def on_host(value: Array | float) -> Array | float:
    """The array as a numpy array: random numbers are drawn on the host, also for cupy."""
    return value.get() if hasattr(value, "get") else value


def gamma(shape: int | Sequence[int], alpha: Tensor | float, beta: Tensor | float, seed: int | None = None) -> Tensor:
    """Numbers from gamma distributions with density b^a / gamma(a) x^(a - 1) exp(-b x), a = alpha and b = beta.

    Args:
        shape: a tuple of ints.
        alpha: shape parameters above 0.
        beta: rates above 0; the mean is alpha / beta.
        seed: seed of the numbers; None for the global random stream.

    Returns:
        A Float32 tensor of shape `shape` + the broadcast shape of alpha and beta.

    Example:
        >>> print(ops.gamma((3,), Tensor([1.0, 2.0]), Tensor(4.0)).shape)
        (3, 2)

    """
    return cached(Gamma, 0 if seed is None else seed)(shape, alpha, beta)


class Poisson(Random):
    """Int32 numbers from Poisson distributions: `Poisson()(shape, mean)`.

    Inputs: shape, a tuple of ints; mean, a tensor of numbers that are not negative.

    Output: an Int32 tensor of shape `shape` + the shape of mean.

    Args:
        seed: seed, together with `seed2`; if one of them is not 0, every execution draws the same numbers.
        seed2: second part of the seed.

    Example:
        >>> x = ops.Poisson()((3,), Tensor([0.0, 100.0], ms.float32)).asnumpy()
        >>> print(x.shape, x[:, 0])
        (3, 2) [0 0 0]
    """

    takes = MappingProxyType({1: mstype.real_type})

    def infer_shape(self, shape: Dims, *others: object) -> Dims:
        return (*shape, *broadcast(*others))

    def infer_dtype(self, shape: Dims, *others: object) -> DType:
        return mstype.int32

    def compute(self, xp: ArrayModule, shape: tuple[int, ...], mean: Array) -> Array:
        mean = np.asarray(on_host(mean))
        return xp.asarray(self.stream().poisson(mean, (*shape, *mean.shape)).astype(np.int32))


def poisson(shape: int | Sequence[int], mean: Tensor | float, seed: int | None = None) -> Tensor:
    """Numbers from Poisson distributions with probability mean^n exp(-mean) / n!.

    Args:
        shape: a tuple of ints.
        mean: means of the distributions, not negative.
        seed: seed of the numbers; None for the global random stream.

    Returns:
        An Int32 tensor of shape `shape` + the shape of `mean`.

    Example:
        >>> print(ops.poisson((2,), Tensor([0.0, 0.0])))
        [[0 0]
         [0 0]]

    """
    return cached(Poisson, 0 if seed is None else seed)(shape, mean)


class Bernoulli(Random):
    """1 with probability p, else 0, in the shape and element type of x: `Bernoulli()(x, p)`.

    Inputs: x, a tensor that gives shape and element type; p, a number or a tensor that broadcasts to the shape of x.

    Output: a tensor of the shape and element type of x.

    Args:
        seed: seed, together with `offset`; if one of them is not 0, every execution draws the same numbers.
        offset: second part of the seed.

    Example:
        >>> print(ops.Bernoulli()(Tensor([7, 7, 7]), Tensor([0.0, 1.0, 0.0], ms.float32)))
        [0 1 0]
    """

    value_inputs = ()

    @prim_attr_register
    def __init__(self, seed: int = 0, offset: int = 0) -> None:
        self.init_prim_io_names(inputs=["x", "p"], outputs=["y"])
        self.add_prim_attr("seed2", offset)

    def infer_shape(self, x: Dims, *others: object) -> Dims:
        return tuple(x)

    def infer_dtype(self, x: Any, *others: object) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array, p: Array | float) -> Array:
        return xp.asarray(self.stream().random(x.shape) < on_host(p)).astype(x.dtype)


def bernoulli(input: Tensor, p: Tensor | float = 0.5, seed: int | None = None) -> Tensor:
    """1 with probability p, else 0.

    Args:
        input: tensor that gives shape and element type.
        p: probability from 0 to 1, a number or a tensor that broadcasts to that shape.
        seed: seed of the numbers; None for the global random stream.

    Returns:
        A tensor of the shape and type of `input`.

    Example:
        >>> print(ops.bernoulli(Tensor([7, 7, 7]), Tensor([0.0, 1.0, 0.0])))
        [0 1 0]

    """
    return cached(Bernoulli, 0 if seed is None else seed)(input, p)


def random_gamma(shape: int | Sequence[int], alpha: Tensor | float, seed: int | None = None) -> Tensor:
    """Numbers from gamma distributions with rate 1; see `gamma`.

    Args:
        shape: a tuple of ints.
        alpha: shape parameters above 0.
        seed: seed of the numbers; None for the global random stream.

    Returns:
        A Float32 tensor of shape `shape` + the shape of alpha.

    Example:
        >>> print(ops.random_gamma((3,), Tensor([1.0, 2.0])).shape)
        (3, 2)

    """
    return gamma(shape, alpha, alpha * 0 + 1, seed)


def laplace(
    shape: int | Sequence[int], mean: Tensor | float, lambda_param: Tensor | float, seed: int | None = None
) -> Tensor:
    """Numbers from Laplace distributions with density exp(-|x - mean| / lambda_param) / (2 lambda_param).

    Args:
        shape: a tuple of ints.
        mean: means of the distributions, which broadcast with `shape`.
        lambda_param: scales of the distributions, which broadcast with `shape`.
        seed: seed of the numbers; None for the global random stream.

    Returns:
        A Float32 tensor of the broadcast shape.

    Example:
        >>> print(ops.laplace((4, 2), Tensor([0.0, 5.0]), Tensor(1.0)).shape)
        (4, 2)

    """
    return standard_laplace(shape, seed) * lambda_param + mean


def random_poisson(
    shape: int | Sequence[int], rate: Tensor | float, seed: int | None = None, dtype: DType = mstype.float32
) -> Tensor:
    """Numbers from Poisson distributions, in a given element type; see `poisson`.

    Args:
        shape: a tuple of ints.
        rate: means of the distributions, not negative.
        seed: seed of the numbers; None for the global random stream.
        dtype: element type of the result.

    Returns:
        A tensor of `dtype`, of shape `shape` + the shape of `rate`.

    Example:
        >>> print(ops.random_poisson((2,), Tensor(0.0)))
        [0. 0.]

    """
    return cast(poisson(shape, rate, seed), dtype)
