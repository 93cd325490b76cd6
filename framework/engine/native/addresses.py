"""Addresses of the functions that segments call: those of the compiled loops and of oneDNN."""

from __future__ import annotations

import ctypes
from typing import Any

from framework.kernels.loops.library import LOOPS, version

__all__ = ["address_of", "loop_address", "loops_version"]

loops_version = version


def loop_address(name: str) -> int:
    """The address of a function of loops.c.

    Args:
        name: as it is called there.
    """
    assert LOOPS is not None  # noqa: S101, the driver is off without it
    return address_of(LOOPS.functions[name])


def address_of(found: Any) -> int:
    """The address of a function that ctypes has loaded."""
    return int(ctypes.cast(found, ctypes.c_void_p).value or 0)
