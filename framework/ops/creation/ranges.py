"""Sequences of numbers with equal steps, and their powers."""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import pow
from framework.ops.array.casting import Cast, cast
from framework.ops.array.reshaping import expand_dims
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import Less
from framework.ops.creation.filling import ones
from framework.ops.indexing.selecting import where
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.reduction.extremes import ReduceMax
from framework.ops.shapes import Dims

__all__ = [
    "LinSpace",
    "Range",
    "arange",
    "linspace",
    "logspace",
    "range",
    "sequence_mask",
    "vander",
]

_cast = Cast()


class Range(PrimitiveWithInfer):
    """The numbers from `start` to `limit` in steps of `delta`, without `limit`.

    Args:
        maxlen: recorded as an attribute, without effect.

    Inputs: start, limit and delta, numbers, or tensors of one element.
    Output: a tensor of one dimension, Float32 if one of the numbers is a float, else Int64. It has ceil((limit - start)
    / delta) elements.

    Example:
        >>> print(ops.Range()(0, 10, 4))
        [0 4 8]
        >>> print(ops.Range()(1.0, 0.0, -0.25))
        [1.   0.75 0.5  0.25]
    """

    value_inputs = (0, 1, 2)

    @prim_attr_register
    def __init__(self, maxlen: int = 1000000) -> None:
        self.init_prim_io_names(inputs=["start", "limit", "delta"], outputs=["output"])

    def infer_shape(self, *ends: Any) -> Dims:
        start, limit, delta = map(_number, ends)
        return (None if None in (start, limit, delta) else max(0, math.ceil((limit - start) / delta)),)

    def infer_dtype(self, *ends: Any) -> DType:
        return mstype.float32 if any(isinstance(_number(item), float) for item in ends) else mstype.int64

    def compute(self, xp: ArrayModule, *ends: Any) -> Array:
        return xp.arange(*map(_number, ends), dtype=self.infer_dtype(*ends).numpy)


def _number(item: Any) -> Any:
    """A number; of a tensor with one element, which comes as a tuple or an array, this element."""
    return item[0] if getattr(item, "shape", ()) == (1,) or (isinstance(item, tuple) and len(item) == 1) else item


_range = Range()


def arange(start: int = 0, end: int | None = None, step: int = 1, *, dtype: DType | None = None) -> Tensor:
    """The numbers from `start` to `end` in steps, without `end`; a single argument is the end, and 0 the start.

    Args:
        start: the first number; the end if it is the only argument.
        end: the end, which is not included.
        step: the step, not 0.
        dtype: the element type; by default Int64, or Float32 if an argument is a float.

    Returns:
        A tensor of one dimension.

    Example:
        >>> print(ops.arange(3), ops.arange(1, 7, 2))
        [0 1 2] [1 3 5]

    """
    numbers = _range(0, start, step) if end is None else _range(start, end, step)
    return numbers if dtype is None else _cast(numbers, dtype)


def sequence_mask(lengths: Tensor, maxlen: int | None = None) -> Tensor:
    """True at the positions within each sequence's length: Bool of shape (..., maxlen).

    Args:
        lengths: integers (...).
        maxlen: the number of positions; by default the largest length, but graph mode requires it.

    Returns:
        A Bool tensor of shape (..., maxlen).

    Example:
        >>> print(ops.sequence_mask(Tensor([1, 3]), 3))
        [[ True False False]
         [ True  True  True]]

    """
    longest = int(ReduceMax()(lengths, ())) if maxlen is None else maxlen
    return Less()(_cast(Range()(0, longest, 1), lengths.dtype), expand_dims(lengths, -1))


def range(start: int, end: int, step: int, maxlen: int = 1000000) -> Any:
    """The numbers from `start` to `end` in steps, without `end`.

    Args:
        start, end, step: numbers.
        maxlen: recorded as an attribute; the length follows from the numbers.

    Returns:
        A tensor of one dimension.

    Example:
        >>> print(ops.range(0, 10, 4))
        [0 4 8]

    """
    return _range(start, end, step)


class LinSpace(PrimitiveWithInfer):
    """`num` values at equal distances from `start` to `stop`, both included.

    Inputs: start and stop, numbers or tensors of shape (); num, an int.
    Output: a tensor of shape (num,), of start's floating-point type, else Float32.

    Example:
        >>> print(ops.LinSpace()(0.0, 1.0, 5))
        [0.   0.25 0.5  0.75 1.  ]
    """

    value_inputs = (2,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["start", "stop", "num"], outputs=["output"])

    def infer_shape(self, start: float, stop: float, num: int) -> Dims:
        return (num,)

    def infer_dtype(self, start: Any, stop: Any, num: int) -> DType:
        return start if isinstance(start, DType) and start.is_floating_point else mstype.float32

    def compute(self, xp: ArrayModule, start: float, stop: float, num: int) -> Array:
        dtype = start.dtype if hasattr(start, "dtype") and start.dtype.kind == "f" else xp.float32
        return xp.linspace(float(start), float(stop), num, dtype=dtype)


_linspace = LinSpace()


def linspace(start: float, end: float, steps: int) -> Tensor:
    """`steps` values at equal distances, both ends included.

    Args:
        start: the first value.
        end: the last value.
        steps: the number of values.

    Returns:
        A tensor of shape (steps,).

    Example:
        >>> print(ops.linspace(0.0, 1.0, 5))
        [0.   0.25 0.5  0.75 1.  ]

    """
    return _linspace(start, end, steps)


def logspace(start: float, end: float, steps: int, base: int = 10, *, dtype: DType = mstype.float32) -> Tensor:
    """`steps` powers of a base whose exponents have equal distances, both ends included.

    Args:
        start: the first exponent.
        end: the last exponent.
        steps: the number of values.
        base: the base.
        dtype: the element type.

    Returns:
        A tensor of shape (steps,).

    Example:
        >>> print(ops.logspace(0.0, 3.0, 4, 2))
        [1. 2. 4. 8.]

    """
    return cast(pow(float(base), linspace(start, end, steps)), dtype)


def vander(x: Tensor, N: int | None = None) -> Tensor:  # noqa: N803 - MindSpore's
    """The Vandermonde matrix: each row holds the powers of an element, from N - 1 down to 0.

    Args:
        x: a vector (M,).
        N: the number of columns, by default M.

    Returns:
        A tensor (M, N).

    Example:
        >>> print(ops.vander(Tensor([1.0, 2.0, 3.0])))
        [[1. 1. 1.]
         [4. 2. 1.]
         [9. 3. 1.]]

    """
    count = x.shape[0] if N is None else N
    exponents = arange(count - 1, -1, -1, dtype=x.dtype)
    # 0 ** 0 is 1 but has no derivative by the exponent, so the exponents get no gradient.
    powers = pow(expand_dims(x, 1), expand_dims(exponents, 0))
    return where(expand_dims(exponents, 0) == 0, ones(powers.shape, x.dtype), powers)
