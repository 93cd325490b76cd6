"""Rules of operators that compute each element of their output from the elements at its place."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from framework.ops.array.broadcasting import BroadcastTo
from framework.ops.array.casting import Cast
from framework.ops.array.reshaping import Identity
from framework.ops.elementwise import Binary, Unary
from framework.ops.indexing.selecting import MaskedFill, Select
from framework.ops.losses.labelled import SigmoidCrossEntropyWithLogits
from framework.ops.primitive import Primitive
from framework.parallel.rules.indices import Application, Axes, Division, Indices, Rule, with_attributes

__all__ = ["RULES", "broadcast_axes", "by_element"]


def by_element(application: Application) -> Indices | None:
    """An index for each dimension of the output; operands lack it where they have the length 1."""
    (out,) = application.outputs
    if any(len(shape) > len(out) for shape in application.shapes):
        return None
    lengths = {f"d{place}": length for place, length in enumerate(out) if length > 1}
    inputs = tuple(broadcast_axes(shape, out) for shape in application.shapes)
    return Indices(lengths, inputs, (broadcast_axes(out, out),), work=math.prod(out))


def broadcast_axes(shape: tuple[int, ...], out: tuple[int, ...]) -> Axes:
    """The indices of a tensor that is broadcast to another shape."""
    first = len(out) - len(shape)
    return tuple(
        f"d{first + place}" if length > 1 and length == out[first + place] else None
        for place, length in enumerate(shape)
    )


def _broadcast_to(application: Application) -> Indices | None:
    found = by_element(application)
    if found is None:
        return None
    (out,) = application.outputs
    axes = found.outputs[0]

    def rebuilt(given: Application, division: Division) -> tuple[Primitive, tuple[Any, ...]]:
        shape = tuple(length // division.parts(axis) for length, axis in zip(out, axes, strict=True))
        return with_attributes(given.primitive, shape=shape), given.values

    return replace(found, rebuilt=rebuilt)


_BY_ELEMENT: tuple[type[Primitive], ...] = (
    Binary, Cast, Identity, MaskedFill, Select, SigmoidCrossEntropyWithLogits, Unary,
)  # fmt: skip
RULES: dict[type[Primitive], Rule] = {**dict.fromkeys(_BY_ELEMENT, by_element), BroadcastTo: _broadcast_to}
