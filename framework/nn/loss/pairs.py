"""Losses of pairs and triplets: similar samples should be close, others apart by a margin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framework.common.tensor import Tensor
from framework.nn.loss.loss import LossBase
from framework.ops import functional as F  # noqa: N812

__all__ = [
    "CosineEmbeddingLoss",
    "HingeEmbeddingLoss",
    "MarginRankingLoss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class CosineEmbeddingLoss(LossBase):
    """1 - cos(x1, x2) where the label is 1, and max(0, cos(x1, x2) - margin) where it is -1.

    Args:
        margin: greatest wanted cosine of dissimilar pairs, from -1 to 1.
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.CosineEmbeddingLoss()(Tensor([[1.0, 0.0]]), Tensor([[0.0, 1.0]]), Tensor([1.0])))
        1.0

    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        if not -1 <= margin <= 1:
            raise ValueError(f"CosineEmbeddingLoss: margin must lie between -1 and 1, not {margin}")
        self.margin = float(margin)

    def construct(self, logits_x1: Tensor, logits_x2: Tensor, labels: Tensor) -> Any:
        """The loss of vectors (N, D) and labels (N,)."""
        return F.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)


class HingeEmbeddingLoss(LossBase):
    """x where the label is 1, and max(0, margin - x) where it is -1.

    Args:
        margin: least wanted x of dissimilar pairs.
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.HingeEmbeddingLoss()(Tensor([0.5, 0.25]), Tensor([1.0, -1.0])))
        0.625

    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = float(margin)

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of tensors of one shape."""
        return F.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


class MarginRankingLoss(LossBase):
    """max(0, -label * (x1 - x2) + margin): label 1 ranks x1 higher, -1 ranks x2 higher.

    Args:
        margin: least wanted difference of the scores.
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.MarginRankingLoss()(Tensor([1.0, 2.0]), Tensor([2.0, 1.0]), Tensor([1.0, 1.0])))
        0.5

    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = float(margin)

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Any:
        """The loss of tensors of one shape."""
        return F.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class SoftMarginLoss(LossBase):
    """log(1 + exp(-label * x)) for labels 1 and -1.

    Args:
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.SoftMarginLoss()(Tensor([0.0, 0.0]), Tensor([1.0, -1.0])).asnumpy().round(3))
        0.693

    """

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of tensors of one shape."""
        return F.soft_margin_loss(logits, labels, self.reduction)


class TripletMarginLoss(LossBase):
    """max(0, d(x, positive) - d(x, negative) + margin), with the p-norm distance d.

    Args:
        p: order of the norm.
        swap: use the smaller of d(x, negative) and d(positive, negative) (Balntas et al. 2016).
        eps: number added to differences before the norm is taken.
        reduction: "mean", "sum" or "none".
        margin: least wanted difference of the distances.

    Example:
        >>> anchor, positive, negative = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]]), Tensor([[0.0, 2.0]])
        >>> print(nn.TripletMarginLoss()(anchor, positive, negative).asnumpy().round(3))
        4.0

    """

    def __init__(
        self, p: float = 2.0, swap: bool = False, eps: float = 1e-6, reduction: str = "mean", margin: float = 1.0
    ) -> None:
        super().__init__(reduction)
        self.p, self.swap, self.eps, self.margin = float(p), bool(swap), float(eps), float(margin)

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor) -> Any:
        """The loss of vectors (N, D)."""
        return F.triplet_margin_loss(x, positive, negative, self.margin, self.p, self.eps, self.swap, self.reduction)


class TripletMarginWithDistanceLoss(LossBase):
    """max(0, d(x, positive) - d(x, negative) + margin), with a distance d of the user.

    Args:
        distance_function: d, a Cell or a function of two tensors (N, D); None for the Euclidean distance.
        swap: use the smaller of d(x, negative) and d(positive, negative) (Balntas et al. 2016).
        reduction: "mean", "sum" or "none".
        margin: least wanted difference of the distances, above 0.

    Raises:
        ValueError: `margin` is not above 0.

    Inputs: anchors, positive and negative examples, three tensors (N, D). Output: the loss, of shape () or (N,).

    Example:
        >>> loss = nn.TripletMarginWithDistanceLoss(lambda x, y: ops.abs(x - y).sum(-1))
        >>> print(loss(Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]]), Tensor([[0.0, 2.0]])))
        6.0

    """

    def __init__(
        self,
        distance_function: Callable[..., Any] | None = None,
        swap: bool = False,
        reduction: str = "mean",
        margin: float = 1.0,
    ) -> None:
        super().__init__(reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginWithDistanceLoss: margin must be above 0, not {margin}")
        self.distance_function = _euclidean if distance_function is None else distance_function
        self.swap, self.margin = swap, margin

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor) -> Any:
        """The loss of vectors (N, D)."""
        far = self.distance_function(x, negative)
        if self.swap:
            far = F.minimum(far, self.distance_function(positive, negative))
        return F.reduced(F.relu(self.distance_function(x, positive) - far + self.margin), self.reduction)


def _euclidean(x: Tensor, y: Tensor) -> Any:
    return F.sqrt(F.reduce_sum(F.square(x - y), -1))
