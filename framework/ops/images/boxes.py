"""Boxes in images: overlap, suppression and encoding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.combined import clip_by_value
from framework.ops.array.joining import Concat
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import logical_and
from framework.ops.constexpr import constexpr
from framework.ops.control.composed import Composed
from framework.ops.creation.filled_like import zeros_like
from framework.ops.mathematics.exponential import exp, log
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "IOU",
    "BoundingBoxDecode",
    "BoundingBoxEncode",
    "CheckValid",
    "NMSWithMask",
    "bounding_box_decode",
    "bounding_box_encode",
    "check_valid",
    "iou",
]


class IOU(PrimitiveWithInfer):
    """The overlap of boxes, intersection over union: `(anchors (N, 4), truths (M, 4))` to (M, N), in pixels.

    With widths and heights right - left + 1 and bottom - top + 1: common area / (area of one + area of the
    other - common area).

    Inputs: the anchors, a floating-point tensor of shape (N, 4); the truths, a tensor of shape (M, 4) and the same
    type. Output: a tensor of shape (M, N) and the anchors' type, with a row for each truth.

    Args:
        mode: "iou": intersection over union; "iof": intersection over the truth's area.

    Example:
        >>> anchors = Tensor([[0.0, 0.0, 9.0, 9.0], [20.0, 20.0, 29.0, 29.0]])
        >>> truths = Tensor([[0.0, 0.0, 9.0, 4.0]])
        >>> print(ops.IOU()(anchors, truths))
        [[0.5 0. ]]
        >>> print(ops.IOU(mode="iof")(anchors, truths))
        [[1. 0.]]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(self, mode: str = "iou") -> None:
        self.init_prim_io_names(inputs=["anchor_boxes", "gt_boxes"], outputs=["overlap"])
        if mode not in ("iou", "iof"):
            raise ValueError(f"IOU: mode must be iou or iof, not {mode!r}")

    def infer_shape(self, anchors: Dims, truths: Dims) -> Dims:
        if len(anchors) != 2 or len(truths) != 2 or 4 not in (anchors[1],) or truths[1] != 4:
            raise ValueError(f"IOU: boxes of shapes {anchors} and {truths} must be (N, 4) and (M, 4)")
        return truths[0], anchors[0]

    def infer_dtype(self, anchors: DType, truths: DType) -> DType:
        return anchors

    def compute(self, xp: ArrayModule, anchors: Array, truths: Array) -> Array:
        return overlap(xp, truths, anchors, self.mode == "iof").astype(anchors.dtype, copy=False)


def overlap(xp: ArrayModule, boxes: Array, others: Array, by_first: bool = False) -> Array:
    """The intersection of boxes (M, 4) and others (N, 4) over their union, or over the first one's area: (M, N)."""
    one, other = boxes[:, None], others[None]
    sides = xp.minimum(one[..., 2:], other[..., 2:]) - xp.maximum(one[..., :2], other[..., :2]) + 1
    common = xp.prod(xp.maximum(sides, 0), axis=-1)
    first = xp.prod(one[..., 2:] - one[..., :2] + 1, axis=-1)
    if by_first:
        return common / first
    return common / (first + xp.prod(other[..., 2:] - other[..., :2] + 1, axis=-1) - common)


def iou(anchor_boxes: Tensor, gt_boxes: Tensor, mode: str = "iou") -> Tensor:
    """The overlap of boxes, with sides counted in pixels.

    Args:
        anchor_boxes: (N, 4): left, top, right and bottom.
        gt_boxes: (M, 4), the same.
        mode: "iou": intersection over union; "iof": intersection over the second area.

    Returns:
        (M, N).

    Example:
        >>> print(ops.iou(Tensor([[0.0, 0.0, 9.0, 9.0], [20.0, 20.0, 29.0, 29.0]]), Tensor([[0.0, 0.0, 9.0, 4.0]])))
        [[0.5 0. ]]

    """
    return cached(IOU, mode)(anchor_boxes, gt_boxes)


