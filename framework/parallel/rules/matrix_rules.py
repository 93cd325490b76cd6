"""Rules of products of matrices, and of the bias that follows them."""

from __future__ import annotations

import math

from framework.ops.matrices.products import BatchMatMul, BiasAdd
from framework.ops.primitive import Primitive
from framework.parallel.rules.element_rules import broadcast_axes
from framework.parallel.rules.indices import Application, Indices, Rule

__all__ = ["RULES"]


def _product(application: Application) -> Indices | None:
    """x[..., m, k] w[..., k, n] -> y[..., m, n], summed over k."""
    x, w = application.shapes
    (out,) = application.outputs
    a, b = application.primitive.transpose_a, application.primitive.transpose_b
    batch = out[:-2]
    lengths = {f"d{place}": length for place, length in enumerate(batch) if length > 1}
    k = x[-2] if a else x[-1]
    lengths |= {"m": out[-2], "k": k, "n": out[-1]}
    return Indices(
        lengths,
        (
            (*broadcast_axes(x[:-2], batch), *(("k", "m") if a else ("m", "k"))),
            (*broadcast_axes(w[:-2], batch), *(("n", "k") if b else ("k", "n"))),
        ),
        ((*broadcast_axes(batch, batch), "m", "n"),),
        frozenset("k"),
        work=2.0 * math.prod(out) * k,
        passes=3,
    )


def _bias(application: Application) -> Indices | None:
    """x[d0, d1, ...] b[d1] -> y[d0, d1, ...], with the channels' dimension."""
    shape = application.shapes[0]
    axes = tuple(f"d{place}" for place in range(len(shape)))
    channels = axes[application.primitive.channel_axis(len(shape))]
    return Indices(dict(zip(axes, shape, strict=True)), (axes, (channels,)), (axes,), work=math.prod(shape))


RULES: dict[type[Primitive], Rule] = {BatchMatMul: _product, BiasAdd: _bias}
