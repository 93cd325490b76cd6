"""Rules of operators that arrange elements anew: reshaping, transposing, joining, cutting, repeating."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from framework.ops.array.joining import Concat, Split, Stack, Unstack
from framework.ops.array.repeating import Tile
from framework.ops.array.reshaping import ExpandDims, Flatten, Reshape, Squeeze
from framework.ops.array.transposing import Transpose
from framework.ops.indexing.slicing import StridedSlice
from framework.ops.indexing.subscripts import GetItem
from framework.ops.primitive import Primitive
from framework.ops.shapes import normal_axis
from framework.parallel.rules.indices import Application, Axes, Division, Indices, Rule

__all__ = ["RULES"]


def _regrouped(application: Application) -> Indices | None:
    """x[(a b), c] -> y[a, b, c]: of dimensions that are merged or split, the leading one may be cut."""
    x, out = application.shapes[0], application.outputs[0]
    lengths: dict[str, int] = {}
    of_x: list[str | None] = [None] * len(x)
    of_out: list[str | None] = [None] * len(out)
    for first, second in _groups(x, out):
        lead_x = next((place for place in first if x[place] > 1), None)
        lead_out = next((place for place in second if out[place] > 1), None)
        if lead_x is None or lead_out is None:
            continue
        name = f"d{lead_x}"
        lengths[name] = math.gcd(x[lead_x], out[lead_out])
        of_x[lead_x] = of_out[lead_out] = name
    return Indices(lengths, (tuple(of_x),), (tuple(of_out),), work=0.0)


def _groups(x: tuple[int, ...], out: tuple[int, ...]) -> list[tuple[list[int], list[int]]]:
    """The dimensions of both shapes in groups with equal numbers of elements, as small as possible."""
    found: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(x) and j < len(out):
        first, second = [i], [j]
        left, right = x[i], out[j]
        i, j = i + 1, j + 1
        while left != right:
            if left < right:
                if i == len(x):
                    return found
                left, first, i = left * x[i], [*first, i], i + 1
            else:
                if j == len(out):
                    return found
                right, second, j = right * out[j], [*second, j], j + 1
        found.append((first, second))
    return found


def _reshape(application: Application) -> Indices | None:
    found = _regrouped(application)
    if found is None:
        return None
    out, axes = application.outputs[0], found.outputs[0]

    def rebuilt(given: Application, division: Division) -> tuple[Primitive, tuple[Any, ...]]:
        shape = tuple(length // division.parts(axis) for length, axis in zip(out, axes, strict=True))
        return given.primitive, (None, shape)

    return replace(found, rebuilt=rebuilt)


def _transpose(application: Application) -> Indices | None:
    shape, order = application.shapes[0], application.values[1]
    if order is None:
        return None
    axes = _named(shape)
    return Indices(
        dict(zip(axes, shape, strict=True)), (axes,), (tuple(axes[normal_axis(place, len(shape))] for place in order),)
    )


def _along(application: Application, axis: int, why: str) -> Indices:
    """All operands and outputs have the same dimensions; one of them may not be cut."""
    shape = application.shapes[0]
    axes = _named(shape)
    refused = {axes[normal_axis(axis, len(shape))]: why}
    count = len(application.outputs)
    return Indices(
        dict(zip(axes, shape, strict=True)), (axes,) * len(application.shapes), (axes,) * count, refused=refused
    )


def _concat(application: Application) -> Indices | None:
    return _along(application, application.primitive.axis, "it joins tensors along this dimension")


def _split(application: Application) -> Indices | None:
    return _along(application, application.primitive.axis, "it splits the tensor along this dimension")


def _stack(application: Application) -> Indices | None:
    """x[a, b] -> y[new, a, b]."""
    shape = application.shapes[0]
    axes = _named(shape)
    place = normal_axis(application.primitive.axis, len(shape) + 1)
    out = (*axes[:place], None, *axes[place:])
    return Indices(dict(zip(axes, shape, strict=True)), (axes,) * len(application.shapes), (out,))


def _unstack(application: Application) -> Indices | None:
    """x[a, b] -> y[a], for each b."""
    shape = application.shapes[0]
    axes = _named(shape)
    place = normal_axis(application.primitive.axis, len(shape))
    out = (*axes[:place], *axes[place + 1 :])
    refused = {axes[place]: "it takes the tensor apart along this dimension"}
    count = len(application.outputs)
    return Indices(dict(zip(axes, shape, strict=True)), (axes,), (out,) * count, refused=refused)


def _tile(application: Application) -> Indices | None:
    """Dimensions that are not repeated may be cut; the others are kept whole."""
    shape, times, out = application.shapes[0], application.values[1], application.outputs[0]
    if times is None:
        return None
    axes = _named(shape)
    first = len(out) - len(shape)
    kept = frozenset(name for place, name in enumerate(axes) if out[first + place] != shape[place])
    named: Axes = tuple(None if name in kept else name for name in axes)
    return Indices(dict(zip(axes, shape, strict=True)), (axes,), ((None,) * first + named,), kept=kept)


def _strided_slice(application: Application) -> Indices | None:
    primitive, shape, out = application.primitive, application.shapes[0], application.outputs[0]
    masks = (primitive.ellipsis_mask, primitive.new_axis_mask, primitive.shrink_axis_mask)
    if any(masks) or len(out) != len(shape) or None in application.values[1:]:
        return None
    begins = application.values[1]
    axes = _named(shape)
    parted = {
        axes[place]: "it takes a part of this dimension"
        for place in range(len(shape))
        if out[place] != shape[place] or (place < len(begins) and application.values[3][place] != 1)
    }
    whole = tuple(axes[place] not in parted for place in range(len(shape)))
    out_axes = tuple(name if keeps else None for name, keeps in zip(axes, whole, strict=True))

    def rebuilt(given: Application, division: Division) -> tuple[Primitive, tuple[Any, ...]]:
        _, begin, end, strides = given.values
        part = [length // division.parts(name) for length, name in zip(shape, axes, strict=True)]
        begin = tuple(0 if whole[place] else item for place, item in enumerate(begin))
        end = tuple(part[place] if whole[place] else item for place, item in enumerate(end))
        return given.primitive, (None, begin, end, strides)

    return Indices(dict(zip(axes, shape, strict=True)), (axes,), (out_axes,), refused=parted, rebuilt=rebuilt)


def _subscript(application: Application) -> Indices | None:
    """x[:, 1:3]: dimensions that are taken whole may be cut."""
    shape, index = application.shapes[0], application.values[1]
    if index is None or len(application.shapes) != 1 or any(isinstance(item, str) for item in index):
        return None
    named = sum(item is not None and item is not Ellipsis for item in index)
    items = list(index) if Ellipsis in index else [*index, Ellipsis]
    place = items.index(Ellipsis)
    items[place : place + 1] = [slice(None)] * (len(shape) - named)
    of_x: list[str | None] = []
    of_out: list[str | None] = []
    lengths: dict[str, int] = {}
    dimensions = iter(enumerate(shape))
    for item in items:
        if item is None:
            of_out.append(None)
            continue
        dimension, length = next(dimensions)
        is_whole = isinstance(item, slice) and item.indices(length) == (0, length, 1)
        # A slice with numbers that name the whole dimension would cut a part of a shorter one.
        name = f"d{dimension}" if is_whole and item == slice(None) else None
        of_x.append(name)
        if isinstance(item, slice):
            of_out.append(name)
        if name is not None:
            lengths[name] = length
    return Indices(lengths, (tuple(of_x),), (tuple(of_out),))


def _named(shape: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"d{place}" for place in range(len(shape)))


RULES: dict[type[Primitive], Rule] = {
    Concat: _concat,
    ExpandDims: _regrouped,
    Flatten: _regrouped,
    GetItem: _subscript,
    Reshape: _reshape,
    Split: _split,
    Squeeze: _regrouped,
    Stack: _stack,
    StridedSlice: _strided_slice,
    Tile: _tile,
    Transpose: _transpose,
    Unstack: _unstack,
}
