"""Tensors put together, repeated, rolled, or scattered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.known import as_tuple
from framework.ops.functional.primitives import (
    rank,
    reshape,
    shape,
    transpose,
)
from framework.ops.functional.products import matmul
from framework.ops.operations.shapes import normal_axis
from framework.ops.primitive import cached

__all__ = [
    "cholesky",
    "cummax",
    "cummin",
    "det",
    "diag",
    "diagonal",
    "index_add",
    "inverse",
    "matrix_determinant",
    "meshgrid",
    "mirror_pad",
    "moveaxis",
    "movedim",
    "nan_to_num",
    "print_",
    "repeat_interleave",
    "reverse_sequence",
    "roll",
    "scatter",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd_add",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_sub",
    "scatter_update",
    "tensor_dot",
    "tensor_scatter_div",
    "tensor_scatter_elements",
    "tensor_scatter_max",
    "tensor_scatter_min",
    "tensor_scatter_mul",
    "trace",
    "unsorted_segment_max",
    "unsorted_segment_min",
    "unsorted_segment_prod",
]

_diag = P.Diag()
det = P.MatrixDeterminant()
inverse = P.MatrixInverse()
matrix_determinant = P.MatrixDeterminant()
print_ = P.Print()
scatter_add = P.ScatterAdd()
scatter_div = P.ScatterDiv()
scatter_max = P.ScatterMax()
scatter_min = P.ScatterMin()
scatter_mul = P.ScatterMul()
scatter_nd_add = P.ScatterNdAdd()
scatter_nd_sub = P.ScatterNdSub()
scatter_nd_update = P.ScatterNdUpdate()
scatter_sub = P.ScatterSub()
scatter_update = P.ScatterUpdate()
tensor_scatter_div = P.TensorScatterDiv()
tensor_scatter_max = P.TensorScatterMax()
tensor_scatter_min = P.TensorScatterMin()
tensor_scatter_mul = P.TensorScatterMul()
trace = P.Trace()
unsorted_segment_max = P.UnsortedSegmentMax()
unsorted_segment_min = P.UnsortedSegmentMin()
unsorted_segment_prod = P.UnsortedSegmentProd()


def cholesky(input_x: Any, upper: bool = False) -> Any:
    """The lower triangular L with L L^T = x, or its transpose, for symmetric positive definite matrices (..., N, N).

    Example:
        >>> print(ops.cholesky(Tensor([[4.0, 2.0], [2.0, 10.0]])))
        [[2. 0.]
         [1. 3.]]

    """
    return cached(P.Cholesky, upper)(input_x)


def diag(input: Any) -> Any:
    """A tensor on the diagonal of one with twice the dimensions, zeros elsewhere.

    Example:
        >>> print(ops.diag(Tensor([1, 2])))
        [[1 0]
         [0 2]]

    """
    return _diag(input)


@constexpr
def _diagonal_order(shape: Sequence[int], offset: int, dim1: int, dim2: int) -> Any:
    """The order that puts two dimensions last, the shape with them as one, and where the diagonal lies in that."""
    first, second = normal_axis(dim1, len(shape)), normal_axis(dim2, len(shape))
    others = tuple(i for i in range(len(shape)) if i not in (first, second))
    rows, columns = shape[first], shape[second]
    begin = offset if offset >= 0 else -offset * columns
    count = min(rows + min(offset, 0), columns - builtin_max(offset, 0))
    places = [begin + i * (columns + 1) for i in range(builtin_max(count, 0))]
    return (*others, first, second), (*(shape[i] for i in others), rows * columns), places


def builtin_max(one: int, other: int) -> int:
    """The larger of two numbers; `max` is that of tensors here."""
    return one if one > other else other


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The elements of a diagonal of two dimensions, as the last dimension.

    Args:
        input: the tensor.
        offset: which diagonal: 0 the main one, positive above it.
        dim1: the rows.
        dim2: the columns.

    Example:
        >>> print(ops.diagonal(Tensor([[1, 2, 3], [4, 5, 6]]), 1))
        [2 6]

    """
    order, flat, places = _diagonal_order(shape(input), offset, dim1, dim2)
    return P.Gather()(reshape(transpose(input, order), flat), _vector(places), -1)


