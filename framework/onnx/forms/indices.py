"""Elements by their places: subscripts, slices, gathering and scattering, sums over segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from framework.common import dtype as mstype
from framework.onnx.forms.form_table import Application, Written, form
from framework.onnx.writer.nodes import UnwritableError

__all__: list[str] = []

_END: Final = np.iinfo(np.int64).max


@form("Gather", "GatherV2", "SparseGatherV2")
def gather(a: Application) -> Written:
    if getattr(a.operator, "batch_dims", 0):
        raise UnwritableError("ONNX's Gather has no batch dimensions")
    axis = int(a.value(2)) % a.rank(0)
    return a.emit("Gather", a.of(0), a.of(1, places_type(a, 1)), axis=axis)


def places_type(a: Application, place: int) -> mstype.DType:
    """The element type of places: as it is if ONNX takes it."""
    return a.dtype(place) if a.dtype(place) in (mstype.int32, mstype.int64) else mstype.int64


@form("GatherD")
def gather_elements(a: Application) -> Written:
    axis = int(a.value(1)) % a.rank(0)
    sizes = zip(a.shape(0), a.shape(2), strict=True)
    if any(one != other for place, (one, other) in enumerate(sizes) if place != axis):
        ends = a.emit("Shape", a.of(2))
        others = [place for place in range(a.rank(0)) if place != axis]
        ends = a.emit("Gather", ends, a.numbers(*others))
        x = a.emit("Slice", a.of(0), a.numbers(*[0] * len(others)), ends, a.numbers(*others))
        return a.emit("GatherElements", x, a.of(2, places_type(a, 2)), axis=axis)
    return a.emit("GatherElements", a.of(0), a.of(2, places_type(a, 2)), axis=axis)


@form("GatherNd")
def gather_nd(a: Application) -> Written:
    return a.emit("GatherND", a.of(0), a.of(1, mstype.int64))


@form("ScatterNd")
def scatter_nd(a: Application) -> Written:
    zeros = a.zeros(a.ints(2), a.out.dtype)
    return scattered(a, zeros, a.of(0, mstype.int64), a.of(1), "add")


def scattered(a: Application, x: str, places: str, values: str, reduction: str) -> str:
    """A tensor with values put, added, multiplied at places."""
    check_reduction(a, reduction)
    kept = {"reduction": reduction} if reduction != "none" else {}
    return a.emit("ScatterND", x, places, values, **kept)


def check_reduction(a: Application, reduction: str) -> None:
    """Refuse a way of scattering that the opset does not have."""
    since = {"none": 13, "add": 16, "mul": 16, "max": 18, "min": 18}[reduction]
    if a.opset < since:
        raise UnwritableError(f"it needs ONNX's scattering by {reduction!r}, which is there since opset {since}")


_SCATTERS: Final = {
    "TensorScatterUpdate": "none", "TensorScatterAdd": "add", "TensorScatterMul": "mul", "TensorScatterMax": "max",
    "TensorScatterMin": "min",
}  # fmt: skip


@form(*_SCATTERS)
def tensor_scatter(a: Application) -> Written:
    return scattered(a, a.of(0), a.of(1, mstype.int64), a.of(2, a.out.dtype), _SCATTERS[type(a.operator).__name__])


@form("TensorScatterSub")
def tensor_scatter_sub(a: Application) -> Written:
    return scattered(a, a.of(0), a.of(1, mstype.int64), a.emit("Neg", a.of(2, a.out.dtype)), "add")


@form("TensorScatterElements")
def tensor_scatter_elements(a: Application) -> Written:
    reduction = str(a.operator.reduction)
    check_reduction(a, reduction)
    kept = {"reduction": reduction} if reduction != "none" else {}
    axis = a.axis(0, a.operator.axis)
    return a.emit("ScatterElements", a.of(0), a.of(1, mstype.int64), a.of(2, a.out.dtype), axis=axis, **kept)


_SEGMENTS: Final = {"UnsortedSegmentSum": "add", "UnsortedSegmentProd": "mul"}


@form(*_SEGMENTS)
def segments(a: Application) -> Written:
    ids = a.rank(1)
    shape = a.shape(0)[ids:]
    if None in shape:
        raise UnwritableError("the shape of a segment is open")
    reduction, count = _SEGMENTS[type(a.operator).__name__], int(a.value(2))
    lengths = [length or 0 for length in shape]
    # What belongs to no segment goes to one more, which is cut off.
    ids_known = a.of(1, mstype.int64)
    outside = a.emit("Less", ids_known, a.number(0, mstype.int64))
    ids_known = a.emit("Where", outside, a.number(count, mstype.int64), ids_known)
    empty = a.zeros(a.numbers(count + 1, *lengths), a.out.dtype, reduction == "mul")
    found = scattered(a, empty, a.unsqueeze(ids_known, ids), a.of(0, a.out.dtype), reduction)
    return a.emit("Slice", found, a.numbers(0), a.numbers(count), a.numbers(0))


@form("Slice")
def slice_(a: Application) -> Written:
    begin, size = a.value(1), a.value(2)
    ends = [_END if length == -1 else first + length for first, length in zip(begin, size, strict=True)]
    return a.emit("Slice", a.of(0), a.numbers(*begin), a.numbers(*ends), a.numbers(*range(len(ends))))


@form("StridedSlice")
def strided_slice(a: Application) -> Written:
    return subscripted(a, a.of(0), a.operator.index(a.value(1), a.value(2), a.value(3)), [])


@form("GetItem")
def get_item(a: Application) -> Written:
    return subscripted(a, a.of(0), tuple(a.value(1)), items_of(a, 2))


def items_of(a: Application, place: int) -> list[tuple[str, int, bool]]:
    """The tensors of a subscript: name, rank, whether it is a mask."""
    found = []
    kinds = getattr(a.inputs[place].abstract, "elements", ())
    for name, kind in zip(a.items(place), kinds, strict=True):
        is_mask = kind.dtype is mstype.bool_
        found.append((name if is_mask else a.tensor(name, kind, mstype.int64), len(kind.shape), is_mask))
    return found


def subscripted(a: Application, x: str, index: Sequence[Any], tensors: Sequence[tuple[str, int, bool]]) -> str:
    """x[index] by numpy's rules.

    Args:
        a: the application; its first input is x.
        x: the name of the tensor.
        index: ints, slices, None, Ellipsis, and a word for each tensor.
        tensors: the tensors.
    """
    rank = a.rank(0)
    if tensors and tensors[0][2]:
        return _masked(a, x, tensors[0])
    whole = _written_out(index, rank)
    axes = [item for item in whole if item is not None]
    rows = [(*_ends(item), axis) for axis, item in enumerate(axes) if not isinstance(item, str)]
    rows = [row for row in rows if row[:3] != (0, _END, 1)]
    if rows:
        first, last, step, axis = (a.numbers(*column) for column in zip(*rows, strict=True))
        x = a.emit("Slice", x, first, last, axis, step)
    return _picked(a, x, whole, tensors) if tensors else _reshaped(a, x, whole)


def _reshaped(a: Application, x: str, whole: Sequence[Any]) -> str:
    """A tensor without the axes of ints, and with new ones, after slices were taken."""
    axes = [item for item in whole if item is not None]
    dropped = [place for place, item in enumerate(axes) if not isinstance(item, slice)]
    if dropped:
        x = a.emit("Squeeze", x, a.numbers(*dropped))
    kept = [item for item in whole if item is None or isinstance(item, slice)]
    return a.unsqueeze(x, *(place for place, item in enumerate(kept) if item is None))


def _written_out(index: Sequence[Any], rank: int) -> list[Any]:
    """An index with an item for each axis, and None for each new one."""
    named = sum(item is not None and item is not Ellipsis for item in index)
    whole: list[Any] = []
    for item in index:
        whole.extend([slice(None)] * (rank - named) if item is Ellipsis else [item])
    return whole + [slice(None)] * (rank - sum(item is not None for item in whole))


def _ends(item: Any) -> tuple[int, int, int]:
    """The first place, the place behind the last one, and the step of a slice or an int."""
    if not isinstance(item, slice):
        return int(item), int(item) + 1 or _END, 1
    step = 1 if item.step is None else int(item.step)
    first = 0 if step > 0 else _END
    last = _END if step > 0 else -_END
    return first if item.start is None else int(item.start), last if item.stop is None else int(item.stop), step


def _masked(a: Application, x: str, mask: tuple[str, int, bool]) -> str:
    places = a.emit("Transpose", a.emit("NonZero", mask[0]), perm=[1, 0])
    return a.emit("GatherND", x, places)


def _picked(a: Application, x: str, whole: Sequence[Any], tensors: Sequence[tuple[str, int, bool]]) -> str:
    """Elements at places that tensors tell, after slices were taken."""
    if any(item is None or not isinstance(item, slice | str) for item in whole):
        raise UnwritableError("a subscript has tensors beside ints or None")
    places = [axis for axis, item in enumerate(whole) if isinstance(item, str)]
    if len(places) == 1:
        return a.emit("Gather", x, tensors[0][0], axis=places[0])
    if places != list(range(places[0], places[0] + len(places))):
        raise UnwritableError("a subscript has slices between its tensors")
    rank = max(rank for _, rank, _ in tensors)
    shape = tensors[0][0]
    for name, _, _ in tensors[1:]:
        shape = a.emit("Add", shape, name)
    shape = a.emit("Shape", shape)
    columns = [a.unsqueeze(a.emit("Expand", name, shape), rank) for name, _, _ in tensors]
    index = a.emit("Concat", *columns, axis=rank)
    front = [axis for axis in range(len(whole)) if axis not in places]
    if places[0] == 0:
        return a.emit("GatherND", x, index)
    moved = a.emit("Transpose", x, perm=[*places, *front])
    found = a.emit("GatherND", moved, index)
    before = places[0]
    behind = len(front) - before
    order = [*range(rank, rank + before), *range(rank), *range(rank + before, rank + before + behind)]
    return a.emit("Transpose", found, perm=order)


def places_of(shape: Sequence[int], index: Sequence[Any]) -> np.ndarray[Any, Any]:
    """The places, in the flat tensor, of the elements that an index without tensors picks."""
    found: np.ndarray[Any, Any] = np.arange(int(np.prod(shape))).reshape(shape)[tuple(index)]
    return found


def put(a: Application, x: str, shape: Sequence[int], index: Sequence[Any], value: str) -> str:
    """A copy of a tensor with the elements at an index replaced; the value broadcasts."""
    places = places_of(shape, index)
    spread = a.emit("Reshape", a.emit("Expand", value, a.numbers(*places.shape)), a.numbers(-1))
    flat = a.emit("Reshape", x, a.numbers(-1))
    made = a.emit("ScatterElements", flat, a.constant(places.reshape(-1), mstype.int64), spread, axis=0)
    return a.emit("Reshape", made, a.numbers(*shape))


@form("SetItem")
def set_item(a: Application) -> Written:
    value = a.of(3, a.out.dtype)
    tensors = items_of(a, 2)
    index = tuple(a.value(1))
    if not tensors:
        return put(a, a.of(0), a.known(0), index, value)
    name, rank, is_mask = tensors[0]
    if is_mask and rank == a.rank(0) and (len(a.shape(3)) == 0 or a.shape(3) == a.shape(0)):
        return a.emit("Where", name, value, a.of(0))
    if is_mask or len(tensors) > 1 or not isinstance(index[0], str):
        raise UnwritableError("a subscript has tensors beside other items")
    if len(index) > 1 and any(item != slice(None) for item in index[1:]):
        raise UnwritableError("a subscript has tensors beside other items")
    picked = a.emit("Gather", a.of(0), name, axis=0)
    spread = a.emit("Expand", value, a.emit("Shape", picked))
    return a.emit("ScatterND", a.of(0), a.unsqueeze(name, rank), spread)
