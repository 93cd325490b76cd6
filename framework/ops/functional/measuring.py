"""Norms, distances, comparisons of tensors, and losses as functions."""

from __future__ import annotations

import math
from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.activation.normalized_exponentials import log_softmax
from framework.ops.arithmetic.binary import maximum, pow
from framework.ops.comparison import bitwise_or, equal, isfinite, less_equal, not_equal
from framework.ops.constexpr import constexpr
from framework.ops.functional.neural import reduced
from framework.ops.functional.primitives import expand_dims, rank, reshape, shape
from framework.ops.known import axes
from framework.ops.mathematics.exponential import sqrt, square
from framework.ops.mathematics.rounding import abs
from framework.ops.primitive import cached
from framework.ops.reduction.extremes import amax, amin
from framework.ops.reduction.totals import sum

__all__ = [
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "in_top_k",
    "isclose",
    "lerp",
    "nll_loss",
    "norm",
]

_cast = P.Cast()
_dtype_of = P.DTypeOf()
_one_hot = P.OneHot(1)
_logical_and = P.LogicalAnd()
lerp = P.Lerp()


def cast_like(x: Any, like: Any) -> Any:
    """The elements as of another tensor's type."""
    return _cast(x, _dtype_of(like))


def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:  # noqa: N803 - MindSpore's
    """The norm over axes, all where they are left out: (sum |a| ** ord) ** (1 / ord), ord 2 where it is left out.

    Of an infinite `ord` the largest absolute value, of minus infinity the smallest; of 0 how many are not 0.

    Example:
        >>> print(ops.norm(Tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1))
        [ 5. 10.]

    """
    if dtype is not None:
        A = _cast(A, dtype)  # noqa: N806 - MindSpore's
    order = 2.0 if ord is None or ord == "fro" else float(ord)
    if order == 2.0:
        return sqrt(sum(square(A), dim, keepdim))
    if order == math.inf:
        return amax(abs(A), axes(dim), keepdim)
    if order == -math.inf:
        return amin(abs(A), axes(dim), keepdim)
    if order == 0.0:
        return sum(cast_like(not_equal(A, 0), A), dim, keepdim)
    if order == 1.0:
        return sum(abs(A), dim, keepdim)
    return pow(sum(pow(abs(A), order), dim, keepdim), 1 / order)


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along a dimension; lengths count at least `eps`.

    Example:
        >>> print(ops.cosine_similarity(Tensor([[1.0, 0.0]]), Tensor([[3.0, 4.0]])).asnumpy().round(3))
        [0.6]

    """
    lengths = maximum(sqrt(sum(square(x1), dim)), eps) * maximum(sqrt(sum(square(x2), dim)), eps)
    return sum(x1 * x2, dim) / lengths


def in_top_k(x1: Any, x2: Any, k: int) -> Any:
    """Whether the class that a label names is among the k most likely ones.

    Example:
        >>> print(ops.in_top_k(Tensor([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]]), Tensor([2, 2], ms.int32), 2))
        [ True False]

    """
    return cached(P.InTopK, k)(x1, x2)


def isclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Whether |input - other| <= atol + rtol |other|, or both are equal; with `equal_nan` also where both are NaN.

    Example:
        >>> print(ops.isclose(Tensor([1.0, 2.0]), Tensor([1.000001, 2.1])))
        [ True False]

    """
    near = less_equal(abs(input - other), atol + rtol * abs(other))
    close = bitwise_or(equal(input, other), _logical_and(near, isfinite(other)))
    if equal_nan:
        close = bitwise_or(close, _logical_and(not_equal(input, input), not_equal(other, other)))
    return close


@constexpr
def _of_classes(rank: int) -> tuple[int, ...]:
    """The shape in which weights of classes broadcast."""
    return (1, -1, *(1,) * (rank - 2))


def nll_loss(
    inputs: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """-weight[label] * inputs[label] per sample, for inputs (N, C, ...) that are logarithms, and labels (N, ...).

    Args:
        inputs: the logarithms.
        target: the labels.
        weight: one per class.
        ignore_index: a label whose samples count for nothing.
        reduction: "mean" (by the sum of weights), "sum" or "none".
        label_smoothing: how much of the uniform distribution is mixed into the labels.

    Example:
        >>> print(ops.nll_loss(Tensor([[-0.5, -1.0], [-2.0, -0.25]]), Tensor([0, 1])))
        0.375

    """
    logarithms = expand_dims(inputs, 0) if rank(inputs) == 1 else inputs
    labels = reshape(target, (1,)) if rank(inputs) == 1 else target
    classes = shape(logarithms)[1]
    counts = cast_like(expand_dims(not_equal(labels, ignore_index), 1), logarithms)
    every = counts if weight is None else counts * reshape(weight, _of_classes(rank(logarithms)))
    picked = cast_like(_one_hot(labels, classes, 1.0, 0.0), logarithms) * every
    mixed = picked * (1.0 - label_smoothing) + every * (label_smoothing / classes) if label_smoothing else picked
    losses = -sum(logarithms * mixed, 1)
    if reduction == "mean":
        return sum(losses) / sum(picked)
    return reduced(losses, reduction)


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """`nll_loss` of log_softmax(input) over classes, for labels; or for distributions in place of them.

    Arguments are those of `nll_loss`.

    Example:
        >>> print(ops.cross_entropy(Tensor([[0.0, 0.0], [0.0, 90.0]]), Tensor([0, 1])).asnumpy().round(3))
        0.347

    """
    over = 0 if rank(input) == 1 else 1
    likely = log_softmax(input, over)
    if rank(target) != rank(input):
        return nll_loss(likely, target, weight, ignore_index, reduction, label_smoothing)
    mixed = target * (1.0 - label_smoothing) + label_smoothing / shape(input)[over]
    if weight is not None:
        mixed = mixed * (weight if over == 0 else reshape(weight, _of_classes(rank(input))))
    losses = -sum(likely * mixed, over)
    return reduced(losses, reduction)


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> tuple[Any, Any]:
    """-log of the likelihood of labels of which nobody knows when they come (Graves et al. 2006).

    Args:
        log_probs: logarithms of the probabilities of classes, as of `log_softmax`, (T, N, C).
        targets: labels, (N, S).
        input_lengths: the steps of each sequence, a tensor (N,) or a tuple.
        target_lengths: how many labels of its row each sequence has, a tensor (N,) or a tuple.
        blank: the class that says nothing.
        reduction: "mean": the mean of the losses per label; "sum"; or "none".
        zero_infinity: the loss of labels that no path spells is 0, not inf.

    Returns:
        The loss, and the logarithms of the sums over paths to each state, (N, T, 2 S + 1).

    Example:
        >>> steps = ops.log_softmax(ops.zeros((3, 1, 2)))
        >>> loss, _ = ops.ctc_loss(steps, Tensor([[1]]), Tensor([3]), Tensor([1]))
        >>> print(loss.asnumpy().round(3))
        0.288

    """
    if isinstance(input_lengths, tuple):
        input_lengths = Tensor(input_lengths)
    if isinstance(target_lengths, tuple):
        target_lengths = Tensor(target_lengths)
    loss, log_alpha = cached(P.CTCLossV2, blank, "none", zero_infinity)(
        log_probs, targets, input_lengths, target_lengths
    )
    if reduction == "mean":
        loss = loss / maximum(target_lengths, 1)
    return reduced(loss, reduction), log_alpha
