"""Rules of lookups by indices, and of dropout, whose mask is looked up in that of the whole tensor."""

from __future__ import annotations

import math
from typing import Any

from framework.ops.indexing.gathering_elements import Gather
from framework.ops.indexing.selecting import OneHot
from framework.ops.primitive import Primitive
from framework.ops.random.dropout import Dropout
from framework.ops.shapes import normal_axis
from framework.parallel.rules.indices import Application, Division, Indices, Rule
from framework.parallel.rules.partial import PartDropout, PartGather

__all__ = ["RULES"]


def _gather(application: Application) -> Indices | None:
    """x[a, v, b] i[j] -> y[a, j, b]: with a part of v, other ranks' rows are zeros, and the results are added up."""
    if len(application.shapes) != 2 or application.primitive.batch_dims or application.values[2] is None:
        return None
    x, indices = application.shapes
    axis = normal_axis(application.values[2], len(x))
    of_x = tuple("v" if place == axis else f"x{place}" for place in range(len(x)))
    of_indices = tuple(f"i{place}" for place in range(len(indices)))
    lengths = dict(zip(of_x, x, strict=True)) | dict(zip(of_indices, indices, strict=True))

    def rebuilt(given: Application, division: Division) -> tuple[Primitive, tuple[Any, ...]]:
        axes = division.axes("v")
        return PartGather(division.mesh, axes, x[axis]) if axes else given.primitive, given.values

    return Indices(
        lengths,
        (of_x, of_indices),
        ((*of_x[:axis], *of_indices, *of_x[axis + 1 :]),),
        frozenset("v"),
        work=float(math.prod(application.outputs[0])),
        rebuilt=rebuilt,
    )


def _one_hot(application: Application) -> Indices | None:
    """i[j] -> y[j, classes]; the classes are kept whole."""
    shape, out = application.shapes[0], application.outputs[0]
    if any(application.shapes[1:]):
        return None
    place = normal_axis(application.primitive.axis, len(out))
    axes = [f"d{number}" for number in range(len(shape))]
    of_out = (*axes[:place], "c", *axes[place:])
    named = tuple(None if name == "c" else name for name in of_out)
    scalars = ((),) * (len(application.shapes) - 1)
    return Indices(
        dict(zip(of_out, out, strict=True)),
        (tuple(axes), *scalars),
        (named,),
        kept=frozenset("c"),
        work=math.prod(out),
        named=((of_out, out),),  # MindSpore's strategies of OneHot name the dimensions of the output.
    )


def _dropout(application: Application) -> Indices | None:
    shape = application.shapes[0]
    axes = tuple(f"d{place}" for place in range(len(shape)))

    def rebuilt(given: Application, division: Division) -> tuple[Primitive, tuple[Any, ...]]:
        primitive = given.primitive
        placement = division.placement(axes)
        return (
            PartDropout(primitive.keep_prob, primitive.seed, primitive.seed2, shape, division.mesh, placement),
            given.values,
        )

    return Indices(dict(zip(axes, shape, strict=True)), (axes,), (axes, axes), work=math.prod(shape), rebuilt=rebuilt)


RULES: dict[type[Primitive], Rule] = {Dropout: _dropout, Gather: _gather, OneHot: _one_hot}
