"""Convolution and its two derivatives, as products of matrices (im2col).

Chellapilla, Puri and Simard, High Performance Convolutional Neural Networks for Document Processing, 2006.
Arrays: images [N, C, H, W] or volumes [N, C, D, H, W]; weights [O, C / group] and the window's sizes.
"""

from __future__ import annotations

import math

from framework.common.device import Array, ArrayModule
from framework.kernels.windows import Window

__all__ = ["convolve", "convolve_filter_grad", "convolve_input_grad"]


def convolve(
    xp: ArrayModule, x: Array, weight: Array, window: Window, group: int = 1, out: Array | None = None
) -> Array:
    """The convolution: [N, O] and the number of windows along each dimension, in `out` if there is one."""
    n, counts = x.shape[0], window.out_sizes(*x.shape[2:])
    windows = math.prod(counts)
    seen = window.columns(xp, window.padded(xp, x), *counts)
    out_channels = weight.shape[0]
    groups = () if group == 1 else (group,)
    rows, depth = out_channels // group, math.prod(weight.shape[1:])
    place = None if out is None else out.reshape(n, *groups, rows, windows)
    weights = weight.reshape(*groups, rows, depth)
    made = xp.matmul(weights, seen.reshape(n, *groups, depth, windows), out=place)
    return made.reshape(n, out_channels, *counts)


def convolve_input_grad(
    xp: ArrayModule, dout: Array, weight: Array, shape: tuple[int, ...],
    window: Window, group: int = 1, out: Array | None = None,
) -> Array:  # fmt: skip
    """The gradient with respect to images of a shape: each element that a window saw gets its share."""
    n, out_channels, *counts = dout.shape
    flat = dout.reshape(n, group, out_channels // group, math.prod(counts))
    weights = weight.reshape(group, out_channels // group, -1)
    seen = xp.matmul(weights.swapaxes(1, 2), flat).reshape(n, shape[1], -1, *counts)
    padded = xp.zeros_like(window.padded(xp, xp.broadcast_to(xp.zeros((), seen.dtype), shape)))
    padded = xp.ascontiguousarray(padded)
    for place, view in enumerate(window.positions(padded, *counts)):
        view += seen[:, :, place]
    return _in(out, window.inner(padded, *shape[2:]))


def convolve_filter_grad(
    xp: ArrayModule, dout: Array, x: Array, shape: tuple[int, ...],
    window: Window, group: int = 1, out: Array | None = None,
) -> Array:  # fmt: skip
    """The gradient with respect to weights of a shape."""
    n, out_channels, *counts = dout.shape
    windows = math.prod(counts)
    seen = window.columns(xp, window.padded(xp, x), *counts)
    groups = () if group == 1 else (group,)
    flat = dout.reshape(n, *groups, out_channels // group, windows)
    per_group = seen.reshape(n, *groups, math.prod(shape[1:]), windows)
    return _in(out, xp.matmul(flat, per_group.swapaxes(-2, -1)).sum(axis=0).reshape(shape))


def _in(out: Array | None, made: Array) -> Array:
    """Return the result, written into `out` if there is one."""
    if out is None:
        return made
    out[...] = made
    return out
