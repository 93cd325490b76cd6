"""Set operations, counts and histograms. Functions whose result shapes depend on elements run in both modes."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.numpy.array_creations import linspace
from framework.numpy.array_likes import ArrayLike, as_floats, result_type_of, to_tensor, typed
from framework.numpy.logic_ops import isin
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr

__all__ = [
    "bincount", "digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd", "intersect1d",
    "searchsorted", "setdiff1d", "unique",
]  # fmt: skip


def unique(x: ArrayLike, return_inverse: bool = False) -> Any:
    """The distinct numbers, in the order of first occurrence.

    Args:
        x: numbers, counted in a row.
        return_inverse: whether the place of each number in the result is returned too, Int32.

    Returns:
        A tensor; with `return_inverse` a tuple of it and the places.

    """
    found, places = F.unique(F.reshape(to_tensor(x), (-1,)))
    return (found, F.cast(places, mstype.int32)) if return_inverse else typed(found)


def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """The common numbers of both, in ascending order.

    Args:
        ar1: numbers, counted in a row.
        ar2: others.
        assume_unique: whether each occurs at most once in each; has no effect on the result.
        return_indices: whether the places of first occurrence in both are returned too.

    """
    first, second = F.reshape(to_tensor(ar1), (-1,)), F.reshape(to_tensor(ar2), (-1,))
    kind = result_type_of(first.dtype, second.dtype)
    first, second = F.cast(first, kind), F.cast(second, kind)
    single = F.sort(F.unique(first)[0])[0]
    common = F.masked_select(single, isin(single, second))
    if not return_indices:
        return common
    return common, _first_places(common, first), _first_places(common, second)


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Tensor:
    """The numbers of the first that are not in the second: distinct and in ascending order, unless `assume_unique`."""
    first = F.reshape(to_tensor(ar1), (-1,))
    single = first if assume_unique else F.sort(F.unique(first)[0])[0]
    return typed(F.masked_select(single, isin(single, ar2, invert=True)))


def searchsorted(a: ArrayLike, v: ArrayLike, side: str = "left", sorter: ArrayLike | None = None) -> Tensor:
    """Insertion indices that keep a sorted vector in order: Int32.

    Args:
        a: the row.
        v: the numbers.
        side: "left" before equal ones, "right" behind them.
        sorter: the places of the row's elements in growing order, if it is not in order itself.

    """
    row, numbers = to_tensor(a), to_tensor(v)
    if sorter is not None:
        row = F.gather(row, to_tensor(sorter), 0)
    kind = result_type_of(row.dtype, numbers.dtype)
    flat = F.reshape(F.cast(numbers, kind), (-1,))
    places = F.searchsorted(F.cast(row, kind), flat, right=side == "right")
    return typed(F.reshape(F.cast(places, mstype.int32), numbers.shape))


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> Tensor:
    """The index of each number's bin: Int32, 0 before the first edge.

    Args:
        x: the numbers.
        bins: the edges, growing or falling.
        right: whether bins contain their right edge, not their left one.

    """
    edges, numbers = to_tensor(bins), to_tensor(x)
    apart = F.expand_dims(numbers, -1)
    is_behind = F.greater(apart, edges) if right else F.greater_equal(apart, edges)
    is_before = F.less_equal(apart, edges) if right else F.less(apart, edges)
    grows = F.less_equal(edges[0], edges[-1])
    return F.cast(F.sum(F.cast(F.where(grows, is_behind, is_before), mstype.int32), -1), mstype.int32)


def bincount(x: ArrayLike, weights: ArrayLike | None = None, minlength: int = 0, length: int | None = None) -> Tensor:
    """The number of occurrences of each integer from 0: Float32.

    Args:
        x: whole numbers of at least 0.
        weights: what each counts; 1 by default.
        minlength: the least length of the result.
        length: the length of the result; by default it follows from the largest number.

    """
    numbers = F.reshape(to_tensor(x), (-1,))
    count = length
    if count is None:
        largest = int(F.max(numbers)[0].item()) + 1 if numbers.size else 0
        count = largest if largest > minlength else minlength
    shares = F.ones(numbers.shape, mstype.float32) if weights is None else F.reshape(as_floats(weights), (-1,))
    return typed(F.unsorted_segment_sum(shares, F.cast(numbers, mstype.int32), count))


def histogram_bin_edges(
    a: ArrayLike,
    bins: Any = 10,
    range: tuple[float, float] | None = None,  # noqa: A002 - MindSpore's name
    weights: ArrayLike | None = None,
) -> Tensor:
    """The edges of equal bins.

    Args:
        a: numbers.
        bins: the number of bins, or the edges themselves.
        range: the first and the last edge; by default the smallest and the largest number.
        weights: has no effect.

    """
    if not isinstance(bins, int):
        return to_tensor(bins)
    numbers = as_floats(a)
    low, high = (F.amin(numbers), F.amax(numbers)) if range is None else (float(range[0]), float(range[1]))
    edges: Tensor = linspace(low, high, bins + 1)
    return F.where(F.equal(edges[0], edges[-1]), edges + linspace(-0.5, 0.5, bins + 1), edges)


def histogram(
    a: ArrayLike, bins: Any = 10, range: tuple[float, float] | None = None, weights: ArrayLike | None = None,  # noqa: A002
    density: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The count of each bin, Float32, and the edges.

    Args:
        a: numbers.
        bins: the number of bins, or their edges; the last bin contains its right edge.
        range: the first and the last edge; by default the smallest and the largest number.
        weights: what each number counts; 1 by default.
        density: whether the counts are divided by their sum and the bins' widths.

    """
    numbers = F.reshape(to_tensor(a), (-1,))
    edges = histogram_bin_edges(numbers, bins, range)
    counts, _ = histogramdd(F.expand_dims(numbers, 1), [edges], None, weights, density)
    return counts, edges


