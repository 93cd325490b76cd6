"""GELU in its exact form, x times the normal distribution function of x (Hendrycks and Gimpel 2016), with numpy."""

from __future__ import annotations

import math
from typing import Final

from framework.common.device import Array, ArrayModule
from framework.kernels.error_function import erf

__all__ = ["gelu", "gelu_grad"]

_ROOT_HALF: Final = math.sqrt(0.5)
_DENSITY: Final = 1 / math.sqrt(2 * math.pi)


def gelu(xp: ArrayModule, x: Array) -> Array:
    """X times the share of the normal distribution below x."""
    return 0.5 * (x * (1 + erf(xp, _ROOT_HALF * x)))


def gelu_grad(xp: ArrayModule, x: Array, dout: Array) -> Array:
    """The gradient with respect to x: dout times (the share below x, and x times the density at x)."""
    return dout * (0.5 * (1 + erf(xp, _ROOT_HALF * x)) + _DENSITY * (x * xp.exp(-0.5 * (x * x))))
