"""Shapes under further names, tensors side by side, and parts of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.picking import topk
from framework.ops.functional.primitives import expand_dims, not_equal, rank, reshape, shape, size, slice, transpose
from framework.ops.functional.reductions import mean, std, sum, var
from framework.ops.functional.shaping import broadcast_to, concat, flip, swapaxes
from framework.ops.operations.shapes import normal_axis
from framework.ops.primitive import cached

__all__ = [
    "argwhere",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "channel_shuffle",
    "column_stack",
    "count_nonzero",
    "diff",
    "dstack",
    "expand",
    "fliplr",
    "flipud",
    "hsplit",
    "hstack",
    "is_complex",
    "is_floating_point",
    "is_nonzero",
    "median",
    "nansum",
    "narrow",
    "numel",
    "ravel",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "repeat_elements",
    "rot90",
    "sequence_mask",
    "soft_shrink",
    "std_mean",
    "swapdims",
    "tensor_split",
    "top_k",
    "var_mean",
    "vsplit",
    "vstack",
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


def atleast_1d(inputs: Any) -> Any:
    """A tensor without dimensions as a vector; of several tensors each.

    Example:
        >>> print(ops.atleast_1d(Tensor(3.0)))
        [3.]

    """
    if isinstance(inputs, list | tuple):
        return tuple([atleast_1d(item) for item in inputs])
    return reshape(inputs, (1,)) if rank(inputs) == 0 else inputs


def atleast_2d(inputs: Any) -> Any:
    """A number or a vector as a matrix of one row; of several tensors each.

    Example:
        >>> print(ops.atleast_2d(Tensor([1.0, 2.0])))
        [[1. 2.]]

    """
    if isinstance(inputs, list | tuple):
        return tuple([atleast_2d(item) for item in inputs])
    return reshape(inputs, (1, -1)) if rank(inputs) < 2 else inputs


def atleast_3d(inputs: Any) -> Any:
    """A number as (1, 1, 1), a vector (N,) as (1, N, 1), a matrix (M, N) as (M, N, 1); of several tensors each.

    Example:
        >>> print(ops.atleast_3d(Tensor([1, 2])).shape)
        (1, 2, 1)

    """
    if isinstance(inputs, list | tuple):
        return tuple([atleast_3d(item) for item in inputs])
    return expand_dims(atleast_2d(inputs), 2) if rank(inputs) < 3 else inputs


def hstack(tensors: Any) -> Any:
    """Vectors behind each other, tensors beside each other along the second dimension.

    Example:
        >>> print(ops.hstack((Tensor([1, 2]), Tensor([3]))))
        [1 2 3]

    """
    rows = atleast_1d(tensors)
    return concat(rows, 0 if rank(rows[0]) == 1 else 1)


def vstack(inputs: Any) -> Any:
    """Tensors below each other, vectors as rows.

    Example:
        >>> print(ops.vstack((Tensor([1, 2]), Tensor([3, 4]))))
        [[1 2]
         [3 4]]

    """
    return concat(atleast_2d(inputs), 0)


def dstack(tensors: Any) -> Any:
    """Tensors along the third dimension, which vectors and matrices get.

    Example:
        >>> print(ops.dstack((Tensor([1, 2]), Tensor([3, 4]))))
        [[[1 3]
          [2 4]]]

    """
    return concat(atleast_3d(tensors), 2)


def column_stack(tensors: Any) -> Any:
    """Vectors as columns beside each other, and matrices.

    Example:
        >>> print(ops.column_stack((Tensor([1, 2]), Tensor([3, 4]))))
        [[1 3]
         [2 4]]

    """
    return concat([expand_dims(item, 1) if rank(item) == 1 else item for item in atleast_1d(tensors)], 1)


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


@constexpr
def _cuts(length: int, parts: Any) -> tuple[int, ...]:
    """Where parts begin and end: of nearly equal length, or cut at some places."""
    if isinstance(parts, int):
        small, larger = divmod(length, parts)
        return tuple(i * small + min(i, larger) for i in range(parts + 1))
    return (0, *(min(cut % length if cut < 0 else cut, length) for cut in parts), length)


def tensor_split(input: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts along an axis: so many of nearly equal length, or cut at the places given; a tuple.

    Example:
        >>> print(*ops.tensor_split(Tensor([1, 2, 3, 4, 5]), 2))
        [1 2 3] [4 5]

    """
    cuts = _cuts(shape(input)[axis], indices_or_sections)
    return tuple([narrow(input, axis, cuts[i], cuts[i + 1] - cuts[i]) for i in range(len(cuts) - 1)])


