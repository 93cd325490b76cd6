"""Where the elements of a resized axis come from: coordinates, the nearest element, weights of interpolation.

`images` uses it for `Resize` and `Upsample`. Each axis is resized by itself: by taking elements, or by a matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.onnx.operators.operator_table import Floats, Ints
from framework.onnx.operators.values import whole_axes
from framework.ops.constexpr import constexpr

__all__ = ["AxisPlan", "Sampling", "axes_to_resize", "extrapolated", "matrix_of", "nearest_of"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Sampling:
    """How `Resize` samples; the names are those of its attributes.

    Attributes:
        mode: "nearest", "linear" or "cubic".
        coordinates: coordinate_transformation_mode.
        nearest: nearest_mode.
        cubic: cubic_coeff_a.
        exclude: exclude_outside.
        outside: extrapolation_value.
        antialias: antialias.
        aspect: keep_aspect_ratio_policy.
    """

    mode: str
    coordinates: str = "half_pixel"
    nearest: str = "round_prefer_floor"
    cubic: float = -0.75
    exclude: bool = False
    outside: float = 0.0
    antialias: bool = False
    aspect: str = "stretch"


@dataclass(frozen=True)
class AxisPlan:
    """One axis that is resized.

    Attributes:
        axis: the axis.
        length: its length.
        size: the length that is wanted.
        scale: the factor of the length.
        start: the beginning of the region of interest, as a share of the length.
        end: its end.
    """

    axis: int
    length: int
    size: int
    scale: float
    start: float
    end: float


@constexpr
def axes_to_resize(
    dims: tuple[int, ...],
    roi: Floats | None,
    scales: Floats | None,
    sizes: Ints | None,
    axes: Ints | None,
    sampling: Sampling,
) -> tuple[AxisPlan, ...]:
    """The axes whose elements change.

    Raises:
        ValueError: neither scales nor sizes are given, or they do not fit the shape.
    """
    chosen = whole_axes(axes, len(dims))
    given, wanted = _scales_and_sizes(tuple(dims[axis] for axis in chosen), scales or (), sizes or (), sampling)
    is_cropped = sampling.coordinates == "tf_crop_and_resize"
    count = len(chosen)
    region = roi if roi and is_cropped else (0.0,) * count + (1.0,) * count
    plans = (
        AxisPlan(axis, dims[axis], wanted[k], given[k], region[k], region[count + k]) for k, axis in enumerate(chosen)
    )
    return tuple(plan for plan in plans if is_cropped or plan.size != plan.length or plan.scale != 1.0)


def _scales_and_sizes(lengths: Ints, scales: Floats, sizes: Ints, sampling: Sampling) -> tuple[Floats, Ints]:
    """The scale and the wanted length of each axis, of which a model gives one."""
    if len(scales) + len(sizes) != len(lengths):
        raise ValueError(f"scales {list(scales)} and sizes {list(sizes)} do not fit {len(lengths)} axes")
    if not sizes:
        return scales, tuple(int(np.floor(scale * length)) for scale, length in zip(scales, lengths, strict=True))
    scales = tuple(size / length if length else 1.0 for size, length in zip(sizes, lengths, strict=True))
    if sampling.aspect == "stretch":
        return scales, sizes
    one = min(scales) if sampling.aspect == "not_larger" else max(scales)
    return (one,) * len(lengths), tuple(int(np.floor(one * length + 0.5)) for length in lengths)


def _coordinates(plan: AxisPlan, sampling: Sampling) -> Array:
    """Where each element of the resized axis lies in the original one."""
    out = np.arange(plan.size, dtype=np.float64)
    length, scale = plan.length, plan.scale
    mode = sampling.coordinates
    if mode == "asymmetric":
        return out / scale
    if mode == "align_corners":
        exact = scale * length
        return out * (length - 1) / (exact - 1) if exact != 1 else np.zeros_like(out)
    if mode == "pytorch_half_pixel" and scale * length <= 1:
        return np.zeros_like(out)
    if mode == "tf_half_pixel_for_nn":
        return (out + 0.5) / scale
    if mode == "tf_crop_and_resize":
        if plan.size > 1:
            step = (plan.end - plan.start) * (length - 1) / (plan.size - 1)
            return plan.start * (length - 1) + out * step
        return np.full_like(out, 0.5 * (plan.start + plan.end) * (length - 1))
    found = (out + 0.5) / scale - 0.5
    if mode == "half_pixel_symmetric":
        adjustment = plan.size / (scale * length)
        centre = length / 2
        return centre * (1 - adjustment) + found
    return found


@constexpr
def nearest_of(plan: AxisPlan, sampling: Sampling) -> Tensor:
    """The places of the nearest elements along an axis."""
    where = _coordinates(plan, sampling)
    if sampling.nearest == "ceil":
        found = np.ceil(where)
    elif sampling.nearest == "floor":
        found = np.floor(where)
    elif sampling.nearest == "round_prefer_ceil":
        found = np.floor(where + 0.5)
    else:
        found = np.ceil(where - 0.5)
    return Tensor(np.clip(found, 0, plan.length - 1).astype(np.int64))


@constexpr
def matrix_of(plan: AxisPlan, sampling: Sampling, dtype: DType) -> Tensor:
    """The weights of interpolation along an axis: (length, size)."""
    where = _coordinates(plan, sampling)
    weights = np.zeros((plan.length, plan.size))
    shrinking = min(plan.scale, 1.0) if sampling.antialias else 1.0
    reach = (2.0 if sampling.mode == "cubic" else 1.0) / shrinking
    for column, place in enumerate(where):
        first = int(np.floor(place - reach)) + 1 if sampling.antialias else int(np.floor(place)) - int(reach) + 1
        count = int(np.ceil(2 * reach)) + 1 if sampling.antialias else 2 * int(reach)
        taps = np.arange(first, first + count)
        values = _kernel((place - taps) * shrinking, sampling)
        outside = (taps < 0) | (taps >= plan.length)
        if sampling.exclude:
            values = np.where(outside, 0.0, values)
        if sampling.exclude or sampling.antialias:
            values = values / values.sum()
        np.add.at(weights[:, column], np.clip(taps, 0, plan.length - 1), values)
    return Tensor(weights.astype(dtype.numpy))


def _kernel(distance: Array, sampling: Sampling) -> Array:
    """The weight of an element at a distance."""
    far = np.abs(distance)
    if sampling.mode != "cubic":
        return np.maximum(1.0 - far, 0.0)
    a = sampling.cubic
    near = ((a + 2) * far - (a + 3)) * far * far + 1
    middle = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a
    return np.where(far <= 1, near, np.where(far < 2, middle, 0.0))


@constexpr
def extrapolated(dims: tuple[int, ...], plans: tuple[AxisPlan, ...], sampling: Sampling) -> Tensor | None:
    """Which elements lie outside of the original tensor and get the extrapolation value; None if none may."""
    if sampling.coordinates != "tf_crop_and_resize":
        return None
    sizes = list(dims)
    for plan in plans:
        sizes[plan.axis] = plan.size
    found = np.zeros(sizes, bool)
    for plan in plans:
        where = _coordinates(plan, sampling)
        view = [1] * len(dims)
        view[plan.axis] = plan.size
        found = found | ((where < 0) | (where > plan.length - 1)).reshape(view)
    return Tensor(found)
