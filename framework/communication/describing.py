"""Words for a collective: what a rank calls, where it stands in the user's program, and how two calls differ."""

from __future__ import annotations

import functools
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Final

import numpy as np

__all__ = ["CollectiveMismatchError", "at_line", "call_text", "differences", "place_of", "place_of_error"]

_OURS: Final = str(Path(__file__).resolve().parent.parent)
_LIBRARIES: Final = tuple(sorted({sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib")}))


class CollectiveMismatchError(RuntimeError):
    """Two ranks of a group called different collectives, or one collective with different tensors."""


@functools.lru_cache(maxsize=1024)
def call_text(operator: str, dtype: np.dtype[np.generic] | None, shape: tuple[int, ...], group: str) -> str:
    """A call in words: "AllReduce(sum) of float32[3, 4] in group 'world'".

    Args:
        operator: the operator with what must agree beside the tensor, such as the reduction.
        dtype: the element type; None for an operator without tensors.
        shape: the shape of the tensor.
        group: the name of the group.
    """
    of = f" of {dtype}{list(shape)}" if dtype is not None else ""
    return f"{operator}{of} in group {group!r}"


def differences(calls: Sequence[tuple[str, str]], ranks: Sequence[int]) -> str:
    """Say which two ranks called something different; empty if all called the same.

    Args:
        calls: what each rank called, and the line of the user's program.
        ranks: the ranks among all processes, in the same order.
    """
    for rank, call in zip(ranks, calls, strict=True):
        if call[0] != calls[0][0]:
            return (
                f"rank {ranks[0]} calls {at_line(*calls[0])}, and rank {rank} calls {at_line(*call)}: all ranks of a "
                "group must call the same collectives in the same order, with tensors of one shape and type"
            )
    return ""


def at_line(call: str, place: str) -> str:
    """What a rank calls, with its line if that is known."""
    return f"{call} at {place}" if place else call


def place_of(frame: FrameType | None) -> str:
    """The line of the user's program in which a thread is: "train.py:12"; empty if there is none."""
    while frame is not None:
        path = frame.f_code.co_filename
        if _is_users(path):
            return f"{_shown(path)}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def place_of_error(traceback: TracebackType | None) -> str:
    """The innermost line of the user's program in a traceback; empty if there is none."""
    place = ""
    while traceback is not None:
        path = traceback.tb_frame.f_code.co_filename
        if _is_users(path):
            place = f"{_shown(path)}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place


def _shown(path: str) -> str:
    """A path as short as it can be read from the current directory."""
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path


def _is_users(path: str) -> bool:
    return not path.startswith(("<", _OURS, *_LIBRARIES))
