"""Functions of `mint` that select, sort and scatter elements. Dimensions are `dim`, and indices are Int64."""

# ruff: noqa: A002 - MindSpore's names
from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops import functional as F  # noqa: N812

__all__ = [
    "argsort", "gather", "index_add", "index_select", "kthvalue", "narrow", "scatter", "scatter_add", "select", "sort",
    "take", "topk", "unique",
]  # fmt: skip


def sort(input: Tensor, *, dim: int = -1, descending: bool = False, stable: bool = False) -> tuple[Tensor, Tensor]:
    """Sort the elements and return their indices, Int64. Equal elements keep their order."""
    values, places = F.sort(input, dim, descending)
    return values, F.cast(places, mstype.int64)


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that sort the elements: Int64. Equal elements keep their order."""
    return F.cast(F.sort(input, dim, descending)[1], mstype.int64)


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """The k largest or smallest elements along a dimension, and their indices: Int64."""
    values, places = F.topk(input, k, dim, largest, sorted)
    return values, F.cast(places, mstype.int64)


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The k-th smallest element along a dimension, counted from 1, and its index: Int64."""
    values, places = sort(input, dim=dim)
    if keepdim:
        return narrow(values, dim, k - 1, 1), narrow(places, dim, k - 1, 1)
    return select(values, dim, k - 1), select(places, dim, k - 1)


def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: int | None = None,
) -> Any:  # fmt: skip
    """The distinct elements.

    Args:
        input: numbers of any shape.
        sorted: has no effect, as in PyTorch: the numbers are always in ascending order.
        return_inverse: return, in the shape of `input`, the place of each number in the result, Int64.
        return_counts: return how often each number occurs, Int64.
        dim: None. Unique slices along a dimension are not supported.

    Returns:
        A vector; or a tuple of it, the places and the counts, as asked for.

    Raises:
        NotImplementedError: `dim` is given.

    """
    if dim is not None:
        raise NotImplementedError("unique: `dim` must be None; unique slices along a dimension are not supported")
    ordered, order = F.sort(F.reshape(input, (-1,)))
    values, places, counts = F.unique_consecutive(ordered, True, True)
    inverse = F.tensor_scatter_elements(F.zeros_like(places), order, places)
    if not return_inverse:
        return (values, counts) if return_counts else values
    inverse = F.reshape(inverse, input.shape)
    return (values, inverse, counts) if return_counts else (values, inverse)


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """A slice along a dimension."""
    return F.narrow(input, dim, start, length)


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice at one index along a dimension, without that dimension."""
    return F.squeeze(F.narrow(input, dim, index % input.shape[dim], 1), dim)


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Select an element along a dimension for each index of the result."""
    selected: Tensor = F.gather_elements(input, dim, index)
    return selected


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Select slices along a dimension by index."""
    selected: Tensor = F.gather(input, index, dim)
    return selected


def take(input: Tensor, index: Tensor) -> Tensor:
    """Select elements by flat index."""
    selected: Tensor = F.gather(F.reshape(input, (-1,)), index, 0)
    return selected


def scatter(input: Tensor, dim: int, index: Tensor, src: Tensor | float) -> Tensor:
    """The tensor with elements replaced at indices along a dimension; `src` is a tensor, or one number for all."""
    elements = src if isinstance(src, Tensor) else F.cast(F.full(index.shape, src), input.dtype)
    return F.scatter(input, dim, index, elements)


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """The tensor with elements added at indices along a dimension."""
    return F.tensor_scatter_elements(input, index, src, dim, "add")


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """The tensor with `alpha` times slices of another one added at indices along a dimension."""
    along = dim % input.ndim
    thin = tuple([source.shape[along] if place == along else 1 for place in range(input.ndim)])
    places = F.broadcast_to(F.reshape(index, thin), source.shape)
    return F.tensor_scatter_elements(input, places, source if alpha == 1 else source * alpha, dim, "add")
