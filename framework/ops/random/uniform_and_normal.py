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
    """Draws numbers.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

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
        """Where this execution draws from."""
        return np.random.default_rng((self.seed, self.seed2) if self.seed or self.seed2 else new_key())


class StandardNormal(Random):
    """Float32 numbers from the standard normal distribution, of mean 0 and variance 1: `StandardNormal()(shape)`.

    Inputs: shape, a tuple of ints.

    Output: a Float32 tensor of that shape.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

    Example:
        >>> normal = ops.StandardNormal(seed=1)
        >>> print(normal((2, 3)).shape, np.array_equal(normal((9,)).asnumpy(), normal((9,)).asnumpy()))
        (2, 3) True
    """

    def compute(self, xp: ArrayModule, shape: tuple[int, ...]) -> Array:
        return xp.asarray(self.stream().standard_normal(shape, dtype=np.float32))


_standard_normal = StandardNormal()


def standard_normal(shape: int | Sequence[int], seed: int | None = None) -> Tensor:
    """Numbers from the standard normal distribution.

    Example:
        >>> print(ops.standard_normal((2, 3)).shape)
        (2, 3)

    """
    return _standard_normal(shape) if seed is None else cached(StandardNormal, seed)(shape)


class UniformReal(Random):
    """Float32 numbers from 0 to 1, without 1: `UniformReal()(shape)`.

    Inputs: shape, a tuple of ints.

    Output: a Float32 tensor of that shape.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

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
    """Numbers from `minval` to `maxval`, all equally likely.

    Example:
        >>> x = ops.uniform((100,), 2.0, 3.0)
        >>> print(x.shape, bool((x >= 2).all()), bool((x <= 3).all()))
        (100,) True True

    """
    drawn = _uniform_real(shape) if seed is None else cached(UniformReal, seed)(shape)
    return _cast(drawn * (maxval - minval) + minval, dtype)


class UniformInt(Random):
    """Int32 numbers from `minval` up to, but without, `maxval`: `UniformInt()(shape, minval, maxval)`.

    Inputs: shape, a tuple of ints; minval and maxval, ints.

    Output: an Int32 tensor of that shape.

    Args:
        seed: with `seed2`, if one is not 0, the stream that every execution starts anew.
        seed2: see `seed`.

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
    """Whole numbers from `low` up to, but without, `high`, within Int32; Int64 where no element type is given.

    Example:
        >>> print(np.unique(ops.randint(3, 6, (1000,)).asnumpy()))
        [3 4 5]

    """
    drawn = _uniform_int(size, low, high) if seed is None else cached(UniformInt, seed)(size, low, high)
    return cast(drawn, mstype.int64 if dtype is None else dtype)


def normal(shape: int | Sequence[int], mean: float, stddev: float, seed: int | None = None) -> Tensor:
    """Numbers from a normal distribution.

    Example:
        >>> print(ops.normal((2, 3), 0.0, 1.0).shape)
        (2, 3)

    """
    return standard_normal(shape, seed) * stddev + mean


def rand(*size: int | tuple[int, ...], dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Numbers from 0 up to, but without, 1, all equally likely; Float32 where no element type is given.

    Example:
        >>> print(ops.rand(2, 3).shape, ops.rand((4,), dtype=ms.float16).dtype)
        (2, 3) Float16

    """
    return uniform(_sizes(size), 0.0, 1.0, seed, mstype.float32 if dtype is None else dtype)


@constexpr
def _sizes(size: Any) -> Any:
    """The shape that is meant by numbers one by one, or by one tuple of them."""
    return tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size


def rand_like(input: Tensor, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """The same in the shape of a tensor, and in its element type where none is given.

    Example:
        >>> print(ops.rand_like(ops.zeros((2, 3))).shape)
        (2, 3)

    """
    return rand(shape(input), dtype=dtype_of(input) if dtype is None else dtype, seed=seed)


def randn(*size: int | tuple[int, ...], dtype: Any = None, seed: Any = None) -> Tensor:
    """Numbers from the standard normal distribution; Float32 where no element type is given.

    Example:
        >>> print(ops.randn(2, 3).shape)
        (2, 3)

    """
    return cast(standard_normal(_sizes(size), seed), mstype.float32 if dtype is None else dtype)


def randn_like(input: Tensor, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """The same in the shape of a tensor, and in its element type where none is given.

    Example:
        >>> print(ops.randn_like(ops.zeros((2, 3)), dtype=ms.float16).dtype)
        Float16

    """
    return randn(shape(input), dtype=dtype_of(input) if dtype is None else dtype, seed=seed)


def randint_like(input: Tensor, low: int, high: int, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """The same in the shape of a tensor, and in its element type where none is given.

    Example:
        >>> print(ops.randint_like(Tensor([0, 0, 0]), 4, 5))
        [4 4 4]

    """
    return randint(low, high, shape(input), seed, dtype=dtype_of(input) if dtype is None else dtype)
