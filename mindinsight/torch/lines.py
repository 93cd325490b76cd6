"""The user's lines: which source files are the user's, and the innermost line of theirs above a frame."""

from __future__ import annotations

import sysconfig
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

import torch

from debugging.steps.stepper import Line

__all__ = ["is_own", "line_of"]

_LIBRARIES: Final = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    | {str(Path(torch.__file__).parent)}
    | {str(Path(__file__).parents[2] / name) for name in ("mindinsight", "debugging", "summaries")}
)


@cache
def is_own(file: str) -> bool:
    """Whether a source file is the user's: neither PyTorch's, nor a library's, nor the dashboard's."""
    return not file.startswith(("<", *_LIBRARIES))


#: Whether code is the user's. Code that a program makes again and again is not kept for long.
_own: Final[dict[CodeType, bool]] = {}
_MOST_CODE: Final = 10_000
#: The lines that were met, by code and number.
_lines: Final[dict[tuple[CodeType, int], Line]] = {}


def line_of(frame: FrameType | None, end: str = "") -> Line | None:
    """The innermost line of the user's source.

    Args:
        frame: Where to begin.
        end: Name of a function; what has called it is not searched.
    """
    while frame is not None:
        code = frame.f_code
        if end and code.co_name == end:
            return None
        own = _own.get(code)
        if own is None:
            if len(_own) >= _MOST_CODE:
                _own.clear()
                _lines.clear()
            own = _own[code] = is_own(code.co_filename)
        if own:
            number = frame.f_lineno
            line = _lines.get((code, number))
            if line is None:
                line = _lines[code, number] = Line(code.co_filename, number, code.co_name)
            return line
        frame = frame.f_back
    return None
