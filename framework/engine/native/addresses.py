"""Addresses of the functions that segments call, from the compiled loops and from oneDNN."""

from __future__ import annotations

import ctypes
from typing import Any

from framework.kernels.loops.library import LOOPS, version

__all__ = ["address_of", "loop_address", "loops_version"]

loops_version = version


def loop_address(name: str) -> int:
    """The address of a function of loops.c.

    Args:
        name: the name of the function.
    """
    assert LOOPS is not None  # noqa: S101, the driver is off without it
    return address_of(LOOPS.functions[name])


def address_of(function: Any) -> int:
    """The address of a function that ctypes has loaded."""
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)
