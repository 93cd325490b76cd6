"""Regression losses: squared, absolute, smooth L1 and Huber."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.nn.loss.loss import LossBase
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["HuberLoss", "L1Loss", "MAELoss", "MSELoss", "RMSELoss", "SmoothL1Loss"]


class MSELoss(LossBase):
    """Squared error: (logits - labels)^2.

    Args:
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.MSELoss()(Tensor([1.0, 2.0]), Tensor([3.0, 2.0])))
        2.0

    """

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of logits and labels, whose shapes broadcast."""
        return F.mse_loss(logits, labels, self.reduction)


class L1Loss(LossBase):
    """Absolute error: |logits - labels|.

    Args:
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.L1Loss()(Tensor([1.0, 2.0]), Tensor([3.0, 2.0])))
        1.0

    """

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of logits and labels, whose shapes broadcast."""
        return F.l1_loss(logits, labels, self.reduction)


class SmoothL1Loss(LossBase):
    """Smooth L1 loss (Girshick 2015). With d = |logits - labels|: d * d / (2 * beta) below beta, d - beta / 2 above.

    Args:
        beta: error at which the loss changes from a parabola to a line.
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.SmoothL1Loss()(Tensor([0.0, 0.0]), Tensor([1.0, 3.0])))
        [0.5 2.5]

    """

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.beta = beta
        self.smooth_l1 = P.SmoothL1Loss(beta, reduction)

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of tensors of one shape."""
        return self.smooth_l1(logits, labels)


class MAELoss(L1Loss):
    """Absolute error: another name of `L1Loss`.

    Args:
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.MAELoss()(Tensor([1.0, 2.0]), Tensor([3.0, 2.0])))
        1.0

    """


class RMSELoss(LossBase):
    """The root of the mean squared error.

    Example:
        >>> print(nn.RMSELoss()(Tensor([0.0, 0.0]), Tensor([3.0, 3.0])))
        3.0

    """

    def __init__(self) -> None:
        super().__init__()

    def construct(self, logits: Tensor, labels: Tensor) -> Any:
        """The loss of logits and labels, whose shapes broadcast."""
        return F.sqrt(F.mse_loss(logits, labels, "mean"))


class HuberLoss(LossBase):
    """Huber loss (Huber 1964). With d = |logits - labels|: d * d / 2 up to delta, delta * (d - delta / 2) above.

    Args:
        reduction: "mean", "sum" or "none".
        delta: error at which the loss changes from a parabola to a line, above 0.

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
        """The loss of logits and labels, whose shapes broadcast."""
        return F.huber_loss(logits, labels, self.reduction, self.delta)
