"""Functions of `mint` whose arguments are not those of `framework.ops`: dimensions are `dim` and `keepdim` here.

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
    """`input` and `alpha` times `other`."""
    return _typed(F.add(input, other if alpha == 1 else F.mul(other, alpha)))


def sub(input: Tensor | float, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """`input` less `alpha` times `other`."""
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
    """The largest element."""
    return _typed(F.amax(input, _dims(dim), keepdim))


def amin(input: Tensor, dim: Dims = (), keepdim: bool = False) -> Tensor:
    """The smallest element."""
    return _typed(F.amin(input, _dims(dim), keepdim))


def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest element; along a dimension also its place, as a tuple; with a tensor the larger of both."""
    if isinstance(dim, Tensor):
        return F.maximum(input, dim)
    return F.amax(input) if dim is None else F.max(input, dim, keepdim)


def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest element; along a dimension also its place, as a tuple; with a tensor the smaller of both."""
    if isinstance(dim, Tensor):
        return F.minimum(input, dim)
    return F.amin(input) if dim is None else F.min(input, dim, keepdim)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower middle element; along a dimension also its place, as a tuple."""
    return F.median(F.reshape(input, (-1,)), 0)[0] if dim is None else F.median(input, dim, keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The place of the first smallest element: Int64."""
    return F.cast(F.argmin(input, dim, keepdim), mstype.int64)


def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The mean."""
    return F.mean(_typed(input, dtype), _dims(dim), keepdim)


def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The product."""
    return F.prod(_typed(input, dtype), dim, keepdim)


def nansum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The sum without NaN."""
    return _typed(F.nansum(input, _dims(dim), keepdim), dtype)


def std(input: Tensor, dim: Dims = None, *, correction: int = 1, keepdim: bool = False) -> Tensor:
    """The standard deviation; squares are divided by their number less `correction`."""
    return F.std(input, _dims(dim), correction, keepdim)


def var(input: Tensor, dim: Dims = None, *, correction: int = 1, keepdim: bool = False) -> Tensor:
    """The variance; squares are divided by their number less `correction`."""
    return F.var(input, _dims(dim), correction, keepdim)


def std_mean(input: Tensor, dim: Dims = None, *, correction: int = 1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The standard deviation as of `std`, and the mean."""
    return std(input, dim, correction=correction, keepdim=keepdim), F.mean(input, _dims(dim), keepdim)


def var_mean(input: Tensor, dim: Dims = None, *, correction: int = 1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The variance as of `var`, and the mean."""
    return var(input, dim, correction=correction, keepdim=keepdim), F.mean(input, _dims(dim), keepdim)


def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements are not 0: Int64."""
    return F.sum(F.cast(F.not_equal(input, 0), mstype.int64), _dims(dim))


def norm(
    input: Tensor,
    p: Any = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """The norm of the elements as a vector: "fro" is 2; inf, -inf, 0 and other powers."""
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
    """The sums up to each element along a dimension; whole numbers as Int64."""
    x = _typed(input, dtype)
    return F.cumsum(x if x.dtype.is_floating_point or dtype is not None else F.cast(x, mstype.int64), dim)


def cummax(input: Tensor, dim: int) -> tuple[Tensor, ...]:
    """The largest elements so far along a dimension, and their places: Int64."""
    values, places = F.cummax(input, dim)
    return values, F.cast(places, mstype.int64)


def cummin(input: Tensor, dim: int) -> tuple[Tensor, ...]:
    """The smallest elements so far along a dimension, and their places: Int64."""
    values, places = F.cummin(input, dim)
    return values, F.cast(places, mstype.int64)


def softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """Shares of the powers of e along a dimension."""
    return F.softmax(input, dim, dtype=dtype)


def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """The differences of neighbours along a dimension, n times, after adding tensors before and behind."""
    return F.diff(input, n, dim, prepend, append)


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors one after another along a dimension."""
    return F.concat(tensors, dim)


concat = cat


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors along a new dimension."""
    return F.stack(tensors, dim)


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of a length, or of several, along a dimension."""
    return F.split(tensor, split_size_or_sections, dim)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """So many parts along a dimension, of which the last may be shorter."""
    return F.chunk(input, chunks, dim)


def squeeze(input: Tensor, dim: int | tuple[int, ...] | None = None) -> Tensor:
    """The tensor without its dimensions of length 1. Dimensions that are named and are longer stay."""
    if dim is None:
        return F.squeeze(input)
    rank = input.ndim
    places = tuple([place % rank for place in ([dim] if isinstance(dim, int) else dim)])
    single = tuple([place for place in places if input.shape[place] == 1])
    return F.squeeze(input, single) if single else input


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from one to another as one."""
    return F.flatten(input, start_dim=start_dim, end_dim=end_dim)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions in each other's place."""
    return _typed(F.swapaxes(input, dim0, dim1))


def permute(input: Tensor, dims: tuple[int, ...]) -> Tensor:
    """The dimensions in another order."""
    return _typed(F.transpose(input, tuple([place % input.ndim for place in dims])))


def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None) -> Tensor:
    """Each element repeated along a dimension; with None in a row."""
    return F.repeat_interleave(input, repeats, dim)


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A matrix with a row on a diagonal, or the diagonal of a matrix."""
    return F.diag_embed(input, diagonal) if input.ndim == 1 else F.diagonal(input, diagonal)


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The sum of the products of two rows."""
    return F.sum(F.mul(input, other))


def meshgrid(*tensors: Tensor, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Grids of coordinates of rows; the first row runs along the first dimension, with "xy" along the second."""
    return F.meshgrid(*tensors, indexing=indexing or "ij")


def clone(input: Tensor) -> Tensor:
    """A copy, through which gradients pass."""
    return _typed(F.identity(input))


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """`input` divided by `other`; with a rounding mode, the result keeps the type of whole numbers.

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
    """The bitwise complement of whole numbers; the opposite of truth values."""
    return _typed(F.logical_not(input) if input.dtype == mstype.bool_ else F.invert(input))


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number occurs, Int64; with weights the sum of the weights."""
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
    """The power of 2."""
    return _typed(F.pow(2.0, input))


def sqrt(input: Tensor) -> Tensor:
    """The square root."""
    return _typed(F.sqrt(input))


def frac(input: Tensor) -> Tensor:
    """The fraction, with the number's sign."""
    return F.frac(input)


def empty(*size: Any, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """A tensor whose elements the program sets later; they are 0."""
    return _typed(F.zeros(_shape(size), mstype.float32 if dtype is None else dtype))


def empty_like(input: Tensor, *, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """As `empty`, in the shape and element type of another tensor."""
    return F.zeros_like(input, dtype=dtype)


def rand(*size: Any, generator: object = None, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """Random numbers from 0 to 1; of the seed of `ms.set_seed`."""
    return _typed(F.rand(*_shape(size)), dtype)


def randn(*size: Any, generator: object = None, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """Random numbers of the normal distribution with mean 0 and deviation 1; of the seed of `ms.set_seed`."""
    return _typed(F.randn(*_shape(size)), dtype)


def randint(*args: Any, generator: object = None, dtype: DType | None = None, device: str | None = None) -> Tensor:
    """Random whole numbers: `randint(high, size)` from 0, or `randint(low, high, size)`; Int64."""
    low, high, size = (0, *args) if len(args) == 2 else args
    return _typed(F.randint(low, high, tuple(size)), mstype.int64 if dtype is None else dtype)


def randperm(n: int, *, generator: object = None, dtype: DType = mstype.int64) -> Tensor:
    """The numbers from 0 to n - 1 in random order."""
    return F.cast(F.randperm(n), dtype)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: object = None) -> Tensor:
    """Random numbers of normal distributions; `mean` and `std` are numbers, or tensors that are broadcast."""
    shape = tuple(size) if size is not None else (mean + std).shape
    return _typed(F.randn(*shape) * std + mean)


def bernoulli(input: Tensor, *, generator: object = None) -> Tensor:
    """1 with the probability that stands at each place, else 0."""
    return F.cast(F.less(F.cast(F.rand_like(input), input.dtype), input), input.dtype)


def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: object = None,
) -> Tensor:
    """Random places, by the weight of each."""
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
