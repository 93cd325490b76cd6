"""Loads the compiled library once per process and declares its functions for ctypes."""

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint64, c_void_p
from pathlib import Path

from summaries.kernel import loading
from summaries.kernel.build import PART
from summaries.kernel.loading import find


class Rows(ctypes.Structure):
    """`struct rows` of walk.c: buffers of rows, their numbers, and the position in the window."""

    _fields_ = [
        ("points", c_void_p),
        ("tag", c_void_p),
        ("places", c_void_p),
        ("place_tag", c_void_p),
        ("place_kind", c_void_p),
        ("points_room", c_size_t),
        ("places_room", c_size_t),
        ("points_count", c_size_t),
        ("places_count", c_size_t),
        ("records", c_size_t),
        ("position", c_size_t),
        ("tags", c_size_t),
        ("tags_room", c_size_t),
    ]


class Small(ctypes.Structure):
    """`struct small` of small.h: buffers for the content of small files, and the used sizes."""

    _fields_ = [
        ("files", c_void_p),
        ("series", c_void_p),
        ("points", c_void_p),
        ("names", c_void_p),
        ("series_room", c_size_t),
        ("points_room", c_size_t),
        ("names_room", c_size_t),
        ("series_count", c_size_t),
        ("points_count", c_size_t),
        ("names_size", c_size_t),
        ("longest", c_size_t),
        ("most", c_size_t),
    ]


def load(path: Path) -> ctypes.CDLL:
    """Return the library at `path` with its functions declared.

    Raises:
        UnusableError: it cannot be used.
    """
    library = loading.load(PART, path, "summaries.kernel")
    _declare(library)
    return library


def _declare(library: ctypes.CDLL) -> None:
    library.kernel_source.restype = c_char_p
    library.walker_new.argtypes = [c_char_p, c_char_p, c_uint8, c_size_t]
    library.walker_new.restype = c_void_p
    library.walker_free.argtypes = [c_void_p]
    library.walker_free.restype = None
    library.walker_count.argtypes = [c_void_p]
    library.walker_count.restype = c_size_t
    library.walker_name.argtypes = [c_void_p, c_size_t, POINTER(c_size_t)]
    library.walker_name.restype = c_void_p
    library.walker_learn.argtypes = [
        *(c_void_p, c_char_p, c_size_t, c_int32),
        *(c_char_p, c_size_t, c_uint8, c_uint8),
    ]
    library.walk.argtypes = [c_void_p, c_char_p, c_size_t, c_uint64, c_uint64, c_int, POINTER(Rows)]
    library.group.argtypes = [c_void_p, c_void_p, c_size_t, c_size_t, c_size_t, c_void_p, c_void_p]
    library.read_small_files.argtypes = [
        *(c_char_p, c_char_p, c_uint8, c_char_p, c_size_t),
        *(c_size_t, c_size_t, POINTER(Small)),
    ]
    library.read_small_files.restype = c_int64
    library.encode_scalars.argtypes = [c_char_p, c_size_t, c_char_p, c_void_p, c_char_p, c_void_p]
    library.encode_scalars.restype = c_size_t
    library.check.argtypes = [c_char_p, c_size_t, ctypes.c_uint32]
    library.use_tables.argtypes = [c_int]
    library.use_tables.restype = None


LIBRARY: ctypes.CDLL | None
"""The loaded library, or None if there is none."""

MISSING: str
"""Why there is no library; empty if there is one."""

LIBRARY, MISSING = find(lambda: load(PART.target))
