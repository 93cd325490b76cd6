"""Methods of tensors that MindSpore gives arguments of two spellings: `x.prod(axis=0)` and `x.prod(dim=0)`.

Bound by `framework.ops.tensor_methods`. An argument without a name is in the same place in both. Where the two differ
in what they compute, the docstring says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from framework.common.tensor import Tensor
from framework.ops import functional as F  # noqa: N812
from framework.ops.tensor_operators import matmul, mul, power, sub, truediv

__all__ = ["OF_OTHER", "SPELLINGS", "with_other"]


def all_(x: Tensor, axis: Any = None, keep_dims: bool = False, *, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are true, over axes, by default all."""
    return F.all(x, axis if dim is None else dim, keep_dims or keepdim)


def any_(x: Tensor, axis: Any = None, keep_dims: bool = False, *, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether any element is true, over axes, by default all."""
    return F.any(x, axis if dim is None else dim, keep_dims or keepdim)


def prod(
    x: Tensor, axis: Any = None, keep_dims: bool = False, dtype: Any = None, *, dim: Any = None, keepdim: bool = False
) -> Tensor:
    """The product over axes, by default all."""
    return F.prod(x, axis if dim is None else dim, keep_dims or keepdim, dtype)


def argmin(x: Tensor, axis: Any = None, keepdims: bool = False, *, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element along an axis, by default of all elements."""
    return F.argmin(x, axis if dim is None else dim, keepdims or keepdim)


def argsort(x: Tensor, axis: Any = -1, descending: Any = False, *, dim: Any = None, stable: bool = False) -> Tensor:
    """The indices of the elements in order. Equal elements keep their order, with or without `stable`."""
    return F.argsort(x, axis if dim is None else dim, descending)


def sort(x: Tensor, axis: Any = -1, descending: Any = False, *, dim: Any = None, stable: bool = False) -> Any:
    """The elements in order, and their indices. Equal elements keep their order, with or without `stable`."""
    return F.sort(x, axis if dim is None else dim, descending)


def std(
    x: Tensor, axis: Any = None, ddof: Any = 0, keepdims: Any = False, *, dim: Any = None, correction: Any = None,
    keepdim: bool = False,
) -> Tensor:  # fmt: skip
    """The standard deviation; squares are divided by their number less `ddof`, or `correction`: 1 with `dim`."""
    if dim is None and correction is None:
        return F.std(x, axis, ddof, keepdims or keepdim)
    return F.std(x, axis if dim is None else dim, 1 if correction is None else correction, keepdims or keepdim)


def var(
    x: Tensor, axis: Any = None, ddof: Any = 0, keepdims: Any = False, *, dim: Any = None, correction: Any = None,
    keepdim: bool = False,
) -> Tensor:  # fmt: skip
    """The variance; squares are divided by their number less `ddof`, or `correction`, which is 1 with `dim`."""
    if dim is None and correction is None:
        return F.var(x, axis, ddof, keepdims or keepdim)
    return F.var(x, axis if dim is None else dim, 1 if correction is None else correction, keepdims or keepdim)


def cumsum(x: Tensor, axis: Any = None, dtype: Any = None, *, dim: Any = None) -> Tensor:
    """The sums of the elements so far along an axis; without one, of all elements in a row."""
    if axis is None and dim is None:
        return F.cumsum(F.reshape(x, (-1,)), 0, dtype)
    return F.cumsum(x, axis if dim is None else dim, dtype)


def chunk(x: Any, chunks: int, axis: Any = 0, *, dim: Any = None) -> Any:
    """Split the tensor into a number of parts along an axis."""
    return F.chunk(x, chunks, axis if dim is None else dim)


def split(x: Any, split_size_or_sections: Any = None, axis: Any = 0, *, split_size: Any = None, dim: Any = None) -> Any:
    """The tensor in parts of a length, or of several lengths, along an axis."""
    return F.split(x, split_size_or_sections if split_size is None else split_size, axis if dim is None else dim)


def gather(
    x: Any, input_indices: Any = None, axis: Any = None, batch_dims: int = 0, *, dim: Any = None, index: Any = None
) -> Any:
    """The slices at indices along an axis; `x.gather(dim, index)` gathers single elements."""
    if isinstance(input_indices, int):
        return F.gather_d(x, input_indices, axis if index is None else index)
    if dim is not None:
        return F.gather_d(x, dim, input_indices if index is None else index)
    return F.gather(x, input_indices, axis, batch_dims)


def index_select(x: Any, axis: Any = None, index: Any = None, *, dim: Any = None) -> Tensor:
    """The slices at indices along an axis."""
    return F.index_select(x, axis if dim is None else dim, index)


def isclose(
    x: Tensor, other: Any = None, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False, *, x2: Any = None
) -> Tensor:
    """Whether elements differ by at most `atol + rtol * abs(other)`."""
    return F.isclose(x, other if x2 is None else x2, rtol, atol, equal_nan)


def expand_as(tensor: Any, other: Any = None, *, x: Any = None) -> Any:
    """The tensor broadcast to the shape of another one."""
    return F.broadcast_to(tensor, F.shape(other if x is None else x))


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, *, dim1: Any = None, dim2: Any = None) -> Tensor:
    """The diagonals of the matrices that two axes span."""
    return F.diagonal(x, offset, axis1 if dim1 is None else dim1, axis2 if dim2 is None else dim2)


def float_power(x: Any, other: Any) -> Tensor:
    """The elements to the power of others, in Float64."""
    return F.float_power(x, other)


def repeat_interleave(x: Any, repeats: Any, axis: Any = None, *, dim: Any = None, output_size: Any = None) -> Tensor:
    """Repeat each element or slice; `output_size` is the resulting length."""
    return F.repeat_interleave(x, repeats, axis if dim is None else dim)


