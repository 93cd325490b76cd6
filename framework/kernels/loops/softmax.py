"""Softmax over the last dimension by the compiled loops: as `framework.kernels.softmax` has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common.threads import threads_for
from framework.kernels.loops.library import LOOPS, address, are_floats, delivered, ready

__all__ = ["log_softmax", "softmax"]

# Arithmetic operations for one element, its exponential among them.
_OPERATIONS = 20


def softmax(x: Any, axes: tuple[int, ...], out: Any = None) -> Any:
    """exp(x) / sum of exp(x) over axes, in `out` if there is one."""
    return _by_rows("softmax", x, axes, out)


def log_softmax(x: Any, axis: int, out: Any = None) -> Any:
    """The logarithm of softmax over an axis, in `out` if there is one."""
    return _by_rows("log_softmax", x, (axis,), out)


def _by_rows(name: str, x: Any, axes: tuple[int, ...], out: Any) -> Any:
    if LOOPS is None or len(axes) != 1 or axes[0] not in (-1, x.ndim - 1) or not are_floats(x):
        return NotImplemented
    width = x.shape[-1]
    x, made = np.ascontiguousarray(x), ready(out, x.shape)
    getattr(LOOPS, name)(address(x), address(made), x.size // width, width, threads_for(_OPERATIONS * x.size))
    return delivered(made, out)
