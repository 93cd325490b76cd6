"""Rules of convolutions and pooling. Rows and columns of images are kept whole where windows overlap."""

from __future__ import annotations

import math
from typing import Any

from framework.ops.convolution.planes import Conv2D
from framework.ops.pooling.sliding import AvgPool, MaxPool
from framework.ops.primitive import Primitive
from framework.parallel.rules.indices import Application, Division, Indices, Rule, with_attributes

__all__ = ["RULES"]


def _convolution(application: Application) -> Indices | None:
    """x[n, i, h, w] w[o, i, p, q] -> y[n, o, h, w], summed over i."""
    x, w = application.shapes
    (out,) = application.outputs
    primitive = application.primitive
    if primitive.group != 1 or type(primitive) is not Conv2D:
        return None
    lengths = {"n": x[0], "i": x[1], "h": x[2], "w": x[3], "o": w[0]}

    def rebuilt(given: Application, division: Division) -> tuple[Primitive, tuple[Any, ...]]:
        channels = w[0] // division.parts("o")
        return with_attributes(given.primitive, out_channel=channels), given.values

    return Indices(
        lengths,
        (("n", "i", "h", "w"), ("o", "i", None, None)),
        (("n", "o", None, None),),
        frozenset("i"),
        kept=frozenset("hw"),
        work=2.0 * math.prod(out) * math.prod(w[1:]),
        passes=3,
        rebuilt=rebuilt,
    )


def _pool(application: Application) -> Indices | None:
    """x[n, c, h, w] -> y[n, c, h, w]; windows that meet without overlap may be divided."""
    x, out = application.shapes[0], application.outputs[0]
    primitive = application.primitive
    lengths, kept, out_axes = {"n": x[0], "c": x[1]}, set(), ["n", "c"]
    for name, size, count, window, step in zip(
        "hw", x[2:], out[2:], primitive.kernel_size, primitive.strides, strict=True
    ):
        meets = window == step and count * window == size
        lengths[name] = count if meets else size
        if not meets:
            kept.add(name)
        out_axes.append(name)
    axes = ("n", "c", "h", "w")
    return Indices(
        lengths,
        (axes,),
        (tuple(None if name in kept else name for name in out_axes),),
        kept=frozenset(kept),
        work=float(math.prod(out) * math.prod(primitive.kernel_size)),
    )


RULES: dict[type[Primitive], Rule] = {AvgPool: _pool, Conv2D: _convolution, MaxPool: _pool}
