"""Layers: pooling, normalization, softmax, resizing of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.onnx.forms.form_table import Application, Written, form
from framework.onnx.forms.product_forms import windows
from framework.onnx.writer.nodes import UnwritableError

__all__: list[str] = []


def pool_windows(a: Application, shape: tuple[int | None, ...]) -> dict[str, Any]:
    """The attributes of a pooling."""
    found = windows(a, shape)
    return {**found, "ceil_mode": 1} if a.operator.window.ceil else found


@form("MaxPool", "MaxPool3D")
def max_pool(a: Application) -> Written:
    return a.emit("MaxPool", a.of(0), **pool_windows(a, a.shape(0)))


@form("AvgPool", "AvgPool3D")
def average_pool(a: Application) -> Written:
    if a.operator.divisor_override:
        raise UnwritableError("ONNX's AveragePool has no divisor of its own")
    found = pool_windows(a, a.shape(0))
    if a.operator.pad_mode == "pad" and a.operator.count_include_pad:
        found["count_include_pad"] = 1
    return a.emit("AveragePool", a.of(0), **found)


@form("AdaptiveAvgPool2D")
def adaptive_average_pool(a: Application) -> Written:
    sizes = a.known(0)[-2:] if None not in a.shape(0)[-2:] else None
    wanted = a.out.shape[-2:]
    if wanted == (1, 1):
        return a.reduce("ReduceMean", a.of(0), [a.rank(0) - 2, a.rank(0) - 1], True)
    if sizes is None or any(length is None or size % length for size, length in zip(sizes, wanted, strict=True)):
        raise UnwritableError(f"the windows for {wanted} have different sizes")
    kernel = [size // int(length or 1) for size, length in zip(sizes, wanted, strict=True)]
    x = a.of(0) if a.rank(0) == 4 else a.unsqueeze(a.of(0), 0)
    found = a.emit("AveragePool", x, kernel_shape=kernel, strides=kernel)
    return found if a.rank(0) == 4 else a.emit("Squeeze", found, a.numbers(0))


@form("Softmax")
def softmax(a: Application) -> Written:
    given = a.operator.axis if isinstance(a.operator.axis, tuple) else (a.operator.axis,)
    axes = [a.axis(0, axis) for axis in given]
    if len(axes) == 1:
        return a.emit("Softmax", a.of(0), axis=axes[0])
    largest = a.reduce("ReduceMax", a.of(0), axes, True)
    powers = a.emit("Exp", a.emit("Sub", a.of(0), largest))
    return a.emit("Div", powers, a.reduce("ReduceSum", powers, axes, True))


@form("LogSoftmax")
def log_softmax(a: Application) -> Written:
    return a.emit("LogSoftmax", a.of(0), axis=a.axis(0, a.operator.axis))


def upright(a: Application, name: str, rank: int) -> str:
    """Numbers per channel, with axes of length 1 behind."""
    return a.unsqueeze(name, *range(1, rank - 1))


@form("BatchNorm")
def batch_norm(a: Application) -> Written:
    rank = a.rank(0)
    names = [a.of(place, a.dtype(0)) for place in range(5)]
    epsilon = float(a.operator.epsilon)
    if not a.operator.is_training:
        return a.emit("BatchNormalization", *names, epsilon=epsilon), names[3], names[4], names[3], names[4]
    if None in a.shape(0)[:1] + a.shape(0)[2:]:
        raise UnwritableError("training needs the number of elements of a channel")
    axes = [axis for axis in range(rank) if axis != 1]
    count = int(np.prod([a.known(0)[axis] for axis in axes]))
    dtype = a.dtype(0)
    mean = a.reduce("ReduceMean", names[0], axes, True)
    distance = a.emit("Sub", names[0], mean)
    variance = a.reduce("ReduceMean", a.emit("Mul", distance, distance), axes, True)
    root = a.emit("Sqrt", a.emit("Add", variance, a.number(epsilon)))
    scaled = a.emit("Mul", a.emit("Div", distance, root), upright(a, names[1], rank))
    y = a.emit("Add", scaled, upright(a, names[2], rank))
    flat = [a.emit("Squeeze", one, a.numbers(*axes)) for one in (mean, variance)]
    share = float(a.operator.momentum)
    new = [flat[0], a.emit("Mul", flat[1], a.number(count / max(1, count - 1), dtype))]
    moving = [
        a.emit("Add", a.emit("Mul", names[3 + i], a.number(1 - share, dtype)),
               a.emit("Mul", new[i], a.number(share, dtype)))
        for i in (0, 1)
    ]  # fmt: skip
    return y, *(a.cast(one, a.dtype(3)) if a.dtype(3) is not dtype else one for one in (*moving, *flat))


@form("LayerNorm")
def layer_norm(a: Application) -> Written:
    begin = a.axis(0, a.operator.begin_norm_axis)
    axes = list(range(begin, a.rank(0)))
    epsilon = float(a.operator.epsilon)
    mean = a.reduce("ReduceMean", a.of(0), axes, True)
    distance = a.emit("Sub", a.of(0), mean)
    variance = a.reduce("ReduceMean", a.emit("Mul", distance, distance), axes, True)
    if a.opset >= 17 and a.axis(0, a.operator.begin_params_axis) == begin:
        y = a.emit("LayerNormalization", a.of(0), a.of(1), a.of(2), axis=begin, epsilon=epsilon)
    else:
        normal = a.emit("Div", distance, a.emit("Sqrt", a.emit("Add", variance, a.number(epsilon))))
        y = a.emit("Add", a.emit("Mul", normal, a.of(1)), a.of(2))
    return y, mean, variance


@form("LRN")
def local_response(a: Application) -> Written:
    size = 2 * int(a.operator.depth_radius) + 1
    numbers = {"alpha": float(a.operator.alpha) * size, "beta": float(a.operator.beta)}
    return a.emit("LRN", a.of(0), size=size, bias=float(a.operator.bias), **numbers)


@form("Dropout")
def dropout(a: Application) -> Written:
    if a.operator.keep_prob != 1.0:
        raise UnwritableError("it draws random numbers: call set_train(False) before, or train without dropout")
    return a.of(0), a.zeros(a.emit("Shape", a.of(0)), a.out.dtype, 1)


@form("ResizeBilinear", "ResizeBilinearV2", "ResizeNearestNeighbor", "ResizeNearestNeighborV2")
def resize(a: Application) -> Written:
    is_nearest = "Nearest" in type(a.operator).__name__
    corners, half = bool(a.operator.align_corners), bool(a.operator.half_pixel_centers)
    where = "align_corners" if corners else "half_pixel" if half else "asymmetric"
    rounding: dict[str, Any] = {"mode": "linear"}
    if is_nearest:
        if half:
            raise UnwritableError("ONNX's Resize rounds half pixels otherwise")
        rounding = {"mode": "nearest", "nearest_mode": "round_prefer_ceil" if corners else "floor"}
    sizes = a.out.shape
    if None in sizes[1:]:
        raise UnwritableError("the shape of the images is open")
    batch = a.emit("Slice", a.emit("Shape", a.of(0)), a.numbers(0), a.numbers(1))
    shape = a.emit("Concat", batch, a.numbers(*(length or 0 for length in sizes[1:])), axis=0)
    return a.emit("Resize", a.of(0), "", "", shape, coordinate_transformation_mode=where, **rounding)


@form("GridSampler2D")
def grid_sample(a: Application) -> Written:
    mode = str(a.operator.interpolation_mode)
    if a.opset >= 20 and mode == "bilinear":
        mode = "linear"
    around, corners = str(a.operator.padding_mode), int(a.operator.align_corners)
    return a.emit("GridSample", a.of(0), a.of(1), mode=mode, padding_mode=around, align_corners=corners)


@form("OneHot")
def one_hot(a: Application) -> Written:
    axis = int(a.operator.axis) % (a.rank(0) + 1)
    behind = a.rank(0) - axis
    kind = a.dtype(0)
    classes = a.constant(np.arange(int(a.value(1))).reshape(-1, *[1] * behind), kind)
    hit = a.emit("Equal", a.unsqueeze(a.of(0), axis), classes)
    return a.emit("Where", hit, a.of(2, a.out.dtype), a.of(3, a.out.dtype))


@form("EmbeddingLookup")
def embedding(a: Application) -> Written:
    return a.emit("Gather", a.of(0), a.of(1, mstype.int64), axis=0)
