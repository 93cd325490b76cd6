"""Losses of samples with several labels each."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.nn.loss.loss import LossBase
from framework.ops import functional as F  # noqa: N812

__all__ = ["MultiLabelSoftMarginLoss", "MultilabelMarginLoss"]


class MultilabelMarginLoss(LossBase):
    """The sum over labels j and other classes i of max(0, 1 - (x_j - x_i)), divided by the number of classes.

    Args:
        reduction: "mean", "sum" or "none".

    Inputs: scores (N, C) or (C,); integers of the same shape, the labels of each sample, ended by -1.

    Example:
        >>> print(nn.MultilabelMarginLoss()(Tensor([[0.1, 0.2, 0.4, 0.8]]), Tensor([[3, 0, -1, 1]])))
        0.85

    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(reduction)

    def construct(self, x: Tensor, target: Tensor) -> Any:
        """The loss of scores and labels, both (N, C) or (C,)."""
        return F.multi_label_margin_loss(x, target, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    """-(y log(s(x)) + (1 - y) log(1 - s(x))) with the sigmoid s, averaged over classes.

    Args:
        weight: weights of the classes, (C,); None for 1.
        reduction: "mean", "sum" or "none".

    Inputs: scores (N, C); y of the same shape, 1 for each label and 0 for other classes.

    Example:
        >>> print(nn.MultiLabelSoftMarginLoss()(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]])).asnumpy().round(3))
        0.693

    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x: Tensor, target: Tensor) -> Any:
        """The loss of scores and labels, both (N, C)."""
        return F.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)
