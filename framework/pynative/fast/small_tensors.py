"""Python's operators on small tensors as one call of machine code (`kernels/loops/tensors.h`).

What the machine code does not cover goes to the functions that `framework.pynative.dispatch` has generated. Called by
`framework.pynative.fast.operators`.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Callable
from ctypes import POINTER, Structure, addressof, byref, c_char_p, c_int, c_int64, c_void_p, py_object
from typing import Any, Final

import numpy as np

from framework.common.slots import slot_offset
from framework.common.tensor import Tensor
from framework.kernels.loops.library import LOOPS
from framework.pynative.tape import tape

__all__ = ["methods"]

_FASTCALL: Final = 0x80
#: Of numpy's C interface, whose numbers never change.
_NEW_FROM_DESCR: Final = 94
_NAMES: Final = {"__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div"}
_kept: Final[list[Any]] = []


class _Python(Structure):
    """`struct python`."""

    _fields_ = tuple(
        (name, c_int64 if name.endswith("_at") else c_void_p)
        for name in (
            *("new_array", "new_object", "new_tuple", "new_int", "read_int", "append", "length", "call"),
            *("is_subtype", "take", "drop", "array_kind", "tensor_kind", "element", "entries", "zero"),
            *("data_at", "node_at", "base"),
        )
    )


class _Method(Structure):
    """CPython's `PyMethodDef`."""

    _fields_ = (("name", c_char_p), ("function", c_void_p), ("flags", c_int), ("doc", c_char_p))


def methods(primitives: dict[str, Any], functions: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """By the name of the method what is to stand in `Tensor`: machine code where there is some, else the function.

    Args:
        primitives: what each method computes.
        functions: in Python, which do all that the machine code does not.
    """
    try:
        python = _python()
    except (AttributeError, ImportError, OSError, ValueError):
        python = None
    if python is None or LOOPS is None:
        return functions
    LOOPS.use_python(byref(python))
    made: dict[str, Any] = {}
    for name, function in functions.items():
        short = _NAMES[name]
        LOOPS.functions[f"use_{short}"](id(primitives[name]), id(function))
        text = f"{name}($self, other, /)\n--\n\n{function.__doc__}".encode()
        method = _Method(name.encode(), _address(LOOPS.functions[f"small_{short}"]), _FASTCALL, text)
        describe = ctypes.pythonapi.PyDescr_NewMethod
        describe.restype, describe.argtypes = py_object, [py_object, POINTER(_Method)]
        made[name] = describe(Tensor, byref(method))
        _kept.append((method, primitives[name], function))
    return made


def _python() -> _Python | None:
    """What machine code calls of CPython and numpy; None for another Python than it knows."""
    if sys.implementation.name != "cpython" or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None
    api = ctypes.pythonapi
    pointer = api.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [py_object, c_char_p]
    table = pointer(importlib.import_module("numpy._core._multiarray_umath")._ARRAY_API, None)
    element = np.dtype(np.float32)
    zero = 0
    _kept.extend((element, zero))
    if not _arrays_are_as_expected():
        return None
    return _Python(
        (c_void_p * (_NEW_FROM_DESCR + 1)).from_address(table)[_NEW_FROM_DESCR],
        *map(_address, (api.PyType_GenericAlloc, api.PyTuple_Pack, api.PyLong_FromLongLong, api.PyLong_AsLongLong)),
        *map(_address, (api.PyList_Append, api.PyList_Size, api.PyObject_Vectorcall, api.PyType_IsSubtype)),
        *map(_address, (api.Py_IncRef, api.Py_DecRef)),
        *map(id, (np.ndarray, Tensor, element, tape.entries, zero)),
        slot_offset("_data"),
        slot_offset("_node"),
        addressof(tape.active_from),
    )


def _arrays_are_as_expected() -> bool:
    """Whether the fields of an array are where `struct array` has them."""
    array = np.zeros((2, 3), np.float32)
    at = id(array)
    places = c_void_p.from_address(at + 16).value, c_int.from_address(at + 24).value
    element = c_void_p.from_address(at + 56).value
    return (
        places == (array.ctypes.data, 2) and element == id(array.dtype) and c_int.from_address(at + 64).value & 1 == 1
    )


def _address(function: Any) -> int:
    return int(ctypes.cast(function, c_void_p).value or 0)
