"""Softmax over any dimensions, and its logarithm."""

from __future__ import annotations

from typing import Any

__all__ = ["log_softmax", "softmax"]


def softmax(xp: Any, x: Any, axes: tuple[int, ...], out: Any = None) -> Any:
    """exp(x) / sum of exp(x) over axes, in `out` if there is one."""
    out = xp.subtract(x, x.max(axis=axes, keepdims=True), out=out)
    xp.exp(out, out=out)
    out /= out.sum(axis=axes, keepdims=True)
    return out


def log_softmax(xp: Any, x: Any, axis: int, out: Any = None) -> Any:
    """The logarithm of softmax over an axis, in `out` if there is one."""
    out = xp.subtract(x, x.max(axis=axis, keepdims=True), out=out)
    out -= xp.log(xp.exp(out).sum(axis=axis, keepdims=True))
    return out
