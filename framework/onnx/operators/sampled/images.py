"""Operators on images: resizing, sampling at points, regions of interest, suppression of overlapping boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework import ops
from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.onnx.operators.operator_table import Floats, Ints, Known, onnx
from framework.onnx.operators.sampled.resampling import Sampling, axes_to_resize, extrapolated, matrix_of, nearest_of
from framework.onnx.operators.values import affordable, floats, ints, permutation, tensor_of
from framework.ops.constexpr import constexpr

__all__: list[str] = []


@onnx("Upsample", since=7)
def upsample_attribute(x: Tensor, *, scales: Floats, mode: str = "nearest", memory: int = 0) -> Tensor:
    return _resized(x, None, scales, None, None, Sampling(mode, "asymmetric", "floor"), memory)


@onnx("Upsample", since=9)
def upsample(x: Tensor, scales: Known, *, mode: str = "nearest", memory: int = 0) -> Tensor:
    return _resized(x, None, floats(scales), None, None, Sampling(mode, "asymmetric", "floor"), memory)


@onnx("Resize", since=10)
def resize_by_scales(x: Tensor, scales: Known, *, mode: str = "nearest", memory: int = 0) -> Tensor:
    return _resized(x, None, floats(scales), None, None, Sampling(mode, "asymmetric", "floor"), memory)


@onnx("Resize", since=11)
def resize(
    x: Tensor,
    roi: Known | None = None,
    scales: Known | None = None,
    sizes: Known | None = None,
    *,
    antialias: int = 0,
    axes: Ints | None = None,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
    memory: int = 0,
) -> Tensor:
    sampling = _sampling(
        mode, coordinate_transformation_mode, nearest_mode, cubic_coeff_a, exclude_outside, extrapolation_value,
        antialias, keep_aspect_ratio_policy,
    )  # fmt: skip
    return _resized(x, floats(roi), floats(scales), ints(sizes), axes, sampling, memory)


@constexpr
def _sampling(
    mode: str, coordinates: str, nearest: str, cubic: float, exclude: int, outside: float, antialias: int, aspect: str
) -> Sampling:
    return Sampling(mode, coordinates, nearest, cubic, bool(exclude), outside, bool(antialias), aspect)


def _resized(
    x: Tensor,
    roi: Floats | None,
    scales: Floats | None,
    sizes: Ints | None,
    axes: Ints | None,
    sampling: Sampling,
    memory: int,
) -> Tensor:
    plans = axes_to_resize(x.shape, roi, scales, sizes, axes, sampling)
    _check_size(x.shape, plans, x.dtype, memory)
    out = x
    for plan in plans:
        if _is_nearest(sampling):
            out = ops.gather(out, nearest_of(plan, sampling), plan.axis)
        else:
            rank = len(x.shape)
            last = ops.transpose(out, permutation(rank, plan.axis, rank - 1))
            last = ops.matmul(last, matrix_of(plan, sampling, x.dtype))
            out = ops.transpose(last, permutation(rank, rank - 1, plan.axis))
    outside = extrapolated(x.shape, plans, sampling)
    if outside is not None:
        out = ops.where(outside, tensor_of(sampling.outside, x.dtype), out)
    return out


@constexpr
def _is_nearest(sampling: Sampling) -> bool:
    return sampling.mode == "nearest"


@constexpr
def _check_size(dims: tuple[int, ...], plans: tuple[object, ...], dtype: DType, memory: int) -> tuple[int, ...]:
    wanted = list(dims)
    for plan in plans:
        wanted[plan.axis] = plan.size  # type: ignore[attr-defined]
    return affordable(tuple(wanted), dtype, memory)


@onnx("GridSample", since=16)
def grid_sample(
    x: Tensor, grid: Tensor, *, align_corners: int = 0, mode: str = "linear", padding_mode: str = "zeros"
) -> Tensor:
    rank = len(x.shape) - 2
    points = [
        _pixels(grid[..., rank - 1 - k], x.shape[2 + k], align_corners != 0, padding_mode, mode) for k in range(rank)
    ]
    taps = [_taps(point, mode) for point in points]
    total: Tensor | None = None
    for choice in _choices(len(taps[0]), rank):
        part = _taken(x, [taps[k][choice[k]][0] for k in range(rank)], align_corners != 0, padding_mode)
        if mode != "nearest":
            weight = taps[0][choice[0]][1]
            for k in range(1, rank):
                weight = weight * taps[k][choice[k]][1]
            part = part * ops.expand_dims(weight, 1)
        total = part if total is None else total + part
    return ops.cast(total, x.dtype)


def _taps(places: Tensor, mode: str) -> list[tuple[Tensor, Tensor]]:
    """The pixels that a place is made of along one axis, each with its weight."""
    if mode == "nearest":
        return [(ops.rint(places), ops.ones_like(places))]
    return _cubic_taps(places) if mode == "cubic" or mode == "bicubic" else _linear_taps(places)


@constexpr
def _choices(count: int, rank: int) -> tuple[Ints, ...]:
    return tuple(tuple(int(item) for item in index) for index in np.ndindex(*(count,) * rank))


def _pixels(points: Tensor, length: int, is_aligned: bool, padding_mode: str, mode: str) -> Tensor:
    """Points from -1 to 1 as places of pixels, within the image if the padding says so."""
    found = (points + 1.0) * ((length - 1) / 2.0) if is_aligned else ((points + 1.0) * length - 1.0) / 2.0
    if mode == "cubic" or mode == "bicubic":
        return found
    return _within(found, length, is_aligned, padding_mode)


def _within(places: Tensor, length: int, is_aligned: bool, padding_mode: str) -> Tensor:
    if padding_mode == "border":
        return ops.clamp(places, 0.0, length - 1.0)
    if padding_mode == "reflection":
        low, span = (0.0, length - 1.0) if is_aligned else (-0.5, float(length))
        if span == 0.0:
            return ops.zeros_like(places)
        away = ops.abs(places - low)
        turns = ops.floor(away / span)
        rest = away - turns * span
        is_even = ops.equal(turns - ops.floor(turns / 2.0) * 2.0, 0.0)
        return ops.clamp(ops.where(is_even, rest + low, span - rest + low), 0.0, length - 1.0)
    return places


def _linear_taps(places: Tensor) -> list[tuple[Tensor, Tensor]]:
    low = ops.floor(places)
    share = places - low
    return [(low, 1.0 - share), (low + 1.0, share)]


def _cubic_taps(places: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Four neighbours with the weights of the cubic convolution with a = -0.75."""
    low = ops.floor(places)
    t = places - low
    a = -0.75
    one, two = t + 1.0, 1.0 - t
    three = 2.0 - t
    first = ((a * one - 5.0 * a) * one + 8.0 * a) * one - 4.0 * a
    second = ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0
    third = ((a + 2.0) * two - (a + 3.0)) * two * two + 1.0
    fourth = ((a * three - 5.0 * a) * three + 8.0 * a) * three - 4.0 * a
    return [(low - 1.0, first), (low, second), (low + 1.0, third), (low + 2.0, fourth)]


