"""The place in the user's program that called, for error messages."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["caller"]

_HOME = str(Path(__file__).resolve().parents[1])


def caller() -> str:
    """The file and line of the innermost call from outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HOME):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
