"""Uniform and normal random numbers, and the base class of random operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.seed import new_key
from framework.common.tensor import Tensor
from framework.ops.array.casting import Cast, cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.properties import shape
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "StandardNormal",
    "UniformInt",
    "UniformReal",
    "normal",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "standard_normal",
    "uniform",
]

_cast = Cast()


class Random(PrimitiveWithInfer):
    """Base class of operators that draw random numbers.

    Args:
        seed: seed, together with `seed2`; if one of them is not 0, every execution draws the same numbers.
        seed2: second part of the seed.
    """

    side_effect = True
    value_inputs: ClassVar[tuple[int, ...]] = (0,)

    @prim_attr_register
    def __init__(self, seed: int = 0, seed2: int = 0) -> None:
        self.init_prim_io_names(inputs=["shape"], outputs=["output"])

    def infer_shape(self, shape: Dims, *others: object) -> Dims:
        return tuple(shape)

    def infer_dtype(self, shape: Dims, *others: object) -> DType:
        return mstype.float32

    def stream(self) -> np.random.Generator:
        """The generator that this execution draws from."""
        return np.random.default_rng((self.seed, self.seed2) if self.seed or self.seed2 else new_key())


class StandardNormal(Random):
    """Float32 numbers from the standard normal distribution, with mean 0 and variance 1: `StandardNormal()(shape)`.

    Inputs: shape, a tuple of ints.

    Output: a Float32 tensor of that shape.

    Args:
        seed: seed, together with `seed2`; if one of them is not 0, every execution draws the same numbers.
        seed2: second part of the seed.

    Example:
        >>> normal = ops.StandardNormal(seed=1)
        >>> print(normal((2, 3)).shape, np.array_equal(normal((9,)).asnumpy(), normal((9,)).asnumpy()))
        (2, 3) True
    """

    def compute(self, xp: ArrayModule, shape: tuple[int, ...]) -> Array:
        return xp.asarray(self.stream().standard_normal(shape, dtype=np.float32))


_standard_normal = StandardNormal()


def standard_normal(shape: int | Sequence[int], seed: int | None = None) -> Tensor:
    """Numbers from the standard normal distribution, with mean 0 and variance 1.

    Args:
        shape: shape of the result.
        seed: seed of the numbers; None for the global random stream.

    Returns:
        A Float32 tensor of that shape.

    Example:
        >>> print(ops.standard_normal((2, 3)).shape)
        (2, 3)

    """
    return _standard_normal(shape) if seed is None else cached(StandardNormal, seed)(shape)


class UniformReal(Random):
    """Float32 numbers from the uniform distribution from 0 to 1, without 1: `UniformReal()(shape)`.

    Inputs: shape, a tuple of ints.

    Output: a Float32 tensor of that shape.

    Args:
        seed: seed, together with `seed2`; if one of them is not 0, every execution draws the same numbers.
        seed2: second part of the seed.

    Example:
        >>> x = ops.UniformReal()((1000,)).asnumpy()
        >>> print(x.dtype, x.shape, bool(x.min() >= 0 and x.max() < 1))
        float32 (1000,) True
    """

    def compute(self, xp: ArrayModule, shape: tuple[int, ...]) -> Array:
        return xp.asarray(self.stream().random(shape, dtype=np.float32))


_uniform_real = UniformReal()


def uniform(
    shape: int | Sequence[int], minval: float, maxval: float, seed: int | None = None, dtype: DType = mstype.float32
) -> Tensor:
    """Numbers from the uniform distribution from `minval` to `maxval`.

    Args:
        shape: shape of the result.
        minval: lower limit.
        maxval: upper limit.
        seed: seed of the numbers; None for the global random stream.
        dtype: element type of the result.

    Returns:
        A tensor of `dtype` and that shape.

    Example:
        >>> x = ops.uniform((100,), 2.0, 3.0)
        >>> print(x.shape, bool((x >= 2).all()), bool((x <= 3).all()))
        (100,) True True

    """
    drawn = _uniform_real(shape) if seed is None else cached(UniformReal, seed)(shape)
    return _cast(drawn * (maxval - minval) + minval, dtype)


class UniformInt(Random):
    """Int32 numbers from `minval` to `maxval`, without `maxval`: `UniformInt()(shape, minval, maxval)`.

    Inputs: shape, a tuple of ints; minval and maxval, ints.

    Output: an Int32 tensor of that shape.

    Args:
        seed: seed, together with `seed2`; if one of them is not 0, every execution draws the same numbers.
        seed2: second part of the seed.

    Example:
        >>> print(np.unique(ops.UniformInt()((1000,), 5, 8).asnumpy()))
        [5 6 7]
    """

    value_inputs = (0, 1, 2)

    def infer_dtype(self, shape: Dims, *others: object) -> DType:
        return mstype.int32

    def compute(self, xp: ArrayModule, shape: tuple[int, ...], minval: int, maxval: int) -> Array:
        return xp.asarray(self.stream().integers(int(minval), int(maxval), shape, dtype=np.int32))


_uniform_int = UniformInt()


def randint(
    low: int, high: int, size: int | Sequence[int], seed: int | None = None, *, dtype: DType | None = None
) -> Tensor:
    """Integers from `low` to `high`, without `high`, all equally likely.

    Args:
        low: smallest number, within Int32.
        high: number after the largest, within Int32.
        size: shape of the result.
        seed: seed of the numbers; None for the global random stream.
        dtype: element type of the result; None for Int64.

    Returns:
        A tensor of that type and shape.

    Example:
        >>> print(np.unique(ops.randint(3, 6, (1000,)).asnumpy()))
        [3 4 5]

    """
    drawn = _uniform_int(size, low, high) if seed is None else cached(UniformInt, seed)(size, low, high)
    return cast(drawn, mstype.int64 if dtype is None else dtype)


def normal(shape: int | Sequence[int], mean: float, stddev: float, seed: int | None = None) -> Tensor:
    """Numbers from a normal distribution.

    Args:
        shape: shape of the result.
        mean: mean of the distribution.
        stddev: standard deviation of the distribution.
        seed: seed of the numbers; None for the global random stream.

    Returns:
        A Float32 tensor of that shape.

    Example:
        >>> print(ops.normal((2, 3), 0.0, 1.0).shape)
        (2, 3)

    """
    return standard_normal(shape, seed) * stddev + mean


def rand(*size: int | tuple[int, ...], dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Numbers from the uniform distribution from 0 to 1, without 1.

    Args:
        size: shape of the result, as several ints or as one tuple.
        dtype: element type of the result; None for Float32.
        seed: seed of the numbers; None for the global random stream.

    Returns:
        A tensor of that type and shape.

    Example:
        >>> print(ops.rand(2, 3).shape, ops.rand((4,), dtype=ms.float16).dtype)
        (2, 3) Float16

    """
    return uniform(_sizes(size), 0.0, 1.0, seed, mstype.float32 if dtype is None else dtype)


