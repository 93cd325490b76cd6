"""Softmax over the last dimension and its losses, by the compiled loops; the same as in `framework.kernels.softmax`."""

from __future__ import annotations

import numpy as np

from framework.common.device import Array
from framework.common.threads import threads_for
from framework.kernels.loops.library import LOOPS, address, are_floats, delivered, ready

__all__ = ["cross_entropy", "cross_entropy_grad", "log_softmax", "softmax"]

# Arithmetic operations for one element, its exponential among them.
_OPERATIONS = 20


def softmax(x: Array, axes: tuple[int, ...], out: Array | None = None) -> Array:
    """exp(x) / sum of exp(x) over axes, in `out` if there is one."""
    return _by_rows("softmax", x, axes, out)


def log_softmax(x: Array, axis: int, out: Array | None = None) -> Array:
    """The logarithm of softmax over an axis, in `out` if there is one."""
    return _by_rows("log_softmax", x, (axis,), out)


def cross_entropy(logits: Array, labels: Array) -> np.float32:
    """The mean over rows of -log_softmax(logits) at the class that the label names."""
    if LOOPS is None or not are_floats(logits) or labels.shape != logits.shape[:1]:
        return NotImplemented
    logits, labels = np.ascontiguousarray(logits), np.ascontiguousarray(labels, np.int64)
    return np.float32(LOOPS.cross_entropy(address(logits), address(labels), *logits.shape) / len(logits))


def cross_entropy_grad(logits: Array, labels: Array, factor: Array) -> Array:
    """softmax(logits), less 1 at the class that the label names, times a number."""
    if LOOPS is None or not are_floats(logits, factor) or labels.shape != logits.shape[:1]:
        return NotImplemented
    logits, labels = np.ascontiguousarray(logits), np.ascontiguousarray(labels, np.int64)
    made = np.empty(logits.shape, np.float32)
    threads = threads_for(_OPERATIONS * logits.size)
    LOOPS.cross_entropy_grad(address(logits), address(labels), float(factor), address(made), *logits.shape, threads)
    return made


def _by_rows(name: str, x: Array, axes: tuple[int, ...], out: Array | None) -> Array:
    if LOOPS is None or len(axes) != 1 or axes[0] not in (-1, x.ndim - 1) or not are_floats(x):
        return NotImplemented
    width = x.shape[-1]
    x, made = np.ascontiguousarray(x), ready(out, x.shape)
    getattr(LOOPS, name)(address(x), address(made), x.size // width, width, threads_for(_OPERATIONS * x.size))
    return delivered(made, out)
