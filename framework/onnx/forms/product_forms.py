"""Products of matrices and convolutions, with their gradients, which are convolutions themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.onnx.forms.form_table import Application, Written, form
from framework.onnx.writer.nodes import UnwritableError

__all__: list[str] = []


@form("MatMul")
def matmul(a: Application) -> Written:
    """A Gemm if a matrix is transposed, because that copies nothing."""
    flags = {"transA": int(bool(a.operator.transpose_a)), "transB": int(bool(a.operator.transpose_b))}
    one, other = a.of(0, a.out.dtype), a.of(1, a.out.dtype)
    if any(flags.values()) and a.rank(0) == a.rank(1) == 2 and a.out.dtype.kind == "float":
        return a.emit("Gemm", one, other, **{name: flag for name, flag in flags.items() if flag})
    return a.emit("MatMul", turned(a, one, 0, flags["transA"]), turned(a, other, 1, flags["transB"]))


def turned(a: Application, name: str, place: int, flag: int) -> str:
    """A tensor of matrices, each transposed if the flag is set."""
    rank = a.rank(place)
    if not flag:
        return name
    return a.emit("Transpose", name, perm=[*range(rank - 2), rank - 1, rank - 2])


@form("BatchMatMul")
def batch_matmul(a: Application) -> Written:
    one = turned(a, a.of(0, a.out.dtype), 0, int(bool(a.operator.transpose_a)))
    return a.emit("MatMul", one, turned(a, a.of(1, a.out.dtype), 1, int(bool(a.operator.transpose_b))))


@form("Ger")
def outer(a: Application) -> Written:
    return a.emit("Mul", a.unsqueeze(a.of(0, a.out.dtype), 1), a.unsqueeze(a.of(1, a.out.dtype), 0))


@form("BiasAdd")
def bias_add(a: Application) -> Written:
    bias = a.of(1, a.out.dtype)
    behind = a.rank(0) - 2 if a.operator.data_format != "NHWC" else 0
    return a.emit("Add", a.of(0, a.out.dtype), a.unsqueeze(bias, *range(1, behind + 1)))


@form("BiasAddGrad")
def bias_add_grad(a: Application) -> Written:
    channel = 1 if a.operator.data_format != "NHWC" else a.rank(0) - 1
    return a.reduce("ReduceSum", a.of(0), [axis for axis in range(a.rank(0)) if axis != channel], False)


@form("MatrixDeterminant")
def determinant(a: Application) -> Written:
    return a.emit("Det", a.of(0))


@form("Trace")
def trace(a: Application) -> Written:
    rows, columns = a.known(0)
    mask = a.constant(np.eye(rows, columns), a.out.dtype)
    return a.reduce("ReduceSum", a.emit("Mul", a.of(0), mask), None, False)


def windows(a: Application, shape: Sequence[int | None]) -> dict[str, Any]:
    """The attributes of a window that slides over images.

    Args:
        a: the application, whose operator has a window.
        shape: the images' shape.
    """
    window = a.operator.window
    sizes = shape[2:]
    found: dict[str, Any] = {"kernel_shape": list(window.kernel), "strides": list(window.stride)}
    if any(step != 1 for step in window.dilation):
        found["dilations"] = list(window.dilation)
    if window.same and None in sizes:
        found["auto_pad"] = "SAME_UPPER"
    else:
        pads = window.pads_for(*(length or 0 for length in sizes))
        if any(pads):
            found["pads"] = [*pads[::2], *pads[1::2]]
    return found


@form("Conv2D", "Conv3D")
def convolution(a: Application) -> Written:
    group = {"group": int(a.operator.group)} if a.operator.group != 1 else {}
    return a.emit("Conv", a.of(0), a.of(1, a.dtype(0)), **windows(a, a.shape(0)), **group)


@form("Conv2DBackpropInput", "Conv2DTranspose", "Conv3DBackpropInput")
def convolution_input_gradient(a: Application) -> Written:
    """A transposed convolution, padded behind to the shape that is wanted."""
    shape = tuple(a.value(2))
    attributes = windows(a, shape)
    rank = len(shape) - 2
    pads = attributes.pop("pads", [0] * 2 * rank)
    window = a.operator.window
    missing = []
    for side, size in enumerate(a.shape(0)[2:]):
        if size is None:
            raise UnwritableError("it needs the lengths of the images")
        reach = (window.kernel[side] - 1) * window.dilation[side] + 1
        whole = (size - 1) * window.stride[side] + reach - pads[side] - pads[rank + side]
        missing.append(int(shape[2 + side]) - whole)
    group = {"group": int(a.operator.group)} if a.operator.group != 1 else {}
    ahead = [max(0, more) for more in missing]
    if any(ahead):
        # Rows that no window has seen: fewer are cut off behind.
        for side, more in enumerate(ahead):
            cut = min(more, pads[rank + side])
            pads[rank + side] -= cut
            ahead[side] -= cut
    if any(pads):
        attributes["pads"] = pads
    found = a.emit("ConvTranspose", a.of(0), a.of(1, a.dtype(0)), **attributes, **group)
    if not any(ahead):
        return found
    sides = a.numbers(*[0] * (rank + 2), 0, 0, *ahead)
    return a.emit("Pad", found, sides, mode="constant")


@form("Conv2DBackpropFilter", "Conv3DBackpropFilter")
def convolution_filter_gradient(a: Application) -> Written:
    """The images convolved with the gradient, over the batch: strides and dilations change places."""
    window, shape = a.operator.window, tuple(a.value(2))
    images = a.shape(1)
    if None in images[2:]:
        raise UnwritableError("it needs the lengths of the images")
    rank = len(shape) - 2
    pads = window.pads_for(*(length or 0 for length in images[2:]))
    attributes: dict[str, Any] = {
        "kernel_shape": [int(size or 0) for size in a.shape(0)[2:]], "strides": list(window.dilation),
        "dilations": list(window.stride), "pads": [*pads[::2], *pads[1::2]],
    }  # fmt: skip
    swap = [1, 0, *range(2, rank + 2)]
    group = int(a.operator.group)
    dy, x = a.of(0), a.of(1, a.dtype(0))
    pairs = [(dy, x)]
    if group > 1:
        each = (shape[0] // group, shape[1])
        sizes = [a.numbers(*[size] * group) for size in each]
        pairs = list(zip(*(a.several("Split", name, size, outputs=group, axis=1) for name, size in
                           zip((dy, x), sizes, strict=True)), strict=True))  # fmt: skip
    found = []
    for gradient, image in pairs:
        turned_image = a.emit("Transpose", image, perm=swap)
        made = a.emit("Conv", turned_image, a.emit("Transpose", gradient, perm=swap), **attributes)
        cut = a.emit("Slice", made, a.numbers(*[0] * rank), a.numbers(*shape[2:]), a.numbers(*range(2, rank + 2)))
        found.append(a.emit("Transpose", cut, perm=swap))
    whole = found[0] if group == 1 else a.emit("Concat", *found, axis=0)
    return a.cast(whole, a.out.dtype) if a.out.dtype is not a.dtype(0) else whole


@form("LSTMSequence")
def lstm(a: Application) -> Written:
    """ONNX's LSTM multiplies its input by weights itself: they are a permutation of the gates here."""
    units = a.known(1)[1]
    order = np.concatenate([np.arange(units) + gate * units for gate in (0, 3, 1, 2)])
    dtype = a.out.dtype
    passing = a.constant(np.eye(4 * units)[order][None], dtype)
    places = a.constant(order, mstype.int64)
    weights = a.unsqueeze(a.emit("Gather", a.of(3, dtype), places, axis=0), 0)
    bias = a.emit("Gather", a.of(4, dtype), places, axis=0)
    both = a.unsqueeze(a.emit("Concat", bias, a.constant(np.zeros(4 * units), dtype), axis=0), 0)
    states = (a.unsqueeze(a.of(1, dtype), 0), a.unsqueeze(a.of(2, dtype), 0))
    direction = "reverse" if a.operator.backwards else "forward"
    outputs, h, c = a.several(
        "LSTM", a.of(0, dtype), passing, weights, both, _lengths(a, 5), *states, outputs=3,
        hidden_size=units, direction=direction,
    )  # fmt: skip
    one = a.numbers(1), a.numbers(0)
    return (a.emit("Squeeze", outputs, one[0]), a.emit("Squeeze", h, one[1]), a.emit("Squeeze", c, one[1]), None, None)


