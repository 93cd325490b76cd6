"""Reductions over whole tensors or along dimensions.

`axis` is a dimension, several, or None for all; `keepdims` keeps them with length 1; `dtype` is the element type of the
result. Sums of whole numbers are Int64, means of them are rounded towards 0, as in MindSpore.
"""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.numpy.array_likes import ArrayLike, TypeLike, as_floats, to_tensor, typed
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr

__all__ = [
    "amax", "amin", "argmax", "argmin", "average", "corrcoef", "count_nonzero", "cov", "cumprod", "cumsum", "max",
    "mean", "min", "nancumsum", "nanmax", "nanmean", "nanmin", "nanstd", "nansum", "nanvar", "norm", "ptp", "std",
    "sum", "trapz", "var",
]  # fmt: skip

Axis = int | tuple[int, ...] | list[int] | None


def sum(  # noqa: A001 - MindSpore's name
    a: ArrayLike, axis: Axis = None, dtype: TypeLike = None, keepdims: bool = False, initial: float | None = None
) -> Tensor:
    """The sum, starting from `initial`."""
    out = F.sum(_for_sums(to_tensor(a)), _axes(axis), keepdims)
    return typed(out if initial is None else out + initial, dtype)


def mean(a: ArrayLike, axis: Axis = None, keepdims: bool = False, dtype: TypeLike = None) -> Tensor:
    """The mean."""
    x = typed(to_tensor(a), dtype)
    out = F.mean(as_floats(x), _axes(axis), keepdims)
    return out if x.dtype.is_floating_point else F.cast(out, x.dtype)


def max(  # noqa: A001 - MindSpore's name
    a: ArrayLike, axis: Axis = None, keepdims: bool = False, initial: float | None = None, where: Any = True
) -> Tensor:
    """The maximum of `initial` and the elements for which `where` is true."""
    return _extreme(F.amax, to_tensor(a), axis, keepdims, initial, where)


def min(  # noqa: A001 - MindSpore's name
    a: ArrayLike, axis: Axis = None, keepdims: bool = False, initial: float | None = None, where: Any = True
) -> Tensor:
    """The minimum of `initial` and the elements for which `where` is true."""
    return _extreme(F.amin, to_tensor(a), axis, keepdims, initial, where)


amax = max
amin = min


