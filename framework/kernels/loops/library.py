"""Finds and loads the compiled loops once per process, and declares their functions."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_double, c_float, c_int, c_int64, c_void_p
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.common import threads as _threads  # noqa: F401, sets how OpenMP waits before it is loaded
from framework.common.device import Array
from framework.kernels.loops.build import PART
from summaries.kernel.loading import find, load

__all__ = ["LOOPS", "Loops", "Pool", "PythonCalls", "Sequence", "address", "are_floats", "ready", "version"]


class Pool(ctypes.Structure):
    """`struct pool` of pooling.h."""

    _fields_ = [
        (name, c_int64)
        for name in (
            *("height", "width", "rows", "columns", "window_rows", "window_columns"),
            *("step_down", "step_right", "top", "left"),
        )
    ]


class Sequence(ctypes.Structure):
    """`struct sequence` of recurrent.h."""

    _fields_ = [
        *((name, c_int64) for name in ("steps", "batch", "units", "backwards")),
        *((name, c_void_p) for name in ("lengths", "product", "packed")),
    ]


class PythonCalls(ctypes.Structure):
    """`struct calls` of calls.h."""

    _fields_ = [
        (name, c_void_p) for name in ("send", "call", "item", "no_memory", "take", "drop", "generator_kind", "none")
    ]


_P, _N, _T = c_void_p, c_int64, c_int
_FUNCTIONS: Final[dict[str, tuple[Any, ...]]] = {
    "max_pool": (_P, _P, _P, _N, _T),
    "sum_pool": (_P, _P, _P, _N, _T),
    "max_pool_grad": (_P, _P, _P, _P, _P, _N, _T),
    "sum_pool_grad": (_P, _P, _P, _N, _T),
    "softmax": (_P, _P, _N, _N, _T),
    "log_softmax": (_P, _P, _N, _N, _T),
    "cross_entropy": (_P, _P, _N, _N),
    "cross_entropy_grad": (_P, _P, c_float, _P, _N, _N, _T),
    "layer_norm": (_P, _P, _P, c_float, _P, _P, _P, _N, _N, _T),
    "layer_norm_grad": (_P, _P, _P, _P, _P, c_float, _P, _P, _P, _N, _N, _N, _T),
    "batch_norm": (_P, _P, _P, c_float, _P, _P, _P, _N, _N, _N, _T),
    "batch_norm_grad": (_P, _P, _P, _P, _P, c_float, _P, _P, _P, _N, _N, _N, _T),
    "small_product": (_P, _P, _P, _P, *(_N,) * 8),
    "small_products": (_P, _P, _P, _P, _P, *(_N,) * 4),
    "lstm": (_P, _P, _P, _P, _P, _P, _P, _P, _P, _T),
    "lstm_grad": (_P, _P, _P, _P, _P, _P, _P, _P, _P, _T),
    "gru": (_P, _P, _P, _P, _P, _P, _P, _P, _T),
    "gru_grad": (_P, _P, _P, _P, _P, _P, _P, _P, _T),
    "gelu": (_P, _P, _N, _T),
    "gelu_grad": (_P, _P, _P, _N, _T),
    "copy_elements": (_P, _P, _P, _N, _N),
    "run_ufunc": (_P, _P, _P, _P, _N, _N),
    "clear_bytes": (_P, _N),
    "sum_axis": (_P, _P, _N, _N, _N, c_float),
    "numbers_fit": (_P, _N, _N, _N, _N),
    "take_rows": (_P, _P, _P, *(_N,) * 5),
    "add_rows": (_P, _P, _P, *(_N,) * 5),
    "widen": (_P, _P, _N),
    **{f"{way}_{kind}": (_P, _P, _N) for way in ("widen", "narrow") for kind in ("halves", "brains")},
    "has_half_loops": (),
    "half_loop": (c_char_p, _P, _P, _P),
    "cross_entropy_mean": (_P, _P, _P, _N, _N),
    "cross_entropy_mean_grad": (_P, _P, _P, _P, _N, _N, _N),
    "run_program": (_P, _P, _P, _P, _P),
    "run_gemm": (_P, _P, _P, _P),
    "run_cblas": (_P, _P, _P, _P, *(_N,) * 4),
    "use_calls": (_P,),
    "run_calls": (_P, _P, _N),
}
_WITH_STATUS: Final = (
    "max_pool",
    "sum_pool",
    "max_pool_grad",
    "numbers_fit",
    "run_program",
    "run_gemm",
    "has_half_loops",
)
_RETURNS: Final[dict[str, Any]] = {
    "entropy": c_double,
    "loop": c_void_p,
}


class Loops:
    """The functions of loops.c, by their names there.

    Args:
        path: the library.

    Raises:
        UnusableError: it cannot be used.

    """

    def __init__(self, path: Path = PART.target) -> None:
        library = load(PART, path, "framework.kernels.loops")
        library.loops_source.restype = c_char_p
        self.functions: dict[str, Any] = {}
        for name, types in _FUNCTIONS.items():
            function = getattr(library, name)
            function.argtypes = types
            function.restype = _RETURNS.get(name.rpartition("_")[2], c_int if name in _WITH_STATUS else None)
            self.functions[name] = function

    def __getattr__(self, name: str) -> Any:
        """A function."""
        try:
            return self.functions[name]
        except KeyError:
            raise AttributeError(name) from None


LOOPS: Loops | None
"""The loaded library, or None where numpy does everything."""

LOOPS, _MISSING = find(Loops)


def version() -> str:
    """What computes.

    Raises:
        ImportError: there are no compiled loops here; the text says why.

    """
    if LOOPS is None:
        raise ImportError(f"the compiled loops cannot be used: {_MISSING}")
    return "compiled loops"


def address(array: Array) -> int:
    """The address of an array's first element."""
    return int(array.__array_interface__["data"][0])


def are_floats(*arrays: Array) -> bool:
    """Whether all arrays have elements, and these are Float32."""
    return all(array.dtype == np.float32 and array.size for array in arrays)


def ready(out: Array | None, shape: tuple[int, ...]) -> Array:
    """`out` if it is a contiguous Float32 array of this shape, else a new array."""
    if out is not None and out.dtype == np.float32 and out.shape == shape and out.flags.c_contiguous:
        return out
    return np.empty(shape, np.float32)


def delivered(made: Array, out: Array | None) -> Array:
    """Return the result, copied into `out` if there is one."""
    if out is None or made is out:
        return made
    out[...] = made
    return out