@form("GRUSequence")
def gru(a: Application) -> Written:
    """ONNX's GRU multiplies its input by weights itself: they are a permutation of the gates here."""
    units = a.known(1)[1]
    order = np.concatenate([np.arange(units) + gate * units for gate in (1, 0, 2)])
    dtype = a.out.dtype
    places = a.constant(order, mstype.int64)
    weights = a.unsqueeze(a.emit("Gather", a.of(2, dtype), places, axis=0), 0)
    biases = [a.emit("Gather", a.of(place, dtype), places, axis=0) for place in (3, 4)]
    outputs, h = a.several(
        "GRU", a.of(0, dtype), a.constant(np.eye(3 * units)[order][None], dtype), weights,
        a.unsqueeze(a.emit("Concat", *biases, axis=0), 0), _lengths(a, 5), a.unsqueeze(a.of(1, dtype), 0), outputs=2,
        hidden_size=units, linear_before_reset=1, direction="reverse" if a.operator.backwards else "forward",
    )  # fmt: skip
    return a.emit("Squeeze", outputs, a.numbers(1)), a.emit("Squeeze", h, a.numbers(0)), None


def _lengths(a: Application, place: int) -> str:
    """The lengths of the rows of a sequence; empty if all are whole."""
    if len(a) <= place or getattr(a.inputs[place], "value", 0) is None:
        return ""
    return a.of(place, mstype.int32)
