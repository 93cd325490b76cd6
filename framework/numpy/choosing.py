"""Selects elements by index or condition; parts of matrices; index grids."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.numpy.array_creations import arange
from framework.numpy.array_likes import ArrayLike, TypeLike, as_type, operands, result_type_of, to_tensor, typed
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr

__all__ = [
    "apply_along_axis", "apply_over_axes", "argwhere", "choose", "diag", "diag_indices", "diagflat", "diagonal",
    "indices", "ix_", "meshgrid", "mgrid", "ogrid", "piecewise", "ravel_multi_index", "select", "take",
    "take_along_axis", "tril", "tril_indices", "tril_indices_from", "triu", "triu_indices", "triu_indices_from",
    "unravel_index", "where",
]  # fmt: skip


def where(condition: ArrayLike, x: ArrayLike | None = None, y: ArrayLike | None = None) -> Tensor:
    """Select elements from x or y by a condition.

    Args:
        condition: where it is true, the result is of `x`.
        x: the elements for true, broadcast.
        y: the elements for false, broadcast.

    Raises:
        ValueError: `x` or `y` is missing.

    """
    if x is None or y is None:
        raise ValueError("where: x and y are required; use argwhere(condition) for the indices where a condition holds")
    first, second = operands(x, y)
    return F.where(to_tensor(condition, mstype.bool_), first, second)


def take(a: ArrayLike, indices: ArrayLike, axis: int | None = None, mode: str = "clip") -> Tensor:
    """Select elements by index along a dimension; with None, from the flattened tensor.

    Args:
        a: a tensor.
        indices: the places, of any shape; negative ones count from the end.
        axis: the dimension.
        mode: what becomes of places outside: "clip" takes the nearest, "wrap" counts round and round.

    """
    x, places = to_tensor(a), to_tensor(indices)
    if axis is None:
        x, axis = F.reshape(x, (-1,)), 0
    return F.gather(x, _inside(places, x.shape[axis], mode), axis)


def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: int | None) -> Tensor:
    """Select an element along a dimension for each index of the result; with None, from the flattened tensor.

    Args:
        arr: a tensor.
        indices: the indices, with as many dimensions. The other dimensions of both broadcast.
        axis: the dimension.

    """
    x, places = to_tensor(arr), to_tensor(indices)
    if axis is None:
        x, axis = F.reshape(x, (-1,)), 0
    places = F.where(F.less(places, 0), places + x.shape[axis], places)
    places = F.broadcast_to(places, _grown(places.shape, x.shape, axis))
    return F.gather_elements(F.broadcast_to(x, _grown(x.shape, places.shape, axis)), axis, places)


def argwhere(a: ArrayLike) -> Tensor:
    """Indices of the non-zero elements: Int64, one in each row."""
    return F.argwhere(to_tensor(a))


def select(condlist: Any, choicelist: Any, default: float = 0) -> Tensor:
    """Select each element from the first choice whose condition is true.

    Args:
        condlist: the conditions.
        choicelist: as many choices.
        default: what stands where no condition is true.

    """
    choices = [to_tensor(item) for item in choicelist]
    out = F.full_like(choices[0], default)
    for place in range(len(choices) - 1, -1, -1):
        out = where(condlist[place], choices[place], out)
    return out


def choose(a: ArrayLike, choices: Any, mode: str = "clip") -> Tensor:
    """Select each element from the choice with this index.

    Args:
        a: the numbers, from 0.
        choices: the choices, broadcast.
        mode: as of `take`.

    """
    all_choices = [to_tensor(item) for item in choices]
    numbers = _inside(to_tensor(a), len(all_choices), mode)
    out = all_choices[0]
    for place in range(1, len(all_choices)):
        out = F.where(F.equal(numbers, place), all_choices[place], out)
    return F.broadcast_to(out, numbers.shape) if out.ndim < numbers.ndim else out


def piecewise(x: ArrayLike, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Tensor:
    """Evaluate a piecewise-defined function.

    Args:
        x: the arguments.
        condlist: the conditions.
        funclist: as many functions or numbers, and perhaps one more for where none is true.
        args: further arguments of the functions.
        kw: further named arguments of the functions.

    """
    at = to_tensor(x)
    out = F.zeros_like(at)
    if len(funclist) > len(condlist):
        out = _value(funclist[len(condlist)], at, args, kw)
    for place in range(len(condlist)):
        value = _value(funclist[place], at, args, kw)
        out = F.where(to_tensor(condlist[place], mstype.bool_), value, out)
    return out


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: ArrayLike, *args: Any, **kwargs: Any) -> Tensor:
    """Apply a function of vectors to each vector along a dimension.

    Args:
        func1d: gives a number or a tensor for a row. The dimensions of the tensor replace that of the row.
        axis: the dimension.
        arr: a tensor.
        args: further arguments of the function.
        kwargs: further named arguments of the function.

    """
    rows = F.moveaxis(to_tensor(arr), axis, -1)
    flat = F.reshape(rows, (-1, rows.shape[-1]))
    out = F.stack([to_tensor(func1d(flat[place], *args, **kwargs)) for place in range(flat.shape[0])], 0)
    out = F.reshape(out, rows.shape[:-1] + out.shape[1:])
    first, more = axis % rows.ndim, out.ndim - rows.ndim + 1
    if more:
        out = F.moveaxis(out, tuple(range(out.ndim - more, out.ndim)), tuple(range(first, first + more)))
    return typed(out)


def apply_over_axes(func: Callable[..., Any], a: ArrayLike, axes: Any) -> Tensor:
    """Apply a function of a tensor and a dimension for several dimensions in turn.

    Args:
        func: gives a tensor with the dimension, of length 1, or without.
        a: a tensor.
        axes: the dimensions.

    """
    out = to_tensor(a)
    for axis in [axes] if isinstance(axes, int) else axes:
        found = to_tensor(func(out, axis))
        out = found if found.ndim == out.ndim else F.expand_dims(found, axis)
    return out


def diag(v: ArrayLike, k: int = 0) -> Tensor:
    """Create a matrix from its diagonal, or extract the diagonal of a matrix.

    Args:
        v: a row or a matrix.
        k: which diagonal: 0 the main one, above 0 to its right.

    """
    x = to_tensor(v)
    return F.diag_embed(x, k) if x.ndim == 1 else F.diagonal(x, k, 0, 1)


def diagflat(v: ArrayLike, k: int = 0) -> Tensor:
    """Create a matrix with the flattened elements on diagonal k."""
    return F.diag_embed(F.reshape(to_tensor(v), (-1,)), k)


def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Extract a diagonal of two dimensions; its elements are along a last dimension."""
    return F.diagonal(to_tensor(a), offset, axis1, axis2)


