"""Losses of classification."""

from __future__ import annotations

from framework import ops
from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.onnx.operators.operator_table import Ints, onnx
from framework.ops.constexpr import constexpr

__all__: list[str] = []


@onnx("NegativeLogLikelihoodLoss", since=12)
def negative_log_likelihood(
    x: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int | None = None, reduction: str = "mean"
) -> Tensor:
    labels = ops.cast(target, mstype.int64)
    is_read = ops.ones_like(labels) > 0 if ignore_index is None else ops.not_equal(labels, ignore_index)
    safe = ops.where(is_read, labels, ops.zeros_like(labels))
    picked = ops.squeeze(ops.gather_elements(x, 1, ops.expand_dims(safe, 1)), 1)
    shares = ops.cast(is_read, x.dtype)
    if weight is not None:
        shares = shares * ops.gather(weight, safe, 0)
    loss = ops.where(is_read, -picked * shares, ops.zeros_like(picked))
    if reduction == "none":
        return loss
    axes = _all(len(loss.shape))
    if reduction == "sum":
        return ops.sum(loss, axes)
    return ops.sum(loss, axes) / ops.sum(shares, axes)


@constexpr
def _all(rank: int) -> Ints:
    return tuple(range(rank))


@onnx("SoftmaxCrossEntropyLoss", since=12)
def softmax_cross_entropy(
    scores: Tensor,
    labels: Tensor,
    weights: Tensor | None = None,
    *,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> tuple[Tensor, Tensor]:
    logarithms = ops.log_softmax(scores, 1)
    loss = negative_log_likelihood(logarithms, labels, weights, ignore_index=ignore_index, reduction=reduction)
    return loss, logarithms