def ptp(x: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The maximum minus the minimum."""
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def argmax(a: ArrayLike, axis: int | None = None) -> Tensor:
    """The index of the first maximum: Int64."""
    x = to_tensor(a)
    return F.argmax(F.reshape(x, (-1,)), 0) if axis is None else F.argmax(x, axis)


def argmin(a: ArrayLike, axis: int | None = None) -> Tensor:
    """The index of the first minimum: Int32."""
    x = to_tensor(a)
    return F.cast(F.argmin(F.reshape(x, (-1,)), 0) if axis is None else F.argmin(x, axis), mstype.int32)


def std(x: ArrayLike, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The standard deviation; the divisor is the number of elements minus `ddof`."""
    return F.std(as_floats(x), _axes(axis), ddof, keepdims)


def var(x: ArrayLike, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The variance; the divisor is the number of elements minus `ddof`."""
    return F.var(as_floats(x), _axes(axis), ddof, keepdims)


def average(x: ArrayLike, axis: Axis = None, weights: ArrayLike | None = None, returned: bool = False) -> Any:
    """The weighted mean; with `returned`, also the sum of the weights.

    Args:
        x: numbers.
        axis: a dimension, several, or None for all.
        weights: of the shape of `x`, or one for each place along one dimension; None for equal ones.
        returned: whether the result is a tuple of the average and the sum of the weights.

    """
    numbers = to_tensor(x)
    if weights is None:
        out = mean(numbers, axis)
        total = F.full_like(out, numbers.size / out.size)
    else:
        shares = to_tensor(weights)
        if shares.shape != numbers.shape:
            shares = F.reshape(shares, _along(shares.shape, axis, numbers.ndim))
        shares = F.broadcast_to(shares, numbers.shape)
        total = F.sum(shares, _axes(axis))
        out = as_floats(F.sum(numbers * shares, _axes(axis)) / total)
    return (out, F.cast(total, out.dtype)) if returned else out


def cumsum(a: ArrayLike, axis: int | None = None, dtype: TypeLike = None) -> Tensor:
    """The cumulative sum; with None, of the flattened tensor."""
    x = _counted(typed(to_tensor(a), dtype))
    return F.cumsum(F.reshape(x, (-1,)), 0) if axis is None else F.cumsum(x, axis)


def cumprod(a: ArrayLike, axis: int | None = None, dtype: TypeLike = None) -> Tensor:
    """The cumulative product; with None, of the flattened tensor."""
    x = _counted(typed(to_tensor(a), dtype))
    return F.cast(F.cumprod(F.reshape(x, (-1,)), 0) if axis is None else F.cumprod(x, axis), x.dtype)


def count_nonzero(x: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The number of non-zero elements: Int32."""
    differ = F.cast(F.not_equal(to_tensor(x), 0), mstype.int32)
    return F.cast(F.sum(differ, _axes(axis), keepdims), mstype.int32)


def nansum(a: ArrayLike, axis: Axis = None, dtype: TypeLike = None, keepdims: bool = False) -> Tensor:
    """The sum, ignoring NaN."""
    return sum(_filled(to_tensor(a), 0), axis, dtype, keepdims)


def nancumsum(a: ArrayLike, axis: int | None = None, dtype: TypeLike = None) -> Tensor:
    """The cumulative sum, ignoring NaN."""
    return cumsum(_filled(to_tensor(a), 0), axis, dtype)


def nanmean(a: ArrayLike, axis: Axis = None, dtype: TypeLike = None, keepdims: bool = False) -> Tensor:
    """The mean, ignoring NaN."""
    return typed(F.nanmean(as_floats(a), _axes(axis), keepdims), dtype)


def nanvar(a: ArrayLike, axis: Axis = None, dtype: TypeLike = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The variance, ignoring NaN; the divisor is the number of elements minus `ddof`."""
    x = as_floats(a)
    is_number = F.logical_not(F.isnan(x))
    squares = _filled(F.square(x - F.nanmean(x, _axes(axis), True)), 0)
    count = F.sum(F.cast(is_number, x.dtype), _axes(axis), keepdims)
    return typed(F.sum(squares, _axes(axis), keepdims) / (count - ddof), dtype)


def nanstd(a: ArrayLike, axis: Axis = None, dtype: TypeLike = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The standard deviation, ignoring NaN; the divisor is the number of elements minus `ddof`."""
    return typed(F.sqrt(nanvar(a, axis, dtype, ddof, keepdims)))


def nanmax(a: ArrayLike, axis: Axis = None, dtype: TypeLike = None, keepdims: bool = False) -> Tensor:
    """The maximum, ignoring NaN."""
    x = to_tensor(a)
    return typed(max(_filled(x, float("-inf")), axis, keepdims), dtype)


def nanmin(a: ArrayLike, axis: Axis = None, dtype: TypeLike = None, keepdims: bool = False) -> Tensor:
    """The minimum, ignoring NaN."""
    x = to_tensor(a)
    return typed(min(_filled(x, float("inf")), axis, keepdims), dtype)


def norm(x: ArrayLike, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Tensor:  # noqa: A002
    """A norm of vectors or matrices.

    Args:
        x: numbers.
        ord: for vectors inf, -inf, 0 or the power p; for matrices "fro", 1, -1, inf or -inf; None for the root of the
            sum of all squares.
        axis: one dimension for vectors, two for matrices; None for all.
        keepdims: keep the dimensions with length 1.

    Raises:
        ValueError: there is no such norm for so many dimensions.

    """
    numbers = as_floats(x)
    axes = _all_axes(numbers.ndim, axis)
    if ord is None or (ord == "fro" and len(axes) == 2) or (ord == 2 and len(axes) == 1):
        return typed(F.sqrt(F.sum(F.square(numbers), axes, keepdims)))
    if len(axes) == 1:
        return _vector_norm(numbers, ord, axes, keepdims)
    return _matrix_norm(numbers, ord, axes, keepdims)


def trapz(y: ArrayLike, x: ArrayLike | None = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    """The integral along a dimension by the trapezoidal rule.

    Args:
        y: the values.
        x: where they stand; None for equal distances.
        dx: the distance.
        axis: the dimension.

    """
    return F.trapz(as_floats(y), None if x is None else to_tensor(x), dx=dx, dim=axis)


def cov(
    m: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None,
    fweights: ArrayLike | None = None, aweights: ArrayLike | None = None, dtype: TypeLike = None,
) -> Tensor:  # fmt: skip
    """The covariance matrix of variables.

    Args:
        m: the observations, one variable in each row, or a row for one variable.
        y: further variables of the same form.
        rowvar: whether rows are variables, not columns.
        bias: whether to divide by the number of observations, not by one less.
        ddof: what is subtracted from that number instead.
        fweights: how often each observation occurred.
        aweights: the weight of each observation.
        dtype: the element type.

    """
    rows = _variables(as_floats(m), rowvar)
    if y is not None:
        rows = F.concat((rows, _variables(as_floats(y), rowvar)), 0)
    correction = ddof if ddof is not None else 0 if bias else 1
    counts = None if fweights is None else as_floats(fweights)
    shares = None if aweights is None else as_floats(aweights)
    out = F.cov(rows, correction=correction, fweights=counts, aweights=shares)
    return typed(F.squeeze(out) if rows.shape[0] == 1 else out, dtype)


def corrcoef(x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, dtype: TypeLike = None) -> Tensor:
    """The correlation coefficients of variables; arguments as of `cov`."""
    covariances = cov(x, y, rowvar)
    if covariances.ndim == 0:
        return F.ones_like(covariances)
    deviations = F.sqrt(F.diagonal(covariances))
    return typed(covariances / F.expand_dims(deviations, 1) / F.expand_dims(deviations, 0), dtype)


def _axes(axis: Axis) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def _for_sums(x: Tensor) -> Tensor:
    return x if x.dtype.is_floating_point or x.dtype == mstype.int64 else F.cast(x, mstype.int64)


def _counted(x: Tensor) -> Tensor:
    return F.cast(x, mstype.int32) if x.dtype == mstype.bool_ else x


def _filled(x: Tensor, value: float) -> Tensor:
    """Replace NaN by a number."""
    return F.where(F.isnan(x), F.full_like(x, value), x) if x.dtype.is_floating_point else x


def _extreme(of: Any, x: Tensor, axis: Axis, keepdims: bool, initial: Any, where: Any) -> Tensor:
    if where is True and initial is None:
        return typed(of(x, _axes(axis), keepdims))
    chosen = F.broadcast_to(to_tensor(where, mstype.bool_), x.shape)
    return typed(of(x, _axes(axis), keepdims, initial=initial, where=chosen))


def _vector_norm(x: Tensor, order: Any, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    if order == float("inf"):
        return typed(F.amax(F.abs(x), axes, keepdims))
    if order == float("-inf"):
        return typed(F.amin(F.abs(x), axes, keepdims))
    if order == 0:
        return F.sum(F.cast(F.not_equal(x, 0), x.dtype), axes, keepdims)
    return typed(F.pow(F.sum(F.pow(F.abs(x), order), axes, keepdims), 1 / order))


def _matrix_norm(x: Tensor, order: Any, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    rows, columns = axes
    within, over = (rows, columns) if abs(_checked_order(order)) == 1 else (columns, rows)
    sums = F.sum(F.abs(x), within, True)
    out = F.amax(sums, over, True) if order > 0 else F.amin(sums, over, True)
    return typed(out if keepdims else F.squeeze(out, axes))


def _variables(x: Tensor, rowvar: bool) -> Tensor:
    if x.ndim < 2:
        return typed(F.reshape(x, (1, -1)))
    return x if rowvar else F.swapaxes(x, 0, 1)


@constexpr
def _checked_order(order: Any) -> float:
    if order not in (1, -1, float("inf"), float("-inf")):
        raise ValueError(f"norm: the order of a matrix norm must be 'fro', 1, -1, inf or -inf, not {order!r}")
    return float(order)


@constexpr
def _all_axes(rank: int, axis: Any) -> tuple[int, ...]:
    axes = tuple(range(rank)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    return tuple(place % rank for place in axes)


@constexpr
def _along(shape: Any, axis: Any, rank: int) -> tuple[int, ...]:
    if len(shape) != 1 or not isinstance(axis, int):
        raise ValueError("average: weights of a different shape must be a vector along one axis")
    return tuple(shape[0] if place == axis % rank else 1 for place in range(rank))
