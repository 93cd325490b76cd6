"""Products of vectors, matrices and tensors, and functions of neighbours: differences, gradients, convolutions.

The inputs are array-like; their common element type is that of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.numpy.array_likes import ArrayLike, TypeLike, as_floats, operands, result_type_of, to_tensor, typed
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr

__all__ = [
    "convolve", "correlate", "cross", "diff", "dot", "ediff1d", "gradient", "inner", "interp", "kron", "matmul",
    "multi_dot", "outer", "tensordot", "trace", "unwrap",
]  # fmt: skip


def matmul(x1: ArrayLike, x2: ArrayLike, dtype: TypeLike = None) -> Tensor:
    """The matrix product over the last two dimensions; vectors are allowed."""
    first, second = _of_one_type(x1, x2)
    return typed(F.matmul(first, second), dtype)


def dot(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The sum of products over the last dimension of the first and the second-to-last of the second."""
    first, second = _of_one_type(a, b)
    if first.ndim == 0 or second.ndim == 0:
        return first * second
    if second.ndim > 2 and first.ndim > 1:
        return F.tensor_dot(first, second, (first.ndim - 1, second.ndim - 2))
    return F.matmul(first, second)


def inner(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The sum of products over the last dimensions of both."""
    first, second = _of_one_type(a, b)
    if first.ndim == 0 or second.ndim == 0:
        return first * second
    return F.tensor_dot(first, second, (first.ndim - 1, second.ndim - 1))


def outer(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The outer product of two flattened tensors."""
    first, second = _of_one_type(a, b)
    return typed(F.mul(F.reshape(first, (-1, 1)), F.reshape(second, (1, -1))))


def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = 2) -> Tensor:
    """The sum of products over dimensions: the last and first `axes`, or those named for each."""
    first, second = _of_one_type(a, b)
    return F.tensor_dot(first, second, axes)


