"""Tensors made of values and shapes, and random ones."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.functional.known import type_of_number
from framework.ops.functional.primitives import dtype as dtype_of
from framework.ops.functional.primitives import fill, shape
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
    """The elements as another type."""
    return _cast(input, dtype)


def scalar_to_tensor(input_x: Any, dtype: Any = None) -> Any:
    """A tensor without dimensions that holds a number."""
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
    """One value in a shape."""
    return fill(type_of_number(fill_value) if dtype is None else dtype, size, fill_value)


def full_like(input: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    """One value in a tensor's shape, of its element type where none is given.

    Example:
        >>> print(ops.full_like(Tensor([[1, 2]]), 7))
        [[7 7]]

    """
    return fill(dtype_of(input) if dtype is None else dtype, shape(input), fill_value)


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Any:
    """From `start` in steps up to, but without, `end`; with one number, from 0 up to it."""
    numbers = _range(0, start, step) if end is None else _range(start, end, step)
    return numbers if dtype is None else _cast(numbers, dtype)


def eye(n: int, m: Any = None, dtype: Any = None) -> Any:
    """Ones on the diagonal of a matrix of n rows and m columns, n where m is left out."""
    return _eye(n, n if m is None else m, mstype.float32 if dtype is None else dtype)


def linspace(start: Any, end: Any, steps: int) -> Any:
    """`steps` values at equal distances, both ends included."""
    return _linspace(start, end, steps)


def standard_normal(shape: Any, seed: Any = None) -> Any:
    """Numbers from the standard normal distribution."""
    return _standard_normal(shape) if seed is None else cached(P.StandardNormal, seed)(shape)


def normal(shape: Any, mean: Any, stddev: Any, seed: Any = None) -> Any:
    """Numbers from a normal distribution."""
    return standard_normal(shape, seed) * stddev + mean


def uniform(shape: Any, minval: Any, maxval: Any, seed: Any = None, dtype: Any = mstype.float32) -> Any:
    """Numbers from `minval` to `maxval`, all equally likely."""
    drawn = _uniform_real(shape) if seed is None else cached(P.UniformReal, seed)(shape)
    return _cast(drawn * (maxval - minval) + minval, dtype)
