"""Margin losses: between samples (ranking, embedding, triplet) and between classes."""

from __future__ import annotations

from framework.common.tensor import Tensor
from framework.ops.activation.sigmoids import logsigmoid
from framework.ops.arithmetic.binary import Minimum, maximum
from framework.ops.array.casting import cast
from framework.ops.array.properties import rank, shape
from framework.ops.array.reshaping import expand_dims
from framework.ops.comparison import equal
from framework.ops.indexing.gathering_elements import gather_elements
from framework.ops.indexing.selecting import one_hot, select
from framework.ops.losses.distances import reduced
from framework.ops.mathematics.exponential import exp, log1p, sqrt, square
from framework.ops.mathematics.rounding import abs
from framework.ops.reduction.cumulative import cumprod
from framework.ops.reduction.norms import norm
from framework.ops.reduction.totals import mean, reduce_sum
from framework.ops.reduction.totals import sum as sum_over

__all__ = [
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "multi_label_margin_loss",
    "multi_margin_loss",
    "multilabel_soft_margin_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
]


def multi_label_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The sum over labels j and other classes i of max(0, 1 - (x_j - x_i)), divided by the number of classes C.

    Args:
        input: scores of shape (N, C) or (C,).
        target: integers of the same shape: the labels of each sample, ended by -1.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" a tensor of shape (N,) or ().

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


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | float | None = None, reduction: str = "mean"
) -> Tensor:
    """-(y log(s(x)) + (1 - y) log(1 - s(x))) with the sigmoid s, averaged over classes.

    Args:
        input: scores of shape (N, C).
        target: y, of the same shape: 1 for each label of the sample and 0 for other classes.
        weight: weights of the classes, (C,); None for 1.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" a tensor of shape (N,).

    Example:
        >>> print(ops.multilabel_soft_margin_loss(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]])).asnumpy().round(3))
        0.693

    """
    losses = -(target * logsigmoid(input) + (1.0 - target) * logsigmoid(-input))
    return reduced(mean(losses if weight is None else losses * weight, -1), reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor | float, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """max(0, -target * (input1 - input2) + margin): target 1 ranks the first input higher, -1 the second.

    Args:
        input1: scores, a tensor of any shape.
        input2: scores that broadcast to that shape.
        target: 1 or -1, of the same shape.
        margin: least wanted difference of the scores.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" the losses of the broadcast shape.

    Example:
        >>> print(ops.margin_ranking_loss(Tensor([1.0, 2.0]), Tensor([2.0, 1.0]), Tensor([1.0, 1.0])))
        0.5

    """
    return reduced(maximum(-target * (input1 - input2) + margin, 0.0), reduction)


def hinge_embedding_loss(inputs: Tensor, targets: Tensor, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    """x where the target is 1, and max(0, margin - x) where it is -1.

    Args:
        inputs: distances x, a tensor of any shape.
        targets: 1 or -1, of the same shape.
        margin: least wanted distance of dissimilar pairs.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" the losses of the shape of `inputs`.

    Example:
        >>> print(ops.hinge_embedding_loss(Tensor([0.5, 0.25]), Tensor([1.0, -1.0])))
        0.625

    """
    return reduced(select(equal(targets, 1), inputs, maximum(margin - inputs, 0.0)), reduction)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor | float, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """1 - cos(x1, x2) where the target is 1, and max(0, cos(x1, x2) - margin) where it is -1, for vectors in rows.

    Args:
        input1: vectors of shape (N, D).
        input2: vectors of the same shape.
        target: 1 or -1, of shape (N,).
        margin: greatest wanted cosine of dissimilar pairs.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" the losses of the shape of `target`.

    Example:
        >>> print(ops.cosine_embedding_loss(Tensor([[1.0, 0.0]]), Tensor([[0.0, 1.0]]), Tensor([1.0])))
        1.0

    """
    lengths = reduce_sum(input1 * input1, 1) * reduce_sum(input2 * input2, 1)
    cosine = reduce_sum(input1 * input2, 1) / sqrt(lengths)
    return reduced(select(equal(target, 1), 1.0 - cosine, maximum(cosine - margin, 0.0)), reduction)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """log(1 + exp(-target * x)) for targets 1 and -1.

    Args:
        input: scores x, a tensor of any shape.
        target: 1 or -1, of the same shape.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" the losses of the shape of `input`.

    Example:
        >>> print(ops.soft_margin_loss(Tensor([0.0, 0.0]), Tensor([1.0, -1.0])).asnumpy().round(3))
        0.693

    """
    against = -target * input
    return reduced(log1p(exp(-abs(against))) + maximum(against, 0.0), reduction)


def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, |anchor - positive| - |anchor - negative| + margin), with p-norms of rows (Schroff et al. 2015).

    Args:
        anchor: vectors of shape (N, D).
        positive: vectors of the same class as the anchors, (N, D).
        negative: vectors of another class, (N, D).
        margin: least wanted difference of the distances.
        p: order of the norm.
        eps: added to differences before the norm is taken.
        swap: use the distance from positive to negative where it is the smaller one.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" the losses of shape (N,).

    Example:
        >>> one, other = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]])
        >>> print(ops.triplet_margin_loss(one, other, one + 1.0).asnumpy().round(3))
        4.586

    """
    to_positive, to_negative = norm(anchor - positive + eps, p, -1), norm(anchor - negative + eps, p, -1)
    if swap:
        to_negative = Minimum()(to_negative, norm(positive - negative + eps, p, -1))
    return reduced(maximum(to_positive - to_negative + margin, 0.0), reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1,
    weight: Tensor | float | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The sum over wrong classes of max(0, margin - input[label] + input[class])^p, divided by the number of classes.

    Args:
        input: scores of shape (N, C).
        target: labels, integers of shape (N,).
        p: 1 or 2.
        margin: least wanted lead of the right class.
        weight: weights of the classes, (C,); None for 1.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" the losses of shape (N,).

    Example:
        >>> print(ops.multi_margin_loss(Tensor([[0.5, 1.0, 2.0]]), Tensor([1])).asnumpy().round(3))
        0.833

    """
    classes = shape(input)[1]
    right = one_hot(target, classes, 1.0, 0.0)
    behind = maximum(margin - sum_over(input * right, 1, True) + input, 0.0)
    losses = (behind if p == 1 else square(behind)) * (1.0 - right)
    if weight is not None:
        losses = losses * sum_over(right * weight, 1, True)
    return reduced(sum_over(losses, 1) / classes, reduction)
