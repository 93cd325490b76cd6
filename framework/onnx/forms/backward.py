"""Gradients that have operators of their own: of rectifiers, pooling, normalization, subscripts and slices."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from framework.common import dtype as mstype
from framework.onnx.forms.form_table import Application, Written, form
from framework.onnx.forms.indices import check_reduction, items_of, put, scattered
from framework.onnx.forms.layer_forms import pool_windows, upright
from framework.onnx.writer.nodes import UnwritableError

__all__: list[str] = []


@form("ReluGrad")
def relu_grad(a: Application) -> Written:
    passing = a.emit("Greater", a.of(1), a.number(0, a.dtype(1)))
    return a.emit("Mul", a.of(0), a.cast(passing, a.out.dtype))


@form("ErfGeLUGrad")
def erf_gelu_grad(a: Application) -> Written:
    """dout (F(x) + x f(x)) with the normal distribution's F and its density f."""
    x, dout = a.of(0, a.out.dtype), a.of(1)
    share = a.emit("Erf", a.emit("Mul", x, a.number(math.sqrt(0.5))))
    share = a.emit("Mul", a.emit("Add", share, a.number(1)), a.number(0.5))
    density = a.emit("Exp", a.emit("Mul", a.emit("Mul", x, x), a.number(-0.5)))
    density = a.emit("Mul", a.emit("Mul", x, density), a.number(1 / math.sqrt(2 * math.pi)))
    return a.emit("Mul", dout, a.emit("Add", share, density))


@form("MaxPoolGrad")
def max_pool_grad(a: Application) -> Written:
    """dout added at the places that ONNX's MaxPool tells for the images."""
    check_reduction(a, "add")
    _, places = a.several("MaxPool", a.of(0), outputs=2, **pool_windows(a, a.shape(0)))
    flat = a.numbers(-1)
    count = a.emit("Reshape", a.emit("Size", a.of(0)), a.numbers(1))
    found = a.emit(
        "ScatterElements", a.zeros(count, a.out.dtype), a.emit("Reshape", places, flat),
        a.emit("Reshape", a.of(2, a.out.dtype), flat), axis=0, reduction="add",
    )  # fmt: skip
    return a.emit("Reshape", found, a.emit("Shape", a.of(0)))


@form("AvgPoolGrad")
def average_pool_grad(a: Application) -> Written:
    """A transposed convolution with windows of 1 / size; each channel is an image of its own."""
    window, shape = a.operator.window, tuple(a.value(1))
    pads = window.pads_for(*shape[2:])
    if any(pads) or window.ceil or a.operator.divisor_override:
        raise UnwritableError("it is written for windows without padding only")
    sizes = a.known(0)[2:]
    kernel = a.constant(np.full((1, 1, *window.kernel), 1 / np.prod(window.kernel)), a.out.dtype)
    flat = a.emit("Reshape", a.of(0), a.numbers(-1, 1, *sizes))
    found = a.emit("ConvTranspose", flat, kernel, strides=list(window.stride), kernel_shape=list(window.kernel))
    whole = [(size - 1) * step + side for size, step, side in zip(sizes, window.stride, window.kernel, strict=True)]
    behind = [length - size for length, size in zip(shape[2:], whole, strict=True)]
    if any(behind):
        found = a.emit("Pad", found, a.numbers(0, 0, 0, 0, 0, 0, *behind), mode="constant")
    return a.emit("Reshape", found, a.numbers(*shape))


