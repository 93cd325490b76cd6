"""Boxes in images: how far they are from each other, what they cut out, and points of turned images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.comparison import logical_and
from framework.ops.constexpr import constexpr
from framework.ops.functional.creation import cast, zeros_like
from framework.ops.functional.neural import clip_by_value
from framework.ops.functional.picking import gather, where
from framework.ops.functional.primitives import expand_dims, reshape, shape
from framework.ops.functional.shaping import swapaxes
from framework.ops.mathematics.exponential import exp, log
from framework.ops.mathematics.rounding import floor
from framework.ops.matrices.products import matmul
from framework.ops.primitive import cached

__all__ = ["affine_grid", "bounding_box_decode", "bounding_box_encode", "check_valid", "crop_and_resize", "iou"]


def iou(anchor_boxes: Any, gt_boxes: Any, mode: str = "iou") -> Any:
    """How far boxes lie on each other, sides counted in pixels.

    Args:
        anchor_boxes: (N, 4): left, top, right and bottom.
        gt_boxes: (M, 4), the same.
        mode: "iou": the area of both by that of either; "iof": by that of the second.

    Returns:
        (M, N).

    Example:
        >>> print(ops.iou(Tensor([[0.0, 0.0, 9.0, 9.0], [20.0, 20.0, 29.0, 29.0]]), Tensor([[0.0, 0.0, 9.0, 4.0]])))
        [[0.5 0. ]]

    """
    return cached(P.IOU, mode)(anchor_boxes, gt_boxes)


def _centres(boxes: Any) -> Any:
    """Middle and size of boxes (..., 4), sides counted in pixels: right, down, width, height."""
    first, last = boxes[..., :2], boxes[..., 2:]
    return (first + last) * 0.5, last - first + 1.0


def bounding_box_encode(
    anchor_box: Any, groundtruth_box: Any, means: Any = (0.0, 0.0, 0.0, 0.0), stds: Any = (1.0, 1.0, 1.0, 1.0)
) -> Any:
    """The way from anchors to boxes: ((g - a) / size, log(size of g / size of a)), minus means, by deviations.

    Args:
        anchor_box: (N, 4) float: left, top, right and bottom.
        groundtruth_box: (N, 4), the same.
        means, stds: four numbers each.

    Returns:
        (N, 4): to the right and down in sizes of the anchor, logarithms of how much wider and higher.

    Example:
        >>> anchors, boxes = Tensor([[2.0, 2.0, 2.0, 3.0]]), Tensor([[1.0, 2.0, 1.0, 4.0]])
        >>> print(ops.bounding_box_encode(anchors, boxes).asnumpy().round(3))
        [[-1.     0.25   0.     0.405]]

    """
    (place, size), (wanted, wide) = _centres(anchor_box), _centres(groundtruth_box)
    deltas = P.Concat(-1)(((wanted - place) / size, log(wide / size)))
    return (deltas - _four(means, deltas.dtype)) / _four(stds, deltas.dtype)


@constexpr
def _four(numbers: Any, dtype: Any) -> Tensor:
    if len(tuple(numbers)) != 4:
        raise ValueError(f"a box has four numbers, so it takes four means and deviations, not {tuple(numbers)}")
    return Tensor(list(numbers), dtype)


def bounding_box_decode(
    anchor_box: Any,
    deltas: Any,
    max_shape: Any,
    means: Any = (0.0, 0.0, 0.0, 0.0),
    stds: Any = (1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip: float = 0.016,
) -> Any:
    """The boxes at the end of the way from anchors, what `bounding_box_encode` is in reverse, cut to an image.

    Args:
        anchor_box: (N, 4) float: left, top, right and bottom.
        deltas: (N, 4), the ways.
        max_shape: height and width of the image.
        means, stds: four numbers each.
        wh_ratio_clip: sizes grow or shrink at most by 1 over this.

    Returns:
        (N, 4).

    Example:
        >>> anchors, ways = Tensor([[2.0, 2.0, 2.0, 3.0]]), Tensor([[1.0, 2.0, 1.0, 4.0]])
        >>> print(ops.bounding_box_decode(anchors, ways, (768, 1280)).asnumpy().round(2))
        [[ 2.14  0.    3.86 60.6 ]]

    """
    ways = deltas * _four(stds, deltas.dtype) + _four(means, deltas.dtype)
    place, size = _centres(anchor_box)
    bound, corner = _bound(wh_ratio_clip), _corner(max_shape, deltas.dtype)
    wide = size * exp(clip_by_value(ways[..., 2:], -bound, bound))
    middle = place + size * ways[..., :2]
    half = wide * 0.5 - 0.5
    zeros = zeros_like(middle)
    return P.Concat(-1)(
        (clip_by_value(middle - half, zeros, zeros + corner), clip_by_value(middle + half, zeros, zeros + corner))
    )


@constexpr
def _bound(ratio: float) -> float:
    return abs(math.log(ratio))


@constexpr
def _corner(size: Sequence[int], dtype: Any) -> Tensor:
    """The last pixel to the right and down."""
    return Tensor([size[1] - 1.0, size[0] - 1.0], dtype)


def check_valid(bboxes: Any, img_metas: Any) -> Any:
    """Whether boxes are within an image.

    Args:
        bboxes: (N, 4): left, top, right and bottom.
        img_metas: (3,): height, width, and a ratio by which both are multiplied.

    Returns:
        Bool (N,).

    Example:
        >>> print(ops.check_valid(Tensor([[0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0]]), Tensor([2.0, 1.0, 3.0])))
        [ True False]

    """
    height, width = img_metas[0] * img_metas[2], img_metas[1] * img_metas[2]
    inside = logical_and(bboxes[:, 2] <= width - 1, bboxes[:, 3] <= height - 1)
    return logical_and(inside, logical_and(bboxes[:, 0] >= 0, bboxes[:, 1] >= 0))


def affine_grid(theta: Any, size: Any, align_corners: bool = False) -> Any:
    """The points, from -1 to 1, that turned, stretched or moved images show, for `grid_sample`.

    Args:
        theta: (N, 2, 3) for images, (N, 3, 4) for volumes: matrices by which points (right, down, 1) are multiplied.
        size: (N, C, H, W) or (N, C, D, H, W) of what is wanted.
        align_corners: -1 and 1 are the centres of the outer pixels; else their outer edges.

    Returns:
        (N, H, W, 2) or (N, D, H, W, 3).

    Example:
        >>> print(ops.affine_grid(Tensor([[[2.0, 0.0, 0.0], [0.0, 1.0, 0.5]]]), (1, 1, 1, 2)))
        [[[[-1.   0.5]
           [ 1.   0.5]]]]

    """
    points, made = _points(size, align_corners, theta.dtype)
    return reshape(matmul(points, swapaxes(theta, 1, 2)), made)


@constexpr
def _points(size: Sequence[int], aligned: bool, dtype: Any) -> tuple[Tensor, tuple[int, ...]]:
    """All pixels as rows (right, down, ..., 1), and the shape of the grid."""
    sides = size[2:]
    if len(sides) not in (2, 3):
        raise ValueError(f"affine_grid: the size is (N, C, H, W) or (N, C, D, H, W), not {tuple(size)}")
    edges = [
        np.linspace(-1, 1, side) * (1 if aligned else (side - 1) / side) if side > 1 else np.zeros(1) for side in sides
    ]
    places = np.stack(np.meshgrid(*edges, indexing="ij")[::-1], -1).reshape(-1, len(sides))
    return Tensor(np.insert(places, len(sides), 1, axis=1), dtype), (size[0], *sides, len(sides))


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Any:
    """What boxes cut out of images, all in one size.

    Args:
        image: (N, H, W, C) of numbers.
        boxes: (M, 4) float: top, left, bottom and right, from 0 to 1; turned over where the first is above the second.
        box_indices: int (M,): of which image.
        crop_size: height and width of the results.
        method: "bilinear", or "nearest".
        extrapolation_value: what is outside of the image.

    Returns:
        Of the type of `boxes`, (M, height, width, C).

    Raises:
        ValueError: another method.

    Example:
        >>> image = Tensor(np.arange(9.0, dtype=np.float32).reshape(1, 3, 3, 1))
        >>> cut = ops.crop_and_resize(image, Tensor([[0.0, 0.0, 0.5, 1.0]]), Tensor([0], ms.int32), (2, 3))
        >>> print(cut.asnumpy()[0, :, :, 0])
        [[0. 1. 2.]
         [3. 4. 5.]]

    """
    _, height, width, channels = shape(image)
    nearest = _is_nearest(method)
    down = _along(boxes[:, 0], boxes[:, 2], height, crop_size[0])
    right = _along(boxes[:, 1], boxes[:, 3], width, crop_size[1])
    pixels = reshape(cast(image, boxes.dtype), (-1, channels))
    start = reshape(box_indices, (-1, 1, 1)) * (height * width)
    inside = logical_and(_within(down, height), _within(swapaxes(right, 1, 2), width))
    right = swapaxes(right, 1, 2)
    if nearest:
        rows, columns = _pixel(floor(down + 0.5), height), _pixel(floor(right + 0.5), width)
        out = gather(pixels, start + rows * width + columns, 0)
    else:
        top, left = floor(down), floor(right)
        lower, further = expand_dims(down - top, -1), expand_dims(right - left, -1)
        corners = []
        for row in (top, top + 1.0):
            for column in (left, left + 1.0):
                places = start + _pixel(row, height) * width + _pixel(column, width)
                corners.append(gather(pixels, places, 0))
        above = corners[0] + (corners[1] - corners[0]) * further
        below = corners[2] + (corners[3] - corners[2]) * further
        out = above + (below - above) * lower
    return where(expand_dims(inside, -1), out, zeros_like(out) + extrapolation_value)


@constexpr
def _is_nearest(method: str) -> bool:
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"crop_and_resize: method is 'bilinear' or 'nearest', not {method!r}")
    return method == "nearest"


def _along(first: Any, last: Any, length: int, count: int) -> Any:
    """The places that are looked at along a side: (M, count, 1)."""
    begin, end = expand_dims(first, -1) * (length - 1.0), expand_dims(last, -1) * (length - 1.0)
    if count == 1:
        return expand_dims((begin + end) * 0.5, -1)
    steps = cast(P.Range()(0, count, 1), first.dtype) / (count - 1.0)
    return expand_dims(begin + (end - begin) * steps, -1)


def _within(places: Any, length: int) -> Any:
    return logical_and(places >= 0, places <= length - 1)


def _pixel(place: Any, length: int) -> Any:
    return cast(clip_by_value(place, 0.0, length - 1.0), mstype.int32)
