"""Losses as Cells."""

from __future__ import annotations

from typing import Any

from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["L1Loss", "LossBase", "MSELoss", "SmoothL1Loss", "SoftmaxCrossEntropyWithLogits"]


class LossBase(Cell):
    """What losses have in common: the mean or the sum of the losses of elements, or these as they are.

    Args:
        reduction: "mean", "sum" or "none".

    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f"{type(self).__name__}: reduction must be mean, sum or none, not {reduction!r}")
        self.reduction = reduction

    def get_loss(self, x: Any, weights: Any = 1.0) -> Any:
        """The losses of elements times weights, reduced."""
        return F.reduced(x * weights, self.reduction)


class MSELoss(LossBase):
    """(logits - labels) squared.

    Args:
        reduction: "mean", "sum" or "none".

    """

    def construct(self, logits: Any, labels: Any) -> Any:
        """Of shapes that broadcast."""
        return F.mse_loss(logits, labels, self.reduction)


class L1Loss(LossBase):
    """|logits - labels|.

    Args:
        reduction: "mean", "sum" or "none".

    """

    def construct(self, logits: Any, labels: Any) -> Any:
        """Of shapes that broadcast."""
        return F.l1_loss(logits, labels, self.reduction)


class SmoothL1Loss(LossBase):
    """With d = |logits - labels|: d * d / (2 * beta) below beta, d - beta / 2 above.

    Args:
        beta: where it changes from a parabola to a line.
        reduction: "mean", "sum" or "none".

    """

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.smooth_l1 = P.SmoothL1Loss(beta, reduction)

    def construct(self, logits: Any, labels: Any) -> Any:
        """Of one shape."""
        return self.smooth_l1(logits, labels)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """-sum(labels * log_softmax(logits)) per row.

    Args:
        sparse: labels are the numbers of classes (N), not distributions (N, C).
        reduction: "none", "mean" or "sum".

    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = sparse
        self.one_hot = P.OneHot()
        self.cross_entropy = P.SoftmaxCrossEntropyWithLogits()
        self.sparse_mean = P.SparseSoftmaxCrossEntropyWithLogits()

    def construct(self, logits: Any, labels: Any) -> Any:
        """From logits (N, C)."""
        if self.sparse:
            if self.reduction == "mean":
                return self.sparse_mean(logits, labels)
            labels = self.one_hot(labels, F.shape(logits)[-1], 1.0, 0.0)
        return F.reduced(self.cross_entropy(logits, labels)[0], self.reduction)