def histogram2d(
    x: ArrayLike, y: ArrayLike, bins: Any = 10, range: Any = None, weights: ArrayLike | None = None,  # noqa: A002
    density: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The two-dimensional histogram of points and the edges along both dimensions; arguments as of `histogramdd`.

    Args:
        x: the first coordinates of the points.
        y: the second ones.
        bins: the number of bins, or one or edges for each dimension.
        range: for each dimension the first and the last edge.
        weights: what each point counts; 1 by default.
        density: whether the counts are divided by their sum and the cells' sizes.

    """
    counts, edges = histogramdd((x, y), bins, range, weights, density)
    return counts, edges[0], edges[1]


def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,  # noqa: A002 - MindSpore's name
    weights: ArrayLike | None = None,
    density: bool = False,
) -> tuple[Tensor, list[Tensor]]:
    """The multidimensional histogram of points, Float32, and the edges along each dimension.

    Args:
        sample: points, one in each row; or a tuple of their coordinates.
        bins: the number of bins, or one or edges for each dimension.
        range: for each dimension the first and the last edge.
        weights: what each point counts; 1 by default.
        density: whether the counts are divided by their sum and the cells' sizes.

    """
    points = to_tensor(sample) if isinstance(sample, Tensor) else F.stack([to_tensor(item) for item in sample], 1)
    count, rank = points.shape
    shares = F.ones((count,), mstype.float32) if weights is None else F.reshape(as_floats(weights), (-1,))
    place = F.zeros((count,), mstype.int32)
    edges, lengths, widths = [], [], F.ones((1,), mstype.float32)
    for axis in _dimensions(rank):
        row = points[:, axis]
        along = histogram_bin_edges(row, bins if isinstance(bins, int) else bins[axis], range and range[axis])
        number = digitize(row, along) - 1
        last = along.shape[0] - 2
        number = F.where(F.equal(row, along[-1]), F.full_like(number, last), number)
        is_inside = F.logical_and(F.greater_equal(number, 0), F.less_equal(number, last))
        shares = shares * F.cast(is_inside, shares.dtype)
        place = place * (last + 1) + F.clip(number, 0, last)
        widths = F.reshape(F.expand_dims(widths, 1) * as_floats(along[1:] - along[:-1]), (-1,))
        edges.append(along)
        lengths.append(last + 1)
    counts = F.unsorted_segment_sum(shares, place, widths.shape[0])
    if density:
        counts = counts / F.sum(counts) / widths
    return typed(F.reshape(counts, tuple(lengths))), edges


@constexpr
def _dimensions(rank: int) -> tuple[int, ...]:
    return tuple(range(rank))


def _first_places(numbers: Tensor, among: Tensor) -> Tensor:
    return F.cast(F.argmax(F.cast(F.equal(F.expand_dims(numbers, 1), among), mstype.int32), 1), mstype.int32)