class NMSWithMask(PrimitiveWithInfer):
    """Non-maximum suppression: `(boxes with scores (N, 5))`, sorted by descending score.

    From the highest score to the lowest, each box that remains removes the later boxes that it overlaps.

    Inputs: a floating-point tensor of shape (N, 5), each row a box and its score. Outputs: the boxes in the order of
    their scores, (N, 5); their positions in it, 0 to N - 1, (N,) Int32; True for those that remain, (N,) Bool.

    Args:
        iou_threshold: a box is removed if its intersection over union with a box of a higher score is larger than
            this. Sides are right - left and bottom - top.

    Example:
        >>> boxes = Tensor([[0.0, 0.0, 10.0, 10.0, 0.6], [0.0, 0.0, 10.0, 9.0, 0.9], [20.0, 20.0, 30.0, 30.0, 0.8]])
        >>> ordered, places, remain = ops.NMSWithMask(0.5)(boxes)
        >>> print(ordered.asnumpy()[:, 4], places, remain)
        [0.9 0.8 0.6] [0 1 2] [ True  True False]
    """

    takes = MappingProxyType({0: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(self, iou_threshold: float = 0.5) -> None:
        self.init_prim_io_names(inputs=["bboxes"], outputs=["selected_boxes", "selected_idx", "selected_mask"])

    def infer_shape(self, boxes: Dims) -> tuple[Dims, Dims, Dims]:
        if len(boxes) != 2 or boxes[1] != 5:
            raise ValueError(f"NMSWithMask takes boxes with scores (N, 5), not shape {boxes}")
        return boxes, (boxes[0],), (boxes[0],)

    def infer_dtype(self, boxes: DType) -> tuple[DType, DType, DType]:
        return boxes, mstype.int32, mstype.bool_

    def compute(self, xp: ArrayModule, boxes: Array) -> tuple[Array, ...]:
        order = xp.argsort(-boxes[:, 4], kind="stable")
        ordered = boxes[order]
        zeros = xp.zeros((), boxes.dtype)
        # Sides are lengths here, without the last pixel.
        sides = xp.maximum(
            xp.minimum(ordered[:, None, 2:4], ordered[None, :, 2:4])
            - xp.maximum(ordered[:, None, :2], ordered[None, :, :2]),
            zeros,
        )
        common = xp.prod(sides, axis=-1)
        areas = xp.prod(ordered[:, 2:4] - ordered[:, :2], axis=-1)
        close = common / (areas[:, None] + areas[None] - common) > self.iou_threshold
        remain = xp.ones(len(ordered), bool)
        for place in range(len(ordered)):
            if remain[place]:
                remain[place + 1 :] &= ~close[place, place + 1 :]
        return ordered, xp.arange(len(ordered), dtype=xp.int32), remain


def _centres(boxes: Any) -> tuple[Tensor, ...]:
    """The centre (right, down) and the size (width, height) of boxes (..., 4), in pixels."""
    first, last = boxes[..., :2], boxes[..., 2:]
    return (first + last) * 0.5, last - first + 1.0


def bounding_box_encode(
    anchor_box: Tensor,
    groundtruth_box: Tensor | float,
    means: Any = (0.0, 0.0, 0.0, 0.0),
    stds: Any = (1.0, 1.0, 1.0, 1.0),
) -> Tensor:
    """Boxes as offsets from anchors: ((g - a) / size, log(size of g / size of a)), normalized by means and deviations.

    Args:
        anchor_box: (N, 4) float: left, top, right and bottom.
        groundtruth_box: (N, 4), the same.
        means, stds: four numbers each.

    Returns:
        (N, 4): offsets right and down in sizes of the anchor, and logarithms of the ratios of width and height.

    Example:
        >>> anchors, boxes = Tensor([[2.0, 2.0, 2.0, 3.0]]), Tensor([[1.0, 2.0, 1.0, 4.0]])
        >>> print(ops.bounding_box_encode(anchors, boxes).asnumpy().round(3))
        [[-1.     0.25   0.     0.405]]

    """
    (place, size), (wanted, wide) = _centres(anchor_box), _centres(groundtruth_box)
    deltas = Concat(-1)(((wanted - place) / size, log(wide / size)))
    return (deltas - _four(means, deltas.dtype)) / _four(stds, deltas.dtype)


@constexpr
def _four(numbers: Any, dtype: Any) -> Tensor:
    if len(tuple(numbers)) != 4:
        raise ValueError(f"means and stds must have four numbers each, as a box has, not {tuple(numbers)}")
    return Tensor(list(numbers), dtype)


def bounding_box_decode(
    anchor_box: Any,
    deltas: Any,
    max_shape: Any,
    means: Any = (0.0, 0.0, 0.0, 0.0),
    stds: Any = (1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip: float = 0.016,
) -> Any:
    """The boxes at offsets from anchors, clipped to an image: the inverse of `bounding_box_encode`.

    Args:
        anchor_box: (N, 4) float: left, top, right and bottom.
        deltas: (N, 4), the offsets.
        max_shape: height and width of the image.
        means, stds: four numbers each.
        wh_ratio_clip: the smallest ratio of sizes; the largest is its inverse.

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
    return Concat(-1)(
        (clip_by_value(middle - half, zeros, zeros + corner), clip_by_value(middle + half, zeros, zeros + corner))
    )


@constexpr
def _bound(ratio: float) -> float:
    return abs(math.log(ratio))


@constexpr
def _corner(size: Sequence[int], dtype: DType) -> Tensor:
    """Width and height: as in MindSpore, a box may end one past the last pixel."""
    return Tensor([float(size[1]), float(size[0])], dtype)


def check_valid(bboxes: Tensor, img_metas: Any) -> Tensor:
    """True for boxes that are inside an image.

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


class CheckValid(Composed):
    """True for boxes that are inside an image: `CheckValid()(boxes, (height, width, ratio))`.

    Inputs: boxes, a tensor (N, 4) of left, top, right and bottom; a tensor (3,) of height, width, and a ratio by which
    both are multiplied. Output: a Bool tensor (N,).

    Example:
        >>> print(ops.CheckValid()(Tensor([[0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0]]), Tensor([2.0, 1.0, 3.0])))
        [ True False]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["bboxes", "img_metas"], outputs=["output"])

    def __call__(self, bboxes: Tensor, img_metas: Tensor) -> Tensor:
        """Check the boxes."""
        return check_valid(bboxes, img_metas)


class BoundingBoxEncode(Composed):
    """Boxes as offsets from anchors, as the function `bounding_box_encode`.

    Inputs: anchors and boxes, floating-point tensors (N, 4) of left, top, right and bottom. Output: a tensor (N, 4).

    Args:
        means: four numbers that are subtracted from the offsets.
        stds: four numbers by which the results are divided.

    Example:
        >>> anchors, boxes = Tensor([[2.0, 2.0, 2.0, 3.0]]), Tensor([[1.0, 2.0, 1.0, 4.0]])
        >>> print(ops.BoundingBoxEncode()(anchors, boxes).asnumpy().round(3))
        [[-1.     0.25   0.     0.405]]
    """

    @prim_attr_register
    def __init__(
        self,
        means: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0),
        stds: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0),
    ) -> None:
        self.init_prim_io_names(inputs=["anchor_box", "groundtruth_box"], outputs=["delta"])
        self.add_prim_attr("means", tuple(means))
        self.add_prim_attr("stds", tuple(stds))

    def __call__(self, anchor_box: Tensor, groundtruth_box: Tensor) -> Tensor:
        """Encode the boxes."""
        return bounding_box_encode(anchor_box, groundtruth_box, self.means, self.stds)


class BoundingBoxDecode(Composed):
    """The boxes at offsets from anchors, clipped to an image, as the function `bounding_box_decode`.

    Inputs: anchors, a floating-point tensor (N, 4) of left, top, right and bottom; offsets (N, 4). Output: boxes
    (N, 4).

    Args:
        max_shape: height and width of the image.
        means: four numbers that are added to the offsets times the deviations.
        stds: four numbers by which the offsets are multiplied.
        wh_ratio_clip: the smallest ratio of sizes; the largest is its inverse.

    Example:
        >>> anchors, ways = Tensor([[2.0, 2.0, 2.0, 3.0]]), Tensor([[1.0, 2.0, 1.0, 4.0]])
        >>> print(ops.BoundingBoxDecode((768, 1280))(anchors, ways).asnumpy().round(2))
        [[ 2.14  0.    3.86 60.6 ]]
    """

    @prim_attr_register
    def __init__(
        self,
        max_shape: tuple[int, int],
        means: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0),
        stds: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0),
        wh_ratio_clip: float = 0.016,
    ) -> None:
        self.init_prim_io_names(inputs=["anchor_box", "deltas"], outputs=["bboxes"])
        self.add_prim_attr("max_shape", tuple(max_shape))
        self.add_prim_attr("means", tuple(means))
        self.add_prim_attr("stds", tuple(stds))

    def __call__(self, anchor_box: Tensor, deltas: Tensor) -> Tensor:
        """Decode the boxes."""
        return bounding_box_decode(anchor_box, deltas, self.max_shape, self.means, self.stds, self.wh_ratio_clip)
