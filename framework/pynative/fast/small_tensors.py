"""Python's operators on small tensors as one call of machine code (`kernels/loops/tensors.h`).

What the machine code does not cover goes to generated functions (`framework.pynative.fast.generated_calls`). Called by
`framework.pynative.fast.operators`.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable
from ctypes import POINTER, Structure, addressof, byref, c_char_p, c_int64, c_void_p, py_object
from typing import Any, Final

import numpy as np

from framework.common import abi
from framework.common.tensor import Tensor
from framework.kernels.loops.library import LOOPS
from framework.pynative.tape import tape

__all__ = ["methods"]

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
        method = abi.MethodDef(name.encode(), _address(LOOPS.functions[f"small_{short}"]), abi.FASTCALL, text)
        describe = ctypes.pythonapi.PyDescr_NewMethod
        describe.restype, describe.argtypes = py_object, [py_object, POINTER(abi.MethodDef)]
        made[name] = describe(Tensor, byref(method))
        _kept.append((method, primitives[name], function))
    return made


def _python() -> _Python:
    """What machine code calls of CPython and numpy."""
    abi.require(abi.OBJECT, abi.ARRAY)
    api = ctypes.pythonapi
    pointer = api.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [py_object, c_char_p]
    table = pointer(importlib.import_module("numpy._core._multiarray_umath")._ARRAY_API, None)
    element = np.dtype(np.float32)
    zero = 0
    _kept.extend((element, zero))
    return _Python(
        (c_void_p * (_NEW_FROM_DESCR + 1)).from_address(table)[_NEW_FROM_DESCR],
        *map(_address, (api.PyType_GenericAlloc, api.PyTuple_Pack, api.PyLong_FromLongLong, api.PyLong_AsLongLong)),
        *map(_address, (api.PyList_Append, api.PyList_Size, api.PyObject_Vectorcall, api.PyType_IsSubtype)),
        *map(_address, (api.Py_IncRef, api.Py_DecRef)),
        *map(id, (np.ndarray, Tensor, element, tape.entries, zero)),
        abi.slot_offset(Tensor, "_data"),
        abi.slot_offset(Tensor, "_node"),
        addressof(tape.active_from),
    )


def _address(function: Any) -> int:
    return int(ctypes.cast(function, c_void_p).value or 0)