def vsplit(input: Any, indices_or_sections: Any) -> Any:
    """`tensor_split` along the first dimension.

    Example:
        >>> print(*ops.vsplit(Tensor([[1, 2], [3, 4]]), 2))
        [[1 2]] [[3 4]]

    """
    return tensor_split(input, indices_or_sections, 0)


def hsplit(input: Any, indices_or_sections: Any) -> Any:
    """`tensor_split` along the second dimension, of a vector along its only one.

    Example:
        >>> print(*ops.hsplit(Tensor([[1, 2, 3, 4]]), 2))
        [[1 2]] [[3 4]]

    """
    return tensor_split(input, indices_or_sections, 0 if rank(input) == 1 else 1)


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


def top_k(input_x: Any, k: int, sorted: bool = True) -> Any:
    """The k largest elements along the last axis, and their indices.

    Example:
        >>> values, places = ops.top_k(Tensor([3.0, 9.0, 1.0, 7.0]), 2)
        >>> print(values, places)
        [9. 7.] [1 3]

    """
    return topk(input_x, k, None, True, sorted)


def reduce_max(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """The largest element over axes, all where they are left out.

    Example:
        >>> print(ops.reduce_max(Tensor([[1, 2], [3, 4]]), 0))
        [3 4]

    """
    return cached(P.ReduceMax, keep_dims)(x, axis)


def reduce_min(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """The smallest element over axes, all where they are left out.

    Example:
        >>> print(ops.reduce_min(Tensor([[1, 2], [3, 4]]), 0))
        [1 2]

    """
    return cached(P.ReduceMin, keep_dims)(x, axis)


def reduce_prod(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """The product over axes, all where they are left out.

    Example:
        >>> print(ops.reduce_prod(Tensor([[1, 2], [3, 4]]), 0))
        [3 8]

    """
    return cached(P.ReduceProd, keep_dims)(x, axis)


def count_nonzero(x: Any, axis: Any = (), keep_dims: bool = False, dtype: Any = mstype.int32) -> Any:
    """How many elements are not 0, over axes, all where they are left out.

    Example:
        >>> print(ops.count_nonzero(Tensor([[0, 5, 1], [7, 0, 0]]), 1))
        [2 1]

    """
    return cached(P.ReduceSum, keep_dims)(_cast(not_equal(x, 0), dtype), axis)


def nansum(input: Any, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
    """The sum over axes of what is not NaN.

    Example:
        >>> print(ops.nansum(Tensor([1.0, float("nan"), 2.0])))
        3.0

    """
    return sum(P.Select()(P.IsNan()(input), P.ZerosLike()(input), input), axis, keepdims, dtype=dtype)


def std_mean(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The standard deviation and the mean over axes.

    Example:
        >>> deviation, mean = ops.std_mean(Tensor([1.0, 3.0]))
        >>> print(deviation, mean)
        1.0 2.0

    """
    return std(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def var_mean(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The variance and the mean over axes.

    Example:
        >>> variance, mean = ops.var_mean(Tensor([1.0, 3.0]))
        >>> print(variance, mean)
        1.0 2.0

    """
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def median(input: Any, axis: int = -1, keepdims: bool = False) -> Any:
    """The element in the middle along an axis, the lower of two, and where it is.

    Example:
        >>> values, places = ops.median(Tensor([[7.0, 5.0, 6.0]]))
        >>> print(values, places)
        [6.] [2]

    """
    values, places = P.Sort(axis)(input)
    middle = (shape(input)[axis] - 1) // 2
    value, place = narrow(values, axis, middle, 1), narrow(places, axis, middle, 1)
    if keepdims:
        return value, _cast(place, mstype.int64)
    return cached(P.Squeeze, axis)(value), _cast(cached(P.Squeeze, axis)(place), mstype.int64)


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
