"""Tensors made of values and shapes, and random ones."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.functional.primitives import dtype as dtype_of
from framework.ops.functional.primitives import fill, shape
from framework.ops.known import type_of_number
from framework.ops.primitive import cached

__all__ = [
    "arange",
    "cast",
    "eye",
    "full",
    "full_like",
    "linspace",
    "normal",
    "ones",
    "ones_like",
    "scalar_to_tensor",
    "standard_normal",
    "uniform",
    "zeros",
    "zeros_like",
]

_cast = P.Cast()
_eye = P.Eye()
_fill_with = P.FillV2()
_linspace = P.LinSpace()
_ones = P.Ones()
_ones_like = P.OnesLike()
_range = P.Range()
_standard_normal = P.StandardNormal()
_uniform_real = P.UniformReal()
_zeros = P.Zeros()
_zeros_like = P.ZerosLike()


def cast(input: Any, dtype: Any) -> Any:
    """The elements as another type.

    Example:
        >>> print(ops.cast(Tensor([1.7, -1.7]), ms.int32))
        [ 1 -1]

    """
    return _cast(input, dtype)


def scalar_to_tensor(input_x: Any, dtype: Any = None) -> Any:
    """A tensor without dimensions that holds a number.

    Example:
        >>> print(ops.scalar_to_tensor(3, ms.float32))
        3.0

    """
    return _fill_with((), input_x) if dtype is None else _cast(_fill_with((), input_x), dtype)


def zeros(size: Any, dtype: Any = None) -> Any:
    """Zeros of a shape, Float32 where no element type is given.

    Example:
        >>> print(ops.zeros((2, 3)))
        [[0. 0. 0.]
         [0. 0. 0.]]

    """
    return _zeros(size, mstype.float32 if dtype is None else dtype)


def ones(shape: Any, dtype: Any = None) -> Any:
    """Ones of a shape, Float32 where no element type is given.

    Example:
        >>> print(ops.ones((2,), ms.int32))
        [1 1]

    """
    return _ones(shape, mstype.float32 if dtype is None else dtype)


def zeros_like(input: Any, *, dtype: Any = None) -> Any:
    """Zeros of a tensor's shape, of its element type where none is given.

    Example:
        >>> print(ops.zeros_like(Tensor([[1, 2]])), ops.zeros_like(Tensor([1, 2]), dtype=ms.float32))
        [[0 0]] [0. 0.]

    """
    return _zeros_like(input) if dtype is None else _cast(_zeros_like(input), dtype)


def ones_like(input: Any, *, dtype: Any = None) -> Any:
    """Ones of a tensor's shape, of its element type where none is given.

    Example:
        >>> print(ops.ones_like(Tensor([[0.5, 2.0]])))
        [[1. 1.]]

    """
    return _ones_like(input) if dtype is None else _cast(_ones_like(input), dtype)


def full(size: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    """One value in a shape.

    Example:
        >>> print(ops.full((2, 2), 7))
        [[7 7]
         [7 7]]

    """
    return fill(type_of_number(fill_value) if dtype is None else dtype, size, fill_value)


def full_like(input: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    """One value in a tensor's shape, of its element type where none is given.

    Example:
        >>> print(ops.full_like(Tensor([[1, 2]]), 7))
        [[7 7]]

    """
    return fill(dtype_of(input) if dtype is None else dtype, shape(input), fill_value)


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Any:
    """From `start` in steps up to, but without, `end`; with one number, from 0 up to it.

    Example:
        >>> print(ops.arange(3), ops.arange(1, 7, 2))
        [0 1 2] [1 3 5]

    """
    numbers = _range(0, start, step) if end is None else _range(start, end, step)
    return numbers if dtype is None else _cast(numbers, dtype)


def eye(n: int, m: Any = None, dtype: Any = None) -> Any:
    """Ones on the diagonal of a matrix of n rows and m columns, n where m is left out.

    Example:
        >>> print(ops.eye(2, 3))
        [[1. 0. 0.]
         [0. 1. 0.]]

    """
    return _eye(n, n if m is None else m, mstype.float32 if dtype is None else dtype)


def linspace(start: Any, end: Any, steps: int) -> Any:
    """`steps` values at equal distances, both ends included.

    Example:
        >>> print(ops.linspace(0.0, 1.0, 5))
        [0.   0.25 0.5  0.75 1.  ]

    """
    return _linspace(start, end, steps)


def standard_normal(shape: Any, seed: Any = None) -> Any:
    """Numbers from the standard normal distribution.

    Example:
        >>> print(ops.standard_normal((2, 3)).shape)
        (2, 3)

    """
    return _standard_normal(shape) if seed is None else cached(P.StandardNormal, seed)(shape)


def normal(shape: Any, mean: Any, stddev: Any, seed: Any = None) -> Any:
    """Numbers from a normal distribution.

    Example:
        >>> print(ops.normal((2, 3), 0.0, 1.0).shape)
        (2, 3)

    """
    return standard_normal(shape, seed) * stddev + mean


def uniform(shape: Any, minval: Any, maxval: Any, seed: Any = None, dtype: Any = mstype.float32) -> Any:
    """Numbers from `minval` to `maxval`, all equally likely.

    Example:
        >>> x = ops.uniform((100,), 2.0, 3.0)
        >>> print(x.shape, bool((x >= 2).all()), bool((x <= 3).all()))
        (100,) True True

    """
    drawn = _uniform_real(shape) if seed is None else cached(P.UniformReal, seed)(shape)
    return _cast(drawn * (maxval - minval) + minval, dtype)
