"""Pooling in two dimensions and its derivatives. Arrays: [N, C, H, W]."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator

import numpy.typing as npt

from framework.common.device import Array, ArrayModule
from framework.kernels.windows import Window

__all__ = ["avg_pool", "avg_pool_grad", "counts", "max_pool", "max_pool_at", "max_pool_grad", "max_pool_places"]


def max_pool(xp: ArrayModule, x: Array, window: Window, out: Array | None = None) -> Array:
    """The largest element that each window sees, in `out` if there is one."""
    rows, columns = window.out_sizes(*x.shape[2:])
    views = window.positions(window.padded(xp, x, _lowest(xp, x)), rows, columns)
    out = xp.positive(next(views), out=out)
    for view in views:
        xp.maximum(out, view, out=out)
    return out


def max_pool_grad(xp: ArrayModule, x: Array, y: Array, dout: Array, window: Window, out: Array | None = None) -> Array:
    """The gradient with respect to x, in `out` if there is one: `dout` goes to each window's first largest element."""
    grad = xp.zeros_like(window.padded(xp, x), dtype=dout.dtype)
    places = window.positions(grad, *y.shape[2:])
    for view, first in zip(places, _first_largest(xp, x, y, window), strict=True):
        view += dout * first
    grad = window.inner(grad, *x.shape[2:])
    if out is None:
        return grad
    out[...] = grad
    return out


def max_pool_at(xp: ArrayModule, x: Array, out: Array, values: Array, window: Window) -> Array:
    """Pick from `values`, an array like x, the element at the place of each window's first largest element of x."""
    picked = xp.zeros(out.shape, values.dtype)
    views = window.positions(window.padded(xp, values), *out.shape[2:])
    for view, first in zip(views, _first_largest(xp, x, out, window), strict=True):
        picked += view * first
    return picked


def max_pool_places(xp: ArrayModule, x: Array, window: Window) -> tuple[Array, Array]:
    """The largest element that each window sees, and where in its image it lies: row times width plus column."""
    height, width = x.shape[2:]
    values = max_pool(xp, x, window)
    indices = xp.arange(height * width, dtype=xp.int64).reshape(1, 1, height, width)
    places = xp.zeros(values.shape, xp.int64)
    seen = window.positions(window.padded(xp, indices), *values.shape[2:])
    for view, first in zip(seen, _first_largest(xp, x, values, window), strict=True):
        places += view * first
    return values, places


def avg_pool(xp: ArrayModule, x: Array, window: Window, count_padding: bool, divisor: int | None = None) -> Array:
    """The mean of what each window sees.

    Args:
        xp: the array module.
        x: [N, C, H, W].
        window: the window.
        count_padding: whether what was added around x counts as elements.
        divisor: divides the sum, in place of the number of elements.

    """
    rows, columns = window.out_sizes(*x.shape[2:])
    views = window.positions(window.padded(xp, x), rows, columns)
    total = next(views).copy()
    for view in views:
        total += view
    return total / counts(xp, x.shape, x.dtype, window, count_padding, divisor)


def avg_pool_grad(
    xp: ArrayModule,
    dout: Array,
    shape: tuple[int, ...],
    window: Window,
    count_padding: bool,
    divisor: int | None = None,
) -> Array:
    """The gradient with respect to an array of a shape: each element of a window gets an equal share of `dout`."""
    share = dout / counts(xp, shape, dout.dtype, window, count_padding, divisor)
    grad = xp.zeros_like(window.padded(xp, xp.zeros(shape, dout.dtype)))
    for view in window.positions(grad, *dout.shape[2:]):
        view += share
    return window.inner(grad, *shape[2:])


def _lowest(xp: ArrayModule, x: Array) -> float:
    return -xp.inf if x.dtype.kind == "f" else xp.iinfo(x.dtype).min


def _first_largest(xp: ArrayModule, x: Array, out: Array, window: Window) -> Iterator[Array]:
    """For each place in the window: whether it holds the window's first largest element."""
    taken = xp.zeros(out.shape, bool)
    for view in window.positions(window.padded(xp, x, _lowest(xp, x)), *out.shape[2:]):
        first = (view == out) & ~taken
        taken |= first
        yield first


def counts(
    xp: ArrayModule,
    shape: tuple[int, ...],
    dtype: npt.DTypeLike,
    window: Window,
    count_padding: bool,
    divisor: int | None,
) -> Array:
    """The divisors of the windows' sums: one number, or one for each window."""
    if divisor is not None:
        return xp.asarray(divisor, dtype)
    height, width = shape[2:]
    top, bottom, left, right = window.pads_for(height, width)
    if not (top or bottom or left or right or window.ceil):
        return xp.asarray(window.kernel[0] * window.kernel[1], dtype)
    rows, columns = window.out_sizes(height, width)
    ones = xp.ones((1, 1, height, width), dtype)
    if count_padding:
        ones = xp.pad(ones, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=1)
        # Elements behind the padding, which a window that hangs over the edge sees, do not count.
        window = Window(window.kernel, window.stride, dilation=window.dilation, ceil=window.ceil)
    views = window.positions(window.padded(xp, ones), rows, columns)
    return functools.reduce(operator.add, views)