@constexpr
def _sizes(size: Any) -> Any:
    """The shape given as several ints or as one tuple."""
    return tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size


def rand_like(input: Tensor, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """Numbers from the uniform distribution from 0 to 1, without 1, in the shape of a tensor.

    Args:
        input: tensor that gives the shape.
        seed: seed of the numbers; None for the global random stream.
        dtype: element type of the result; None for that of `input`.

    Returns:
        A tensor of that type and shape.

    Example:
        >>> print(ops.rand_like(ops.zeros((2, 3))).shape)
        (2, 3)

    """
    return rand(shape(input), dtype=dtype_of(input) if dtype is None else dtype, seed=seed)


def randn(*size: int | tuple[int, ...], dtype: Any = None, seed: Any = None) -> Tensor:
    """Numbers from the standard normal distribution, with mean 0 and variance 1.

    Args:
        size: shape of the result, as several ints or as one tuple.
        dtype: element type of the result; None for Float32.
        seed: seed of the numbers; None for the global random stream.

    Returns:
        A tensor of that type and shape.

    Example:
        >>> print(ops.randn(2, 3).shape)
        (2, 3)

    """
    return cast(standard_normal(_sizes(size), seed), mstype.float32 if dtype is None else dtype)


def randn_like(input: Tensor, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """Numbers from the standard normal distribution, in the shape of a tensor.

    Args:
        input: tensor that gives the shape.
        seed: seed of the numbers; None for the global random stream.
        dtype: element type of the result; None for that of `input`.

    Returns:
        A tensor of that type and shape.

    Example:
        >>> print(ops.randn_like(ops.zeros((2, 3)), dtype=ms.float16).dtype)
        Float16

    """
    return randn(shape(input), dtype=dtype_of(input) if dtype is None else dtype, seed=seed)


def randint_like(input: Tensor, low: int, high: int, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """Integers from `low` to `high`, without `high`, in the shape of a tensor.

    Args:
        input: tensor that gives the shape.
        low: smallest number, within Int32.
        high: number after the largest, within Int32.
        seed: seed of the numbers; None for the global random stream.
        dtype: element type of the result; None for that of `input`.

    Returns:
        A tensor of that type and shape.

    Example:
        >>> print(ops.randint_like(Tensor([0, 0, 0]), 4, 5))
        [4 4 4]

    """
    return randint(low, high, shape(input), seed, dtype=dtype_of(input) if dtype is None else dtype)