def kron(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The Kronecker product."""
    first, second = _of_one_type(a, b)
    blocks, within, whole = _interleaved(first.shape, second.shape)
    return typed(F.reshape(F.mul(F.reshape(first, blocks), F.reshape(second, within)), whole))


def cross(
    a: ArrayLike, b: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Tensor:
    """The cross product of vectors with three elements.

    Args:
        a: vectors along a dimension.
        b: others.
        axisa: the dimension of the first.
        axisb: that of the second.
        axisc: that of the result.
        axis: one for all three.

    """
    first, second = _of_one_type(a, b)
    from_a, from_b, into = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    x, y = F.moveaxis(first, from_a, -1), F.moveaxis(second, from_b, -1)
    turned = [x[..., i] * y[..., j] - x[..., j] * y[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return typed(F.moveaxis(F.stack(turned, -1), -1, into))


def multi_dot(arrays: Any) -> Tensor:
    """The product of several matrices, from left to right."""
    out = to_tensor(arrays[0])
    for item in arrays[1:]:
        out = dot(out, item)
    return out


def trace(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: TypeLike = None) -> Tensor:
    """The sum of a diagonal of two dimensions; integers as Int64."""
    diagonal = F.diagonal(to_tensor(a), offset, axis1, axis2)
    out = F.sum(diagonal if diagonal.dtype.is_floating_point else F.cast(diagonal, mstype.int64), -1)
    return typed(out, dtype)


def diff(
    a: ArrayLike, n: int = 1, axis: int = -1, prepend: ArrayLike | None = None, append: ArrayLike | None = None
) -> Tensor:
    """The n-th differences of neighbours along a dimension.

    Args:
        a: numbers.
        n: how often.
        axis: the dimension.
        prepend: what stands before.
        append: what stands behind.

    """
    x = to_tensor(a)
    before = None if prepend is None else _beside(x, to_tensor(prepend), axis)
    after = None if append is None else _beside(x, to_tensor(append), axis)
    return F.diff(x, n, axis, before, after)


def ediff1d(ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None) -> Tensor:
    """The differences of neighbours in the flattened tensor, optionally with values at both ends."""
    out = F.diff(F.reshape(to_tensor(ary), (-1,)))
    if to_begin is not None:
        out = F.concat((F.reshape(to_tensor(to_begin, out.dtype), (-1,)), out), 0)
    if to_end is not None:
        out = F.concat((out, F.reshape(to_tensor(to_end, out.dtype), (-1,))), 0)
    return out


def gradient(f: ArrayLike, *varargs: float, axis: Any = None, edge_order: int = 1) -> Any:
    """The gradient along dimensions: half the difference of both neighbours, and one-sided differences at the ends.

    Args:
        f: the values.
        varargs: the distance of neighbours, one or one for each dimension.
        axis: a dimension, several, or None for all.
        edge_order: 1.

    Returns:
        A tensor; for several dimensions a list of them.

    Raises:
        ValueError: `edge_order` is not 1.

    """
    if edge_order != 1:
        raise ValueError("gradient: edge_order must be 1")
    x = as_floats(f)
    axes = _chosen(x.ndim, axis)
    steps = _steps(varargs, len(axes))
    out = [_slope(x, place, step) for place, step in zip(axes, steps, strict=True)]
    return out[0] if len(out) == 1 else out


def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> Tensor:
    """The convolution of two vectors: "full", "same" (as long as the longer one), or "valid" (complete overlaps
    only)."""
    first, second = as_floats(a), as_floats(v)
    if first.shape[0] < second.shape[0]:
        first, second = second, first
    return _slid(first, F.flip(second, (0,)), mode)


def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> Tensor:
    """The cross-correlation of two vectors; modes as of `convolve`."""
    first, second = as_floats(a), as_floats(v)
    if first.shape[0] < second.shape[0]:
        return F.flip(_slid(second, first, mode), (0,))
    return _slid(first, second, mode)


def interp(
    x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: ArrayLike | None = None, right: ArrayLike | None = None
) -> Tensor:
    """Piecewise linear interpolation.

    Args:
        x: where.
        xp: the ends of the pieces, in growing order.
        fp: the values there.
        left: the value before the first; by default that of the first.
        right: the value behind the last; by default that of the last.

    """
    at, ends, values = as_floats(x), as_floats(xp), as_floats(fp)
    last = ends.shape[0] - 1
    after = F.clip(F.searchsorted(ends, F.reshape(at, (-1,)), right=True), 1, max(last, 1))
    after = F.reshape(after, at.shape)
    low, high = F.gather(ends, after - 1, 0), F.gather(ends, after, 0)
    start, end = F.gather(values, after - 1, 0), F.gather(values, after, 0)
    out = start + (end - start) * F.clip((at - low) / (high - low), 0.0, 1.0)
    if left is not None:
        out = F.where(at < ends[0], F.cast(to_tensor(left), out.dtype), out)
    if right is not None:
        out = F.where(at > ends[last], F.cast(to_tensor(right), out.dtype), out)
    return out


def unwrap(p: ArrayLike, discont: float = 3.141592653589793, axis: int = -1) -> Tensor:
    """Unwrap angles: add whole turns so that no step along a dimension exceeds `discont`."""
    angles = as_floats(p)
    steps = F.diff(angles, 1, axis)
    turn = 2 * 3.141592653589793
    small = F.floor_mod(steps + turn / 2, turn) - turn / 2
    small = F.where(F.logical_and(F.equal(small, -turn / 2), steps > 0), F.full_like(small, turn / 2), small)
    added = F.where(F.less(F.abs(steps), discont), F.zeros_like(steps), small - steps)
    count = angles.shape[axis] - 1
    return F.concat((F.narrow(angles, axis, 0, 1), F.narrow(angles, axis, 1, count) + F.cumsum(added, axis)), axis)


def _of_one_type(a: Any, b: Any) -> tuple[Tensor, Tensor]:
    first, second = operands(a, b)
    first, second = to_tensor(first), to_tensor(second)
    kind = result_type_of(first.dtype, second.dtype)
    return F.cast(first, kind), F.cast(second, kind)


def _beside(x: Tensor, other: Tensor, axis: int) -> Tensor:
    if other.ndim == 0:
        return F.broadcast_to(F.cast(other, x.dtype), _thin(x.shape, axis))
    return F.cast(other, x.dtype)


def _slope(x: Tensor, axis: int, step: float) -> Tensor:
    count = x.shape[axis]
    steps = F.diff(x, 1, axis)
    inner_part = F.narrow(steps, axis, 0, count - 2) + F.narrow(steps, axis, 1, count - 2)
    ends = F.narrow(steps, axis, 0, 1), F.narrow(steps, axis, count - 2, 1)
    return F.concat((ends[0], inner_part / 2, ends[1]), axis) / step


def _slid(longer: Tensor, shorter: Tensor, mode: str) -> Tensor:
    length, width = longer.shape[0], shorter.shape[0]
    before, after = _margins(mode, width)
    edge = F.concat((F.zeros((before,), longer.dtype), longer, F.zeros((after,), longer.dtype)), 0)
    count = length + before + after - width + 1
    return F.matmul(F.stack([F.narrow(edge, 0, place, count) for place in range(width)], 1), shorter)


@constexpr
def _interleaved(first: Any, second: Any) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The shapes in which the product of two tensors is their Kronecker product, and the shape of the result."""
    rank = max(len(first), len(second))
    outside, inside = ((1,) * (rank - len(shape)) + tuple(shape) for shape in (first, second))
    blocks = tuple(n for length in outside for n in (length, 1))
    within = tuple(n for length in inside for n in (1, length))
    return blocks, within, tuple(n * m for n, m in zip(outside, inside, strict=True))


@constexpr
def _margins(mode: str, width: int) -> tuple[int, int]:
    known = {"full": (width - 1, width - 1), "same": (width // 2, (width - 1) // 2), "valid": (0, 0)}
    if mode not in known:
        raise ValueError(f"mode must be one of {', '.join(known)}, not {mode!r}")
    return known[mode]


@constexpr
def _chosen(rank: int, axis: Any) -> tuple[int, ...]:
    return tuple(range(rank)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)


@constexpr
def _steps(given: Sequence[float], count: int) -> tuple[float, ...]:
    if len(given) not in (0, 1, count):
        raise ValueError(f"gradient: {len(given)} distances do not match {count} dimensions")
    return tuple(given) if len(given) == count else (given[0] if given else 1.0,) * count


@constexpr
def _thin(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    return tuple(1 if place == axis % len(shape) else length for place, length in enumerate(shape))
