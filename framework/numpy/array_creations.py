"""Creates tensors: constants, from Python lists, ranges, grids, windows and random numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.numpy.array_likes import ArrayLike, Shape, TypeLike, as_floats, as_type, to_tensor, typed
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr

__all__ = [
    "arange", "array", "asarray", "asfarray", "bartlett", "blackman", "copy", "empty", "empty_like", "eye", "full",
    "full_like", "geomspace", "hamming", "hanning", "identity", "linspace", "logspace", "ones", "ones_like", "rand",
    "randint", "randn", "tri", "vander", "zeros", "zeros_like",
]  # fmt: skip


def array(obj: ArrayLike, dtype: TypeLike = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """Create a tensor from a number, a list, or a list of tensors.

    Args:
        obj: the value.
        dtype: the element type; by default Int32, Float32 or Bool, or that of the tensors.
        copy: whether a tensor is copied.
        ndmin: the least number of dimensions; missing ones come first, with length 1.

    """
    out = to_tensor(obj, dtype)
    missing = ndmin - out.ndim
    if missing > 0:
        out = F.reshape(out, (1,) * missing + out.shape)
    return typed(F.identity(out)) if copy else out


def asarray(a: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Convert an array-like value to a tensor; a tensor is not copied.

    Args:
        a: the value.
        dtype: the element type; by default that of the value.

    """
    return to_tensor(a, dtype)


def asfarray(a: ArrayLike, dtype: TypeLike = mstype.float32) -> Tensor:
    """Like `asarray`, with a floating-point element type.

    Args:
        a: the value.
        dtype: the element type; Float32 in the place of one that is not of floating point.

    """
    wanted = as_type(mstype.float32 if dtype is None else dtype)
    return to_tensor(a, wanted if wanted.is_floating_point else mstype.float32)


def copy(x: ArrayLike) -> Tensor:
    """Copy a tensor or an array-like value.

    Args:
        x: the value.

    """
    return array(x)


def zeros(shape: Shape, dtype: TypeLike = mstype.float32) -> Tensor:
    """Create a tensor of zeros.

    Args:
        shape: its shape.
        dtype: its element type.

    """
    return typed(F.zeros(_dims(shape), as_type(dtype)))


def ones(shape: Shape, dtype: TypeLike = mstype.float32) -> Tensor:
    """Create a tensor of ones.

    Args:
        shape: its shape.
        dtype: its element type.

    """
    return F.ones(_dims(shape), as_type(dtype))


def empty(shape: Shape, dtype: TypeLike = mstype.float32) -> Tensor:
    """Create a tensor to be filled later; its elements are 0.

    Args:
        shape: its shape.
        dtype: its element type.

    """
    return zeros(shape, dtype)


