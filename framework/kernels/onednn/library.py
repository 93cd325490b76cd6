"""Finds oneDNN, and declares the functions of its C interface that are used; called by the other modules here.

Names, numbers and signatures: `dnnl.h` and `dnnl_types.h` of oneDNN 3, https://oneapi-src.github.io/oneDNN/v3.2/.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from ctypes import POINTER, byref, c_char, c_char_p, c_float, c_int, c_int64, c_size_t, c_void_p
from ctypes import Array as CArray
from pathlib import Path
from typing import Any, Final

from framework.common import threads as _threads  # noqa: F401, sets how OpenMP waits before it is loaded

__all__ = ["ANY", "F32", "Argument", "OneDNN", "OneDNNError", "UnusableError", "dims", "onednn"]

_NAME: Final = "libdnnl.so.3"
_CPU: Final = 1
_IN_ORDER: Final = 1
_MAX_DIMS: Final = 12

#: `dnnl_f32`, an element type.
F32: Final = 3
#: `dnnl_format_tag_any`: the layout that suits the primitive.
ANY: Final = 1


class UnusableError(Exception):
    """OneDNN cannot be used; the text says why."""


class OneDNNError(Exception):
    """A function of oneDNN failed: most often, it does not support the request."""


class Argument(ctypes.Structure):
    """`dnnl_exec_arg_t`: which argument of a primitive, and its memory."""

    _fields_ = [("argument", c_int), ("memory", c_void_p)]


class _Version(ctypes.Structure):
    """`dnnl_version_t`, the beginning."""

    _fields_ = [("major", c_int), ("minor", c_int), ("patch", c_int), ("hash", c_char_p)]


_DIMS = POINTER(c_int64)
_CONVOLUTION = (c_int, c_void_p, c_void_p, c_void_p, c_void_p, _DIMS, _DIMS, _DIMS, _DIMS)
_HANDLE = POINTER(c_void_p)

# By name the types of the arguments; all return a status, which is 0 where all went well.
_FUNCTIONS: Final[dict[str, tuple[Any, ...]]] = {
    "engine_create": (_HANDLE, c_int, c_size_t),
    "stream_create": (_HANDLE, c_void_p, c_int),
    "memory_desc_create_with_tag": (_HANDLE, c_int, _DIMS, c_int, c_int),
    "memory_desc_create_with_strides": (_HANDLE, c_int, _DIMS, c_int, _DIMS),
    "memory_desc_destroy": (c_void_p,),
    "memory_create": (_HANDLE, c_void_p, c_void_p, c_void_p),
    "memory_set_data_handle": (c_void_p, c_void_p),
    "primitive_attr_create": (_HANDLE,),
    "primitive_attr_set_scratchpad_mode": (c_void_p, c_int),
    "convolution_forward_primitive_desc_create": (_HANDLE, c_void_p, c_int, *_CONVOLUTION, c_void_p),
    "convolution_backward_data_primitive_desc_create": (
        *(_HANDLE, c_void_p, c_int, c_void_p, c_void_p, c_void_p),
        *(_DIMS, _DIMS, _DIMS, _DIMS, c_void_p, c_void_p),
    ),
    "convolution_backward_weights_primitive_desc_create": (_HANDLE, c_void_p, *_CONVOLUTION, c_void_p, c_void_p),
    "matmul_primitive_desc_create": (_HANDLE, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p),
    "reorder_primitive_desc_create": (_HANDLE, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p),
    "primitive_create": (_HANDLE, c_void_p),
    "primitive_desc_destroy": (c_void_p,),
    "sgemm": (
        *(c_char, c_char, c_int64, c_int64, c_int64),
        *(c_float, c_void_p, c_int64, c_void_p, c_int64, c_float, c_void_p, c_int64),
    ),
    "primitive_execute": (c_void_p, c_void_p, c_int, POINTER(Argument)),
}


class OneDNN:
    """The library, with one engine and one stream, which runs each call at once.

    Attributes:
        version: such as "3.2.0".
        path: where it was found.
        engine: the CPU.
        stream: what primitives are executed in.
        with_scratchpad: the attributes of a primitive whose scratchpad the caller brings.
        execute: `dnnl_primitive_execute`, which returns a status.
        sgemm: `dnnl_sgemm`, a product of matrices that lie by rows.
        point: `dnnl_memory_set_data_handle`, which gives a memory an address; returns a status.
        set_threads: sets the number of threads for what this thread runs next.

    """

    def __init__(self) -> None:
        self._library, self.path = _loaded()
        found = self._library.dnnl_version
        found.restype = POINTER(_Version)
        version = found().contents
        self.version = f"{version.major}.{version.minor}.{version.patch}"
        if version.major != 3:
            raise UnusableError(f"{self.path} is oneDNN {self.version}, not 3")
        for name, types in _FUNCTIONS.items():
            function = getattr(self._library, f"dnnl_{name}")
            function.argtypes, function.restype = types, c_int
        self._library.dnnl_primitive_desc_query_md.argtypes = (c_void_p, c_int, c_int)
        self._library.dnnl_primitive_desc_query_md.restype = c_void_p
        self._library.dnnl_memory_desc_equal.argtypes = (c_void_p, c_void_p)
        self._library.dnnl_memory_desc_get_size.argtypes = (c_void_p,)
        self._library.dnnl_memory_desc_get_size.restype = c_size_t
        self.engine = self.make("engine_create", _CPU, 0)
        self.stream = self.make("stream_create", self.engine, _IN_ORDER)
        self.with_scratchpad = self.make("primitive_attr_create")
        self.call("primitive_attr_set_scratchpad_mode", self.with_scratchpad, 1)
        self.execute = self._library.dnnl_primitive_execute
        self.sgemm = self._library.dnnl_sgemm
        self.point = self._library.dnnl_memory_set_data_handle
        self.set_threads = ctypes.CDLL("libgomp.so.1").omp_set_num_threads

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function.

        Raises:
            OneDNNError: it returned a status other than success.

        """
        status = getattr(self._library, f"dnnl_{name}")(*arguments)
        if status:
            raise OneDNNError(f"dnnl_{name} returned {status}")

    def make(self, name: str, *arguments: Any) -> c_void_p:
        """Calls a function that makes something.

        Raises:
            OneDNNError: it could not.

        """
        made = c_void_p()
        self.call(name, byref(made), *arguments)
        return made

    def describe(self, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> c_void_p:
        """The description of Float32 elements, row by row or with strides, in elements; see `any_layout`."""
        if strides is None:
            strides, after = (), 1
            for size in reversed(shape):
                strides, after = (after, *strides), after * size
        return self.make("memory_desc_create_with_strides", len(shape), dims(shape), F32, dims(strides))

    def any_layout(self, shape: tuple[int, ...]) -> c_void_p:
        """The description of Float32 elements in whatever layout suits a primitive."""
        return self.make("memory_desc_create_with_tag", len(shape), dims(shape), F32, ANY)

    def query(self, primitive_description: c_void_p, what: int) -> c_void_p:
        """The description of one of a primitive's memories; it is valid as long as the queried object."""
        return c_void_p(self._library.dnnl_primitive_desc_query_md(primitive_description, what, 0))

    def are_equal(self, one: c_void_p, other: c_void_p) -> bool:
        """Whether two memories are laid out alike."""
        return bool(self._library.dnnl_memory_desc_equal(one, other))

    def nbytes(self, description: c_void_p) -> int:
        """The size of a memory."""
        return int(self._library.dnnl_memory_desc_get_size(description))


def dims(sizes: tuple[int, ...]) -> CArray[c_int64]:
    """Sizes as oneDNN takes them."""
    return (c_int64 * _MAX_DIMS)(*sizes)


def _loaded() -> tuple[ctypes.CDLL, str]:
    """The library: beside this Python, where its package puts it, or where the system looks."""
    if sys.platform != "linux":
        raise UnusableError("its package onednn-cpu-gomp is for Linux")
    beside = Path(sys.prefix, "lib", _NAME)
    for place in (str(beside), _NAME) if beside.is_file() else (_NAME,):
        try:
            return ctypes.CDLL(place), place
        except OSError:
            continue
    raise UnusableError(f"{_NAME} was not found (pip install onednn-cpu-gomp)")


@functools.cache
def onednn() -> OneDNN:
    """The library, loaded at the first call.

    Raises:
        UnusableError: there is none; raised at every call.

    """
    try:
        return OneDNN()
    except (OSError, AttributeError, OneDNNError) as error:
        raise UnusableError(str(error)) from error
