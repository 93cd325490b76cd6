"""Methods of tensors whose arguments differ from those of the function of the same name, or that no function has.

Bound by `framework.ops.tensor_methods`. Names and arguments are those of MindSpore 2.10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.methods.in_place import cut, index_put

__all__ = ["FUNCTIONS", "PROPERTIES", "SAME"]

Dims = int | Sequence[int] | None


def addmv(x: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """`beta` times this vector and `alpha` times a matrix times a vector."""
    return F.addmv(x, mat, vec, beta=beta, alpha=alpha)


def adjoint(x: Tensor) -> Tensor:
    """The last two dimensions exchanged; complex numbers become their conjugates."""
    return F.adjoint(x)


def transposed(x: Tensor) -> Tensor:
    """The last two dimensions exchanged: `x.mT`."""
    return F.swapaxes(x, -1, -2)


def itself(x: Tensor) -> Tensor:
    """The tensor itself: `x.data`."""
    return x


def aminmax(x: Tensor, *, axis: int | None = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The smallest and the largest element along an axis; of all for None."""
    over = None if x.ndim == 0 else axis
    return F.amin(x, over, keepdims), F.amax(x, over, keepdims)


def argmax_with_value(x: Tensor, axis: int = 0, keep_dims: bool = False) -> Any:
    """The largest elements along an axis: their places and values."""
    return F.max(x, axis, keep_dims)[::-1]


def argmin_with_value(x: Tensor, axis: int = 0, keep_dims: bool = False) -> Any:
    """The smallest elements along an axis: their places and values."""
    return F.min(x, axis, keep_dims)[::-1]


def byte(x: Tensor) -> Tensor:
    """The elements as UInt8."""
    return F.cast(x, mstype.uint8)


def short(x: Tensor) -> Tensor:
    """The elements as Int16."""
    return F.cast(x, mstype.int16)


def cauchy(x: Tensor, median: float = 0.0, sigma: float = 1.0) -> Tensor:
    """Random numbers of a Cauchy distribution in the shape of x, by the inverse of its distribution function."""
    return F.cast(F.tan((F.rand(*x.shape) - 0.5) * 3.141592653589793) * sigma + median, x.dtype)


def log_normal(x: Tensor, mean: float = 1.0, std: float = 2.0) -> Tensor:
    """Random numbers in the shape of x whose logarithms have a normal distribution."""
    return F.cast(F.exp(F.randn(*x.shape) * std + mean), x.dtype)


def choose(x: Any, choices: Any, mode: str = "clip") -> Any:
    """The element of the choice that x names, at each place: `choices[x[i]][i]`; `mode` is "clip" or "wrap"."""
    known = choices if isinstance(choices, Tensor) else F.stack(tuple([Tensor(item) for item in choices]))
    count = known.shape[0]
    places = F.floor_mod(x, count) if mode == "wrap" else F.clamp(x, 0, count - 1)
    shape = _met(tuple(x.shape), tuple(known.shape[1:]))
    rows = F.reshape(F.broadcast_to(known, (count, *shape)), (count, -1))
    row = F.reshape(F.broadcast_to(places, shape), (1, -1))
    return F.reshape(F.gather_elements(rows, 0, F.cast(row, mstype.int64)), shape)