def full(shape: Shape, fill_value: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """Create a tensor filled with one value, or with values that are broadcast.

    Args:
        shape: its shape.
        fill_value: a number, or values whose shape fits.
        dtype: its element type; by default that of the value.

    """
    return F.broadcast_to(to_tensor(fill_value, dtype), _dims(shape))


def zeros_like(a: ArrayLike, dtype: TypeLike = None, shape: Shape | None = None) -> Tensor:
    """Create zeros with the shape and element type of another tensor.

    Args:
        a: the other tensor.
        dtype: another element type.
        shape: another shape.

    """
    return full_like(a, 0, dtype, shape)


def ones_like(a: ArrayLike, dtype: TypeLike = None, shape: Shape | None = None) -> Tensor:
    """Create ones with the shape and element type of another tensor.

    Args:
        a: the other tensor.
        dtype: another element type.
        shape: another shape.

    """
    return full_like(a, 1, dtype, shape)


def empty_like(prototype: ArrayLike, dtype: TypeLike = None, shape: Shape | None = None) -> Tensor:
    """Like `zeros_like`.

    Args:
        prototype: the other tensor.
        dtype: another element type.
        shape: another shape.

    """
    return full_like(prototype, 0, dtype, shape)


def full_like(a: ArrayLike, fill_value: ArrayLike, dtype: TypeLike = None, shape: Shape | None = None) -> Tensor:
    """Create a tensor filled with one value, with the shape and element type of another tensor.

    Args:
        a: the other tensor.
        fill_value: a number, or values whose shape fits.
        dtype: another element type.
        shape: another shape.

    """
    like = to_tensor(a)
    kind = like.dtype if dtype is None else as_type(dtype)
    return full(like.shape if shape is None else shape, to_tensor(fill_value), kind)


def arange(start: float, stop: float | None = None, step: float | None = None, dtype: TypeLike = None) -> Tensor:
    """Numbers from `start` up to but not including `stop`, in steps. A single argument is `stop`, with `start` 0.

    Args:
        start: the first number, or the end.
        stop: the end.
        step: the step; by default 1.
        dtype: the element type; by default Int32, or Float32 if one of the numbers is a float.

    """
    first, last = (0, start) if stop is None else (start, stop)
    return _range(first, last, 1 if step is None else step, dtype)


def linspace(
    start: ArrayLike, stop: ArrayLike, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: TypeLike = None, axis: int = 0,
) -> Any:  # fmt: skip
    """Evenly spaced numbers.

    Args:
        start: the first value, or a tensor of first values.
        stop: the last value.
        num: the number of values.
        endpoint: whether the last value is one of them.
        retstep: whether the distance is returned too.
        dtype: the element type; by default that of the values, or Float32.
        axis: where the new dimension stands if the values are tensors.

    Returns:
        A tensor; with `retstep` a tuple of it and the distance.

    """
    first, last = as_floats(start), as_floats(stop)
    parts = num - 1 if endpoint else num
    step = (last - first) / (parts if parts > 0 else float("nan"))
    counted = F.cast(_range(0, num, 1, mstype.float32), first.dtype)
    counted = F.reshape(counted, (num,) + (1,) * (last - first).ndim)
    out = first + counted * (step if num > 1 else F.zeros_like(step))
    out = typed(F.moveaxis(out, 0, axis) if axis != 0 else out, dtype)
    return (out, step) if retstep else out


def logspace(
    start: ArrayLike, stop: ArrayLike, num: int = 50, endpoint: bool = True, base: float = 10.0,
    dtype: TypeLike = None, axis: int = 0,
) -> Tensor:  # fmt: skip
    """Powers of a base with evenly spaced exponents.

    Args:
        start: the first exponent.
        stop: the last exponent.
        num: the number of values.
        endpoint: whether the last exponent is one of them.
        base: the base.
        dtype: the element type; by default Float32.
        axis: where the new dimension stands if the exponents are tensors.

    """
    return typed(F.pow(base, linspace(start, stop, num, endpoint, False, None, axis)), dtype)


def geomspace(
    start: ArrayLike, stop: ArrayLike, num: int = 50, endpoint: bool = True, dtype: TypeLike = None, axis: int = 0
) -> Tensor:
    """Numbers in geometric progression, between positive ends.

    Args:
        start: the first value.
        stop: the last value.
        num: the number of values.
        endpoint: whether the last value is one of them.
        dtype: the element type; by default Float32.
        axis: where the new dimension stands if the values are tensors.

    """
    first, last = F.log(as_floats(start)), F.log(as_floats(stop))
    return typed(F.exp(linspace(first, last, num, endpoint, False, None, axis)), dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: TypeLike = mstype.float32) -> Tensor:  # noqa: N803
    """Create a matrix of zeros with ones on a diagonal.

    Args:
        N: the number of rows.
        M: the number of columns; None for N.
        k: which diagonal: 0 the main one, above 0 to its right.
        dtype: the element type.

    """
    columns = N if M is None else M
    return F.cast(F.equal(_places(N, columns), k), as_type(dtype))


def identity(n: int, dtype: TypeLike = mstype.float32) -> Tensor:
    """Create a square identity matrix.

    Args:
        n: the number of rows.
        dtype: the element type.

    """
    return eye(n, n, 0, dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: TypeLike = mstype.float32) -> Tensor:  # noqa: N803
    """Create a matrix with ones on and below a diagonal, and zeros above.

    Args:
        N: the number of rows.
        M: the number of columns; None for N.
        k: which diagonal: 0 the main one, above 0 to its right.
        dtype: the element type.

    """
    return F.cast(F.less_equal(_places(N, N if M is None else M), k), as_type(dtype))


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Tensor:  # noqa: N803
    """Create a Vandermonde matrix: the powers of each number in one row.

    Args:
        x: the numbers, one dimension.
        N: the number of powers; None for as many as numbers.
        increasing: whether the exponents grow from left to right.

    """
    numbers = to_tensor(x)
    count = numbers.shape[0] if N is None else N
    exponents = F.cast(_range(0, count, 1, mstype.int32), numbers.dtype)
    if not increasing:
        exponents = F.flip(exponents, (0,))
    return typed(F.pow(F.expand_dims(numbers, -1), exponents))


def bartlett(M: int) -> Tensor:  # noqa: N803
    """The triangular (Bartlett) window with M points."""
    return F.ones((M,), mstype.float32) if M < 2 else F.bartlett_window(M, False)


def blackman(M: int) -> Tensor:  # noqa: N803
    """The Blackman window with M points."""
    turns = _turns(M)
    return typed(0.42 - 0.5 * F.cos(turns) + 0.08 * F.cos(2 * turns))


def hamming(M: int) -> Tensor:  # noqa: N803
    """The Hamming window with M points."""
    return typed(0.54 - 0.46 * F.cos(_turns(M)))


def hanning(M: int) -> Tensor:  # noqa: N803
    """The Hann window with M points."""
    return typed(0.5 - 0.5 * F.cos(_turns(M)))


def rand(*shape: int, dtype: TypeLike = mstype.float32) -> Tensor:
    """Random numbers, uniform on [0, 1).

    Args:
        shape: the shape, by default (1,).
        dtype: the element type.

    """
    return typed(F.rand(*_drawn(shape)), dtype)


def randn(*shape: int, dtype: TypeLike = mstype.float32) -> Tensor:
    """Random numbers of the standard normal distribution.

    Args:
        shape: the shape, by default (1,).
        dtype: the element type.

    """
    return typed(F.randn(*_drawn(shape)), dtype)


def randint(
    minval: int, maxval: int | None = None, shape: Shape | None = None, dtype: TypeLike = mstype.int32
) -> Tensor:
    """Random integers from `minval` up to but not including `maxval`. A single limit is `maxval`, with `minval` 0.

    Args:
        minval: the smallest number, or the limit.
        maxval: the limit.
        shape: the shape, by default (1,).
        dtype: the element type.

    """
    low, high = (0, minval) if maxval is None else (minval, maxval)
    return typed(F.randint(low, high, (1,) if shape is None else _dims(shape)), dtype)


def _drawn(shape: Sequence[Any]) -> tuple[int, ...]:
    if not shape:
        return (1,)
    return _dims(shape[0]) if len(shape) == 1 else tuple(shape)


def _dims(shape: Shape) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _range(first: Any, last: Any, step: Any, dtype: TypeLike) -> Tensor:
    numbers = F.arange(_number(first), _number(last), _number(step))
    if dtype is None:
        return F.cast(numbers, mstype.int32) if numbers.dtype == mstype.int64 else numbers
    return F.cast(numbers, as_type(dtype))


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, Tensor) else value


def _places(rows: int, columns: int) -> Tensor:
    """Column index minus row index at each element of a matrix."""
    return typed(_range(0, columns, 1, mstype.int32) - F.reshape(_range(0, rows, 1, mstype.int32), (rows, 1)))


def _turns(count: int) -> Tensor:
    return _range(0, count, 1, mstype.float32) * _turn(count)


@constexpr
def _turn(count: int) -> float:
    return 2 * math.pi / max(count - 1, 1)
