"""Rules of sums, means and extremes over dimensions."""

from __future__ import annotations

import math

from framework.ops.primitive import Primitive
from framework.ops.reduction.cumulative import CumSum
from framework.ops.reduction.totals import ReduceMean, ReduceSum, Reduction
from framework.ops.shapes import axes_of
from framework.parallel.rules.indices import Application, Indices, Rule

__all__ = ["RULES"]


def _total(application: Application) -> Indices | None:
    """x[d0, d1] -> y[d0], summed over d1."""
    found = _over_dimensions(application)
    if found is None:
        return None
    lengths, axes, out, over = found
    mean = isinstance(application.primitive, ReduceMean)
    return Indices(lengths, (axes,), (out,), frozenset(over), mean, work=math.prod(application.shapes[0]))


def _other(application: Application) -> Indices | None:
    """x[d0, d1] -> y[d0]; the reduced dimension is kept whole: equal elements share the gradient of an extreme."""
    found = _over_dimensions(application)
    if found is None:
        return None
    lengths, axes, out, over = found
    return Indices(lengths, (axes,), (out,), kept=frozenset(over), work=math.prod(application.shapes[0]))


def _over_dimensions(
    application: Application,
) -> tuple[dict[str, int], tuple[str, ...], tuple[str | None, ...], list[str]] | None:
    """The lengths of indices, those of the operand and of the output, and those that are reduced."""
    shape = application.shapes[0]
    axis = application.values[1] if len(application.values) > 1 else ()
    if len(application.shapes) != 1 or not isinstance(axis, int | tuple | list):
        return None
    reduced = axes_of(axis, len(shape))
    axes = tuple(f"d{place}" for place in range(len(shape)))
    keep = bool(application.primitive.keep_dims)
    out = tuple(None if place in reduced else name for place, name in enumerate(axes) if keep or place not in reduced)
    return dict(zip(axes, shape, strict=True)), axes, out, [axes[place] for place in reduced]


def _cumulative(application: Application) -> Indices | None:
    """x[d0, d1] -> y[d0, d1]; the sum runs along one dimension."""
    shape, axis = application.shapes[0], application.values[1]
    axes = tuple(f"d{place}" for place in range(len(shape)))
    refused = {axes[axis]: "it adds up along this dimension"}
    return Indices(dict(zip(axes, shape, strict=True)), (axes,), (axes,), refused=refused, work=math.prod(shape))


RULES: dict[type[Primitive], Rule] = {ReduceSum: _total, ReduceMean: _total, Reduction: _other, CumSum: _cumulative}