def _taken(x: Tensor, places: list[Tensor], is_aligned: bool, padding_mode: str) -> Tensor:
    """The pixels at whole places (N, ...), as (N, C, ...); zero outside of the image unless the padding fills it."""
    flat: Any = None
    is_inside: Any = None
    for k in range(len(places)):
        length = x.shape[2 + k]
        place = _within(places[k], length, is_aligned, padding_mode)
        inside = ops.logical_and(ops.greater_equal(place, 0.0), ops.less(place, length))
        is_inside = inside if is_inside is None else ops.logical_and(is_inside, inside)
        whole = ops.cast(ops.clamp(place, 0.0, length - 1.0), mstype.int64)
        flat = whole if flat is None else flat * length + whole
    rows = ops.reshape(x, (x.shape[0], x.shape[1], -1))
    index = ops.broadcast_to(ops.reshape(flat, (x.shape[0], 1, -1)), _rows_of(x.shape, flat.shape))
    found = ops.reshape(ops.gather_elements(rows, 2, index), _like(x.shape, flat.shape))
    return ops.where(ops.expand_dims(is_inside, 1), found, ops.zeros_like(found))


@constexpr
def _rows_of(dims: tuple[int, ...], places: tuple[int, ...]) -> tuple[int, ...]:
    return (dims[0], dims[1], int(np.prod(places[1:])))


