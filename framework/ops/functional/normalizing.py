"""Normalization, dropout of channels, and losses, as functions."""

from __future__ import annotations

import math
from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.activation.normalized_exponentials import softmax
from framework.ops.arithmetic.binary import maximum
from framework.ops.comparison import equal
from framework.ops.constexpr import constexpr
from framework.ops.functional.measuring import norm
from framework.ops.functional.neural import dropout, reduced
from framework.ops.functional.picking import one_hot
from framework.ops.functional.primitives import rank, reshape, select, shape
from framework.ops.mathematics.exponential import exp, log, log1p, rsqrt, sqrt, square
from framework.ops.mathematics.rounding import abs
from framework.ops.primitive import cached
from framework.ops.reduction.totals import mean, reduce_sum, sum

__all__ = [
    "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "dropout1d",
    "dropout2d", "dropout3d", "gaussian_nll_loss", "group_norm", "gumbel_softmax", "hinge_embedding_loss",
    "huber_loss", "layer_norm", "margin_ranking_loss", "multi_margin_loss", "rms_norm", "soft_margin_loss",
    "triplet_margin_loss",
]  # fmt: skip


@constexpr
def _channels(rank: int) -> tuple[int, ...]:
    """The shape in which a vector of channels broadcasts with (N, C, ...)."""
    return (1, -1, *(1,) * (rank - 2))


@constexpr
def _first_of_channels(shape: Any) -> tuple[int, ...]:
    """The shape with one element for each channel of each sample."""
    return (*shape[:2], *(1,) * (len(shape) - 2))