def tril(m: ArrayLike, k: int = 0) -> Tensor:
    """The lower triangle: elements above diagonal k are set to 0."""
    return F.tril(to_tensor(m), k)


def triu(m: ArrayLike, k: int = 0) -> Tensor:
    """The upper triangle: elements below diagonal k are set to 0."""
    return F.triu(to_tensor(m), k)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """Row and column indices of the lower triangle up to diagonal k, for a matrix of n rows and m columns."""
    return _rows_and_columns(_triangle(n, n if m is None else m, k, True))


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """Row and column indices of the upper triangle from diagonal k, for a matrix of n rows and m columns."""
    return _rows_and_columns(_triangle(n, n if m is None else m, k, False))


def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Tensor, Tensor]:
    """`tril_indices` for the shape of a matrix."""
    rows, columns = to_tensor(arr).shape
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Tensor, Tensor]:
    """`triu_indices` for the shape of a matrix."""
    rows, columns = to_tensor(arr).shape
    return triu_indices(rows, k, columns)


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """Indices of the main diagonal of a tensor with `ndim` dimensions of length n."""
    return (arange(n),) * ndim


def meshgrid(*xi: ArrayLike, sparse: bool = False, indexing: str = "xy") -> list[Tensor]:
    """Coordinate grids from coordinate vectors.

    Args:
        xi: the rows.
        sparse: whether dimensions along which nothing changes have length 1.
        indexing: "xy", in which the first row runs along the second dimension, or "ij".

    """
    rows = [F.reshape(to_tensor(item), (-1,)) for item in xi]
    lengths = tuple([item.shape[0] for item in rows])
    places = _places(len(rows), indexing)
    shape = tuple([lengths[place] for place in places])
    thin = [
        F.reshape(row, tuple([lengths[number] if place == number else 1 for place in places]))
        for number, row in enumerate(rows)
    ]
    return thin if sparse else [F.broadcast_to(item, shape) for item in thin]


def indices(dimensions: Sequence[int], dtype: TypeLike = mstype.int32, sparse: bool = False) -> Any:
    """For each dimension of a shape, the indices along it as a tensor of that shape.

    Args:
        dimensions: the shape.
        dtype: the element type.
        sparse: whether dimensions along which nothing changes have length 1.

    """
    return meshgrid(*[arange(length, dtype=as_type(dtype)) for length in dimensions], sparse=sparse, indexing="ij")