def scatter(x: Any, axis: Any = None, index: Any = None, src: Any = None, *, dim: Any = None) -> Any:
    """The tensor with other elements at indices along an axis."""
    return F.scatter(x, axis if dim is None else dim, index, src)


def swapdims(x: Any, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged."""
    return F.swapaxes(x, dim0, dim1)


def expand_dims(x: Any, axis: int) -> Any:
    """A dimension of length 1 more."""
    return F.expand_dims(x, axis)


def gather_elements(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """The elements at indices along a dimension."""
    return F.gather_elements(x, dim, index)


def gather_nd(x: Tensor, indices: Tensor) -> Tensor:
    """The slices at indices of the first dimensions."""
    return F.gather_nd(x, indices)


def ger(x: Tensor, vec2: Tensor) -> Tensor:
    """The products of all pairs of elements of two vectors."""
    return F.ger(x, vec2)


def lerp(x: Tensor, end: Tensor, weight: Any) -> Tensor:
    """The elements moved towards others by a weight."""
    return F.lerp(x, end, weight)


def masked_fill(x: Tensor, mask: Tensor, value: Any) -> Tensor:
    """The elements, where a mask is true one number."""
    return F.masked_fill(x, mask, value)


def masked_select(x: Tensor, mask: Tensor) -> Tensor:
    """The elements where a mask is true."""
    return F.masked_select(x, mask)


def cholesky(x: Tensor, upper: bool = False) -> Tensor:
    """The lower or upper triangular factor of positive definite matrices."""
    return F.cholesky(x, upper)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """The sums of the diagonals of the matrices that two axes span."""
    if x.ndim == 2 and offset == 0 and dtype is None:
        return F.trace(x)
    return F.sum(F.diagonal(x, offset, axis1, axis2), -1, dtype=x.dtype if dtype is None else dtype)


def nonzero(x: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not 0, as rows, or as a tuple with those of each dimension."""
    return F.nonzero(x, as_tuple=as_tuple)


def round_(x: Tensor, decimals: int = 0) -> Tensor:
    """The elements rounded, by default to integers, to the even one of two equally near."""
    return F.round(x, decimals=decimals)


def matmul_(x: Any, tensor2: Any) -> Tensor:
    """The product of matrices."""
    return matmul(x, tensor2)


def mul_(x: Any, other: Any) -> Any:
    """x * other."""
    return mul(x, other)


def multiply(x: Any, value: Any) -> Any:
    """x * value."""
    return mul(x, value)


def pow_(x: Any, exponent: Any) -> Any:
    """x to the power of an exponent."""
    return power(x, exponent)


def divide(x: Any, other: Any, *, rounding_mode: Any = None) -> Any:
    """x / other; `rounding_mode` may round it down ("floor") or towards zero ("trunc")."""
    if rounding_mode == "floor":
        return F.floor_div(x, other)
    return F.trunc(truediv(x, other)) if rounding_mode == "trunc" else truediv(x, other)


def subtract(x: Any, other: Any, *, alpha: Any = 1) -> Any:
    """x - alpha * other."""
    return sub(x, other if alpha == 1 else mul(other, alpha))


def remainder(x: Any, other: Any = None, *, divisor: Any = None) -> Any:
    """The remainder of a division, with the sign of the divisor."""
    return F.floor_mod(x, other if divisor is None else divisor)


def xdivy(x: Any, y: Any) -> Any:
    """x / y, and 0 where x is 0."""
    return F.xdivy(x, y)


def unsorted_segment_sum(x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """The sum of the slices of each segment."""
    return F.unsorted_segment_sum(x, segment_ids, num_segments)


def unsorted_segment_max(x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """The largest elements of the slices of each segment."""
    return F.unsorted_segment_max(x, segment_ids, num_segments)


def unsorted_segment_min(x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """The smallest elements of the slices of each segment."""
    return F.unsorted_segment_min(x, segment_ids, num_segments)


def unsorted_segment_prod(x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """The product of the slices of each segment."""
    return F.unsorted_segment_prod(x, segment_ids, num_segments)


def with_other(name: str) -> Callable[..., Any]:
    """A function of two tensors as a method whose argument is called `other`."""
    function = getattr(F, name)

    def method(x: Tensor, other: Any) -> Any:
        return function(x, other)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = function.__doc__
    return method


_FUNCTIONS: Final = (
    all_, any_, prod, argmin, argsort, sort, std, var, cumsum, chunk, split, gather, index_select, isclose, expand_as,
    diagonal, float_power, repeat_interleave, scatter, swapdims, expand_dims, gather_elements, gather_nd, ger, lerp,
    masked_fill, masked_select, cholesky, trace, nonzero, round_, matmul_, mul_, multiply, pow_, divide, subtract,
    remainder, xdivy, unsorted_segment_sum, unsorted_segment_max, unsorted_segment_min, unsorted_segment_prod,
)  # fmt: skip

SPELLINGS: Final[dict[str, Callable[..., Any]]] = {
    **{function.__name__.rstrip("_"): function for function in _FUNCTIONS},
    "true_divide": divide,
}
"""For each name the method that takes both spellings."""

OF_OTHER: Final[dict[str, str]] = {
    **{name: name for name in (
        "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or",
        "logical_xor", "maximum", "minimum", "atan2", "xlogy", "bitwise_and", "bitwise_or", "bitwise_xor",
        "bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm", "nextafter",
    )},
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
    "arctan2": "atan2", "floor_divide": "floor_div",
}  # fmt: skip
"""For each name the function that is its method, with one argument, `other`."""
