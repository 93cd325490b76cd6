"""Elements picked by index or by order."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.functional.primitives import rank, select
from framework.ops.functional.shaping import swapaxes
from framework.ops.known import is_last
from framework.ops.primitive import cached

__all__ = [
    "argsort",
    "gather",
    "gather_elements",
    "index_select",
    "one_hot",
    "sort",
    "strided_slice",
    "topk",
    "where",
]

_gather_d = P.GatherD()
_top_k = P.TopK()


def gather(input_params: Any, input_indices: Any, axis: int, batch_dims: int = 0) -> Any:
    """The slices along an axis that indices name.

    Example:
        >>> print(ops.gather(Tensor([[1, 2], [3, 4], [5, 6]]), Tensor([2, 0]), 0))
        [[5 6]
         [1 2]]

    """
    return cached(P.Gather, batch_dims)(input_params, input_indices, axis)


def gather_elements(input: Any, dim: int, index: Any) -> Any:
    """Single elements along a dimension: out[i][j] = input[index[i][j]][j] for dim 0.

    Example:
        >>> print(ops.gather_elements(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])))
        [[1 1]
         [4 3]]

    """
    return _gather_d(input, dim, index)


def index_select(input: Any, axis: int, index: Any) -> Any:
    """The slices along an axis that a vector of indices names.

    Example:
        >>> print(ops.index_select(Tensor([[1, 2], [3, 4], [5, 6]]), 0, Tensor([2, 0])))
        [[5 6]
         [1 2]]

    """
    return cached(P.Gather, 0)(input, index, axis)


def strided_slice(
    input_x: Any,
    begin: Any,
    end: Any,
    strides: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """Every `strides`-th element from `begin` up to, but without, `end`, per dimension.

    The masks are those of `StridedSlice`.

    Example:
        >>> print(ops.strided_slice(Tensor([[1, 2, 3], [4, 5, 6]]), (0, 0), (2, 3), (1, 2)))
        [[1 3]
         [4 6]]

    """
    return cached(P.StridedSlice, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)(
        input_x, begin, end, strides
    )


def one_hot(indices: Any, depth: int, on_value: Any = 1, off_value: Any = 0, axis: int = -1) -> Any:
    """A new axis with `on_value` at the index and `off_value` elsewhere.

    Example:
        >>> print(ops.one_hot(Tensor([0, 2]), 3))
        [[1 0 0]
         [0 0 1]]

    """
    return cached(P.OneHot, axis)(indices, depth, on_value, off_value)


def where(condition: Any, input: Any, other: Any) -> Any:
    """`input` where a condition holds, `other` elsewhere.

    Example:
        >>> print(ops.where(Tensor([True, False]), Tensor([1, 2]), Tensor([8, 9])))
        [1 9]

    """
    return select(condition, input, other)


def topk(input: Any, k: int, dim: Any = None, largest: bool = True, sorted: bool = True) -> Any:
    """The k largest (or smallest) elements along an axis, the last one where it is left out, and their indices.

    Example:
        >>> values, places = ops.topk(Tensor([3.0, 9.0, 1.0, 7.0]), 2)
        >>> print(values, places)
        [9. 7.] [1 3]

    """
    if not largest:
        values, indices = topk(-input, k, dim)
        return -values, indices
    if dim is None or is_last(dim, rank(input)):
        return _top_k(input, k)
    values, indices = _top_k(swapaxes(input, dim, -1), k)
    return swapaxes(values, dim, -1), swapaxes(indices, dim, -1)


def sort(input_x: Any, axis: int = -1, descending: bool = False) -> Any:
    """The elements in order along an axis, and the indices where they were.

    Example:
        >>> values, places = ops.sort(Tensor([3.0, 1.0, 2.0]))
        >>> print(values, places)
        [1. 2. 3.] [1 2 0]

    """
    return cached(P.Sort, axis, descending)(input_x)


def argsort(input: Any, axis: int = -1, descending: bool = False) -> Any:
    """The indices that put the elements along an axis in order.

    Example:
        >>> print(ops.argsort(Tensor([3.0, 1.0, 2.0])))
        [1 2 0]

    """
    return cached(P.Sort, axis, descending)(input)[1]