def ix_(*args: ArrayLike) -> tuple[Tensor, ...]:
    """Index vectors along separate dimensions, so that indexing selects all combinations."""
    return tuple(meshgrid(*args, sparse=True, indexing="ij"))


def unravel_index(indices: ArrayLike, shape: Any, order: str = "C") -> tuple[Tensor, ...]:
    """Convert flat indices to an index for each dimension of a shape.

    Args:
        indices: the places in a row; those outside count as the nearest.
        shape: the shape.
        order: "C", in which the last dimension runs fastest, or "F".

    """
    dims = (shape,) if isinstance(shape, int) else tuple(shape)
    places = to_tensor(indices)
    places = _inside(
        F.where(F.less(places, 0), F.maximum(places + math.prod(dims), 0), places), math.prod(dims), "clip"
    )
    out = []
    for length in reversed(dims) if order == "C" else dims:
        out.append(F.floor_mod(places, length))
        places = F.floor_div(places, length)
    return tuple(reversed(out) if order == "C" else out)


def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "clip", order: str = "C") -> Tensor:
    """Convert indices for each dimension of a shape to flat indices: Float32, as in MindSpore.

    Args:
        multi_index: the places in each dimension.
        dims: the shape.
        mode: as of `take`.
        order: "C", in which the last dimension runs fastest, or "F".

    """
    shape = (dims,) if isinstance(dims, int) else tuple(dims)
    out, step = F.zeros_like(to_tensor(multi_index[0])), 1
    numbers = range(len(shape))
    for number in reversed(numbers) if order == "C" else numbers:
        out = out + _inside(to_tensor(multi_index[number]), shape[number], mode) * step
        step = step * shape[number]
    return F.cast(out, mstype.float32)


class _Grid:
    """Coordinate grids described by `[a:b, c:d]`; a step such as `5j` is a number of points, with the end included.

    Args:
        sparse: whether dimensions along which nothing changes have length 1.
    """

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Any:
        rows = [_row(item) for item in ((key,) if isinstance(key, slice) else key)]
        kind = rows[0].dtype
        for row in rows[1:]:
            kind = result_type_of(kind, row.dtype)
        grids = meshgrid(*[F.cast(row, kind) for row in rows], sparse=self.sparse, indexing="ij")
        if isinstance(key, slice):
            return grids[0]
        return grids if self.sparse else F.stack(grids)


mgrid = _Grid(False)
ogrid = _Grid(True)


def _row(item: slice) -> Tensor:
    start = 0 if item.start is None else item.start
    if isinstance(item.step, complex):
        count = int(abs(item.step))
        return F.linspace(float(start), float(item.stop), count)
    return arange(start, item.stop, 1 if item.step is None else item.step)


def _inside(places: Tensor, length: int, mode: str) -> Tensor:
    """Indices within a length; negative ones count from the end."""
    if _checked_mode(mode) == "wrap":
        return typed(F.floor_mod(places, length))
    return typed(F.clip(F.where(F.less(places, 0), places + length, places), 0, length - 1))


def _value(function: Any, x: Tensor, args: Any, kw: Any) -> Tensor:
    return F.cast(to_tensor(function(x, *args, **kw) if callable(function) else function), x.dtype)


def _rows_and_columns(places: Any) -> tuple[Tensor, Tensor]:
    return Tensor(list(places[0]), mstype.int32), Tensor(list(places[1]), mstype.int32)


@constexpr
def _checked_mode(mode: str) -> str:
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(f"mode must be clip or wrap, not {mode!r}")
    return mode


@constexpr
def _grown(shape: Sequence[int], other: Sequence[int], axis: int) -> tuple[int, ...]:
    """A shape whose lengths of 1 are broadcast to another shape, except along one dimension."""
    along = axis % len(shape)
    return tuple(n if place == along else max(n, m) for place, (n, m) in enumerate(zip(shape, other, strict=True)))


@constexpr
def _triangle(rows: int, columns: int, k: int, lower: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    chosen = [(i, j) for i in range(rows) for j in range(columns) if (j - i <= k if lower else j - i >= k)]
    return tuple(i for i, _ in chosen), tuple(j for _, j in chosen)


@constexpr
def _places(count: int, indexing: str) -> tuple[int, ...]:
    """Index of the coordinate vector that runs along each dimension."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing must be xy or ij, not {indexing!r}")
    order = list(range(count))
    if indexing == "xy" and count > 1:
        order[:2] = [1, 0]
    return tuple(order)
