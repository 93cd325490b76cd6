"""GELU in its exact form by the compiled loops; the same as in `framework.kernels.error_function`."""

from __future__ import annotations

import numpy as np

from framework.common.device import Array
from framework.common.threads import threads_for
from framework.kernels.loops.library import LOOPS, address, are_floats

__all__ = ["gelu", "gelu_grad"]

# Arithmetic operations for one element.
_OPERATIONS = 40


def gelu(x: Array) -> Array:
    """X times the share of the normal distribution below x."""
    if LOOPS is None or not are_floats(x):
        return NotImplemented
    x = np.ascontiguousarray(x)
    made = np.empty(x.shape, np.float32)
    LOOPS.gelu(address(x), address(made), x.size, threads_for(_OPERATIONS * x.size))
    return made


def gelu_grad(x: Array, dout: Array) -> Array:
    """The gradient with respect to x."""
    if LOOPS is None or x.shape != dout.shape or not are_floats(x, dout):
        return NotImplemented
    x, dout = np.ascontiguousarray(x), np.ascontiguousarray(dout)
    made = np.empty(x.shape, np.float32)
    LOOPS.gelu_grad(address(x), address(dout), address(made), x.size, threads_for(_OPERATIONS * x.size))
    return made
