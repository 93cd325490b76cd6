"""Lowering of matrix products and convolutions.

Small products call the BLAS function that numpy calls, or loops (`kernels/loops/products.h`) if that is not found.
Large products and convolutions call oneDNN.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any, Final

import numpy as np

from framework.common.threads import threads_for, threads_for_product
from framework.engine.native.addresses import address_of, loop_address
from framework.engine.native.layouts import Layout
from framework.engine.native.segments import Lowering, Segment
from framework.ir.abstract import known
from framework.ir.anf import CNode
from framework.kernels import accelerated
from framework.kernels.choices import Kernel
from framework.kernels.onednn.convolution import PROGRAMS
from framework.kernels.onednn.execution import Program
from framework.kernels.onednn.library import OneDNN, UnusableError, onednn
from framework.kernels.onednn.matrix_products import LEAST, program_of
from framework.kernels.openblas import sgemm_address
from framework.ops import operations as P  # noqa: N812

__all__ = ["LOWERINGS"]

_Convolution = P.Conv2D | P.Conv2DBackpropInput | P.Conv2DTranspose | P.Conv2DBackpropFilter
_FLOAT: Final = 4
"""The bytes of a Float32."""
_PACKED_COLUMNS: Final = 32
"""The number of columns of the second matrix that small products pack together."""


class _Gemm(ctypes.Structure):
    """`struct gemm` of loops/primitives.h."""

    _fields_ = (
        ("sgemm", ctypes.c_void_p),
        ("set_threads", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("turn_a", "turn_b", "rows", "columns", "inner")),
        *((name, ctypes.c_int64) for name in ("a_next", "b_next", "c_next", "threads")),
    )


class _Cblas(ctypes.Structure):
    """`struct cblas` of loops/primitives.h."""

    _fields_ = (
        ("sgemm", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("turn_a", "turn_b", "rows", "columns", "inner")),
        *((name, ctypes.c_int64) for name in ("a_next", "b_next", "c_next")),
    )


#: Constants of cblas.h.
_CBLAS: Final = {"N": 111, "T": 112}


def product(segment: Segment, node: CNode) -> None:
    """A product of two matrices, or of two batches of matrices with the same shape."""
    operator: P.MatMul | P.BatchMatMul = node.operator
    a, b = map(segment.layout, node.arguments)
    if {a.dtype, b.dtype} != {np.dtype(np.float32)} or len(a.shape) != len(b.shape) or a.shape[:-2] != b.shape[:-2]:
        raise segment.cannot_lower()
    if operator.transpose_a:
        a = _transposed(a)
    if operator.transpose_b:
        b = _transposed(b)
    work = 2.0 * a.size * b.shape[-1]
    made = segment.output(node)
    # As `kernels.onednn.matmul` decides.
    if a.size * b.shape[-1] < LEAST:
        _small_product(segment, a, b, made, work)
    elif len(a.shape) == 2:
        _by_onednn_gemm(segment, a, b, made, work)
    else:
        _batched_product(segment, a, b, made, work)


def _transposed(layout: Layout) -> Layout:
    turned = layout.view(lambda array: array.swapaxes(-1, -2))
    assert turned is not None  # noqa: S101
    return turned


def _small_product(segment: Segment, a: Layout, b: Layout, made: Layout, work: float) -> None:
    *batch, rows, inner = a.shape
    columns = b.shape[-1]
    if sgemm_address():
        _by_cblas(segment, a, b, made, work)
        return
    scratch = segment.scratch((inner, _PACKED_COLUMNS), np.float32)
    if batch:
        a, b = _with_one_batch_axis(segment, a, len(batch)), _with_one_batch_axis(segment, b, len(batch))
    steps = [step // _FLOAT for step in (*a.strides[-2:], *b.strides[-2:], made.strides[-2])]
    sizes = [rows, inner, columns, *steps]
    if not batch:
        segment.call("small_product", loop_address("small_product"), a, b, made, scratch, *sizes, work=work)
        return
    apart = [step // _FLOAT for step in (a.strides[0], b.strides[0], rows * columns * _FLOAT)]
    segment.call("small_products", loop_address("small_products"), a, b, made, scratch, segment.int64_array(sizes),
                 prod(batch), *apart, work=work)  # fmt: skip


def _by_cblas(segment: Segment, a: Layout, b: Layout, made: Layout, work: float) -> None:
    """Call the BLAS function that numpy calls, so that programs compute the same bits with segments and without."""
    *batch, rows, inner = a.shape
    columns = b.shape[-1]
    is_square_of_one = a.base == b.base and a.offset == b.offset
    if 1 in (rows, inner, columns) or is_square_of_one:
        # Numpy calls another function of BLAS for these.
        raise segment.cannot_lower()
    if batch:
        a, b = _with_one_batch_axis(segment, a, len(batch)), _with_one_batch_axis(segment, b, len(batch))
    turns = [_blas_order(segment, item) for item in (a, b)]
    cblas = _Cblas(
        sgemm_address(), *(_CBLAS[letter] for letter, _ in turns), rows, columns, inner,
        *(after for _, after in turns), columns,
    )  # fmt: skip
    segment.constants.append(cblas)
    apart = [a.strides[0] // _FLOAT, b.strides[0] // _FLOAT, rows * columns] if batch else [0, 0, 0]
    segment.call(
        "product", loop_address("run_cblas"), ctypes.addressof(cblas), a, b, made, prod(batch), *apart, work=work
    )


def _blas_order(segment: Segment, item: Layout) -> tuple[str, int]:
    """Whether matrices are stored by rows (N) or by columns (T), and their leading dimension."""
    (height, width), (down, right) = item.shape[-2:], item.strides[-2:]
    if right == _FLOAT and down >= _FLOAT * width and down % _FLOAT == 0:
        return "N", down // _FLOAT
    if down == _FLOAT and right >= _FLOAT * height and right % _FLOAT == 0:
        return "T", right // _FLOAT
    raise segment.cannot_lower()


def _with_one_batch_axis(segment: Segment, layout: Layout, count: int) -> Layout:
    """A layout with the batch as one dimension; a copy if strides do not allow a view."""

    def merge(array: Any) -> Any:
        return array.reshape(-1, *array.shape[count:])

    seen = layout.view(merge) or segment.as_contiguous(layout).view(merge)
    if seen is None:
        raise segment.cannot_lower()
    return seen


def _library(segment: Segment) -> OneDNN:
    if not accelerated.matmul.is_fast:
        raise segment.cannot_lower()
    try:
        return onednn()
    except UnusableError:
        raise segment.cannot_lower() from None


def _by_onednn_gemm(segment: Segment, a: Layout, b: Layout, made: Layout, work: float) -> None:
    library = _library(segment)
    (turn_a, a_next), (turn_b, b_next) = (_blas_order(segment, item) for item in (a, b))
    (rows, inner), columns = a.shape, b.shape[1]
    gemm = _Gemm(
        address_of(library.sgemm), address_of(library.set_threads), ord(turn_a), ord(turn_b), rows, columns, inner,
        a_next, b_next, columns, threads_for_product(rows, inner, columns),
    )  # fmt: skip
    segment.constants.append(gemm)
    segment.call(
        "run_gemm", loop_address("run_gemm"), ctypes.addressof(gemm), a, b, made, returns_status=True, work=work
    )


def _batched_product(segment: Segment, a: Layout, b: Layout, made: Layout, work: float) -> None:
    _library(segment)
    program = program_of(tuple((item.shape, item.strides) for item in (a, b, made)), threads_for(work))
    _run_onednn(segment, "product", program, (a, b, made), work)


def _run_onednn(segment: Segment, name: str, program: Program | None, arrays: tuple[Layout, ...], work: float) -> None:
    if program is None:
        raise segment.cannot_lower()
    machine, kept = program.for_machine_code()
    segment.constants.append((machine, kept))
    scratch = segment.scratch((max(program.nbytes, 1),), np.uint8)
    segment.call(
        name, loop_address("run_program"), ctypes.addressof(machine), *arrays, scratch, returns_status=True, work=work
    )


def _convolution(kernel: Kernel, name: str) -> Lowering:
    """The lowering of a convolution or one of its gradients."""

    def lowering(segment: Segment, node: CNode) -> None:
        operator: _Convolution = node.operator
        one, other = segment.contiguous(node.arguments[0]), segment.contiguous(node.arguments[1])
        is_known = all(item.abstract is not None and known(item.abstract) for item in node.arguments[2:])
        if not kernel.is_fast or {one.dtype, other.dtype} != {np.dtype(np.float32)} or not is_known:
            raise segment.cannot_lower()
        made = segment.output(node)
        shapes = {
            "convolve": (one.shape, other.shape, made.shape),
            "convolve_input_grad": (made.shape, other.shape, one.shape),
            "convolve_filter_grad": (other.shape, made.shape, one.shape),
        }[name]
        work = 2.0 * prod(shapes[2]) * prod(shapes[1][1:])
        program = PROGRAMS[name](shapes, operator.window, operator.group, threads_for(work))
        _run_onednn(segment, name, program, (one, other, made), work)

    return lowering


LOWERINGS: Final[dict[Any, Lowering]] = {
    P.MatMul: product,
    P.BatchMatMul: product,
    P.Conv2D: _convolution(accelerated.convolve, "convolve"),
    P.Conv2DBackpropInput: _convolution(accelerated.convolve_input_grad, "convolve_input_grad"),
    P.Conv2DTranspose: _convolution(accelerated.convolve_input_grad, "convolve_input_grad"),
    P.Conv2DBackpropFilter: _convolution(accelerated.convolve_filter_grad, "convolve_filter_grad"),
}
