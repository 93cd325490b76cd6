"""`pad`: adds borders to tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.numpy.array_likes import ArrayLike, to_tensor
from framework.numpy.reductions import max as largest
from framework.numpy.reductions import mean
from framework.numpy.reductions import min as smallest
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr

__all__ = ["pad"]

_OF_ELEMENTS: Final = ("edge", "reflect", "symmetric", "wrap")
_OF_STATISTICS: Final[dict[str, Callable[..., Tensor]]] = {"maximum": largest, "minimum": smallest, "mean": mean}


def pad(
    arr: ArrayLike, pad_width: Any, mode: str = "constant", stat_length: Any = None, constant_values: Any = 0,
    end_values: Any = 0, reflect_type: str = "even",
) -> Tensor:  # fmt: skip
    """Pad a tensor.

    Args:
        arr: the tensor.
        pad_width: the widths before and behind along each dimension; one pair or one number counts for all.
        mode: what stands there: "constant"; "empty" (0 too); "edge", the element at the edge; "reflect", the elements
            mirrored at that; "symmetric", mirrored behind it; "wrap", those of the other end; "linear_ramp", numbers
            that run from the edge to `end_values`; "maximum", "minimum", "mean" of the line.
        stat_length: how many elements at each edge count in the last three; None for all.
        constant_values: the constants, in the form of `pad_width`.
        end_values: the numbers at the ends of ramps, in the form of `pad_width`.
        reflect_type: "even".

    Raises:
        ValueError: there is no such mode, or no such `reflect_type`.

    """
    x = to_tensor(arr)
    widths = _pairs(pad_width, x.ndim)
    _check(mode, reflect_type)
    for axis in range(x.ndim):
        before, after = widths[axis]
        if before == 0 and after == 0:
            continue
        if mode in _OF_ELEMENTS:
            x = F.gather(x, Tensor(list(_sources(x.shape[axis], before, after, mode)), mstype.int32), axis)
        elif mode in _OF_STATISTICS:
            x = F.concat(_statistics(x, axis, widths[axis], _OF_STATISTICS[mode], stat_length), axis)
        elif mode == "linear_ramp":
            x = F.concat(_ramps(x, axis, widths[axis], _pairs(end_values, x.ndim)[axis]), axis)
        else:
            constants = _pairs(0 if mode == "empty" else constant_values, x.ndim)[axis]
            x = F.concat((_block(x, axis, before, constants[0]), x, _block(x, axis, after, constants[1])), axis)
    return x


def _block(x: Tensor, axis: int, width: int, value: float) -> Tensor:
    return F.full(_with_length(x.shape, axis, width), value, dtype=x.dtype)


def _statistics(x: Tensor, axis: int, widths: Any, of: Any, stat_length: Any) -> tuple[Tensor, Tensor, Tensor]:
    length = x.shape[axis]
    counts = (length, length) if stat_length is None else _pairs(stat_length, x.ndim)[axis]
    first = of(F.narrow(x, axis, 0, counts[0]), axis, True)
    last = of(F.narrow(x, axis, length - counts[1], counts[1]), axis, True)
    return (
        F.broadcast_to(first, _with_length(x.shape, axis, widths[0])),
        x,
        F.broadcast_to(last, _with_length(x.shape, axis, widths[1])),
    )


def _ramps(x: Tensor, axis: int, widths: Any, ends: Any) -> tuple[Tensor, Tensor, Tensor]:
    length = x.shape[axis]
    before = _ramp(F.narrow(x, axis, 0, 1), axis, widths[0], ends[0], True)
    return before, x, _ramp(F.narrow(x, axis, length - 1, 1), axis, widths[1], ends[1], False)


def _ramp(edge: Tensor, axis: int, width: int, end: float, rises: bool) -> Tensor:
    """Numbers of a ramp between an end value and the edge, which is not included."""
    shares = F.cast(F.arange(width) if rises else F.arange(width, 0, -1) - 1, mstype.float32)
    if width:
        shares = shares / width
    shares = F.reshape(shares, _with_length((1,) * edge.ndim, axis, width))
    return F.cast(end + (F.cast(edge, mstype.float32) - end) * shares, edge.dtype)


@constexpr
def _pairs(value: Any, rank: int) -> tuple[tuple[Any, Any], ...]:
    """A pair for each dimension, from one number, one pair, or a pair for each."""
    if not isinstance(value, tuple | list):
        return ((value, value),) * rank
    items = tuple(tuple(item) if isinstance(item, tuple | list) else item for item in value)
    if all(not isinstance(item, tuple) for item in items):
        return ((items[0], items[-1]),) * rank
    whole = items * rank if len(items) == 1 else items
    if len(whole) != rank:
        raise ValueError(f"pad: {len(items)} pairs of widths do not match {rank} dimensions")
    return tuple((item[0], item[-1]) for item in whole)


@constexpr
def _check(mode: str, reflect_type: str) -> None:
    known = (*_OF_ELEMENTS, *_OF_STATISTICS, "constant", "empty", "linear_ramp")
    if mode not in known:
        raise ValueError(f"pad: mode must be one of {', '.join(known)}, not {mode!r}")
    if reflect_type != "even":
        raise ValueError(f"pad: reflect_type must be 'even', not {reflect_type!r}")


@constexpr
def _sources(length: int, before: int, after: int, mode: str) -> tuple[int, ...]:
    """The source index of each element of the result."""
    places = range(-before, length + after)
    if mode == "edge":
        return tuple(min(max(place, 0), length - 1) for place in places)
    if mode == "wrap":
        return tuple(place % length for place in places)
    period = 2 * length if mode == "symmetric" else max(2 * length - 2, 1)
    mirrored = [place % period for place in places]
    return tuple(place if place < length else period - place - (mode == "symmetric") for place in mirrored)


@constexpr
def _with_length(shape: Any, axis: int, length: int) -> tuple[int, ...]:
    return tuple(length if place == axis else n for place, n in enumerate(shape))