@constexpr
def _like(dims: tuple[int, ...], places: tuple[int, ...]) -> tuple[int, ...]:
    return (dims[0], dims[1], *places[1:])


@onnx("AffineGrid", since=20)
def affine_grid(theta: Tensor, size: Known, *, align_corners: int = 0, memory: int = 0) -> Tensor:
    points, dims = _base_grid(ints(size), align_corners, theta.dtype, memory)
    return ops.reshape(ops.matmul(points, ops.transpose(theta, (0, 2, 1))), dims)


@constexpr
def _base_grid(size: Ints, aligned: int, dtype: DType, memory: int) -> tuple[Tensor, tuple[int, ...]]:
    """The homogeneous coordinates of the pixels, x first, and the shape of the grid."""
    lengths = size[2:]
    affordable((*size, len(lengths) + 1), dtype, memory)
    lines = [
        np.linspace(-1, 1, n) if aligned else (np.arange(n) * 2 + 1) / n - 1 for n in lengths
    ]  # fmt: skip
    grids = np.meshgrid(*lines, indexing="ij")
    points = np.stack([*reversed(grids), np.ones(lengths)], -1).reshape(1, -1, len(lengths) + 1)
    return Tensor(points.astype(dtype.numpy)), (size[0], *lengths, len(lengths))


