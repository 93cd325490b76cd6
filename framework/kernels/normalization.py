"""Normalization over features and over a batch, and their gradients."""

from __future__ import annotations

import math

from framework.common.device import Array, ArrayModule

__all__ = ["batch_norm", "batch_norm_grad", "layer_norm", "layer_norm_grad"]


def layer_norm(
    xp: ArrayModule, x: Array, gamma: Array, beta: Array, begin: int, epsilon: float
) -> tuple[Array, Array, Array]:
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta over the dimensions from one on (Ba et al. 2016).

    Returns:
        The normalized array; the mean and the variance, with length 1 in these dimensions.

    """
    axes = tuple(range(begin, x.ndim))
    mean = x.mean(axis=axes, keepdims=True)
    centred = x - mean
    variance = xp.square(centred).sum(axis=axes, keepdims=True) / x.dtype.type(math.prod(x.shape[begin:]))
    scale = 1 / xp.sqrt(variance + x.dtype.type(epsilon))
    return (centred * scale * gamma + beta).astype(x.dtype, copy=False), mean, variance


def layer_norm_grad(
    xp: ArrayModule, x: Array, dy: Array, variance: Array, mean: Array, gamma: Array, begin: int, epsilon: float
) -> tuple[Array, Array, Array]:
    """The gradients with respect to x, gamma and beta.

    With n the normalized x, r = 1 / sqrt(variance + epsilon) and g = dy gamma: dx = r (g - mean(g) - n mean(g n)).
    """
    r = 1 / xp.sqrt(variance + x.dtype.type(epsilon))
    n = (x - mean) * r
    dx = r * _across(dy * gamma, n, tuple(range(begin, x.ndim)))
    outer = tuple(range(x.ndim - gamma.ndim))
    return dx.astype(x.dtype, copy=False), (dy * n).sum(axis=outer), dy.sum(axis=outer)


def batch_norm(xp: ArrayModule, x: Array, scale: Array, bias: Array, epsilon: float) -> tuple[Array, Array, Array]:
    """(x - mean) / sqrt(variance + epsilon) * scale + bias per channel, the second dimension (Ioffe and Szegedy 2015).

    Returns:
        The normalized array; the mean and the variance of each channel.

    """
    axes, channels = _axes(x)
    mean, variance = x.mean(axis=axes), x.var(axis=axes)
    factor = scale / xp.sqrt(variance + x.dtype.type(epsilon))
    shift = bias - mean * factor
    out = x * factor.reshape(channels) + shift.reshape(channels)
    return out.astype(x.dtype, copy=False), mean, variance


def batch_norm_grad(
    xp: ArrayModule, dy: Array, x: Array, scale: Array, mean: Array, variance: Array, epsilon: float
) -> tuple[Array, Array, Array]:
    """The gradients with respect to x, scale and bias, by the batch's own mean and variance.

    With n the normalized x and r = 1 / sqrt(variance + epsilon): dx = scale r (dy - mean(dy) - n mean(dy n)).
    """
    axes, channels = _axes(x)
    r = (1 / xp.sqrt(variance + x.dtype.type(epsilon))).reshape(channels)
    n = (x - mean.reshape(channels)) * r
    dx = scale.reshape(channels) * r * _across(dy, n, axes)
    return dx.astype(x.dtype, copy=False), (dy * n).sum(axis=axes), dy.sum(axis=axes)


def _axes(x: Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """All dimensions but that of the channels, and the shape of a vector that broadcasts along the channels."""
    return tuple(axis for axis in range(x.ndim) if axis != 1), (1, -1, *(1,) * (x.ndim - 2))


def _across(g: Array, n: Array, axes: tuple[int, ...]) -> Array:
    """The part of g that changes neither the mean nor the variance of n."""
    return g - g.mean(axis=axes, keepdims=True) - n * (g * n).mean(axis=axes, keepdims=True)
