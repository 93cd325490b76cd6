"""Products of matrices by oneDNN, for Float32 on the CPU; transposes are read as they lie.

`dnnl_sgemm` multiplies two matrices, a primitive batches of them. A primitive is prepared once for each combination of
shapes, strides and number of threads.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from framework.common.device import Array
from framework.common.threads import threads_for, threads_for_product
from framework.kernels.onednn.execution import LOCK, Operand, Program
from framework.kernels.onednn.library import OneDNN, OneDNNError, UnusableError, onednn

__all__ = ["LEAST", "matmul", "program_of"]

# With fewer multiplications, numpy's call is faster.
LEAST: Final = 1_000_000
_BYTES: Final = 4
# Numbers of dnnl_types.h.
_SRC, _DST, _WEIGHTS = 1, 17, 33
_SRC_MD, _WEIGHTS_MD, _DST_MD = 129, 131, 133


def matmul(a: Array, b: Array, out: Array | None = None) -> Array:
    """The product of two matrices, or of each two in batches of the same shape, in `out` if there is one."""
    if a.ndim < 2 or a.size * b.shape[-1] < LEAST or a.dtype != np.float32 or b.dtype != np.float32:
        return NotImplemented
    if a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]:
        return NotImplemented
    shape = (*a.shape[:-1], b.shape[-1])
    if out is None:
        out = np.empty(shape, np.float32)
    elif out.dtype != np.float32 or out.shape != shape:
        return NotImplemented
    try:
        done = _matrices(onednn(), a, b, out) if a.ndim == 2 else _batches(a, b, out)
    except UnusableError:
        return NotImplemented
    return out if done else NotImplemented


def _matrices(library: OneDNN, a: Array, b: Array, out: Array) -> bool:
    """Writes a product of matrices, and says whether it could."""
    turned_a, turned_b, turned = _layout(a), _layout(b), _layout(out)
    if turned_a is None or turned_b is None or turned is None or turned[0] == b"T":
        return False
    (rows, inner), columns = a.shape, b.shape[1]
    library.set_threads(threads_for_product(rows, inner, columns))
    # fmt: off
    status = library.sgemm(
        turned_a[0], turned_b[0], rows, columns, inner,
        1.0, a.__array_interface__["data"][0], turned_a[1], b.__array_interface__["data"][0], turned_b[1],
        0.0, out.__array_interface__["data"][0], turned[1],
    )
    # fmt: on
    return not status


def _layout(array: Array) -> tuple[bytes, int] | None:
    """Whether a matrix lies by rows (N) or by columns (T), and their distance in elements; None where neither."""
    (rows, columns), (down, right) = array.shape, array.strides
    if right == _BYTES and down >= _BYTES * columns and down % _BYTES == 0:
        return b"N", down // _BYTES
    if down == _BYTES and right >= _BYTES * rows and right % _BYTES == 0:
        return b"T", right // _BYTES
    return None


def _batches(a: Array, b: Array, out: Array) -> bool:
    """Writes products of matrices, and says whether it could."""
    given = tuple((array.shape, array.strides) for array in (a, b, out))
    with LOCK:
        program = _program(given, threads_for(2.0 * a.size * b.shape[-1]))
        if program is not None:
            program(*(array.__array_interface__["data"][0] for array in (a, b, out)))
    return program is not None


def program_of(given: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...], threads: int) -> Program | None:
    """A program for batches of matrices, from their shapes and strides in bytes; None where oneDNN has none."""
    return _program.__wrapped__(given, threads)


@functools.lru_cache(maxsize=1024)
def _program(given: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...], threads: int) -> Program | None:
    if any(step <= 0 or step % _BYTES for _, strides in given for step in strides):
        return None
    library = onednn()
    try:
        library.set_threads(threads)
        a, b, out = (library.describe(shape, tuple(step // _BYTES for step in strides)) for shape, strides in given)
        description = library.make(
            "matmul_primitive_desc_create", library.engine, a, b, None, out, library.with_scratchpad
        )
        inputs = (Operand(_SRC, a, _SRC_MD), Operand(_WEIGHTS, b, _WEIGHTS_MD))
        return Program(library, description, inputs, Operand(_DST, out, _DST_MD), threads)
    except OneDNNError:
        return None