@constexpr
def _vector(numbers: Sequence[int]) -> Any:
    """An Int64 tensor of numbers."""
    from framework.common.tensor import Tensor

    return Tensor(list(numbers), mstype.int64)


@constexpr
def _repeated(length: int, repeats: Any) -> tuple[int, ...]:
    """Which element stands at each place after repeating."""
    counts = [repeats] * length if isinstance(repeats, int) else list(repeats)
    counts = counts * length if len(counts) == 1 else counts
    if len(counts) != length:
        raise ValueError(f"repeat_interleave: {len(counts)} numbers of repetitions do not fit {length} elements")
    return tuple(i for i, count in enumerate(counts) for _ in range(count))


def repeat_interleave(input: Any, repeats: Any, axis: Any = None) -> Any:
    """Each slice along an axis repeated, of the tensor as a vector where no axis is given.

    Example:
        >>> print(ops.repeat_interleave(Tensor([[1, 2], [3, 4]]), 2, 0))
        [[1 2]
         [1 2]
         [3 4]
         [3 4]]

    """
    if axis is None:
        flat = reshape(input, (-1,))
        return P.Gather()(flat, _vector(_repeated(shape(flat)[0], repeats)), 0)
    return P.Gather()(input, _vector(_repeated(shape(input)[axis], repeats)), axis)


@constexpr
def _rolled(length: int, shift: int) -> tuple[int, ...]:
    """Which element stands at each place after rolling."""
    return tuple((i - shift) % length for i in range(length))


def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """Elements moved along dimensions, what falls out at one end coming in at the other.

    Example:
        >>> print(ops.roll(Tensor([1, 2, 3, 4]), 1))
        [4 1 2 3]

    """
    if dims is None:
        flat = reshape(input, (-1,))
        return reshape(P.Gather()(flat, _vector(_rolled(shape(flat)[0], shifts)), 0), shape(input))
    axes = as_tuple(dims)
    for i, shift in enumerate(as_tuple(shifts)):
        input = P.Gather()(input, _vector(_rolled(shape(input)[axes[i]], shift)), axes[i])
    return input


