"""The product of matrices that numpy itself calls, by its address: machine code that uses it computes numpy's bits."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path

import numpy as np

__all__ = ["sgemm_address"]

_NAME = "scipy_cblas_sgemm64_"


@functools.cache
def sgemm_address() -> int:
    """Where `cblas_sgemm` with sizes of 64 bits is; 0 where numpy has not the OpenBLAS of its wheels."""
    for path in Path(np.__file__).parent.parent.glob("numpy.libs/libscipy_openblas64_*.so"):
        try:
            found = getattr(ctypes.CDLL(str(path)), _NAME)
        except (AttributeError, OSError):
            continue
        return int(ctypes.cast(found, ctypes.c_void_p).value or 0)
    return 0
