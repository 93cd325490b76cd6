"""Shapes under further names, elements turned round, and parts of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.comparison import not_equal
from framework.ops.constexpr import constexpr
from framework.ops.functional.primitives import expand_dims, reshape, shape, size, slice, transpose
from framework.ops.functional.shaping import broadcast_to, concat, flip, swapaxes
from framework.ops.operations.shapes import normal_axis
from framework.ops.primitive import cached

__all__ = [
    "argwhere", "channel_shuffle", "diff", "expand", "fliplr", "flipud", "is_complex", "is_floating_point",
    "is_nonzero", "narrow", "numel", "ravel", "repeat_elements", "rot90", "sequence_mask", "soft_shrink",
    "swapdims",
]  # fmt: skip

_cast = P.Cast()


def ravel(input: Any) -> Any:
    """The elements in one dimension.

    Example:
        >>> print(ops.ravel(Tensor([[1, 2], [3, 4]])))
        [1 2 3 4]

    """
    return reshape(input, (-1,))


def numel(input: Any) -> Any:
    """The number of elements as an int.

    Example:
        >>> print(ops.numel(ops.ones((2, 3))))
        6

    """
    return size(input)


def expand(input_x: Any, size: Any) -> Any:
    """Repeated to a shape; -1 keeps a dimension.

    Example:
        >>> print(ops.expand(Tensor([[1], [2]]), (2, 3)))
        [[1 1 1]
         [2 2 2]]

    """
    return broadcast_to(input_x, size)


def swapdims(input: Any, dim0: int, dim1: int) -> Any:
    """Two dimensions exchanged.

    Example:
        >>> print(ops.swapdims(ops.ones((2, 3, 4)), 0, 2).shape)
        (4, 3, 2)

    """
    return swapaxes(input, dim0, dim1)


def argwhere(input: Any) -> Any:
    """Where elements are not 0: one row per element, (count, dimensions) Int64. Not in graph mode.

    Example:
        >>> print(ops.argwhere(Tensor([[0, 5], [7, 0]])))
        [[0 1]
         [1 0]]

    """
    return P.NonZero()(input)


def is_floating_point(input: Any) -> bool:
    """Whether elements are of a floating-point type.

    Example:
        >>> print(ops.is_floating_point(Tensor([1.0])), ops.is_floating_point(Tensor([1])))
        True False

    """
    return bool(input.dtype in mstype.float_type)


def is_complex(input: Any) -> bool:
    """Whether elements are complex numbers.

    Example:
        >>> print(ops.is_complex(Tensor([1.0])), ops.is_complex(Tensor([1.0], ms.complex64)))
        False True

    """
    return bool(input.dtype in mstype.complex_type)


def is_nonzero(input: Any) -> Any:
    """Whether the only element is not 0.

    Example:
        >>> print(bool(ops.is_nonzero(Tensor([2.0]))))
        True

    """
    return reshape(not_equal(input, 0), ())


def fliplr(input: Any) -> Any:
    """Columns in the opposite order.

    Example:
        >>> print(ops.fliplr(Tensor([[1, 2], [3, 4]])))
        [[2 1]
         [4 3]]

    """
    return flip(input, (1,))


def flipud(input: Any) -> Any:
    """Rows in the opposite order.

    Example:
        >>> print(ops.flipud(Tensor([[1, 2], [3, 4]])))
        [[3 4]
         [1 2]]

    """
    return flip(input, (0,))


def rot90(input: Any, k: int, dims: Any) -> Any:
    """Turned k times by a right angle, from the first of two dimensions towards the second.

    Example:
        >>> print(ops.rot90(Tensor([[1, 2], [3, 4]]), 1, (0, 1)))
        [[2 4]
         [1 3]]

    """
    first, second = dims
    if k % 4 == 2:
        return flip(flip(input, first), second)
    if k % 4 == 1:
        return swapaxes(flip(input, second), first, second)
    return flip(swapaxes(input, first, second), second) if k % 4 == 3 else input


@constexpr
def _part(shape: Sequence[int], axis: int, start: int, stop: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where a part along an axis begins, and its size."""
    at = normal_axis(axis, len(shape))
    begin = tuple(start if i == at else 0 for i in range(len(shape)))
    return begin, tuple(stop - start if i == at else n for i, n in enumerate(shape))


def narrow(input: Any, axis: int, start: int, length: int) -> Any:
    """`length` slices along an axis from `start` on.

    Example:
        >>> print(ops.narrow(Tensor([[1, 2, 3], [4, 5, 6]]), 1, 1, 2))
        [[2 3]
         [5 6]]

    """
    begin, sizes = _part(shape(input), axis, start, start + length)
    return slice(input, begin, sizes)


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The n-th differences of neighbours along an axis, with tensors put before and behind if given.

    Example:
        >>> print(ops.diff(Tensor([1, 3, 6, 10])))
        [2 3 4]

    """
    if prepend is not None:
        x = concat((prepend, x), axis)
    if append is not None:
        x = concat((x, append), axis)
    for _ in range(n):
        length = shape(x)[axis]
        x = narrow(x, axis, 1, length - 1) - narrow(x, axis, 0, length - 1)
    return x


def repeat_elements(x: Any, rep: int, axis: int = 0) -> Any:
    """Each slice along an axis `rep` times.

    Example:
        >>> print(ops.repeat_elements(Tensor([1, 2]), 2))
        [1 1 2 2]

    """
    return concat([part for part in P.Split(axis, shape(x)[axis])(x) for _ in range(rep)], axis)


def channel_shuffle(x: Any, groups: int) -> Any:
    """The channels of (N, C, ...), which lie in groups, so that those of different groups stand beside each other.

    Example:
        >>> print(ops.channel_shuffle(Tensor(np.arange(4.0).reshape(1, 4, 1, 1)), 2).asnumpy().ravel())
        [0. 2. 1. 3.]

    """
    count, channels, *rest = shape(x)
    parts = reshape(x, (count, groups, channels // groups, -1))
    return reshape(transpose(parts, (0, 2, 1, 3)), (count, channels, *rest))


def soft_shrink(input: Any, lambd: float = 0.5) -> Any:
    """`softshrink` under its other name.

    Example:
        >>> print(ops.soft_shrink(Tensor([-1.0, 0.2, 2.0])))
        [-0.5  0.   1.5]

    """
    return cached(P.SoftShrink, lambd)(input)


def sequence_mask(lengths: Any, maxlen: int | None = None) -> Any:
    """Which places of sequences are within their lengths: (..., maxlen), Bool.

    Args:
        lengths: integers (...).
        maxlen: the length of the longest, which graph mode has to be told.

    Example:
        >>> print(ops.sequence_mask(Tensor([1, 3]), 3))
        [[ True False False]
         [ True  True  True]]

    """
    longest = int(P.ReduceMax()(lengths, ())) if maxlen is None else maxlen
    return P.Less()(_cast(P.Range()(0, longest, 1), lengths.dtype), expand_dims(lengths, -1))
