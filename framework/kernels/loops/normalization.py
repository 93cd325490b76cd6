"""Normalization by the compiled loops; the same as in `framework.kernels.normalization`."""

from __future__ import annotations

import math

import numpy as np

from framework.common.device import Array
from framework.common.threads import threads_for
from framework.kernels.loops.library import LOOPS, address, are_floats

__all__ = ["PARTS", "batch_norm", "batch_norm_grad", "layer_norm", "layer_norm_grad"]

# Arithmetic operations for one element.
_OPERATIONS = 8
# The number of parts of rows whose sums are added up. It does not depend on the threads, so results do not either.
PARTS = 8


def layer_norm(x: Array, gamma: Array, beta: Array, begin: int, epsilon: float) -> tuple[Array, Array, Array]:
    """The normalized x, mean and variance, over the dimensions from `begin` on, which gamma and beta have too."""
    if LOOPS is None or gamma.shape != x.shape[begin:] or not are_floats(x, gamma, beta):
        return NotImplemented
    x, gamma, beta = map(np.ascontiguousarray, (x, gamma, beta))
    out, rows, width = np.empty_like(x), math.prod(x.shape[:begin]), gamma.size
    kept = (*x.shape[:begin], *(1,) * (x.ndim - begin))
    mean, variance = np.empty(kept, np.float32), np.empty(kept, np.float32)
    LOOPS.layer_norm(
        *(address(x), address(gamma), address(beta), epsilon, address(out), address(mean), address(variance)),
        *(rows, width, threads_for(_OPERATIONS * x.size)),
    )
    return out, mean, variance


def layer_norm_grad(
    x: Array, dy: Array, variance: Array, mean: Array, gamma: Array, begin: int, epsilon: float
) -> tuple[Array, Array, Array]:
    """The gradients with respect to x, gamma and beta."""
    if LOOPS is None or gamma.shape != x.shape[begin:] or not are_floats(x, dy, variance, mean, gamma):
        return NotImplemented
    x, dy, variance, mean, gamma = map(np.ascontiguousarray, (x, dy, variance, mean, gamma))
    rows, width = math.prod(x.shape[:begin]), gamma.size
    parts = min(PARTS, rows)
    dx, dgamma, dbeta = np.empty_like(x), np.empty((parts, width), np.float32), np.empty((parts, width), np.float32)
    LOOPS.layer_norm_grad(
        *(address(x), address(dy), address(gamma), address(mean), address(variance), epsilon),
        *(address(dx), address(dgamma), address(dbeta), rows, width, parts, threads_for(_OPERATIONS * x.size)),
    )
    return dx, dgamma.sum(axis=0).reshape(gamma.shape), dbeta.sum(axis=0).reshape(gamma.shape)


def batch_norm(x: Array, scale: Array, bias: Array, epsilon: float) -> tuple[Array, Array, Array]:
    """The normalized x, and the mean and variance of each channel."""
    if LOOPS is None or not are_floats(x, scale, bias):
        return NotImplemented
    x, scale, bias = map(np.ascontiguousarray, (x, scale, bias))
    out, mean, variance = np.empty_like(x), np.empty_like(scale), np.empty_like(scale)
    LOOPS.batch_norm(
        *(address(x), address(scale), address(bias), epsilon, address(out), address(mean), address(variance)),
        *(*_sizes(x), threads_for(_OPERATIONS * x.size)),
    )
    return out, mean, variance


def batch_norm_grad(
    dy: Array, x: Array, scale: Array, mean: Array, variance: Array, epsilon: float
) -> tuple[Array, Array, Array]:
    """The gradients with respect to x, scale and bias, by the batch's own mean and variance."""
    if LOOPS is None or not are_floats(dy, x, scale, mean, variance):
        return NotImplemented
    dy, x, scale, mean, variance = map(np.ascontiguousarray, (dy, x, scale, mean, variance))
    dx, dscale, dbias = np.empty_like(x), np.empty_like(scale), np.empty_like(scale)
    LOOPS.batch_norm_grad(
        *(address(x), address(dy), address(scale), address(mean), address(variance), epsilon),
        *(address(dx), address(dscale), address(dbias), *_sizes(x), threads_for(_OPERATIONS * x.size)),
    )
    return dx, dscale, dbias


def _sizes(x: Array) -> tuple[int, int, int]:
    """Images, channels, and elements of one channel of an image."""
    return x.shape[0], x.shape[1], math.prod(x.shape[2:])