def batch_norm(
    input_x: Any, running_mean: Any, running_var: Any, weight: Any, bias: Any, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """(x - mean) / sqrt(var + eps) * weight + bias per channel of (N, C, ...) (Ioffe and Szegedy 2015).

    Args:
        input_x: the tensor.
        running_mean: a mean per channel, (C,).
        running_var: a variance per channel, (C,).
        weight: (C,).
        bias: (C,).
        training: use the statistics of the batch, and bring the running ones, which are Parameters then, nearer.
        momentum: how much of the batch's statistics the running ones take.
        eps: added to the variance.

    Example:
        >>> x, one, zero = Tensor([[1.0, 2.0], [3.0, 6.0]]), ops.ones((2,)), ops.zeros((2,))
        >>> print(ops.batch_norm(x, zero, one, one, zero, training=True).asnumpy().round(2))
        [[-1. -1.]
         [ 1.  1.]]

    """
    return cached(P.BatchNorm, training, eps, momentum, "NCHW")(input_x, weight, bias, running_mean, running_var)[0]


def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions (Ba et al. 2016).

    Args:
        input: the tensor.
        normalized_shape: the last dimensions, a tuple.
        weight: a factor of that shape; 1 where it is left out.
        bias: a shift of that shape; 0 where it is left out.
        eps: added to the variance.

    Example:
        >>> print(ops.layer_norm(Tensor([[1.0, 3.0]]), (2,)).asnumpy().round(3))
        [[-1.  1.]]

    """
    over = tuple(range(-len(normalized_shape), 0))
    centred = input - mean(input, over, True)
    out = centred * rsqrt(mean(square(centred), over, True) + eps)
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


def rms_norm(x: Any, gamma: Any, epsilon: float = 1e-6) -> Any:
    """x / sqrt(mean of x^2 + epsilon) * gamma over the last dimensions, and 1 / that root (Zhang and Sennrich 2019).

    Example:
        >>> print(ops.rms_norm(Tensor([[3.0, 4.0]]), Tensor([1.0, 2.0]))[0].asnumpy().round(3))
        [[0.849 2.263]]

    """
    root = rsqrt(mean(square(x), tuple(range(-rank(gamma), 0)), True) + epsilon)
    return x * root * gamma, root


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """Normalization of each sample (C, ...) over groups of channels (Wu and He 2018); weight and bias are (C,).

    Example:
        >>> print(ops.group_norm(Tensor([[[1.0], [3.0], [5.0], [9.0]]]), 2).asnumpy().ravel().round(2))
        [-1.  1. -1.  1.]

    """
    groups = reshape(input, (shape(input)[0], num_groups, -1))
    centred = groups - mean(groups, 2, True)
    out = reshape(centred * rsqrt(mean(square(centred), 2, True) + eps), shape(input))
    out = out if weight is None else out * reshape(weight, _channels(rank(input)))
    return out if bias is None else out + reshape(bias, _channels(rank(input)))


def _dropped_channels(input: Any, p: float, training: bool) -> Any:
    if not training or p == 0:
        return input
    return input * dropout(P.Ones()(_first_of_channels(shape(input)), input.dtype), p)


def dropout1d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """Whole channels of (N, C, L) set to 0 with probability p and the others divided by 1 - p.

    Example:
        >>> print(ops.dropout1d(ops.ones((2, 3, 4)), 0.5, training=False).shape)
        (2, 3, 4)

    """
    return _dropped_channels(input, p, training)


def dropout2d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """Whole channels of (N, C, H, W) set to 0 with probability p and the others divided by 1 - p.

    Example:
        >>> print(ops.dropout2d(ops.ones((2, 3, 4, 4)), 0.5, training=False).shape)
        (2, 3, 4, 4)

    """
    return _dropped_channels(input, p, training)


def dropout3d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """Whole channels of (N, C, D, H, W) set to 0 with probability p and the others divided by 1 - p.

    Example:
        >>> print(ops.dropout3d(ops.ones((2, 3, 4, 4, 4)), 0.5, training=False).shape)
        (2, 3, 4, 4, 4)

    """
    return _dropped_channels(input, p, training)


def gumbel_softmax(logits: Any, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Any:
    """softmax((logits + noise) / tau): a class drawn, with a gradient (Jang et al. 2017); with `hard` one-hot.

    Example:
        >>> print(ops.gumbel_softmax(Tensor([[0.0, 100.0, 0.0]]), hard=True))
        [[0. 1. 0.]]

    """
    drawn = P.UniformReal()(shape(logits))
    noise = -log(-log(maximum(drawn, 1e-20)) + 1e-20)
    soft = softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    picked = one_hot(P.Argmax(dim)(soft), shape(logits)[dim], 1.0, 0.0, dim)
    return P.StopGradient()(picked - soft) + soft


def binary_cross_entropy(logits: Any, labels: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """-(labels * log(logits) + (1 - labels) * log(1 - logits)), for logits that are probabilities.

    Example:
        >>> print(ops.binary_cross_entropy(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])).asnumpy().round(3))
        0.693

    """
    losses = -(labels * log(maximum(logits, 1e-12)) + (1.0 - labels) * log(maximum(1.0 - logits, 1e-12)))
    return reduced(losses if weight is None else losses * weight, reduction)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean"
) -> Any:
    """`binary_cross_entropy` of sigmoid(input), computed without taking a logarithm of 0.

    Example:
        >>> print(ops.binary_cross_entropy_with_logits(Tensor([0.0, 0.0]), Tensor([1.0, 0.0])).asnumpy().round(3))
        0.693

    """
    factor = 1.0 if pos_weight is None else (pos_weight - 1.0) * target + 1.0
    # log(1 + exp(-input))
    below = log1p(exp(-abs(input))) + maximum(-input, 0.0)
    losses = (1.0 - target) * input + factor * below
    return reduced(losses if weight is None else losses * weight, reduction)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """With d = |input - target|: d * d / 2 up to delta, delta * (d - delta / 2) above (Huber 1964).

    Example:
        >>> print(ops.huber_loss(Tensor([0.0, 0.0]), Tensor([1.0, 3.0]), "none"))
        [0.5 2.5]

    """
    away = abs(input - target)
    near = P.Minimum()(away, delta)
    return reduced(near * (away - near * 0.5), reduction)


def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    """max(0, -target * (input1 - input2) + margin): with target 1 the first should be larger, with -1 the second.

    Example:
        >>> print(ops.margin_ranking_loss(Tensor([1.0, 2.0]), Tensor([2.0, 1.0]), Tensor([1.0, 1.0])))
        0.5

    """
    return reduced(maximum(-target * (input1 - input2) + margin, 0.0), reduction)


def hinge_embedding_loss(inputs: Any, targets: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """x where the target is 1, and max(0, margin - x) where it is -1.

    Example:
        >>> print(ops.hinge_embedding_loss(Tensor([0.5, 0.25]), Tensor([1.0, -1.0])))
        0.625

    """
    return reduced(select(equal(targets, 1), inputs, maximum(margin - inputs, 0.0)), reduction)


def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    """1 - cos(x1, x2) where the target is 1, and max(0, cos(x1, x2) - margin) where it is -1; vectors are rows.

    Example:
        >>> print(ops.cosine_embedding_loss(Tensor([[1.0, 0.0]]), Tensor([[0.0, 1.0]]), Tensor([1.0])))
        1.0

    """
    lengths = reduce_sum(input1 * input1, 1) * reduce_sum(input2 * input2, 1)
    cosine = reduce_sum(input1 * input2, 1) / sqrt(lengths)
    return reduced(select(equal(target, 1), 1.0 - cosine, maximum(cosine - margin, 0.0)), reduction)


def soft_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """log(1 + exp(-target * x)) for targets 1 and -1.

    Example:
        >>> print(ops.soft_margin_loss(Tensor([0.0, 0.0]), Tensor([1.0, -1.0])).asnumpy().round(3))
        0.693

    """
    against = -target * input
    return reduced(log1p(exp(-abs(against))) + maximum(against, 0.0), reduction)


def gaussian_nll_loss(
    x: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """(log(var) + (x - target)^2 / var) / 2: targets under normal distributions (Nix and Weigend 1994).

    Example:
        >>> print(ops.gaussian_nll_loss(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])))
        2.0

    """
    at_least = maximum(var, eps)
    losses = 0.5 * (log(at_least) + square(x - target) / at_least)
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, reduction: str = "mean",
) -> Any:  # fmt: skip
    """max(0, |anchor - positive| - |anchor - negative| + margin), norms of order p over rows (Schroff et al. 2015).

    Example:
        >>> one, other = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]])
        >>> print(ops.triplet_margin_loss(one, other, one + 1.0).asnumpy().round(3))
        4.586

    """
    near, far = norm(anchor - positive + eps, p, -1), norm(anchor - negative + eps, p, -1)
    if swap:
        far = P.Minimum()(far, norm(positive - negative + eps, p, -1))
    return reduced(maximum(near - far + margin, 0.0), reduction)


def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1, weight: Any = None, reduction: str = "mean"
) -> Any:
    """The sum over wrong classes of max(0, margin - input[label] + input[class])^p, by the number of classes.

    Args:
        input: (N, C).
        target: labels, (N,).
        p: 1 or 2.
        margin: by how much the right class should be ahead.
        weight: one per class, (C,).
        reduction: "mean", "sum" or "none".

    Example:
        >>> print(ops.multi_margin_loss(Tensor([[0.5, 1.0, 2.0]]), Tensor([1])).asnumpy().round(3))
        0.833

    """
    classes = shape(input)[1]
    right = one_hot(target, classes, 1.0, 0.0)
    behind = maximum(margin - sum(input * right, 1, True) + input, 0.0)
    losses = (behind if p == 1 else square(behind)) * (1.0 - right)
    if weight is not None:
        losses = losses * sum(right * weight, 1, True)
    return reduced(sum(losses, 1) / classes, reduction)
