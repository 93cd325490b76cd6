"""The layouts of CPython and numpy that machine code relies on: the one place with such offsets.

Generated kernels, native segments and the trampoline read objects of CPython and numpy by byte offset. `require` checks
a layout against live objects when a fast path is set up, once and in microseconds. It raises ImportError if a layout
differs or the version is not tested; the caller then takes the plain path, which computes the same.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable
from ctypes import c_char_p, c_int, c_int64, c_ssize_t, c_ubyte, c_void_p
from typing import Final

import numpy as np

__all__ = [
    "ARRAY",
    "DESCR",
    "FASTCALL",
    "LAYOUTS",
    "OBJECT",
    "SLOT",
    "TESTED_NUMPY",
    "TESTED_PYTHON",
    "UFUNC",
    "MethodDef",
    "UfuncObject",
    "require",
    "slot_offset",
]

TESTED_PYTHON: Final = ((3, 11), (3, 12), (3, 13))
"""The CPython versions that the tests run on; others take the plain paths."""
TESTED_NUMPY: Final = (2,)
"""The major versions of numpy that the tests run on. Numpy keeps these structures for a whole major version."""

#: METH_FASTCALL
FASTCALL: Final = 0x80

OBJECT: Final = "object"
ARRAY: Final = "array"
DESCR: Final = "element type"
SLOT: Final = "slot"
UFUNC: Final = "ufunc"

#: `PyObject`: the reference count, of 64 bits, and the type.
REFERENCES_AT, TYPE_AT = 0, 8
#: `PyArrayObject_fields`, and the flags that are read there.
DATA_AT, NDIM_AT, SHAPE_AT, STRIDES_AT, BASE_AT, DESCR_AT, FLAGS_AT = 16, 24, 32, 40, 48, 56, 64
CONTIGUOUS, WRITEABLE = 0x1, 0x400
#: `PyArray_Descr`: the number of the element type.
NUMBER_AT: Final = 28
#: `PyMemberDescrObject`: its `PyMemberDef`; and there the offset of the slot.
_MEMBER_AT, _OFFSET_AT = 40, 16
#: What generated code counts for an object that one other object holds, and for each local variable of Python code.
HELD_ONCE: Final = 1


class MethodDef(ctypes.Structure):
    """CPython's `PyMethodDef`."""

    _fields_ = (("name", c_char_p), ("function", c_void_p), ("flags", c_int), ("doc", c_char_p))


class UfuncObject(ctypes.Structure):
    """The beginning of numpy's `PyUFuncObject`."""

    _fields_ = (
        ("references", c_ssize_t),
        ("kind", c_void_p),
        *((name, c_int) for name in ("nin", "nout", "nargs", "identity")),
        ("functions", ctypes.POINTER(c_void_p)),
        ("data", ctypes.POINTER(c_void_p)),
        ("ntypes", c_int),
        ("reserved", c_int),
        ("name", c_char_p),
        ("types", ctypes.POINTER(c_ubyte)),
    )

    def describes(self, ufunc: np.ufunc) -> bool:
        """Whether these fields are those of a ufunc."""
        found = (self.nin, self.nout, self.nargs, self.ntypes)
        known = (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes)
        return found == known and self.name == ufunc.__name__.encode()


def require(*layouts: str) -> None:
    """Check that machine code can rely on layouts here.

    Args:
        layouts: keys of `LAYOUTS`.

    Raises:
        ImportError: it cannot; the text says why.
    """
    unusable = _unusable()
    if unusable:
        raise ImportError(unusable)
    for name in layouts:
        if not _fits(name):
            raise ImportError(
                f"machine code does not know the layout of {name} objects of Python {sys.version.split()[0]} "
                f"and numpy {np.__version__}"
            )


def slot_offset(kind: type, name: str) -> int:
    """The byte offset of a slot in the instances of a class.

    Args:
        kind: the class.
        name: of the slot.

    Raises:
        ImportError: the slot is not found there.
    """
    require(OBJECT, SLOT)
    return _slot_offset(kind.__dict__[name])