@constexpr
def _met(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """The shape to which two shapes broadcast."""
    rank = max(len(first), len(second))
    padded = zip((1,) * (rank - len(first)) + first, (1,) * (rank - len(second)) + second, strict=True)
    return tuple(b if a == 1 else a for a, b in padded)


def clone(x: Tensor) -> Tensor:
    """A copy, through which gradients pass."""
    return x.copy()


def count_nonzero(x: Tensor, axis: Any = (), keep_dims: Any = False, dtype: Any = None, *, dim: Any = ()) -> Tensor:
    """How many elements are not 0; Int32, or Int64 over `dim`."""
    over = axis if dim == () else dim
    counted = F.cast(F.not_equal(x, 0), mstype.int64)
    kind = (mstype.int32 if dim == () else mstype.int64) if dtype is None else dtype
    return F.cast(F.sum(counted, None if over == () else over, keep_dims), kind)


def expand(x: Tensor, *size: Any) -> Tensor:
    """The tensor broadcast to a shape, in which -1 keeps a dimension."""
    return F.broadcast_to(x, _shape(size))


def fill(x: Tensor, value: Any) -> Tensor:
    """A tensor of this shape and element type whose elements are one number; 0 for None."""
    return F.full(x.shape, 0 if value is None else value, dtype=x.dtype)


def hypot(x: Tensor, other: Tensor) -> Tensor:
    """The length of the hypotenuse: the square root of x squared and other squared."""
    return F.hypot(x, other)


def index_add(x: Any, dim: int, index: Tensor, source: Any, *, alpha: Any = 1) -> Tensor:
    """The tensor with `alpha` times slices of another added at places along a dimension."""
    thin = tuple([source.shape[place] if place == dim % x.ndim else 1 for place in range(x.ndim)])
    places = F.broadcast_to(F.reshape(index, thin), source.shape)
    return F.tensor_scatter_elements(x, places, source if alpha == 1 else source * alpha, dim, "add")


def is_signed(x: Tensor) -> bool:
    """Whether elements can be negative."""
    return x.dtype not in (mstype.bool_, mstype.uint8, mstype.uint16, mstype.uint32, mstype.uint64)


def is_contiguous(x: Any) -> bool:
    """Whether the elements lie in memory row by row; not in compiled functions."""
    return bool(x.asnumpy().flags.c_contiguous)


def contiguous(x: Tensor) -> Tensor:
    """The tensor with its elements row by row in memory."""
    return F.reshape(F.reshape(x, (-1,)), x.shape)


def median(x: Tensor, axis: Any = -1, keepdims: bool = False, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The middle elements along an axis, the lower of two, and their places."""
    return F.median(x, axis if dim is None else dim, keepdims or keepdim)


def msort(x: Tensor) -> Tensor:
    """The elements in order along the first dimension."""
    return F.sort(x, 0)[0]


def nansum(x: Tensor, axis: Any = None, keepdims: bool = False, *, dtype: Any = None, dim: Any = None) -> Tensor:
    """The sum without NaN."""
    return F.nansum(x, axis if dim is None else dim, keepdims, dtype=dtype)


def narrow(x: Tensor, axis: Any = None, start: Any = None, length: Any = None, *, dim: Any = None) -> Tensor:
    """A part along a dimension."""
    return F.narrow(x, axis if dim is None else dim, start, length)


def new_empty(x: Tensor, size: Any, dtype: DType | None = None, *, device: str | None = None) -> Tensor:
    """A tensor of another shape whose elements the program sets later; they are 0."""
    return F.zeros(size, x.dtype if dtype is None else dtype)


def new_full(x: Tensor, size: Any, fill_value: float, *, dtype: DType | None = None) -> Tensor:
    """A tensor of another shape whose elements are one number."""
    return F.full(size, fill_value, dtype=x.dtype if dtype is None else dtype)


def ptp(x: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The largest element less the smallest, over axes, by default all."""
    return F.sub(F.amax(x, axis, keepdims), F.amin(x, axis, keepdims))


def repeat(x: Tensor, *repeats: Any) -> Tensor:
    """The tensor repeated so often along each dimension."""
    return F.tile(x, _shape(repeats))


def resize(x: Tensor, *new_shape: Any) -> Tensor:
    """The first elements, row by row, in another shape; 0 where there are not enough."""
    shape = _shape(new_shape)
    count = _product(shape)
    row = F.reshape(x, (-1,))
    if count > x.size:
        row = F.concat((row, F.zeros((count - x.size,), x.dtype)))
    return F.reshape(row[:count], shape)


@constexpr
def _product(shape: tuple[int, ...]) -> int:
    count = 1
    for length in shape:
        count *= length
    return count


def scatter_add(x: Tensor, *given: Any, **named: Any) -> Tensor:
    """Elements added at places along a dimension: `x.scatter_add(dim, index, src)`.

    The older form `x.scatter_add(indices, updates)` adds slices at indices of the first dimensions.
    """
    if len(given) == 2 or "updates" in named:
        return F.tensor_scatter_add(x, *given, **named)
    return _scatter_add(x, *given, **named)


def _scatter_add(x: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return F.tensor_scatter_elements(x, index, cut(src, index), dim, "add")


def scatter_sub(x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Slices subtracted at indices of the first dimensions."""
    return F.tensor_scatter_sub(x, indices, updates)


def scatter_mul(x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Slices multiplied at indices of the first dimensions."""
    return F.tensor_scatter_mul(x, indices, updates)


def scatter_div(x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Slices divided at indices of the first dimensions."""
    return F.tensor_scatter_div(x, indices, updates)


def scatter_max(x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The larger of old and new elements at indices of the first dimensions."""
    return F.tensor_scatter_max(x, indices, updates)


def scatter_min(x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The smaller of old and new elements at indices of the first dimensions."""
    return F.tensor_scatter_min(x, indices, updates)


def searchsorted(x: Tensor, v: Any, side: str = "left", sorter: Any = None) -> Tensor:
    """The places at which elements would be inserted into this sorted tensor."""
    return F.searchsorted(x, v, side=side, sorter=sorter)


def select(x: Any, *given: Any, **named: Any) -> Any:
    """The part at a place along a dimension, `x.select(dim, index)`; or elements by a mask, `x.select(mask, y)`."""
    if named:
        return _by_place(x, *given, **named) if "dim" in named or "index" in named else _by_mask(x, *given, **named)
    return _by_place(x, *given) if isinstance(given[0], int) else _by_mask(x, *given)


def _by_place(x: Any, dim: int, index: int) -> Any:
    return F.squeeze(F.narrow(x, dim, index % x.shape[dim], 1), dim)


def _by_mask(x: Any, condition: Tensor, y: Any) -> Any:
    return F.where(condition, x, y)


def storage_offset(x: Tensor) -> int:
    """The place of the first element in the tensor's memory: 0, since every tensor has its own."""
    return 0


def stride(x: Tensor, dim: int | None = None) -> Any:
    """The number of elements from one to the next along each dimension, or along one, row by row."""
    return _stride(tuple(x.shape), dim)


@constexpr
def _stride(shape: tuple[int, ...], dim: int | None) -> Any:
    steps = [1]
    for length in reversed(shape[1:]):
        steps.append(steps[-1] * length)
    found = tuple(reversed(steps)) if shape else ()
    return found if dim is None else found[dim]


def sum_to_size(x: Tensor, *size: Any) -> Tensor:
    """The sum over the dimensions along which this shape would be broadcast to that of x."""
    over = _broadcast_axes(tuple(x.shape), _shape(size))
    return F.reshape(F.sum(x, over) if over else x, _shape(size))


@constexpr
def _broadcast_axes(whole: tuple[int, ...], size: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions along which a shape would be repeated to become the whole one."""
    added = len(whole) - len(size)
    if added < 0 or any(part not in (1, length) for part, length in zip(size, whole[added:], strict=True)):
        raise ValueError(f"sum_to_size: a tensor of shape {whole} is not a tensor of shape {size} that was broadcast")
    return tuple(axis for axis in range(len(whole)) if axis < added or size[axis - added] != whole[axis])


def take(x: Tensor, indices: Any, axis: int | None = None, mode: str = "clip") -> Tensor:
    """The elements at places along an axis, or of all in a row; places beyond the end count as the last ("clip"), or
    from the beginning ("wrap").
    """
    row = F.reshape(x, (-1,)) if axis is None else x
    along = 0 if axis is None else axis
    count = row.shape[along]
    places = F.floor_mod(indices, count) if mode == "wrap" else F.clamp(indices, 0, count - 1)
    return F.gather(row, places, along)


@constexpr
def _shape(given: tuple[Any, ...]) -> tuple[int, ...]:
    """Arguments that may be passed as one tuple, as a tuple."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], list | tuple) else tuple(given)


_OWN: Final = (
    addmv, adjoint, aminmax, argmax_with_value, argmin_with_value, F.approximate_equal, byte, short, cauchy, log_normal,
    choose, clone, count_nonzero, expand, fill, index_add, index_put, is_signed, is_contiguous, contiguous, median,
    msort, nansum, narrow, new_empty, new_full, ptp, repeat, resize, scatter_add, scatter_sub, scatter_mul, scatter_div,
    scatter_max, scatter_min, searchsorted, select, storage_offset, stride, sum_to_size, take,
)  # fmt: skip

SAME: Final = (
    "addbmm", "addcdiv", "addcmul", "addmm", "addr", "angle", "argwhere", "baddbmm", "bernoulli", "bitwise_left_shift",
    "bitwise_right_shift", "cholesky_inverse", "col2im", "conj", "copysign", "cov", "deg2rad", "diag", "diagflat",
    "diagonal_scatter", "diff", "dsplit", "fill_diagonal", "fills", "fliplr", "flipud", "float_power", "fmax", "fmin",
    "fmod", "fold", "frac", "gcd", "heaviside", "hsplit", "hypot", "i0", "igamma",
    "igammac", "index_fill", "inner", "inplace_update",
    "invert", "is_complex", "is_floating_point", "isneginf", "isposinf", "isreal", "lcm", "ldexp", "log10", "log2",
    "log_matrix_determinant", "logaddexp", "logaddexp2", "logcumsumexp", "logdet", "logit", "lstsq", "lu_solve",
    "masked_scatter", "matrix_determinant", "matrix_power", "mvlgamma", "nanmean", "nanmedian", "nanquantile",
    "nextafter", "positive", "qr", "quantile", "rad2deg", "random_categorical", "renorm", "reverse", "rot90",
    "select_scatter", "sgn", "signbit", "sinc", "slice_scatter", "slogdet", "soft_shrink", "svd", "tensor_split",
    "top_k", "vsplit",
)  # fmt: skip
"""Functions that are methods with the same arguments."""

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {function.__name__: function for function in _OWN}
"""For each name the function that `x.name(...)` calls with x as first argument."""

PROPERTIES: Final[dict[str, Callable[..., Any]]] = {
    "mT": transposed,
    "mH": adjoint,
    "H": adjoint,
    "real": F.real,
    "imag": F.imag,
    "data": itself,
}
"""For each name the function that gives the property of that name."""
