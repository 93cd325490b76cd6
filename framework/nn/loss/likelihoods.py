"""Negative log-likelihoods of distributions, and the KL divergence."""

from __future__ import annotations

import math
from typing import Any

from framework.common.tensor import Tensor
from framework.nn.loss.loss import LossBase
from framework.ops import functional as F  # noqa: N812

__all__ = ["GaussianNLLLoss", "KLDivLoss", "PoissonNLLLoss"]


class KLDivLoss(LossBase):
    """The Kullback-Leibler divergence (1951) labels * (log(labels) - logits), for logits that are log probabilities.

    Args:
        reduction: "mean", "sum", "none" or "batchmean" (the sum divided by the number of rows).

    Example:
        >>> print(nn.KLDivLoss("sum")(ops.log(Tensor([0.5, 0.5])), Tensor([0.25, 0.75])).asnumpy().round(3))
        0.131

    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__("sum" if reduction == "batchmean" else reduction)
        self.by_rows = reduction == "batchmean"

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss of tensors of one shape. Labels of 0 count 0."""
        loss = self.get_loss(F.xlogy(labels, labels) - labels * logits)
        return loss / logits.shape[0] if self.by_rows else loss


class GaussianNLLLoss(LossBase):
    """Negative log-likelihood of normal distributions (Nix and Weigend 1994).

    The loss is (log(var) + (logits - labels)^2 / var) / 2.

    Args:
        full: add the constant log(2 pi) / 2.
        eps: lower limit of the variances.
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
        """The loss of tensors of one shape; the variances may have length 1 in the last dimension."""
        return F.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class PoissonNLLLoss(LossBase):
    """Negative log-likelihood of Poisson distributions: exp(x) - target * x, with the rate exp(x).

    Args:
        log_input: x is the logarithm of the rate; otherwise x is the rate, and the loss x - target * log(x + eps).
        full: add Stirling's approximation of log(target!) where a target is above 1.
        eps: number that keeps the operand of the logarithm above 0.
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(nn.PoissonNLLLoss()(Tensor([0.0, 0.0]), Tensor([1.0, 2.0])))
        1.0

    """

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.log_input, self.full, self.eps = bool(log_input), bool(full), float(eps)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:  # noqa: A002 - MindSpore's name
        """The loss of tensors of one shape."""
        if self.log_input:
            rate, logarithm = F.exp(input), input
        else:
            rate, logarithm = input, F.log(input + self.eps)
        losses = rate - target * logarithm
        if self.full:
            counts = F.maximum(target, 1.0)
            stirling = counts * F.log(counts) - counts + 0.5 * F.log(counts * (2.0 * math.pi))
            losses = losses + F.select(F.greater(target, 1.0), stirling, F.zeros_like(stirling))
        return self.get_loss(losses)