def _unusable() -> str:
    """Why no machine code may read objects of this Python; empty if it may."""
    if sys.implementation.name != "cpython" or sys.maxsize < 2**32:
        return "generated machine code needs CPython of 64 bits"
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return "generated machine code needs CPython with its global lock"
    if sys.version_info[:2] not in TESTED_PYTHON:
        tested = ", ".join(f"{major}.{minor}" for major, minor in TESTED_PYTHON)
        return f"generated machine code is tested with Python {tested}, not {sys.version_info[0]}.{sys.version_info[1]}"
    if int(np.__version__.partition(".")[0]) not in TESTED_NUMPY:
        tested = ", ".join(map(str, TESTED_NUMPY))
        return f"generated machine code is tested with numpy {tested}, not {np.__version__}"
    return ""


@functools.cache
def _fits(name: str) -> bool:
    return LAYOUTS[name]()


def _pointer(base: int, offset: int) -> int:
    return c_void_p.from_address(base + offset).value or 0


def _probe_object() -> bool:
    """An object that a list holds has one reference, and one more with a variable."""
    holder = [object()]
    address = id(holder[0])
    count = c_int64.from_address(address + REFERENCES_AT)
    held = count.value
    variable = holder[0]
    held_twice = count.value
    kind = _pointer(address, TYPE_AT)
    return (held, held_twice, kind) == (HELD_ONCE, HELD_ONCE + 1, id(type(variable)))


def _probe_array() -> bool:
    """Two arrays of known shape, strides, base and flags."""
    whole = np.zeros((2, 3), np.float32)
    part = whole[:, 1:]
    part.flags.writeable = False
    for array, base, flags in ((whole, 0, CONTIGUOUS | WRITEABLE), (part, id(whole), 0)):
        at = id(array)
        found = _pointer(at, DATA_AT), c_int.from_address(at + NDIM_AT).value, _pointer(at, BASE_AT)
        flags_found = c_int.from_address(at + FLAGS_AT).value & (CONTIGUOUS | WRITEABLE)
        if found != (array.ctypes.data, 2, base) or flags_found != flags:
            return False
        if _pointer(at, DESCR_AT) != id(array.dtype):
            return False
        sizes, strides = (tuple((c_int64 * 2).from_address(_pointer(at, each))) for each in (SHAPE_AT, STRIDES_AT))
        if (sizes, strides) != (array.shape, array.strides):
            return False
    return True


def _probe_descr() -> bool:
    """Three element types have the numbers that Python shows."""
    dtypes = [np.dtype(kind) for kind in (np.float32, np.int64, np.bool_)]
    return all(c_int.from_address(id(dtype) + NUMBER_AT).value == dtype.num for dtype in dtypes)


class _Slotted:
    __slots__ = ("first", "second")

    def __init__(self) -> None:
        self.first, self.second = object(), object()


def _probe_slot() -> bool:
    """The slots of an object hold what its attributes are."""
    item = _Slotted()
    return all(
        _pointer(id(item), _slot_offset(_Slotted.__dict__[name])) == id(getattr(item, name))
        for name in _Slotted.__slots__
    )


def _slot_offset(described: object) -> int:
    return c_ssize_t.from_address(_pointer(id(described), _MEMBER_AT) + _OFFSET_AT).value


def _probe_ufunc() -> bool:
    """Two ufuncs have the numbers of inputs, outputs and loops that Python shows."""
    return all(UfuncObject.from_address(id(ufunc)).describes(ufunc) for ufunc in (np.exp, np.add))


LAYOUTS: Final[dict[str, Callable[[], bool]]] = {
    OBJECT: _probe_object,
    ARRAY: _probe_array,
    DESCR: _probe_descr,
    SLOT: _probe_slot,
    UFUNC: _probe_ufunc,
}
"""By name of a layout its probe, which tells whether live objects are laid out so."""
