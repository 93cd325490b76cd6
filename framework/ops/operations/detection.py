"""Operators for finding objects in images: boxes are (left, top, right, bottom)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.kernels.regions import Grid, align, align_grad
from framework.ops.operations.shapes import Dims
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = ["IOU", "LRN", "NMSWithMask", "ROIAlign", "ROIAlignGrad"]


class IOU(PrimitiveWithInfer):
    """How far boxes lie on each other: `(anchors (N, 4), truths (M, 4))` to (M, N), sides counted in pixels.

    With widths and heights right - left + 1 and bottom - top + 1: common area / (area of one + area of the
    other - common area).

    Inputs: the anchors, a floating-point tensor of shape (N, 4); the truths, a tensor of shape (M, 4) and the same
    type. Output: a tensor of shape (M, N) and the anchors' type, with a row for each truth.

    Args:
        mode: "iou": the area of both by that of either; "iof": by the truth's.

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

    def compute(self, xp: Any, anchors: Any, truths: Any) -> Any:
        return overlap(xp, truths, anchors, self.mode == "iof").astype(anchors.dtype, copy=False)


def overlap(xp: Any, boxes: Any, others: Any, by_first: bool = False) -> Any:
    """For all boxes (M, 4) and others (N, 4) the common area by that of either, or by the first one's: (M, N)."""
    one, other = boxes[:, None], others[None]
    sides = xp.minimum(one[..., 2:], other[..., 2:]) - xp.maximum(one[..., :2], other[..., :2]) + 1
    common = xp.prod(xp.maximum(sides, 0), axis=-1)
    first = xp.prod(one[..., 2:] - one[..., :2] + 1, axis=-1)
    if by_first:
        return common / first
    return common / (first + xp.prod(other[..., 2:] - other[..., :2] + 1, axis=-1) - common)


class NMSWithMask(PrimitiveWithInfer):
    """Of boxes that lie on each other the likeliest: `(boxes with scores (N, 5))`, the likeliest first.

    Going from the likeliest box to the least likely one, each that remains removes the later ones that it overlaps.

    Inputs: a floating-point tensor of shape (N, 5), each row a box and its score. Outputs: the boxes in the order of
    their scores, (N, 5); their places in it, 0 to N - 1, (N,) Int32; which ones remain, (N,) Bool.

    Args:
        iou_threshold: boxes that lie on a likelier one by more than this go: the area of both by that of either, sides
            being right - left and bottom - top.

    Example:
        >>> boxes = Tensor([[0.0, 0.0, 10.0, 10.0, 0.6], [0.0, 0.0, 10.0, 9.0, 0.9], [20.0, 20.0, 30.0, 30.0, 0.8]])
        >>> ordered, places, kept = ops.NMSWithMask(0.5)(boxes)
        >>> print(ordered.asnumpy()[:, 4], places, kept)
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

    def compute(self, xp: Any, boxes: Any) -> Any:
        order = xp.argsort(-boxes[:, 4], kind="stable")
        ordered = boxes[order]
        zeros = xp.zeros((), boxes.dtype)
        # Here sides are lengths, without the pixel at the end.
        sides = xp.maximum(
            xp.minimum(ordered[:, None, 2:4], ordered[None, :, 2:4])
            - xp.maximum(ordered[:, None, :2], ordered[None, :, :2]),
            zeros,
        )
        common = xp.prod(sides, axis=-1)
        areas = xp.prod(ordered[:, 2:4] - ordered[:, :2], axis=-1)
        close = common / (areas[:, None] + areas[None] - common) > self.iou_threshold
        kept = xp.ones(len(ordered), bool)
        for place in range(len(ordered)):
            if kept[place]:
                kept[place + 1 :] &= ~close[place, place + 1 :]
        return ordered, xp.arange(len(ordered), dtype=xp.int32), kept


class ROIAlign(PrimitiveWithInfer):
    """Regions of images brought to one size (He et al., Mask R-CNN, 2017).

    A region is divided into pooled_height x pooled_width parts; of each the mean of points on a regular grid is taken,
    which are interpolated bilinearly between pixels. A point up to a pixel outside of the image counts as one at its
    edge, one further away as 0. Regions have no gradient.

    Inputs: features, images of a floating-point type and shape (N, C, H, W); rois, the regions (R, 5): the number of
    its image, left, top, right and bottom.
    Output: a tensor of shape (R, C, pooled_height, pooled_width), of the images' type.

    Args:
        pooled_height: number of parts along the height.
        pooled_width: number of parts along the width.
        spatial_scale: by what coordinates of regions are multiplied to be those of the images.
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
        """How the attributes divide regions."""
        parts = (self.pooled_height, self.pooled_width)
        return Grid(parts, float(self.spatial_scale), self.sample_num, self.roi_end_mode)

    def infer_shape(self, features: Dims, rois: Dims, *others: Any) -> Dims:
        if len(features) != 4 or len(rois) != 2 or rois[1] != 5:
            raise ValueError(f"{self.name}: shapes {features} and {rois} must be (N, C, H, W) and (R, 5)")
        return rois[0], features[1], self.pooled_height, self.pooled_width

    def infer_dtype(self, features: DType, rois: DType, *others: Any) -> DType:
        return features

    def compute(self, xp: Any, features: Any, rois: Any) -> Any:
        self.infer_shape(features.shape, rois.shape)
        return align(xp, features, rois, self.grid)


class ROIAlignGrad(ROIAlign):
    """The gradient of `ROIAlign` with respect to the images: `(dout, regions, shape of the images)`.

    Args:
        pooled_height: as of `ROIAlign`.
        pooled_width: as of `ROIAlign`.
        spatial_scale: as of `ROIAlign`.
        sample_num: as of `ROIAlign`.
        roi_end_mode: as of `ROIAlign`.

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

    def compute(self, xp: Any, dout: Any, rois: Any, shape: Any = ()) -> Any:
        return align_grad(xp, dout, rois, tuple(shape), self.grid)


class LRN(PrimitiveWithInfer):
    """x / (bias + alpha * sum of squares of neighbouring channels) ** beta (Krizhevsky et al. 2012).

    The sum goes over the channel itself and those at most `depth_radius` channels away, at the same pixel.

    Inputs: images, a floating-point tensor of shape (N, C, H, W). Output: a tensor of the same shape and element type.

    Args:
        depth_radius: how many channels on both sides are neighbours.
        bias: what is added to the sum, so that nothing is divided by 0.
        alpha: by what the sum is multiplied.
        beta: the exponent.
        norm_region: "ACROSS_CHANNELS".

    Example:
        >>> x = Tensor(np.array([3.0, 4.0, 0.0], np.float32).reshape(1, 3, 1, 1))
        >>> print(ops.LRN(depth_radius=1, bias=0.0)(x).asnumpy().ravel().round(3))
        [0.6 0.8 0. ]
    """

    takes = MappingProxyType({0: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> Dims:
        if len(x) != 4:
            raise ValueError(f"LRN takes images [N, C, H, W], not shape {x}")
        return x

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any) -> Any:
        band = xp.asarray(neighbours(x.shape[1], self.depth_radius), x.dtype)
        sums = xp.einsum("dc,nchw->ndhw", band, xp.square(x))
        return x * (self.bias + self.alpha * sums) ** x.dtype.type(-self.beta)


def neighbours(channels: int, radius: int) -> Any:
    """The matrix that adds up each channel and its neighbours."""
    return [[float(abs(i - j) <= radius) for j in range(channels)] for i in range(channels)]
