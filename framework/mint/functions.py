"""Functions of `mint` with other arguments than in `framework.ops`: here dimensions are `dim` and `keepdim`.

`dim` is a dimension, for reductions also several, or None for all; `keepdim` keeps them with length 1; `dtype` is the
element type of the result, None for what the operator gives.
"""

# ruff: noqa: A001, A002 - MindSpore's names
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops import functional as F  # noqa: N812

__all__ = [
    "add", "all", "allclose", "amax", "amin", "any", "argmin", "bernoulli", "bincount", "bitwise_not", "cat", "chunk",
    "clone", "concat", "count_nonzero", "cummax", "cummin", "cumsum", "diag", "diff", "div", "divide", "empty",
    "empty_like", "equal", "exp2", "flatten", "frac", "item", "max", "mean", "median", "meshgrid", "min",
    "multinomial", "nansum", "norm", "normal", "ones", "permute", "prod", "rand", "randint", "randn", "randperm",
    "repeat_interleave", "softmax", "split", "sqrt", "squeeze", "stack", "std", "std_mean", "sub", "transpose",
    "var", "var_mean", "vdot", "zeros",
]  # fmt: skip

Dims = int | tuple[int, ...] | list[int] | None


def add(input: Tensor | float, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """`input` plus `alpha` times `other`."""
    return _typed(F.add(input, other if alpha == 1 else F.mul(other, alpha)))


def sub(input: Tensor | float, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """`input` minus `alpha` times `other`."""
    return _typed(F.sub(input, other if alpha == 1 else F.mul(other, alpha)))


def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are true."""
    return F.all(input, _dims(dim), keepdim)


def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether any element is true."""
    return F.any(input, _dims(dim), keepdim)


def allclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> bool:
    """Whether all elements differ by at most `atol + rtol * abs(other)`; not in compiled functions."""
    return bool(F.all(F.isclose(input, other, rtol, atol, equal_nan)).item())


def amax(input: Tensor, dim: Dims = (), keepdim: bool = False) -> Tensor:
    """The maximum."""
    return _typed(F.amax(input, _dims(dim), keepdim))


def amin(input: Tensor, dim: Dims = (), keepdim: bool = False) -> Tensor:
    """The minimum."""
    return _typed(F.amin(input, _dims(dim), keepdim))


def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The maximum; along a dimension, a tuple with its index; with a tensor, the element-wise maximum."""
    if isinstance(dim, Tensor):
        return F.maximum(input, dim)
    return F.amax(input) if dim is None else F.max(input, dim, keepdim)


def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The minimum; along a dimension, a tuple with its index; with a tensor, the element-wise minimum."""
    if isinstance(dim, Tensor):
        return F.minimum(input, dim)
    return F.amin(input) if dim is None else F.min(input, dim, keepdim)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median; along a dimension, a tuple with its index."""
    return F.median(F.reshape(input, (-1,)), 0)[0] if dim is None else F.median(input, dim, keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the first minimum: Int64."""
    return F.cast(F.argmin(input, dim, keepdim), mstype.int64)


def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The mean."""
    return F.mean(_typed(input, dtype), _dims(dim), keepdim)


def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The product."""
    return F.prod(_typed(input, dtype), dim, keepdim)


def nansum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The sum, ignoring NaN."""
    return _typed(F.nansum(input, _dims(dim), keepdim), dtype)


def std(input: Tensor, dim: Dims = None, *, correction: int = 1, keepdim: bool = False) -> Tensor:
    """The standard deviation; the divisor is the number of elements minus `correction`."""
    return F.std(input, _dims(dim), correction, keepdim)


def var(input: Tensor, dim: Dims = None, *, correction: int = 1, keepdim: bool = False) -> Tensor:
    """The variance; the divisor is the number of elements minus `correction`."""
    return F.var(input, _dims(dim), correction, keepdim)


def std_mean(input: Tensor, dim: Dims = None, *, correction: int = 1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The standard deviation, as `std`, and the mean."""
    return std(input, dim, correction=correction, keepdim=keepdim), F.mean(input, _dims(dim), keepdim)


def var_mean(input: Tensor, dim: Dims = None, *, correction: int = 1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The variance, as `var`, and the mean."""
    return var(input, dim, correction=correction, keepdim=keepdim), F.mean(input, _dims(dim), keepdim)


def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """The number of non-zero elements: Int64."""
    return F.sum(F.cast(F.not_equal(input, 0), mstype.int64), _dims(dim))


def norm(
    input: Tensor,
    p: Any = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """The vector norm of the elements: "fro" is 2; also inf, -inf, 0 and other powers."""
    x, over = _typed(input, dtype), _dims(dim)
    if p == float("inf"):
        return _typed(F.amax(F.abs(x), over, keepdim))
    if p == float("-inf"):
        return _typed(F.amin(F.abs(x), over, keepdim))
    if p == 0:
        return F.sum(F.cast(F.not_equal(x, 0), x.dtype), over, keepdim)
    if p in ("fro", 2):
        return _typed(F.sqrt(F.sum(F.square(x), over, keepdim)))
    return _typed(F.pow(F.sum(F.pow(F.abs(x), p), over, keepdim), 1 / p))


def cumsum(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """The cumulative sum along a dimension; integers as Int64."""
    x = _typed(input, dtype)
    return F.cumsum(x if x.dtype.is_floating_point or dtype is not None else F.cast(x, mstype.int64), dim)


def cummax(input: Tensor, dim: int) -> tuple[Tensor, ...]:
    """The cumulative maximum along a dimension, and its indices: Int64."""
    values, places = F.cummax(input, dim)
    return values, F.cast(places, mstype.int64)


def cummin(input: Tensor, dim: int) -> tuple[Tensor, ...]:
    """The cumulative minimum along a dimension, and its indices: Int64."""
    values, places = F.cummin(input, dim)
    return values, F.cast(places, mstype.int64)


def softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """The softmax along a dimension."""
    return F.softmax(input, dim, dtype=dtype)


def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """The n-th differences of neighbours along a dimension, with optional tensors at both ends."""
    return F.diff(input, n, dim, prepend, append)


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Concatenate tensors along a dimension."""
    return F.concat(tensors, dim)


concat = cat


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Stack tensors along a new dimension."""
    return F.stack(tensors, dim)


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor along a dimension into parts of one length, or of a list of lengths."""
    return F.split(tensor, split_size_or_sections, dim)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor along a dimension into a number of parts, of which the last may be shorter."""
    return F.chunk(input, chunks, dim)


def squeeze(input: Tensor, dim: int | tuple[int, ...] | None = None) -> Tensor:
    """Remove dimensions of length 1. Named dimensions of another length stay."""
    if dim is None:
        return F.squeeze(input)
    rank = input.ndim
    places = tuple([place % rank for place in ([dim] if isinstance(dim, int) else dim)])
    single = tuple([place for place in places if input.shape[place] == 1])
    return F.squeeze(input, single) if single else input


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Flatten a range of dimensions into one."""
    return F.flatten(input, start_dim=start_dim, end_dim=end_dim)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two dimensions."""
    return _typed(F.swapaxes(input, dim0, dim1))


def permute(input: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Permute the dimensions."""
    return _typed(F.transpose(input, tuple([place % input.ndim for place in dims])))


def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None) -> Tensor:
    """Repeat each element along a dimension; with None, flattened first."""
    return F.repeat_interleave(input, repeats, dim)


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Create a matrix from its diagonal, or extract the diagonal of a matrix."""
    return F.diag_embed(input, diagonal) if input.ndim == 1 else F.diagonal(input, diagonal)


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The dot product of two vectors."""
    return F.sum(F.mul(input, other))


def meshgrid(*tensors: Tensor, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinate grids from vectors. The first vector runs along the first dimension; with "xy", along the second."""
    return F.meshgrid(*tensors, indexing=indexing or "ij")


def clone(input: Tensor) -> Tensor:
    """A copy of the tensor; gradients pass through it."""
    return _typed(F.identity(input))


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """`input` divided by `other`; with a rounding mode, integers stay integers.

    Args:
        input: a tensor or a number.
        other: a tensor or a number; the shapes broadcast.
        rounding_mode: None, "trunc" for towards zero, or "floor" for down.

    """
    if rounding_mode == "floor":
        return _typed(F.floor_divide(input, other))
    if rounding_mode == "trunc":
        return _typed(F.truncate_div(input, other))
    return F.div(input, other, rounding_mode=rounding_mode)


divide = div


def bitwise_not(input: Tensor) -> Tensor:
    """The bitwise complement of integers; the logical negation of Booleans."""
    return _typed(F.logical_not(input) if input.dtype == mstype.bool_ else F.invert(input))


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """The number of occurrences of each integer, Int64; with weights, the sum of its weights."""
    counts = F.bincount(input, weights, minlength)
    return _typed(counts, mstype.int64 if weights is None else None)


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements. Not in compiled functions."""
    return input.shape == other.shape and bool(F.all(F.equal(input, other)).item())


def item(input: Tensor) -> float:
    """The only element of a tensor, as a Python number. Not in compiled functions."""
    element: float = input.item()
    return element


def ones(*size: Any, dtype: DType | None = None) -> Tensor:
    """A tensor of ones. The shape is a tuple, or one number for each dimension."""
    return _typed(F.ones(_shape(size), mstype.float32 if dtype is None else dtype))


def zeros(*size: Any, dtype: DType | None = None) -> Tensor:
    """A tensor of zeros. The shape is a tuple, or one number for each dimension."""
    return _typed(F.zeros(_shape(size), mstype.float32 if dtype is None else dtype))


def exp2(input: Tensor) -> Tensor:
    """2 to the power of x."""
    return _typed(F.pow(2.0, input))


def sqrt(input: Tensor) -> Tensor:
    """The square root."""
    return _typed(F.sqrt(input))


def frac(input: Tensor) -> Tensor:
    """The fractional part, with the sign of the number."""
    return F.frac(input)


def empty(*size: Any, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """Create a tensor to be filled later; its elements are 0."""
    return _typed(F.zeros(_shape(size), mstype.float32 if dtype is None else dtype))


def empty_like(input: Tensor, *, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """Like `empty`, with the shape and element type of another tensor."""
    return F.zeros_like(input, dtype=dtype)


def rand(*size: Any, generator: object = None, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """Random numbers, uniform on [0, 1), from the seed of `ms.set_seed`."""
    return _typed(F.rand(*_shape(size)), dtype)


def randn(*size: Any, generator: object = None, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """Random numbers of the standard normal distribution, from the seed of `ms.set_seed`."""
    return _typed(F.randn(*_shape(size)), dtype)


def randint(*args: Any, generator: object = None, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """Random integers: `randint(high, size)` from 0, or `randint(low, high, size)`; Int64."""
    low, high, size = (0, *args) if len(args) == 2 else args
    return _typed(F.randint(low, high, tuple(size)), mstype.int64 if dtype is None else dtype)


def randperm(n: int, *, generator: object = None, dtype: DType = mstype.int64) -> Tensor:
    """A random permutation of the integers from 0 to n - 1."""
    return F.cast(F.randperm(n), dtype)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: object = None) -> Tensor:
    """Random numbers of normal distributions; `mean` and `std` are numbers or tensors, and are broadcast."""
    shape = tuple(size) if size is not None else (mean + std).shape
    return _typed(F.randn(*shape) * std + mean)


def bernoulli(input: Tensor, *, generator: object = None) -> Tensor:
    """Random 0 or 1; each element is the probability of a 1."""
    return F.cast(F.less(F.cast(F.rand_like(input), input.dtype), input), input.dtype)


def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: object = None,
) -> Tensor:
    """Random indices, drawn in proportion to weights."""
    return F.multinomial(input, num_samples, replacement)


def _typed(out: Any, dtype: DType | None = None) -> Tensor:
    result: Tensor = out if dtype is None else F.cast(out, dtype)
    return result


def _dims(dim: Dims) -> Any:
    if isinstance(dim, list):
        return tuple(dim)
    return None if dim == () else dim


def _shape(size: Any) -> tuple[int, ...]:
    return tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)
