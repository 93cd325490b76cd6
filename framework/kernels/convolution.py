"""Convolution and its two derivatives, as products of matrices (im2col).

Chellapilla, Puri and Simard, High Performance Convolutional Neural Networks for Document Processing, 2006.
Arrays: images [N, C, H, W] or volumes [N, C, D, H, W]; weights [O, C / group] and the window's sizes.
"""

from __future__ import annotations

import math
from typing import Any

from framework.kernels.windows import Window

__all__ = ["convolve", "convolve_filter_grad", "convolve_input_grad"]


def convolve(xp: Any, x: Any, weight: Any, window: Window, group: int = 1, out: Any = None) -> Any:
    """The convolution: [N, O] and the number of windows along each dimension, in `out` if there is one."""
    n, counts = x.shape[0], window.out_sizes(*x.shape[2:])
    windows = math.prod(counts)
    seen = window.columns(xp, window.padded(xp, x), *counts)
    out_channels = weight.shape[0]
    if group == 1:
        made = None if out is None else out.reshape(n, out_channels, windows)
        made = xp.matmul(weight.reshape(out_channels, -1), seen, out=made)
    else:
        per_group = seen.reshape(n, group, -1, windows)
        made = None if out is None else out.reshape(n, group, -1, windows)
        made = xp.matmul(weight.reshape(group, out_channels // group, -1), per_group, out=made)
    return made.reshape(n, out_channels, *counts)


def convolve_input_grad(
    xp: Any, dout: Any, weight: Any, shape: tuple[int, ...], window: Window, group: int = 1, out: Any = None
) -> Any:
    """The gradient with respect to images of a shape: what each window saw gets its share back."""
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
    xp: Any, dout: Any, x: Any, shape: tuple[int, ...], window: Window, group: int = 1, out: Any = None
) -> Any:
    """The gradient with respect to weights of a shape."""
    n, out_channels, *counts = dout.shape
    windows = math.prod(counts)
    seen = window.columns(xp, window.padded(xp, x), *counts)
    if group == 1:
        flat = dout.reshape(n, out_channels, windows)
        return _in(out, xp.matmul(flat, seen.swapaxes(1, 2)).sum(axis=0).reshape(shape))
    flat = dout.reshape(n, group, out_channels // group, windows)
    per_group = seen.reshape(n, group, -1, windows)
    return _in(out, xp.matmul(flat, per_group.swapaxes(2, 3)).sum(axis=0).reshape(shape))


def _in(out: Any, made: Any) -> Any:
    """What was made, in `out` if there is one."""
    if out is None:
        return made
    out[...] = made
    return out
