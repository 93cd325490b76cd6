"""The error function, which numpy lacks, by a generated kernel; the same by numpy is in `special`.

GELU in its exact form is made of it: x times the normal distribution function of x (Hendrycks and Gimpel 2016).
"""

from __future__ import annotations

import functools
import math
from typing import Final

from framework.common.device import Array, ArrayModule
from framework.kernels import special
from framework.kernels.choices import Kernel, listed
from framework.kernels.fused import kernel_of
from framework.kernels.fused.compiling import Kernel as Compiled
from framework.kernels.generated import DOES, SOURCE, cluster_of, run

__all__ = ["erf", "gelu", "gelu_grad"]

_ROOT_HALF: Final = math.sqrt(0.5)
_DENSITY: Final = 1 / math.sqrt(2 * math.pi)


def _fast_erf(x: Array) -> Array:
    made = run(_erf_kernel, (x,), (), (None,))
    return made if made is NotImplemented else made[0]


@functools.cache
def _erf_kernel(dtype: str) -> Compiled:
    return kernel_of(cluster_of(dtype, 1, 0, (("Erf", 0),), (1,)))


erf: Final = listed(Kernel("erf", special.erf, _fast_erf, SOURCE, DOES, widens=True))


def gelu(xp: ArrayModule, x: Array) -> Array:
    """X times the share of the normal distribution below x."""
    return 0.5 * (x * (1 + erf(xp, _ROOT_HALF * x)))


def gelu_grad(xp: ArrayModule, x: Array, dout: Array) -> Array:
    """The gradient with respect to x: dout times (the share below x, and x times the density at x)."""
    return dout * (0.5 * (1 + erf(xp, _ROOT_HALF * x)) + _DENSITY * (x * xp.exp(-0.5 * (x * x))))