@onnx("RoiAlign", since=10)
def roi_align_old(
    x: Tensor,
    rois: Tensor,
    batches: Tensor,
    *,
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Tensor:
    return roi_align(
        x, rois, batches, coordinate_transformation_mode="output_half_pixel", mode=mode, output_height=output_height,
        output_width=output_width, sampling_ratio=sampling_ratio, spatial_scale=spatial_scale,
    )  # fmt: skip


@onnx("RoiAlign", since=16)
def roi_align(
    x: Tensor,
    rois: Tensor,
    batches: Tensor,
    *,
    coordinate_transformation_mode: str = "half_pixel",
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Tensor:
    size, is_half = (output_height, output_width), coordinate_transformation_mode == "half_pixel"
    rows = [
        _roi(x, rois[place], batches[place], size, sampling_ratio, spatial_scale, is_half, mode)
        for place in range(rois.shape[0])
    ]
    return ops.stack(rows, 0)


def _roi(
    x: Tensor, roi: Tensor, batch: Tensor, size: Ints, ratio: int, scale: float, is_half: bool, mode: str
) -> Tensor:
    """One region: (C, height, width)."""
    grid = _roi_points(roi, size, ratio, scale, is_half)
    image = ops.gather(x, batch, 0)
    (ys, xs), dims = grid, x.shape
    y_low, y_share, y_in = _side(ys, dims[2])
    x_low, x_share, x_in = _side(xs, dims[3])
    y_high, x_high = ops.minimum(y_low + 1, dims[2] - 1), ops.minimum(x_low + 1, dims[3] - 1)
    parts: Any = None
    columns = ((x_low, (1.0 - x_share) * x_in), (x_high, x_share * x_in))
    lines = ((y_low, (1.0 - y_share) * y_in), (y_high, y_share * y_in))
    for line, line_weight in lines:
        for column, column_weight in columns:
            taken = ops.gather(ops.gather(image, line, 1), column, 2)
            weight = ops.expand_dims(line_weight, 1) * ops.expand_dims(column_weight, 0)
            part = ops.reshape(
                taken * ops.cast(weight, x.dtype), (dims[1], size[0], -1, size[1], xs.shape[0] // size[1])
            )
            if mode == "avg":
                parts = part if parts is None else parts + part
            else:
                parts = part if parts is None else ops.maximum(parts, part)
    return ops.mean(parts, (2, 4)) if mode == "avg" else ops.amax(parts, (2, 4))


def _side(places: Tensor, length: int) -> tuple[Tensor, Tensor, Tensor]:
    """The lower pixel of each place, the share of the one above, and 0 for places far outside, else 1."""
    inside = ops.logical_and(ops.greater_equal(places, -1.0), ops.less_equal(places, float(length)))
    kept = ops.clamp(places, 0.0, length - 1.0)
    low = ops.floor(kept)
    return ops.cast(low, mstype.int64), kept - low, ops.cast(inside, mstype.float32)


@constexpr
def _roi_points(roi: Tensor, size: Ints, ratio: int, scale: float, is_half: bool) -> tuple[Tensor, Tensor]:
    """Where a region is sampled: places of rows, and of columns."""
    x1, y1, x2, y2 = (float(item) * scale - (0.5 if is_half else 0.0) for item in roi.asnumpy())
    found = []
    for begin, end, count in ((y1, y2, size[0]), (x1, x2, size[1])):
        length = end - begin if is_half else max(end - begin, 1.0)
        part = length / count
        each = ratio if ratio > 0 else int(np.ceil(length / count))
        places = begin + (np.arange(count)[:, None] + (np.arange(each)[None, :] + 0.5) / each) * part
        found.append(Tensor(places.reshape(-1).astype(np.float32)))
    return found[0], found[1]


@onnx("NonMaxSuppression", since=10)
def non_max_suppression(
    boxes: Tensor,
    scores: Tensor,
    most: Tensor | None = None,
    overlap: Tensor | None = None,
    least: Tensor | None = None,
    *,
    center_point_box: int = 0,
) -> Tensor:
    return _suppressed(boxes, scores, most, overlap, least, center_point_box)


@constexpr
def _suppressed(
    boxes: Tensor, scores: Tensor, most: Tensor | None, overlap: Tensor | None, least: Tensor | None, centred: int
) -> Tensor:
    corners = boxes.asnumpy().astype(np.float64)
    if centred:
        middle, half = corners[..., :2], corners[..., 2:] / 2
        low, high = middle - half, middle + half
    else:
        one, two = corners[..., :2], corners[..., 2:]
        low, high = np.minimum(one, two), np.maximum(one, two)
    limit = 0 if most is None else int(most.asnumpy().reshape(-1)[0])
    threshold = 0.0 if overlap is None else float(overlap.asnumpy().reshape(-1)[0])
    lowest = None if least is None else float(least.asnumpy().reshape(-1)[0])
    found = [
        (batch, kind, place)
        for batch, classes in enumerate(scores.asnumpy())
        for kind, values in enumerate(classes)
        for place in _best(low[batch], high[batch], values, limit, threshold, lowest)
    ]
    return Tensor(np.asarray(found, np.int64).reshape(-1, 3))


def _best(low: object, high: object, scores: object, limit: int, threshold: float, lowest: float | None) -> list[int]:
    """The boxes of one class that are kept, the best one first."""
    low, high, scores = np.asarray(low), np.asarray(high), np.asarray(scores)
    areas = np.prod(high - low, -1)
    kept: list[int] = []
    for place in np.argsort(-scores, kind="stable"):
        if len(kept) >= limit or (lowest is not None and scores[place] <= lowest):
            break
        sides = np.minimum(high[kept], high[place]) - np.maximum(low[kept], low[place])
        shared = np.prod(np.maximum(sides, 0), -1)
        union = areas[kept] + areas[place] - shared
        if not np.any((shared > threshold * union) & (union > 0)):
            kept.append(int(place))
    return kept
