"""Float16 on the CPU: fast conversion to and from Float32, and faster loops for numpy's own functions.

Numpy converts halves one by one. `widened` and `narrowed` convert eight at a time; kernels and operators compute in
Float32 between the two (`framework.kernels.choices`). `install` gives numpy's ufuncs loops that do the same for each
element, with numpy's results to the bit, by the function that numpy has for this, `PyUFunc_ReplaceLoopBySignature`.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from framework.common.device import Array
from framework.kernels.loops.library import LOOPS, address, version

__all__ = ["install", "loops_version", "narrowed", "uninstall", "widened"]

_FLOAT: Final = np.dtype(np.float32)
_HALF: Final = np.dtype(np.float16)
#: With fewer elements, numpy's conversion is faster than a call of C.
_FEW: Final = 512
#: The place of `PyUFunc_ReplaceLoopBySignature` in numpy's table of functions (numpy/__ufunc_api.h).
_REPLACE: Final = 30
_TWO: Final = ("add", "subtract", "multiply", "divide", "maximum", "minimum")
_COMPARED: Final = ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal")
_ONE: Final = ("sqrt", "square", "reciprocal")
#: By the name of the ufunc its loop before `install`.
_replaced: Final[dict[str, int]] = {}


def widened(array: Array) -> Array:
    """An array of 16-bit floating-point numbers as Float32, in the same order of dimensions; exact."""
    if array.size < _FEW or LOOPS is None:
        return array.astype(_FLOAT)
    return _converted(array, _FLOAT, LOOPS.widen_halves if array.dtype is _HALF else LOOPS.widen_brains)


def narrowed(array: Array, dtype: npt.DTypeLike = _HALF, out: Array | None = None) -> Array:
    """A Float32 array rounded to the nearest 16-bit floating-point numbers, even ones where two are equally near.

    Args:
        array: the array.
        dtype: Float16 or BFloat16.
        out: an array of this type to write into; None for a new one.
    """
    if array.dtype != _FLOAT or array.size < _FEW or LOOPS is None:
        with np.errstate(over="ignore"):
            made = array.astype(dtype)
    elif out is not None and out.flags.c_contiguous and array.flags.c_contiguous and out.shape == array.shape:
        _narrow(out.dtype)(address(array), address(out), array.size)
        return out
    else:
        made = _converted(array, np.dtype(dtype), _narrow(np.dtype(dtype)))
    if out is None:
        return made
    out[...] = made
    return out


def _narrow(dtype: np.dtype[Any]) -> Any:
    assert LOOPS is not None  # noqa: S101
    return LOOPS.narrow_halves if dtype == _HALF else LOOPS.narrow_brains


def _converted(array: Array, dtype: np.dtype[Any], convert: Any) -> Array:
    """The elements converted as they lie in memory."""
    flags = array.flags
    if not (flags.c_contiguous or flags.f_contiguous):
        array = array.copy(order="K")
    made = np.empty_like(array, dtype)
    if made.strides != tuple(step // array.itemsize * dtype.itemsize for step in array.strides):
        array, made = np.ascontiguousarray(array), np.empty(array.shape, dtype)
    convert(address(array), address(made), array.size)
    return made


def loops_version() -> str:
    """What computes numpy's functions of halves.

    Raises:
        ImportError: nothing does but numpy itself; the text says why.
    """
    found = version()
    if LOOPS is None or not LOOPS.has_half_loops():
        raise ImportError("numpy's own loops compute Float16: faster ones need a processor with AVX2, and GCC")
    return found


def install() -> None:
    """Give numpy's ufuncs faster loops for Float16 on this processor; without effect where there are none."""
    if LOOPS is None or _replaced or not LOOPS.has_half_loops():
        return
    for name in (*_TWO, *_COMPARED, *_ONE):
        before = _replace(name, 0)
        if before:
            _replaced[name] = before
            _replace(name, LOOPS.half_loop(name.encode(), before))


def uninstall() -> None:
    """Give numpy's ufuncs their own loops back."""
    while _replaced:
        _replace(*_replaced.popitem())


def _replace(name: str, loop: int) -> int:
    """Set the loop of a ufunc for Float16 and return the one that it had; 0 where numpy has none."""
    half, truth = np.dtype(np.float16).num, np.dtype(np.bool_).num
    types = (half,) * (1 if name in _ONE else 2) + (truth if name in _COMPARED else half,)
    before = ctypes.c_void_p()
    failed = _replacing()(getattr(np, name), loop, (ctypes.c_int * len(types))(*types), ctypes.byref(before))
    return 0 if failed else before.value or 0


def _replacing() -> Any:
    """Numpy's function that replaces a loop."""
    from numpy._core import _multiarray_umath

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = ctypes.cast(pointer(_multiarray_umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    kind = ctypes.PYFUNCTYPE(
        ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int), ctypes.c_void_p
    )
    return kind(table[_REPLACE])
