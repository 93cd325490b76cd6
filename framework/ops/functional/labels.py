"""Losses of samples that have several labels each."""

from __future__ import annotations

from typing import Any

from framework.ops.activation.sigmoids import logsigmoid
from framework.ops.arithmetic.binary import maximum
from framework.ops.functional.creation import cast
from framework.ops.functional.neural import reduced
from framework.ops.functional.picking import gather_elements, one_hot
from framework.ops.functional.primitives import expand_dims, rank, shape
from framework.ops.reduction.totals import cumprod, mean
from framework.ops.reduction.totals import sum as sum_over

__all__ = ["multi_label_margin_loss", "multilabel_soft_margin_loss"]


def multi_label_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The sum over labels j and other classes i of max(0, 1 - (x_j - x_i)), by the number of classes C.

    Args:
        input: scores (N, C) or (C,).
        target: int of the same shape: the labels of each sample, then -1; what is behind it does not count.
        reduction: "mean", "sum" or "none".

    Returns:
        A tensor without dimensions, or with "none" of shape (N,) or ().

    Example:
        >>> print(ops.multi_label_margin_loss(Tensor([[0.1, 0.2, 0.4, 0.8]]), Tensor([[3, 0, -1, 1]])))
        0.85

    """
    if rank(input) == 1:
        loss = multi_label_margin_loss(expand_dims(input, 0), expand_dims(target, 0), "none")
        return loss[0] if reduction == "none" else reduced(loss, reduction)
    counts = cumprod(cast(target >= 0, input.dtype), 1)
    labels = maximum(target, 0)
    of_labels = one_hot(labels, shape(input)[1], 1.0, 0.0) * expand_dims(counts, -1)
    others = 1.0 - sum_over(of_labels, 1)
    others = maximum(others, 0.0)
    behind = maximum(1.0 - expand_dims(gather_elements(input, 1, labels), 2) + expand_dims(input, 1), 0.0)
    losses = sum_over(behind * expand_dims(counts, 2) * expand_dims(others, 1), (1, 2)) / shape(input)[1]
    return reduced(losses, reduction)


def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """-(y log(s(x)) + (1 - y) log(1 - s(x))) with s the sigmoid, the mean over classes.

    Args:
        input: scores (N, C).
        target: y of the same shape, 1 for each label and 0 for other classes.
        weight: one per class, (C,).
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(ops.multilabel_soft_margin_loss(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]])).asnumpy().round(3))
        0.693

    """
    losses = -(target * logsigmoid(input) + (1.0 - target) * logsigmoid(-input))
    return reduced(mean(losses if weight is None else losses * weight, -1), reduction)
