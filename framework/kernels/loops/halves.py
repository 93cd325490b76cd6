"""Float16 on the CPU: fast conversion to and from Float32, and faster loops for numpy's own functions.

Numpy converts halves one by one. `widened` and `narrowed` convert eight at a time; kernels and operators compute in
Float32 between the two (`framework.kernels.choices`). `install` gives numpy's ufuncs loops that do the same for each
element, by the function that numpy has for this, `PyUFunc_ReplaceLoopBySignature`. Arithmetic, comparisons and rounding
have numpy's results to the bit; powers and cosines are numpy's for Float32, rounded.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from framework.common import abi
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
_ONE: Final = ("sqrt", "square", "reciprocal", "floor", "ceil", "trunc", "rint")
_ASKED: Final = ("isnan", "isfinite")
#: Computed by numpy's loops for Float32; the second ones where numpy has none of vectors for Float16.
_BY_FLOATS: Final = ("power", "arctan2", "cos")
_VECTORS: Final = ("exp", "log", "tanh", "sin", "expm1", "log1p")
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
    if LOOPS is None or _replaced or not LOOPS.has_half_loops() or not _is_known():
        return
    for name in (*_TWO, *_COMPARED, *_ONE, *_ASKED, *_BY_FLOATS, *(() if _numpy_has_vectors() else _VECTORS)):
        before, of_floats = _loop(name, np.float16), _loop(name, np.float32)
        if before is not None and of_floats is not None:
            _set(name, LOOPS.half_loop(name.encode(), before[0], *of_floats))
            _replaced[name] = before[0]


def uninstall() -> None:
    """Give numpy's ufuncs their own loops back."""
    while _replaced:
        _set(*_replaced.popitem())


def _is_known() -> bool:
    """Whether numpy's ufuncs are laid out as `framework.common.abi` describes them."""
    try:
        abi.require(abi.UFUNC)
    except ImportError:
        return False
    return True


def _numpy_has_vectors() -> bool:
    """Whether numpy has loops of vectors for functions of halves such as exp."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    return bool(_multiarray_umath.__cpu_features__.get("AVX512_SKX"))


def _types(name: str, dtype: npt.DTypeLike) -> tuple[int, ...]:
    """Numpy's numbers of the element types of a ufunc's operands and of its result."""
    number, ufunc = np.dtype(dtype).num, getattr(np, name)
    result = np.dtype(np.bool_).num if name in _COMPARED + _ASKED else number
    return (number,) * ufunc.nin + (result,)


def _loop(name: str, dtype: npt.DTypeLike) -> tuple[int, int] | None:
    """The address of numpy's loop for an element type, and its `data` argument; None if there is none."""
    ufunc, types = getattr(np, name), _types(name, dtype)
    found = abi.UfuncObject.from_address(id(ufunc))
    if not found.describes(ufunc):
        return None
    for place in range(found.ntypes):
        if tuple(found.types[len(types) * place : len(types) * (place + 1)]) == types:
            return found.functions[place], found.data[place] or 0
    return None


def _set(name: str, loop: int) -> None:
    """Set the loop of a ufunc for Float16."""
    types = _types(name, np.float16)
    before = ctypes.c_void_p()
    _replacing()(getattr(np, name), loop, (ctypes.c_int * len(types))(*types), ctypes.byref(before))


def _replacing() -> Any:
    """Numpy's function that replaces a loop."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = ctypes.cast(pointer(_multiarray_umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    kind = ctypes.PYFUNCTYPE(
        ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int), ctypes.c_void_p
    )
    return kind(table[_REPLACE])
