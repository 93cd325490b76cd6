"""Operators that crop regions of images and resize them to one size."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.images.regions import Grid, align, align_grad
from framework.ops.arithmetic.binary import maximum
from framework.ops.arithmetic.combined import clip_by_value
from framework.ops.array.casting import cast
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import expand_dims, reshape
from framework.ops.array.transposing import swapaxes
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import logical_and
from framework.ops.constexpr import constexpr
from framework.ops.control.composed import Composed
from framework.ops.creation.filled_like import zeros_like
from framework.ops.creation.ranges import Range
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.indexing.gathering_elements import gather
from framework.ops.indexing.selecting import where
from framework.ops.mathematics.rounding import floor, trunc
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "CropAndResize",
    "ROIAlign",
    "ROIAlignGrad",
    "crop_and_resize",
]


class ROIAlign(PrimitiveWithInfer):
    """Regions of images, pooled to one size (He et al., Mask R-CNN, 2017).

    A region is divided into pooled_height x pooled_width parts. Each part is the mean of points on a regular grid that
    are interpolated bilinearly between pixels. A point up to one pixel outside the image counts as a point at its edge,
    and one further away as 0. Regions have no gradient.

    Inputs: features, images of a floating-point type and shape (N, C, H, W); rois, the regions (R, 5): the number of
    its image, left, top, right and bottom.
    Output: a tensor of shape (R, C, pooled_height, pooled_width), of the images' type.

    Args:
        pooled_height: number of parts along the height.
        pooled_width: number of parts along the width.
        spatial_scale: the factor from coordinates of regions to coordinates of the images.
        sample_num: number of points of a part along each side; 0 or less: as many as whole pixels fit, at least one.
        roi_end_mode: 1: a region ends a pixel (before scaling) behind its right and bottom; 0: it ends there and is at
            least one pixel of the images large.

    Example:
        >>> features = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> regions = Tensor([[0.0, 0.0, 0.0, 1.0, 1.0]])
        >>> print(ops.ROIAlign(pooled_height=1, pooled_width=2, spatial_scale=1.0, roi_end_mode=0)(features, regions))
        [[[[2.25 2.75]]]]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(
        self, pooled_height: int, pooled_width: int, spatial_scale: float, sample_num: int = 2, roi_end_mode: int = 1
    ) -> None:
        self.init_prim_io_names(inputs=["features", "rois"], outputs=["output"])
        if roi_end_mode not in (0, 1):
            raise ValueError(f"{self.name}: roi_end_mode must be 0 or 1, not {roi_end_mode!r}")
        if pooled_height < 1 or pooled_width < 1:
            raise ValueError(f"{self.name}: {pooled_height} x {pooled_width} parts must be at least 1 x 1")

    @property
    def grid(self) -> Grid:
        """The division of regions that the attributes describe."""
        parts = (self.pooled_height, self.pooled_width)
        return Grid(parts, float(self.spatial_scale), self.sample_num, self.roi_end_mode)

    def infer_shape(self, features: Dims, rois: Dims, *others: Any) -> Dims:
        if len(features) != 4 or len(rois) != 2 or rois[1] != 5:
            raise ValueError(f"{self.name}: shapes {features} and {rois} must be (N, C, H, W) and (R, 5)")
        return rois[0], features[1], self.pooled_height, self.pooled_width

    def infer_dtype(self, features: DType, rois: DType, *others: object) -> DType:
        return features

    def compute(self, xp: ArrayModule, features: Array, rois: Array) -> Array:
        self.infer_shape(features.shape, rois.shape)
        return align(xp, features, rois, self.grid)


def _regions(self: ROIAlign) -> tuple[Any, ...]:
    """The attributes of the operator, as arguments of either constructor."""
    return self.pooled_height, self.pooled_width, self.spatial_scale, self.sample_num, self.roi_end_mode


