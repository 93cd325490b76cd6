"""Convolution in two dimensions and its two derivatives, as products of matrices (im2col).

Chellapilla, Puri and Simard, High Performance Convolutional Neural Networks for Document Processing, 2006.
Arrays: images [N, C, H, W], weights [O, C / group, KH, KW].
"""

from __future__ import annotations

from typing import Any

from framework.kernels.windows import Window

__all__ = ["conv2d", "conv2d_filter_grad", "conv2d_input_grad"]


def conv2d(xp: Any, x: Any, weight: Any, window: Window, group: int = 1, out: Any = None) -> Any:
    """The convolution: [N, O, rows, columns], in `out` if there is one."""
    n, (rows, columns) = x.shape[0], window.out_sizes(*x.shape[2:])
    seen = window.columns(xp, window.padded(xp, x), rows, columns)
    out_channels = weight.shape[0]
    if group == 1:
        made = None if out is None else out.reshape(n, out_channels, rows * columns)
        made = xp.matmul(weight.reshape(out_channels, -1), seen, out=made)
    else:
        per_group = seen.reshape(n, group, -1, rows * columns)
        made = None if out is None else out.reshape(n, group, -1, rows * columns)
        made = xp.matmul(weight.reshape(group, out_channels // group, -1), per_group, out=made)
    return made.reshape(n, out_channels, rows, columns)


def conv2d_input_grad(xp: Any, dout: Any, weight: Any, shape: tuple[int, ...], window: Window, group: int = 1) -> Any:
    """The gradient with respect to images of a shape: what each window saw gets its share back."""
    n, out_channels, rows, columns = dout.shape
    flat = dout.reshape(n, group, out_channels // group, rows * columns)
    weights = weight.reshape(group, out_channels // group, -1)
    seen = xp.matmul(weights.swapaxes(1, 2), flat).reshape(n, shape[1], -1, rows, columns)
    height, width = shape[2:]
    padded = xp.zeros_like(window.padded(xp, xp.broadcast_to(xp.zeros((), seen.dtype), shape)))
    padded = xp.ascontiguousarray(padded)
    for place, view in enumerate(window.positions(padded, rows, columns)):
        view += seen[:, :, place]
    return window.inner(padded, height, width)


def conv2d_filter_grad(xp: Any, dout: Any, x: Any, shape: tuple[int, ...], window: Window, group: int = 1) -> Any:
    """The gradient with respect to weights of a shape."""
    n, out_channels, rows, columns = dout.shape
    seen = window.columns(xp, window.padded(xp, x), rows, columns)
    if group == 1:
        flat = dout.reshape(n, out_channels, rows * columns)
        return xp.matmul(flat, seen.swapaxes(1, 2)).sum(axis=0).reshape(shape)
    flat = dout.reshape(n, group, out_channels // group, rows * columns)
    per_group = seen.reshape(n, group, -1, rows * columns)
    return xp.matmul(flat, per_group.swapaxes(2, 3)).sum(axis=0).reshape(shape)
