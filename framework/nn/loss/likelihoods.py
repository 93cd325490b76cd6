"""Losses that are how unlikely something is, or how far one distribution is from another."""

from __future__ import annotations

import math
from typing import Any

from framework.common.tensor import Tensor
from framework.nn.loss.loss import LossBase
from framework.ops import functional as F  # noqa: N812

__all__ = ["GaussianNLLLoss", "KLDivLoss", "PoissonNLLLoss"]


class KLDivLoss(LossBase):
    """labels * (log(labels) - logits), for logits that are logarithms: how far they are (Kullback and Leibler 1951).

    Args:
        reduction: "mean", "sum", "none"; or "batchmean", the sum by the number of rows.

    Example:
        >>> print(nn.KLDivLoss("sum")(ops.log(Tensor([0.5, 0.5])), Tensor([0.25, 0.75])).asnumpy().round(3))
        0.131

    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__("sum" if reduction == "batchmean" else reduction)
        self.by_rows = reduction == "batchmean"

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Of one shape. What is 0 among the labels counts for nothing."""
        loss = self.get_loss(F.xlogy(labels, labels) - labels * logits)
        return loss / logits.shape[0] if self.by_rows else loss


class GaussianNLLLoss(LossBase):
    """(log(var) + (logits - labels)^2 / var) / 2: labels under normal distributions (Nix and Weigend 1994).

    Args:
        full: add log(2 pi) / 2.
        eps: variances are at least so much.
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.GaussianNLLLoss()(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])))
        2.0

    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full = bool(full)
        self.eps = float(eps)

    def construct(self, logits: Tensor, labels: Tensor, var: Tensor) -> Any:
        """Of one shape; of variances the last dimension may be 1."""
        return F.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class PoissonNLLLoss(LossBase):
    """exp(x) - target * x: counts under Poisson distributions of rate exp(x).

    Args:
        log_input: x is the logarithm of the rate; else it is the rate: x - target * log(x + eps).
        full: add Stirling's approximation of log(target!) where a target is above 1.
        eps: keeps the logarithm from 0.
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.PoissonNLLLoss()(Tensor([0.0, 0.0]), Tensor([1.0, 2.0])))
        1.0

    """

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.log_input, self.full, self.eps = bool(log_input), bool(full), float(eps)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:  # noqa: A002 - MindSpore's name
        """Of one shape."""
        if self.log_input:
            rate, logarithm = F.exp(input), input
        else:
            rate, logarithm = input, F.log(input + self.eps)
        losses = rate - target * logarithm
        if self.full:
            many = F.maximum(target, 1.0)
            stirling = many * F.log(many) - many + 0.5 * F.log(many * (2.0 * math.pi))
            losses = losses + F.select(F.greater(target, 1.0), stirling, F.zeros_like(stirling))
        return self.get_loss(losses)