@bprop_getters.register(ROIAlign)
def get_bprop_roi_align(self: ROIAlign) -> Bprop:
    """The output is linear in the images."""
    grad = cached(ROIAlignGrad, *_regions(self))

    def bprop(features: Tensor, rois: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return grad(dout, rois, shape_of(features)), None

    return bprop


class ROIAlignGrad(ROIAlign):
    """The gradient of `ROIAlign` with respect to the images: `(dout, regions, shape of the images)`.

    Args:
        pooled_height: as in `ROIAlign`.
        pooled_width: as in `ROIAlign`.
        spatial_scale: as in `ROIAlign`.
        sample_num: as in `ROIAlign`.
        roi_end_mode: as in `ROIAlign`.

    Inputs: dout, the gradient with respect to the output, of its shape (R, C, pooled_height, pooled_width); rois, the
    regions (R, 5); the shape of the images, a tuple (N, C, H, W). Output: a tensor of that shape, of dout's type.

    Example:
        >>> grad = ops.ROIAlignGrad(pooled_height=1, pooled_width=1, spatial_scale=1.0, sample_num=1, roi_end_mode=0)
        >>> print(grad(Tensor([[[[8.0]]]]), Tensor([[0.0, 0.0, 0.0, 1.0, 1.0]]), (1, 1, 2, 3)))
        [[[[2. 2. 0.]
           [2. 2. 0.]]]]
    """

    value_inputs = (2,)

    @prim_attr_register
    def __init__(
        self, pooled_height: int, pooled_width: int, spatial_scale: float, sample_num: int = 2, roi_end_mode: int = 1
    ) -> None:
        ROIAlign.__init__(self, pooled_height, pooled_width, spatial_scale, sample_num, roi_end_mode)
        self.init_prim_io_names(inputs=["dy", "rois", "xdiff_shape"], outputs=["output"])

    def infer_shape(self, dout: Any, rois: Any, shape: Any = ()) -> Dims:
        return tuple(shape)

    def compute(self, xp: ArrayModule, dout: Array, rois: Array, shape: tuple[int, ...] = ()) -> Array:
        return align_grad(xp, dout, rois, tuple(shape), self.grid)


@bprop_getters.register(ROIAlignGrad)
def get_bprop_roi_align_grad(self: ROIAlignGrad) -> Bprop:
    """The operator is linear; its transpose is `ROIAlign`."""
    align = cached(ROIAlign, *_regions(self))

    def bprop(
        gradient: Tensor, rois: Tensor, shape: tuple[int, ...], out: Tensor, dout: Tensor
    ) -> tuple[Tensor | None, ...]:
        return align(dout, rois), None, None

    return bprop


def crop_and_resize(
    image: Tensor,
    boxes: Tensor,
    box_indices: Tensor,
    crop_size: Sequence[int],
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Tensor:
    """Boxes cropped from images and resized to one size.

    Args:
        image: (N, H, W, C) of numbers.
        boxes: (M, 4) float: top, left, bottom and right, from 0 to 1; a box is flipped if its top is below its
            bottom, or its left is to the right of its right.
        box_indices: int (M,): the index of each box's image.
        crop_size: height and width of the results.
        method: "bilinear", "nearest", or "bilinear_v2": the centres of the results' pixels among those of the whole
            pixels of the box, of which there is at least one; nothing is outside then.
        extrapolation_value: the value outside the image.

    Returns:
        Of the type of `boxes`, (M, height, width, C).

    Raises:
        ValueError: the method has another name.

    Example:
        >>> image = Tensor(np.arange(9.0, dtype=np.float32).reshape(1, 3, 3, 1))
        >>> cut = ops.crop_and_resize(image, Tensor([[0.0, 0.0, 0.5, 1.0]]), Tensor([0], ms.int32), (2, 3))
        >>> print(cut.asnumpy()[0, :, :, 0])
        [[0. 1. 2.]
         [3. 4. 5.]]

    """
    _, height, width, channels = shape_of(image)
    way = _method(method)
    pixels = reshape(cast(image, boxes.dtype), (-1, channels))
    start = reshape(box_indices, (-1, 1, 1)) * (height * width)
    if way == "bilinear_v2":
        down = _within_box(boxes[:, 0], boxes[:, 2], height, crop_size[0])
        right = swapaxes(_within_box(boxes[:, 1], boxes[:, 3], width, crop_size[1]), 1, 2)
        return _between(pixels, start, down, right, (height, width))
    down = _along(boxes[:, 0], boxes[:, 2], height, crop_size[0])
    right = swapaxes(_along(boxes[:, 1], boxes[:, 3], width, crop_size[1]), 1, 2)
    inside = logical_and(_within(down, height), _within(right, width))
    if way == "nearest":
        rows, columns = _pixel(floor(down + 0.5), height), _pixel(floor(right + 0.5), width)
        out = gather(pixels, start + rows * width + columns, 0)
    else:
        out = _between(pixels, start, down, right, (height, width))
    return where(expand_dims(inside, -1), out, zeros_like(out) + extrapolation_value)


@constexpr
def _method(method: str) -> str:
    if method not in ("bilinear", "nearest", "bilinear_v2"):
        raise ValueError(f"crop_and_resize: method must be 'bilinear', 'nearest' or 'bilinear_v2', not {method!r}")
    return method


def _along(first: Tensor, last: Tensor, length: int, count: int) -> Tensor:
    """The sampled positions along one side: (M, count, 1)."""
    begin, end = expand_dims(first, -1) * (length - 1.0), expand_dims(last, -1) * (length - 1.0)
    if count == 1:
        return expand_dims((begin + end) * 0.5, -1)
    steps = cast(Range()(0, count, 1), first.dtype) / (count - 1.0)
    return expand_dims(begin + (end - begin) * steps, -1)


def _within_box(first: Tensor, last: Tensor, length: int, count: int) -> Tensor:
    """The sampled positions along one side, for "bilinear_v2": (M, count, 1)."""
    begin, end = trunc(expand_dims(first, -1) * float(length)), trunc(expand_dims(last, -1) * float(length))
    size = maximum(end - begin + 1.0, 1.0)
    centres = (cast(Range()(0, count, 1), first.dtype) + 0.5) / float(count)
    inside = clip_by_value(centres * size - 0.5, 0.0, size - 1.0)
    return expand_dims(clip_by_value(begin + inside, 0.0, length - 1.0), -1)


def _between(pixels: Tensor, start: Tensor, down: Tensor, right: Tensor, sides: tuple[int, int]) -> Tensor:
    """Points of images, each interpolated between its four pixels."""
    height, width = sides
    top, left = floor(down), floor(right)
    lower, further = expand_dims(down - top, -1), expand_dims(right - left, -1)
    corners = []
    for row in (top, top + 1.0):
        for column in (left, left + 1.0):
            places = start + _pixel(row, height) * width + _pixel(column, width)
            corners.append(gather(pixels, places, 0))
    above = corners[0] + (corners[1] - corners[0]) * further
    below = corners[2] + (corners[3] - corners[2]) * further
    return above + (below - above) * lower


def _within(places: Tensor, length: int) -> Tensor:
    return logical_and(places >= 0, places <= length - 1)


def _pixel(place: Tensor, length: int) -> Tensor:
    return cast(clip_by_value(place, 0.0, length - 1.0), mstype.int32)


class CropAndResize(Composed):
    """Boxes cropped from images and resized to one size, as the function `crop_and_resize`.

    Inputs: images (N, H, W, C) of numbers; boxes (M, 4), the indices (M,) of their images; height and width of the
    results, a tuple. Output: a tensor (M, height, width, C) of the type of the boxes.

    Args:
        method: "bilinear", "nearest" or "bilinear_v2".
        extrapolation_value: the value outside the image.

    Example:
        >>> image = Tensor(np.arange(9.0, dtype=np.float32).reshape(1, 3, 3, 1))
        >>> cut = ops.CropAndResize()(image, Tensor([[0.0, 0.0, 0.5, 1.0]]), Tensor([0], ms.int32), (2, 3))
        >>> print(cut.asnumpy()[0, :, :, 0])
        [[0. 1. 2.]
         [3. 4. 5.]]
    """

    @prim_attr_register
    def __init__(self, method: str = "bilinear", extrapolation_value: float = 0.0) -> None:
        self.init_prim_io_names(inputs=["x", "boxes", "box_index", "crop_size"], outputs=["y"])
        _method(method)

    def __call__(self, x: Tensor, boxes: Tensor, box_index: Tensor, crop_size: Sequence[int]) -> Tensor:
        """Crop the boxes."""
        return crop_and_resize(x, boxes, box_index, crop_size, self.method, self.extrapolation_value)
