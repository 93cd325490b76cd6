"""Random numbers from other distributions."""

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
    """Float32 numbers of density exp(-|x|) / 2: `StandardLaplace()(shape)`.

    Inputs: shape, a tuple of ints.

    Output: a Float32 tensor of that shape.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    Example:
        >>> x = ops.StandardLaplace()((2, 3))
        >>> print(x.shape, x.dtype)
        (2, 3) Float32
    """

    def compute(self, xp: ArrayModule, shape: tuple[int, ...]) -> Array:
        return xp.asarray(self.stream().laplace(size=shape).astype(np.float32))


def standard_laplace(shape: int | Sequence[int], seed: int | None = None) -> Tensor:
    """Float32 numbers of density exp(-|x|) / 2.

    Example:
        >>> print(ops.standard_laplace((2, 3)).shape)
        (2, 3)

    """
    return cached(StandardLaplace, 0 if seed is None else seed)(shape)


class TruncatedNormal(Random):
    """Float32 numbers from the standard normal distribution between -2 and 2: `TruncatedNormal()(shape)`.

    Inputs: shape, a tuple of ints.

    Output: a Float32 tensor of that shape.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    Example:
        >>> x = ops.TruncatedNormal()((1000,)).asnumpy()
        >>> print(x.shape, bool((abs(x) <= 2).all()))
        (1000,) True
    """

    def compute(self, xp: ArrayModule, shape: tuple[int, ...]) -> Array:
        stream = self.stream()
        drawn = stream.standard_normal(shape, dtype=np.float32)
        while (far := np.abs(drawn) > 2).any():
            drawn[far] = stream.standard_normal(int(far.sum()), dtype=np.float32)
        return xp.asarray(drawn)


class Gamma(Random):
    """Float32 numbers from gamma distributions: `Gamma()(shape, alpha, beta)`, beta the rate.

    The output's shape is `shape` followed by what alpha and beta broadcast to. The mean is alpha / beta.

    Inputs: shape, a tuple of ints; alpha and beta, tensors of numbers above 0.

    Output: a Float32 tensor.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

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
    """An array of cupy as one of numpy: random numbers are drawn on the host."""
    return value.get() if hasattr(value, "get") else value


def gamma(shape: int | Sequence[int], alpha: Tensor | float, beta: Tensor | float, seed: int | None = None) -> Tensor:
    """Float32 numbers of density b^a / gamma(a) x^(a - 1) exp(-b x), a = alpha and b = beta.

    Args:
        shape: a tuple of ints.
        alpha: a tensor above 0.
        beta: a tensor above 0: the rate, by which the mean is alpha / beta.
        seed: the stream that every execution starts anew; none where it is left out.

    Returns:
        Of shape `shape` followed by what alpha and beta broadcast to.

    Example:
        >>> print(ops.gamma((3,), Tensor([1.0, 2.0]), Tensor(4.0)).shape)
        (3, 2)

    """
    return cached(Gamma, 0 if seed is None else seed)(shape, alpha, beta)


class Poisson(Random):
    """Int32 numbers from Poisson distributions: `Poisson()(shape, mean)`; the output's shape is as of `Gamma`.

    Inputs: shape, a tuple of ints; mean, a tensor of numbers that are not negative.

    Output: an Int32 tensor, of shape `shape` followed by that of mean.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

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
    """Int32 numbers of probability mean^n exp(-mean) / n!.

    Args:
        shape: a tuple of ints.
        mean: a tensor that is not negative.
        seed: the stream that every execution starts anew; none where it is left out.

    Returns:
        Of shape `shape` followed by that of `mean`.

    Example:
        >>> print(ops.poisson((2,), Tensor([0.0, 0.0])))
        [[0 0]
         [0 0]]

    """
    return cached(Poisson, 0 if seed is None else seed)(shape, mean)


class Bernoulli(Random):
    """1 with probability p, else 0, in the shape and element type of x: `Bernoulli()(x, p)`.

    Inputs: x, a tensor, whose elements do not count; p, a number or a tensor that broadcasts to the shape of x.

    Output: a tensor of the shape and element type of x.

    Args:
        seed: with `offset`, if one is not 0, the stream that every execution starts anew.
        offset: see `seed`.

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
        input: a tensor, whose shape and element type the result has.
        p: a number from 0 to 1, or a tensor that broadcasts to the shape.
        seed: the stream that every execution starts anew; none where it is left out.

    Example:
        >>> print(ops.bernoulli(Tensor([7, 7, 7]), Tensor([0.0, 1.0, 0.0])))
        [0 1 0]

    """
    return cached(Bernoulli, 0 if seed is None else seed)(input, p)


def random_gamma(shape: int | Sequence[int], alpha: Tensor | float, seed: int | None = None) -> Tensor:
    """`gamma` of rate 1.

    Example:
        >>> print(ops.random_gamma((3,), Tensor([1.0, 2.0])).shape)
        (3, 2)

    """
    return gamma(shape, alpha, alpha * 0 + 1, seed)


def laplace(
    shape: int | Sequence[int], mean: Tensor | float, lambda_param: Tensor | float, seed: int | None = None
) -> Tensor:
    """Float32 numbers of density exp(-|x - mean| / lambda_param) / (2 lambda_param).

    Args:
        shape: a tuple of ints.
        mean, lambda_param: tensors, or numbers, which broadcast with it.
        seed: the stream that every execution starts anew; none where it is left out.

    Example:
        >>> print(ops.laplace((4, 2), Tensor([0.0, 5.0]), Tensor(1.0)).shape)
        (4, 2)

    """
    return standard_laplace(shape, seed) * lambda_param + mean


def random_poisson(
    shape: int | Sequence[int], rate: Tensor | float, seed: int | None = None, dtype: DType = mstype.float32
) -> Tensor:
    """`poisson` in an element type.

    Example:
        >>> print(ops.random_poisson((2,), Tensor(0.0)))
        [0. 0.]

    """
    return cast(poisson(shape, rate, seed), dtype)
