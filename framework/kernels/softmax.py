"""Softmax over any dimensions, its logarithm, and cross entropy."""

from __future__ import annotations

from framework.common.device import Array, ArrayModule

__all__ = ["cross_entropy", "cross_entropy_grad", "log_softmax", "softmax"]


def softmax(xp: ArrayModule, x: Array, axes: tuple[int, ...], out: Array | None = None) -> Array:
    """exp(x) / sum of exp(x) over axes, in `out` if there is one."""
    out = xp.subtract(x, x.max(axis=axes, keepdims=True), out=out)
    xp.exp(out, out=out)
    out /= out.sum(axis=axes, keepdims=True)
    return out


def log_softmax(xp: ArrayModule, x: Array, axis: int, out: Array | None = None) -> Array:
    """The logarithm of softmax over an axis, in `out` if there is one."""
    out = xp.subtract(x, x.max(axis=axis, keepdims=True), out=out)
    out -= xp.log(xp.exp(out).sum(axis=axis, keepdims=True))
    return out


def cross_entropy(xp: ArrayModule, logits: Array, labels: Array) -> Array:
    """The mean over rows of -log_softmax(logits) at the class that the label names; labels lie from 0 to C - 1."""
    picked = log_softmax(xp, logits, -1)[xp.arange(logits.shape[0]), labels]
    # Numpy adds halves up as singles in means alone.
    return -(picked.mean() if picked.dtype.itemsize == 2 else xp.add.reduce(picked) / picked.dtype.type(len(picked)))


def cross_entropy_grad(xp: ArrayModule, logits: Array, labels: Array, factor: Array) -> Array:
    """softmax(logits), less 1 at the class that the label names, times a number."""
    grad = softmax(xp, logits, (-1,))
    grad[xp.arange(logits.shape[0]), labels] -= 1
    return grad * factor
