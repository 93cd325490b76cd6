"""The error function, which numpy lacks, by a generated kernel; the same by numpy is in `special`."""

from __future__ import annotations

import functools
from typing import Final

from framework.common.device import Array
from framework.kernels import special
from framework.kernels.choices import Kernel, listed
from framework.kernels.fused import kernel_of
from framework.kernels.fused.compiling import Kernel as Compiled
from framework.kernels.generated import DOES, SOURCE, cluster_of, run

__all__ = ["erf"]


def _fast_erf(x: Array) -> Array:
    made = run(_erf_kernel, (x,), (), (None,))
    return made if made is NotImplemented else made[0]


@functools.cache
def _erf_kernel(dtype: str) -> Compiled:
    return kernel_of(cluster_of(dtype, 1, 0, (("Erf", 0),), (1,)))


erf: Final = listed(Kernel("erf", special.erf, _fast_erf, SOURCE, DOES, widens=True))
