"""Cells of `mint.nn` without weights: each calls the function of `mint.nn.functional` with its options."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.mint.nn import functional as F  # noqa: N812
from framework.nn.cell import Cell

__all__ = [
    "ELU",
    "GLU",
    "AvgPool1d",
    "AvgPool3d",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "Dropout2d",
    "Fold",
    "Hardtanh",
    "KLDivLoss",
    "MaxUnpool2d",
    "NLLLoss",
    "SmoothL1Loss",
    "Softshrink",
    "Threshold",
    "Unfold",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad3d",
]  # fmt: skip


class AvgPool1d(Cell):
    """Average pooling in one dimension; arguments as of `functional.avg_pool1d`."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.options = (kernel_size, stride, padding, ceil_mode, count_include_pad)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The means."""
        return F.avg_pool1d(input, *self.options)


class AvgPool3d(Cell):
    """Average pooling in three dimensions; arguments as of `functional.avg_pool3d`."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.options = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The means."""
        return F.avg_pool3d(input, *self.options)


class CosineEmbeddingLoss(Cell):
    """The cosine embedding loss of pairs of vectors, similar (1) or dissimilar (-1); see
    `functional.cosine_embedding_loss`."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__()
        self.options = (margin, reduction)

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Any:
        """The loss."""
        return F.cosine_embedding_loss(input1, input2, target, *self.options)


class CrossEntropyLoss(Cell):
    """The cross entropy of logits against classes or probabilities; see `functional.cross_entropy`."""

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.options = (weight, ignore_index, reduction, label_smoothing)

    def construct(self, input: Tensor, target: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The loss."""
        return F.cross_entropy(input, target, *self.options)


class Dropout2d(Cell):
    """Channel dropout in training, with probability p; see `functional.dropout2d`."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.options = (p,)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The tensor, in training with some channels set to 0."""
        return F.dropout2d(input, *self.options, self.training)


class ELU(Cell):
    """ELU: x above 0, alpha (e^x - 1) below; the input itself is not changed."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.options = (alpha,)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The activated tensor."""
        return F.elu(input, *self.options)


class Fold(Cell):
    """Combines windows into images; overlapping elements are added up. Arguments as of `functional.fold`."""

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1,
    ) -> None:  # fmt: skip
        super().__init__()
        self.options = (output_size, kernel_size, dilation, padding, stride)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The images."""
        return F.fold(input, *self.options)


class GLU(Cell):
    """GLU: the first half along a dimension times the sigmoid of the second half."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.options = (dim,)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The product."""
        return F.glu(input, *self.options)


class Hardtanh(Cell):
    """Limits the elements to a range; the input itself is not changed."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.options = (min_val, max_val)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The limited tensor."""
        return F.hardtanh(input, *self.options)


class KLDivLoss(Cell):
    """The Kullback-Leibler divergence; see `functional.kl_div`."""

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__()
        self.options = (reduction, log_target)

    def construct(self, input: Tensor, target: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The loss."""
        return F.kl_div(input, target, *self.options)


class MaxUnpool2d(Cell):
    """The inverse of max pooling of images: maxima at their indices, 0 elsewhere."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.options = (kernel_size, stride, padding)

    def construct(self, input: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None) -> Any:  # noqa: A002
        """The images before pooling, of the smallest size that fits or of `output_size`."""
        return F.max_unpool2d(input, indices, *self.options, output_size)


class NLLLoss(Cell):
    """The negative log likelihood of labels; see `functional.nll_loss`."""

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__()
        self.options = (weight, ignore_index, reduction)

    def construct(self, input: Tensor, target: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The loss."""
        return F.nll_loss(input, target, *self.options)


class SmoothL1Loss(Cell):
    """The smooth L1 loss: quadratic for small differences, linear for large ones; see `functional.smooth_l1_loss`."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__()
        self.options = (reduction, beta)

    def construct(self, input: Tensor, target: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The loss."""
        return F.smooth_l1_loss(input, target, *self.options)


class Softshrink(Cell):
    """Soft shrinkage: elements move towards 0 by `lambd`, and smaller ones become 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.options = (lambd,)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The shrunk tensor."""
        return F.softshrink(input, *self.options)


class Threshold(Cell):
    """x above a threshold, else a fixed value; the input itself is not changed."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.options = (threshold, value)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The tensor, with small elements replaced by the value."""
        return F.threshold(input, *self.options)


class Unfold(Cell):
    """Extracts windows of images, one in each column; arguments as of `functional.unfold`."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.options = (kernel_size, dilation, padding, stride)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The windows."""
        return F.unfold(input, *self.options)


class Upsample(Cell):
    """Resizes sequences, images or volumes; see `functional.interpolate`."""

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.options = (size, scale_factor, mode, align_corners, recompute_scale_factor)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The resized tensor."""
        return F.interpolate(input, *self.options)


class UpsamplingBilinear2d(Upsample):
    """Resizes images by bilinear interpolation with aligned corners; arguments as of `Upsample`."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


class UpsamplingNearest2d(Upsample):
    """Resizes images by nearest-neighbour interpolation; arguments as of `Upsample`."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class ZeroPad1d(Cell):
    """Pads sequences with zeros at both ends.

    Args:
        padding: the widths before and behind, or one number for both.

    """

    sides = 1

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self.sides) if isinstance(padding, int) else tuple(padding)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The padded tensor."""
        return F.pad(input, self.padding)


class ZeroPad3d(ZeroPad1d):
    """Pads volumes with zeros on all sides.

    Args:
        padding: the widths before and behind, from the last dimension on, or one number for all.

    """

    sides = 3
