"""Convolution and its two derivatives by oneDNN, for Float32 on the CPU; as in `framework.kernels.convolution`.

Each function returns NotImplemented for what oneDNN cannot compute; numpy computes it then. A program is prepared once
for each combination of shapes, window and number of threads, and kept.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from ctypes import c_void_p
from typing import Final

import numpy as np

from framework.common.device import Array
from framework.common.threads import threads_for
from framework.kernels.onednn.execution import LOCK, Operand, Program
from framework.kernels.onednn.library import OneDNN, OneDNNError, UnusableError, dims, onednn
from framework.kernels.windows import Window

__all__ = ["PROGRAMS", "convolve", "convolve_filter_grad", "convolve_input_grad"]

Shape = tuple[int, ...]
Parts = tuple[c_void_p, tuple[Operand, Operand], Operand]
"""The description of a primitive, its inputs and its output."""

# Numbers of dnnl_types.h.
_FORWARD, _DIRECT = 64, 1
_SRC, _DST, _WEIGHTS, _DIFF_SRC, _DIFF_DST, _DIFF_WEIGHTS = 1, 17, 33, 129, 145, 161
_SRC_MD, _DIFF_SRC_MD, _WEIGHTS_MD, _DIFF_WEIGHTS_MD, _DST_MD, _DIFF_DST_MD = 129, 130, 131, 132, 133, 134
_KEPT: Final = 1024
# Fewer channels than these fill no block of the layout that oneDNN chooses for the output. With channels last, a
# convolution of LeNet takes 0.7 of the time, and the gradient of its weights half.
_FEW_IN: Final = 8
_FEW_OUT: Final = 16


def convolve(x: Array, weight: Array, window: Window, group: int = 1, out: Array | None = None) -> Array:
    """The convolution: [N, O] and the number of windows along each dimension, in `out` if there is one."""
    shape = (x.shape[0], weight.shape[0], *window.out_sizes(*x.shape[2:]))
    return _run(_forward, x, weight, (x.shape, weight.shape, shape), shape, window, group, out)


def convolve_input_grad(
    dout: Array, weight: Array, shape: Shape, window: Window, group: int = 1, out: Array | None = None
) -> Array:
    """The gradient with respect to images of a shape."""
    return _run(_input_grad, dout, weight, (shape, weight.shape, dout.shape), shape, window, group, out)


def convolve_filter_grad(
    dout: Array, x: Array, shape: Shape, window: Window, group: int = 1, out: Array | None = None
) -> Array:
    """The gradient with respect to weights of a shape."""
    return _run(_filter_grad, dout, x, (x.shape, shape, dout.shape), shape, window, group, out)


def _run(
    make: Callable[..., Program | None], one: Array, other: Array, shapes: tuple[Shape, Shape, Shape],
    made: Shape, window: Window, group: int, out: Array | None,
) -> Array:  # fmt: skip
    if one.dtype != np.float32 or other.dtype != np.float32 or not (one.size and other.size):
        return NotImplemented
    if out is not None and out.dtype == np.float32 and out.flags.c_contiguous:
        result = out
    else:
        result = np.empty(made, np.float32)
    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    # Multiplications and additions; `shapes` are those of images, weights and output.
    work = 2.0 * math.prod(shapes[2]) * math.prod(shapes[1][1:])
    with LOCK:
        program = make(shapes, window, group, threads_for(work))
        if program is None:
            return NotImplemented
        program(one.ctypes.data, other.ctypes.data, result.ctypes.data)
    if out is not None and result is not out:
        out[...] = result
        return out
    return result


def _prepared(describe: Callable[[OneDNN, _Shapes], Parts]) -> functools._lru_cache_wrapper[Program | None]:
    """A function that makes a program once for its arguments; it returns None for what oneDNN cannot compute."""

    @functools.lru_cache(maxsize=_KEPT)
    def prepare(shapes: tuple[Shape, Shape, Shape], window: Window, group: int, threads: int) -> Program | None:
        try:
            library = onednn()
            library.set_threads(threads)
            description, inputs, output = describe(library, _Shapes(library, shapes, window, group))
            return Program(library, description, inputs, output, threads)
        except (OneDNNError, UnusableError):
            return None

    return prepare


class _Shapes:
    """The descriptions of a convolution's three arrays, and its window as oneDNN takes it."""

    def __init__(self, library: OneDNN, shapes: tuple[Shape, Shape, Shape], window: Window, group: int) -> None:
        images, weights, output = shapes
        if group > 1:
            weights = (group, weights[0] // group, *weights[1:])
        pads = window.pads_for(*images[2:])
        self.images, self.weights, self.output = map(library.describe, (images, weights, output))
        any_ = tuple(map(library.any_layout, (images, weights, output)))
        self.images_any, self.weights_any, self.output_any = any_
        if images[1] < _FEW_IN and output[1] <= _FEW_OUT:
            self.output_any = library.describe(output, _channels_last(output))
        self.window = (
            dims(window.stride),
            dims(tuple(distance - 1 for distance in window.dilation)),
            dims(pads[::2]),
            dims(pads[1::2]),
        )
        self.forward: c_void_p = library.make(
            "convolution_forward_primitive_desc_create",
            *(library.engine, _FORWARD, _DIRECT, self.images_any, self.weights_any, None, self.output_any),
            *(*self.window, library.with_scratchpad),
        )


def _channels_last(shape: Shape) -> Shape:
    """The strides of images whose channels are their last dimension."""
    _, channels, *sizes = shape
    strides = [channels]
    for size in reversed(sizes[1:]):
        strides.insert(0, strides[0] * size)
    return strides[0] * sizes[0], 1, *strides


@_prepared
def _forward(library: OneDNN, arrays: _Shapes) -> Parts:
    inputs = (Operand(_SRC, arrays.images, _SRC_MD), Operand(_WEIGHTS, arrays.weights, _WEIGHTS_MD))
    return arrays.forward, inputs, Operand(_DST, arrays.output, _DST_MD)


@_prepared
def _input_grad(library: OneDNN, arrays: _Shapes) -> Parts:
    description = library.make(
        "convolution_backward_data_primitive_desc_create",
        *(library.engine, _DIRECT, arrays.images_any, arrays.weights_any, arrays.output_any),
        *(*arrays.window, arrays.forward, library.with_scratchpad),
    )
    inputs = (Operand(_DIFF_DST, arrays.output, _DIFF_DST_MD), Operand(_WEIGHTS, arrays.weights, _WEIGHTS_MD))
    return description, inputs, Operand(_DIFF_SRC, arrays.images, _DIFF_SRC_MD)


@_prepared
def _filter_grad(library: OneDNN, arrays: _Shapes) -> Parts:
    description = library.make(
        "convolution_backward_weights_primitive_desc_create",
        *(library.engine, _DIRECT, arrays.images_any, arrays.weights_any, None, arrays.output_any),
        *(*arrays.window, arrays.forward, library.with_scratchpad),
    )
    inputs = (Operand(_DIFF_DST, arrays.output, _DIFF_DST_MD), Operand(_SRC, arrays.images, _SRC_MD))
    return description, inputs, Operand(_DIFF_WEIGHTS, arrays.weights, _DIFF_WEIGHTS_MD)


#: By the name of a kernel, the function that makes a new program for it, or returns None. It is called with the shapes
#: of images, weights and output, the window, the groups and the threads.
PROGRAMS: Final = {
    "convolve": _forward.__wrapped__,
    "convolve_input_grad": _input_grad.__wrapped__,
    "convolve_filter_grad": _filter_grad.__wrapped__,
}
