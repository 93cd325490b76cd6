"""Losses of differences between numbers and what they should be."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.nn.loss.loss import LossBase
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["HuberLoss", "L1Loss", "MAELoss", "MSELoss", "RMSELoss", "SmoothL1Loss"]


class MSELoss(LossBase):
    """(logits - labels) squared.

    Args:
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.MSELoss()(Tensor([1.0, 2.0]), Tensor([3.0, 2.0])))
        2.0

    """

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """Of shapes that broadcast."""
        return F.mse_loss(logits, labels, self.reduction)


class L1Loss(LossBase):
    """|logits - labels|.

    Args:
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.L1Loss()(Tensor([1.0, 2.0]), Tensor([3.0, 2.0])))
        1.0

    """

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """Of shapes that broadcast."""
        return F.l1_loss(logits, labels, self.reduction)


class SmoothL1Loss(LossBase):
    """With d = |logits - labels|: d * d / (2 * beta) below beta, d - beta / 2 above.

    Args:
        beta: where it changes from a parabola to a line.
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.SmoothL1Loss()(Tensor([0.0, 0.0]), Tensor([1.0, 3.0])))
        [0.5 2.5]

    """

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.smooth_l1 = P.SmoothL1Loss(beta, reduction)

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """Of one shape."""
        return self.smooth_l1(logits, labels)


class MAELoss(L1Loss):
    """|logits - labels|: `L1Loss` under its other name.

    Args:
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.MAELoss()(Tensor([1.0, 2.0]), Tensor([3.0, 2.0])))
        1.0

    """


class RMSELoss(LossBase):
    """The root of the mean of (logits - labels) squared.

    Example:
        >>> print(nn.RMSELoss()(Tensor([0.0, 0.0]), Tensor([3.0, 3.0])))
        3.0

    """

    def __init__(self) -> None:
        super().__init__()

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """Of shapes that broadcast."""
        return F.sqrt(F.mse_loss(logits, labels, "mean"))


class HuberLoss(LossBase):
    """With d = |logits - labels|: d * d / 2 up to delta, delta * (d - delta / 2) above (Huber 1964).

    Args:
        reduction: "mean", "sum" or "none".
        delta: where it changes from a parabola to a line, above 0.

    Example:
        >>> print(nn.HuberLoss("none")(Tensor([0.0, 0.0]), Tensor([1.0, 3.0])))
        [0.5 2.5]

    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        if delta <= 0:
            raise ValueError(f"HuberLoss: delta must be above 0, not {delta}")
        self.delta = float(delta)

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """Of shapes that broadcast."""
        return F.huber_loss(logits, labels, self.reduction, self.delta)