@constexpr
def _moved(rank: int, source: Any, destination: Any) -> tuple[int, ...]:
    """The order of dimensions with some of them moved."""
    sources = [normal_axis(axis, rank) for axis in as_tuple(source)]
    places = [normal_axis(axis, rank) for axis in as_tuple(destination)]
    order = [axis for axis in range(rank) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return tuple(order)


def movedim(x: Any, source: Any, destination: Any) -> Any:
    """Dimensions moved to other places, the others in their order.

    Example:
        >>> print(ops.movedim(ops.ones((2, 3, 4)), (0, 1), (2, 0)).shape)
        (3, 4, 2)

    """
    return transpose(x, _moved(rank(x), source, destination))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Dimensions moved to other places, the others in their order.

    Example:
        >>> print(ops.moveaxis(ops.ones((2, 3, 4)), 0, 2).shape)
        (3, 4, 2)

    """
    return transpose(x, _moved(rank(x), source, destination))


def scatter(input: Any, axis: int, index: Any, src: Any) -> Any:
    """A copy with elements of `src` put along an axis where the index points to.

    Example:
        >>> print(ops.scatter(ops.zeros((2, 3)), 1, Tensor([[2], [0]]), Tensor([[5.0], [7.0]])))
        [[0. 0. 5.]
         [7. 0. 0.]]

    """
    return cached(P.TensorScatterElements, axis, "none")(input, index, src)


def tensor_scatter_elements(input_x: Any, indices: Any, updates: Any, axis: int = 0, reduction: str = "none") -> Any:
    """A copy with updates put, or with "add" added, along an axis where the indices point to.

    Example:
        >>> print(ops.tensor_scatter_elements(ops.zeros((2, 3)), Tensor([[2], [0]]), Tensor([[5.0], [7.0]]), 1))
        [[0. 0. 5.]
         [7. 0. 0.]]

    """
    return cached(P.TensorScatterElements, axis, reduction)(input_x, indices, updates)


def index_add(x: Any, indices: Any, y: Any, axis: int, use_lock: bool = True, check_index_bound: bool = True) -> Any:
    """Adds slices to a Parameter's along an axis, and returns it.

    Example:
        >>> x = ms.Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="x")
        >>> print(ops.index_add(x, Tensor([1], ms.int32), Tensor([[10.0, 10.0]]), 0))
        [[ 1.  2.]
         [13. 14.]]

    """
    return cached(P.IndexAdd, axis)(x, indices, y)


def meshgrid(*inputs: Any, indexing: str = "xy") -> Any:
    """Vectors repeated along each other, one tensor for each.

    Example:
        >>> across, down = ops.meshgrid(Tensor([1, 2, 3]), Tensor([4, 5]))
        >>> print(across)
        [[1 2 3]
         [1 2 3]]
        >>> print(down)
        [[4 4 4]
         [5 5 5]]

    """
    return cached(P.Meshgrid, indexing)(inputs)


def mirror_pad(input_x: Any, paddings: Any, mode: str = "REFLECT") -> Any:
    """Mirrored elements around a tensor: paddings per dimension before and after.

    Example:
        >>> print(ops.mirror_pad(Tensor([[1, 2, 3]]), Tensor([[0, 0], [2, 1]])))
        [[3 2 1 2 3 2]]

    """
    return cached(P.MirrorPad, mode)(input_x, paddings)


def nan_to_num(input: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    """Numbers in place of what is no number or infinite.

    Example:
        >>> print(ops.nan_to_num(Tensor([float("nan"), float("inf"), 1.0]), 0.0, 9.0))
        [0. 9. 1.]

    """
    return cached(P.NanToNum, 0.0 if nan is None else nan, posinf, neginf)(input)


def reverse_sequence(x: Any, seq_lengths: Any, seq_dim: int, batch_dim: int = 0) -> Any:
    """The first elements of each sequence in the opposite order.

    Example:
        >>> print(ops.reverse_sequence(Tensor([[1, 2, 3], [4, 5, 6]]), Tensor([2, 3]), 1))
        [[2 1 3]
         [6 5 4]]

    """
    return cached(P.ReverseSequence, seq_dim, batch_dim)(x, seq_lengths)


def cummax(input: Any, axis: int) -> Any:
    """The largest element so far along an axis, and where it last came, Int64.

    Example:
        >>> values, places = ops.cummax(Tensor([1.0, 5.0, 3.0, 7.0]), 0)
        >>> print(values, places)
        [1. 5. 5. 7.] [0 1 1 3]

    """
    return cached(P.Cummax, axis)(input)


def cummin(input: Any, axis: int) -> Any:
    """The smallest element so far along an axis, and where it last came, Int32.

    Example:
        >>> values, places = ops.cummin(Tensor([4.0, 5.0, 3.0, 7.0]), 0)
        >>> print(values, places)
        [4. 4. 3. 3.] [0 0 2 2]

    """
    return cached(P.Cummin, axis)(input)


@constexpr
def _dotted(first: Sequence[int], second: Sequence[int], axes: Any) -> Any:
    """Orders and shapes for a product over axes of both, and the shape of the output."""
    if isinstance(axes, int):
        mine, other = tuple(range(len(first) - axes, len(first))), tuple(range(axes))
    else:
        mine = tuple(normal_axis(axis, len(first)) for axis in as_tuple(axes[0]))
        other = tuple(normal_axis(axis, len(second)) for axis in as_tuple(axes[1]))
    kept = [i for i in range(len(first)) if i not in mine]
    left = [i for i in range(len(second)) if i not in other]
    inner = 1
    for axis in mine:
        inner *= first[axis]
    out = (*(first[i] for i in kept), *(second[i] for i in left))
    return (*kept, *mine), (*other, *left), inner, out


def tensor_dot(x1: Any, x2: Any, axes: Any) -> Any:
    """The sum of products over axes of both: the last of one and the first of the other, or those given for each.

    Example:
        >>> print(ops.tensor_dot(ops.ones((2, 3)), ops.ones((3, 2)), 1))
        [[3. 3.]
         [3. 3.]]

    """
    order, turned, inner, out = _dotted(shape(x1), shape(x2), axes)
    first = reshape(transpose(x1, order), (-1, inner))
    return reshape(matmul(first, reshape(transpose(x2, turned), (inner, -1))), out)
