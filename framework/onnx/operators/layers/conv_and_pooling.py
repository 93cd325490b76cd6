"""Convolution, its transpose, and pooling, along one, two or three dimensions; pooling along any number."""

from __future__ import annotations

import numpy as np

from framework import ops
from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.onnx.operators.layers.windows import Plan, counts, elements, filled_sides, plan
from framework.onnx.operators.operator_table import Ints, Known, onnx
from framework.onnx.operators.shapes import padded
from framework.onnx.operators.values import ints, is_float, lowest, tensor_of
from framework.ops.constexpr import constexpr
from framework.ops.convolution.windowed import BY_LAYOUT, ConvolutionInputGrad
from framework.ops.primitive import cached

__all__ = ["convolved"]


@onnx("Conv")
def conv(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Ints | None = None,
    group: int = 1,
    kernel_shape: Ints | None = None,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Tensor:
    return convolved(x, w, b, auto_pad, dilations, group, pads, strides)


def convolved(
    x: Tensor,
    w: Tensor,
    b: Tensor | None,
    auto_pad: str,
    dilations: Ints | None,
    group: int,
    pads: Ints | None,
    strides: Ints | None,
) -> Tensor:
    """The convolution of (N, C, ...) with weights (O, C / group, ...), plus a bias (O,)."""
    rank = len(x.shape) - 2
    made = plan(x.shape[2:], _behind(w.shape), strides, dilations, pads, auto_pad, 0)
    if rank == 1:
        rows = ops.conv2d(
            ops.expand_dims(x, 2), ops.expand_dims(w, 2), b, (1, made.strides[0]), "pad",
            (0, 0, made.before[0], made.behind[0]), (1, made.dilations[0]), group,
        )  # fmt: skip
        return ops.squeeze(rows, 2)
    sides = _paired(made)
    if rank == 2:
        return ops.conv2d(x, w, b, made.strides, "pad", sides, made.dilations, group)
    if rank == 3:
        return ops.conv3d(x, w, b, made.strides, "pad", sides, made.dilations, group)
    raise ValueError(f"a convolution along {rank} dimensions is not supported, only along 1, 2 or 3")


@constexpr
def _behind(dims: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dims[2:])


@constexpr
def _paired(made: Plan) -> Ints:
    return tuple(side for pair in zip(made.before, made.behind, strict=True) for side in pair)


@onnx("ConvTranspose")
def conv_transpose(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Ints | None = None,
    group: int = 1,
    kernel_shape: Ints | None = None,
    output_padding: Ints | None = None,
    output_shape: Ints | None = None,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Tensor:
    rank = len(x.shape) - 2
    if rank == 1:
        rows = conv_transpose(
            ops.expand_dims(x, 2), ops.expand_dims(w, 2), b, auto_pad=auto_pad, group=group,
            dilations=_first_one(dilations), output_padding=_first_zero(output_padding),
            output_shape=_first_one(output_shape), pads=_zero_in_each(pads), strides=_first_one(strides),
        )  # fmt: skip
        return ops.squeeze(rows, 2)
    whole, sides = _transposed(
        x.shape, w.shape, auto_pad, dilations, group, output_padding, output_shape, pads, strides
    )
    kind = _transposing(w.shape, strides, dilations, group)
    out = padded(kind(x, w, whole), sides, "constant", tensor_of(0, x.dtype))
    return out if b is None else out + ops.reshape(b, _channels(rank))


@constexpr
def _channels(rank: int) -> Ints:
    return (1, -1, *(1,) * rank)


@constexpr
def _first_one(given: Ints | None) -> Ints | None:
    return None if given is None else (1, *given)


@constexpr
def _first_zero(given: Ints | None) -> Ints | None:
    return None if given is None else (0, *given)


@constexpr
def _zero_in_each(pads: Ints | None) -> Ints | None:
    return None if pads is None else (0, pads[0], 0, pads[1])


@constexpr
def _transposing(
    dims: tuple[int, ...], strides: Ints | None, dilations: Ints | None, group: int
) -> ConvolutionInputGrad:
    rank = len(dims) - 2
    layout = {2: "NCHW", 3: "NCDHW"}.get(rank)
    if layout is None:
        raise ValueError(f"a transposed convolution along {rank} dimensions is not supported, only along 1, 2 or 3")
    kernel, ones = tuple(dims[2:]), (1,) * rank
    made: ConvolutionInputGrad = cached(
        BY_LAYOUT[layout][1], dims[0], kernel, "pad", (0,) * (2 * rank), 1, strides or ones, dilations or ones, group
    )
    return made


@constexpr
def _transposed(
    dims: tuple[int, ...],
    weights: tuple[int, ...],
    auto_pad: str,
    dilations: Ints | None,
    group: int,
    output_padding: Ints | None,
    output_shape: Ints | None,
    pads: Ints | None,
    strides: Ints | None,
) -> tuple[Ints, Ints]:
    """The shape of a transposed convolution without padding, and what its sides lose or get."""
    rank = len(dims) - 2
    steps, spread = strides or (1,) * rank, dilations or (1,) * rank
    more, given = output_padding or (0,) * rank, pads or (0,) * (2 * rank)
    whole, before, behind = [], [], []
    for k in range(rank):
        full = steps[k] * (dims[2 + k] - 1) + (weights[2 + k] - 1) * spread[k] + 1
        low, high = (0, 0) if auto_pad == "VALID" else (given[k], given[rank + k])
        wanted = output_shape[len(output_shape) - rank + k] if output_shape is not None else None
        if wanted is None and auto_pad.startswith("SAME"):
            wanted = dims[2 + k] * steps[k]
        if wanted is not None:
            total = full + more[k] - wanted
            low = total // 2 if auto_pad == "SAME_UPPER" else total - total // 2
            high = total - low
        whole.append(full)
        before.append(-low)
        behind.append(more[k] - high)
    return (dims[0], weights[1] * group, *whole), (0, 0, *before, 0, 0, *behind)


@onnx("MaxPool")
def max_pool(
    x: Tensor,
    *,
    kernel_shape: Ints,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Ints | None = None,
    pads: Ints | None = None,
    storage_order: int = 0,
    strides: Ints | None = None,
    outputs: int = 1,
) -> tuple[Tensor, ...]:
    made = plan(x.shape[2:], kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    if outputs == 1 and is_float(x.dtype) and _is_plain(made):
        wide = padded(x, filled_sides(made), "constant", tensor_of(lowest(x.dtype), x.dtype))
        return (_max_pool(made)(wide),)
    found = elements(x, made, tensor_of(lowest(x.dtype), x.dtype))
    if outputs == 1:
        return (ops.amax(found, -1),)
    place = ops.argmax(found, -1, True)
    within = ops.gather_elements(_window_places(x.shape, made, storage_order), -1, ops.cast(place, mstype.int64))
    return ops.amax(found, -1), ops.squeeze(within, -1)


@constexpr
def _is_plain(made: Plan) -> bool:
    """Whether the core's pooling of images has these windows."""
    return len(made.kernel) == 2 and set(made.dilations) == {1}


@constexpr
def _max_pool(made: Plan) -> ops.operations.MaxPool:
    return cached(ops.operations.MaxPool, made.kernel, made.strides, "valid")


@constexpr
def _avg_pool(made: Plan) -> ops.operations.AvgPool:
    return cached(ops.operations.AvgPool, made.kernel, made.strides, "valid")


@constexpr
def _window_places(dims: tuple[int, ...], made: Plan, column_major: int) -> Tensor:
    """The place in the whole tensor of each element of each window: (N, C, windows..., elements)."""
    lengths, rank = dims[2:], len(dims) - 2
    axes = list(range(rank))[::-1] if column_major else list(range(rank))
    flat = np.zeros((*made.sizes, *made.kernel), np.int64)
    weight = 1
    for axis in reversed(axes):
        starts = np.arange(made.sizes[axis]) * made.strides[axis] - made.before[axis]
        where = starts[:, None] + np.arange(made.kernel[axis])[None, :] * made.dilations[axis]
        view = [1] * (2 * rank)
        view[axis], view[rank + axis] = where.shape
        flat = flat + np.clip(where, 0, lengths[axis] - 1).reshape(view) * weight
        weight *= lengths[axis]
    images = np.arange(dims[0] * dims[1]).reshape(dims[0], dims[1], *(1,) * (rank + 1)) * weight
    return Tensor(images + flat.reshape(1, 1, *made.sizes, -1))


@onnx("AveragePool", since=7)
def average_pool(
    x: Tensor,
    *,
    kernel_shape: Ints,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: Ints | None = None,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Tensor:
    made = plan(x.shape[2:], kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    zero = tensor_of(0, x.dtype)
    if _is_plain(made) and _is_inside(made):
        return _avg_pool(made)(x)
    number = ops.cast(counts(x.shape, made, count_include_pad != 0), x.dtype)
    return ops.sum(elements(x, made, zero), -1) / number


@constexpr
def _is_inside(made: Plan) -> bool:
    """Whether no window reaches into a padding."""
    return not any(made.before) and not any(made.behind)


@onnx("LpPool", since=2)
def lp_pool(
    x: Tensor,
    *,
    kernel_shape: Ints,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Ints | None = None,
    p: int = 2,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Tensor:
    made = plan(x.shape[2:], kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    found = ops.abs(elements(x, made, tensor_of(0, x.dtype)))
    return ops.pow(ops.sum(ops.pow(found, p), -1), 1.0 / p)


@onnx("GlobalAveragePool")
def global_average_pool(x: Tensor) -> Tensor:
    return ops.mean(x, _spatial(len(x.shape)), True)


@onnx("GlobalMaxPool")
def global_max_pool(x: Tensor) -> Tensor:
    return ops.amax(x, _spatial(len(x.shape)), True)


@onnx("GlobalLpPool", since=2)
def global_lp_pool(x: Tensor, *, p: int = 2) -> Tensor:
    return ops.pow(ops.sum(ops.pow(ops.abs(x), p), _spatial(len(x.shape)), True), 1.0 / p)


@constexpr
def _spatial(rank: int) -> Ints:
    return tuple(range(2, rank))


@onnx("MaxUnpool", since=9)
def max_unpool(
    x: Tensor,
    indices: Tensor,
    output_shape: Known | None = None,
    *,
    kernel_shape: Ints,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Tensor:
    dims = _unpooled(x.shape, kernel_shape, pads, strides)
    flat = ops.scatter_nd(ops.reshape(indices, (-1, 1)), ops.reshape(x, (-1,)), (_elements(dims),))
    found = ops.reshape(flat, dims)
    if output_shape is None:
        return found
    return padded(found, _up_to(dims, ints(output_shape)), "constant", tensor_of(0, x.dtype))


@constexpr
def _unpooled(dims: tuple[int, ...], kernel: Ints, pads: Ints | None, strides: Ints | None) -> Ints:
    rank = len(kernel)
    steps, given = strides or (1,) * rank, pads or (0,) * (2 * rank)
    sizes = ((dims[2 + k] - 1) * steps[k] + kernel[k] - given[k] - given[rank + k] for k in range(rank))
    return (*dims[:2], *sizes)


@constexpr
def _elements(dims: tuple[int, ...]) -> int:
    return int(np.prod(dims))


@constexpr
def _up_to(dims: tuple[int, ...], wanted: tuple[int, ...]) -> Ints:
    return (*(0,) * len(dims), *(b - a for a, b in zip(dims, wanted, strict=True)))


@onnx("Col2Im", since=18)
def col2im(
    x: Tensor,
    image_shape: Known,
    block_shape: Known,
    *,
    dilations: Ints | None = None,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Tensor:
    image, block = ints(image_shape), ints(block_shape)
    n, c = x.shape[0], x.shape[1] // _elements(block)
    made = plan(_whole(n, c, image)[2:], block, strides, dilations, pads, "NOTSET", 0)
    dims, flat = _landing(made, image)
    parts = ops.reshape(x, (n, c, -1))
    sums = ops.scatter_nd(flat, ops.transpose(parts, (2, 0, 1)), (_elements(dims), n, c))
    wide = ops.reshape(ops.transpose(sums, (1, 2, 0)), (n, c, *dims))
    return padded(wide, _cropped(made), "constant", tensor_of(0, x.dtype))


@constexpr
def _whole(n: int, c: int, image: Ints) -> tuple[int, ...]:
    return (n, c, *image)


@constexpr
def _cropped(made: Plan) -> Ints:
    return (0, 0, *(-side for side in made.before), 0, 0, *(-side for side in made.behind))


@constexpr
def _landing(made: Plan, image: Ints) -> tuple[Ints, Tensor]:
    """The sizes of a padded image, and the place there of each element of each block: (elements * blocks, 1)."""
    dims = tuple(low + size + high for low, size, high in zip(made.before, image, made.behind, strict=True))
    rank = len(dims)
    flat = np.zeros((*made.kernel, *made.sizes), np.int64)
    for axis in range(rank):
        where = np.arange(made.kernel[axis])[:, None] * made.dilations[axis]
        where = where + np.arange(made.sizes[axis])[None, :] * made.strides[axis]
        view = [1] * (2 * rank)
        view[axis], view[rank + axis] = where.shape
        flat = flat * dims[axis] + where.reshape(view)
    return dims, Tensor(flat.reshape(-1, 1))
