"""Finds and loads the compiled loops once per process, and declares their functions."""

from __future__ import annotations

import ctypes
from ctypes import c_int64, c_void_p
from pathlib import Path
from typing import Final

from framework.dataset.vision.kernel.compiled import PART
from summaries.kernel.loading import find, load

__all__ = ["LIBRARY", "Library", "Pixels"]


class Pixels(ctypes.Structure):
    """`struct pixels` of pixels.c."""

    _fields_ = [
        (name, c_int64)
        for name in ("rows", "columns", "channels", "row", "column", "to_row", "to_column", "to_channel")
    ]


class Library:
    """The functions of pixels.c. A call lets other threads run.

    Args:
        path: the library.

    Raises:
        UnusableError: it cannot be used.
    """

    def __init__(self, path: Path = PART.target) -> None:
        loaded = load(PART, path, "framework.dataset.vision.kernel", "compiled")
        self.look_up = {size: loaded[f"look_up_{size}"] for size in (1, 2, 4, 8)}
        for function in self.look_up.values():
            function.argtypes, function.restype = (c_void_p, c_void_p, c_void_p, ctypes.POINTER(Pixels)), None
        self.scale_planes = loaded.scale_planes
        self.scale_planes.argtypes = (c_void_p, c_void_p, ctypes.POINTER(Pixels), c_void_p)
        self.scale_planes.restype = None
        self.hue_to_rgb = loaded.hue_to_rgb
        self.hue_to_rgb.argtypes, self.hue_to_rgb.restype = (c_void_p, c_void_p, c_int64, c_int64, c_int64), None


#: The library, or None and the reason.
LIBRARY: Final[tuple[Library | None, str]] = find(Library)