@form("AdaptiveAvgPool2DGrad")
def adaptive_average_pool_grad(a: Application) -> Written:
    """dout, spread evenly; all windows must have one size."""
    shape, wanted = tuple(a.value(1)), a.known(0)[-2:]
    if any(size % length for size, length in zip(shape[-2:], wanted, strict=True)):
        raise UnwritableError(f"the windows for {wanted} have different sizes")
    down, right = (size // length for size, length in zip(shape[-2:], wanted, strict=True))
    rank = a.rank(0)
    apart = a.unsqueeze(a.of(0), rank - 1, rank + 1)
    spread = a.emit("Expand", apart, a.numbers(*a.known(0)[:-2], wanted[0], down, wanted[1], right))
    return a.emit("Div", a.emit("Reshape", spread, a.numbers(*shape)), a.number(down * right))


def normalized_gradient(a: Application, normal: str, weighed: str, root: str, axes: Sequence[int]) -> str:
    """The gradient of a normalization: (g - mean(g) - n mean(g n)) / sqrt(variance + epsilon).

    Args:
        a: the application.
        normal: the normalized numbers n.
        weighed: the gradient g with respect to them.
        root: sqrt(variance + epsilon).
        axes: the axes that mean and variance are taken over.
    """
    mean = a.reduce("ReduceMean", weighed, axes, True)
    along = a.reduce("ReduceMean", a.emit("Mul", weighed, normal), axes, True)
    rest = a.emit("Sub", a.emit("Sub", weighed, mean), a.emit("Mul", normal, along))
    return a.emit("Div", rest, root)


@form("LayerNormGrad")
def layer_norm_grad(a: Application) -> Written:
    x, dy, variance, mean, gamma = (a.of(place) for place in range(5))
    begin, first = a.axis(0, a.operator.begin_norm_axis), a.rank(0) - a.rank(4)
    root = a.emit("Sqrt", a.emit("Add", variance, a.number(float(a.operator.epsilon))))
    normal = a.emit("Div", a.emit("Sub", x, mean), root)
    axes = list(range(begin, a.rank(0)))
    dx = normalized_gradient(a, normal, a.emit("Mul", dy, gamma), root, axes)
    around = list(range(first))
    dgamma = a.reduce("ReduceSum", a.emit("Mul", dy, normal), around, False)
    return dx, dgamma, a.reduce("ReduceSum", dy, around, False)


@form("BatchNormGrad")
def batch_norm_grad(a: Application) -> Written:
    rank = a.rank(0)
    dy, x = a.of(0), a.of(1)
    scale, mean, variance = (upright(a, a.of(place), rank) for place in (2, 3, 4))
    root = a.emit("Sqrt", a.emit("Add", variance, a.number(float(a.operator.epsilon))))
    normal = a.emit("Div", a.emit("Sub", x, mean), root)
    axes = [axis for axis in range(rank) if axis != 1]
    dx = normalized_gradient(a, normal, a.emit("Mul", dy, scale), root, axes)
    dscale = a.reduce("ReduceSum", a.emit("Mul", dy, normal), axes, False)
    return dx, dscale, a.reduce("ReduceSum", dy, axes, False)


@form("GatherGrad")
def gather_grad(a: Application) -> Written:
    """dout added at the rows that were read; the axis of the rows comes first meanwhile."""
    shape, axis, ids = a.value(3), int(a.value(2)), a.rank(1)
    if getattr(a.operator, "batch_dims", 0):
        raise UnwritableError("ONNX's Gather has no batch dimensions")
    axis %= len(shape)
    dout = a.of(0)
    others = [length for place, length in enumerate(shape) if place != axis]
    rank = a.rank(0)
    if axis:
        order = [*range(axis, axis + ids), *range(axis), *range(axis + ids, rank)]
        dout = a.emit("Transpose", dout, perm=order)
    zeros = a.zeros(a.numbers(shape[axis], *others), a.out.dtype)
    found = scattered(a, zeros, a.unsqueeze(a.of(1, mstype.int64), ids), dout, "add")
    return a.emit("Transpose", found, perm=[*range(1, axis + 1), 0, *range(axis + 1, len(shape))]) if axis else found


@form("GatherDGrad")
def gather_elements_grad(a: Application) -> Written:
    check_reduction(a, "add")
    zeros = a.zeros(a.ints(3), a.out.dtype)
    axis = int(a.value(1)) % len(a.out.shape)
    return a.emit("ScatterElements", zeros, a.of(2, mstype.int64), a.of(0), axis=axis, reduction="add")


@form("GetItemGrad")
def get_item_grad(a: Application) -> Written:
    shape, index, tensors = a.value(3), tuple(a.value(1)), items_of(a, 2)
    zeros = a.zeros(a.numbers(*shape), a.out.dtype)
    if not tensors:
        return put(a, zeros, shape, index, a.of(0))
    name, rank, is_mask = tensors[0]
    alone = len(tensors) == 1 and isinstance(index[0], str) and all(i in (slice(None), Ellipsis) for i in index[1:])
    if is_mask or not alone:
        raise UnwritableError("a subscript has tensors beside other items")
    return scattered(a, zeros, a.unsqueeze(name, rank), a.of(0), "add")


@form("SliceGrad")
def slice_grad(a: Application) -> Written:
    index = a.operator.index(a.value(1), a.value(2))
    shape = a.value(3)
    return put(a, a.zeros(a.numbers(*shape), a.out.dtype), shape, index, a.of(0))


@form("StridedSliceGrad")
def strided_slice_grad(a: Application) -> Written:
    shape = a.value(4)
    return put(a, a.zeros(a.numbers(*shape), a.out.dtype), shape, _strided_index(a), a.of(0))


def _strided_index(a: Application) -> Sequence[object]:
    from framework.ops.indexing.slicing import StridedSlice

    names = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    forward = StridedSlice(**{name: getattr(a.operator, name) for name in names})
    found: Sequence[object] = forward.index(a.value(1), a.value(2), a.value(3))
    return found
