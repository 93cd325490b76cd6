"""The types of the arrays and array modules that kernels compute with, and conversions between element types."""

import numpy as np
import numpy.typing as npt

from framework.common.device import Array, ArrayModule
from framework.kernels.loops import halves

__all__ = ["Array", "ArrayModule", "converted", "without_halves"]


def converted(x: Array, dtype: npt.DTypeLike) -> Array:
    """An array as elements of another type; the array itself if it has that type."""
    found = x.dtype
    if found is dtype:
        return x
    wanted = np.dtype(dtype)
    if type(x) is np.ndarray:
        if wanted.char == "f" and found.itemsize == 2 and found.char in "eE":
            return halves.widened(x)
        if found.char == "f" and wanted.itemsize == 2 and wanted.char in "eE":
            return halves.narrowed(x, wanted)
    return x.astype(wanted, copy=False)


def without_halves(x: Array) -> Array:
    """An array of Float16 as Float32, in which sums do not lose their small terms; any other array as it is."""
    return converted(x, np.float32) if x.dtype == np.float16 else x
