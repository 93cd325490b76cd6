"""Negative log-likelihood losses: of classes, of binary labels, of normal distributions, and the KL divergence."""

from __future__ import annotations

import functools
import math
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.activation.normalized_exponentials import log_softmax
from framework.ops.activation.sigmoids import Softplus, sigmoid
from framework.ops.arithmetic.binary import maximum
from framework.ops.array.broadcasting import SumLike
from framework.ops.array.casting import Cast, cast_like
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.properties import rank, shape
from framework.ops.array.properties import size as size_of
from framework.ops.array.reshaping import expand_dims, reshape
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import greater, not_equal
from framework.ops.constexpr import constexpr
from framework.ops.creation.filled_like import OnesLike, ZerosLike
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.indexing.selecting import OneHot, select
from framework.ops.losses.distances import reduced
from framework.ops.mathematics.exponential import exp, log, log1p, square
from framework.ops.mathematics.rounding import abs
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.reduction.totals import sum
from framework.ops.shapes import Dims, broadcast

__all__ = [
    "BCEWithLogitsLoss",
    "BinaryCrossEntropy",
    "KLDivLoss",
    "NLLLoss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "gaussian_nll_loss",
    "kl_div",
    "nll_loss",
]

_one_hot = OneHot(1)
sum_like = SumLike()
softplus = Softplus()
ones_like = OnesLike()
zeros_like = ZerosLike()
one_hot = OneHot(-1)
cast = Cast()


@constexpr
def _class_weight_shape(rank: int) -> tuple[int, ...]:
    """The shape in which class weights broadcast to inputs of shape (N, C, ...)."""
    return (1, -1, *(1,) * (rank - 2))


def nll_loss(
    inputs: Tensor,
    target: Tensor,
    weight: Tensor | float | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Negative log-likelihood: -weight[label] * inputs[label] per sample.

    Args:
        inputs: log probabilities of shape (N, C, ...) or (C,).
        target: labels, integers of shape (N, ...) or ().
        weight: weights of the classes, (C,); None for 1.
        ignore_index: label of samples that are left out.
        reduction: "mean" (the sum of losses divided by the sum of weights), "sum" or "none".
        label_smoothing: share of the uniform distribution that is mixed into the labels, from 0 to 1.

    Returns:
        A scalar tensor, or with "none" the losses of shape (N, ...).

    Example:
        >>> print(ops.nll_loss(Tensor([[-0.5, -1.0], [-2.0, -0.25]]), Tensor([0, 1])))
        0.375

    """
    logarithms = expand_dims(inputs, 0) if rank(inputs) == 1 else inputs
    labels = reshape(target, (1,)) if rank(inputs) == 1 else target
    classes = shape(logarithms)[1]
    counts = cast_like(expand_dims(not_equal(labels, ignore_index), 1), logarithms)
    weights = counts if weight is None else counts * reshape(weight, _class_weight_shape(rank(logarithms)))
    label_weights = cast_like(_one_hot(labels, classes, 1.0, 0.0), logarithms) * weights
    smoothed = label_weights
    if label_smoothing:
        smoothed = label_weights * (1.0 - label_smoothing) + weights * (label_smoothing / classes)
    losses = -sum(logarithms * smoothed, 1)
    if reduction == "mean":
        return sum(losses) / sum(label_weights)
    return reduced(losses, reduction)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | float | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross entropy: `nll_loss` of log_softmax(input), for labels or for distributions over classes.

    Args:
        input: logits of shape (N, C, ...) or (C,).
        target: labels, integers of shape (N, ...) or (), or distributions of the shape of `input`.
        weight: weights of the classes, (C,); None for 1.
        ignore_index: label of samples that are left out.
        reduction: "mean", "sum" or "none".
        label_smoothing: share of the uniform distribution that is mixed into the labels, from 0 to 1.

    Returns:
        A scalar tensor, or with "none" the losses of shape (N, ...).

    Example:
        >>> print(ops.cross_entropy(Tensor([[0.0, 0.0], [0.0, 90.0]]), Tensor([0, 1])).asnumpy().round(3))
        0.347

    """
    for name, value in (("input", input), ("target", target), ("weight", weight)):
        if not isinstance(value, Tensor) and not (name == "weight" and value is None):
            raise TypeError(f"cross_entropy: {name} must be a tensor, not {type(value).__name__}")
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"cross_entropy: reduction must be 'mean', 'sum' or 'none', not {reduction}")
    axis = 0 if rank(input) == 1 else 1
    logarithms = log_softmax(input, axis)
    if rank(target) != rank(input):
        return nll_loss(logarithms, target, weight, ignore_index, reduction, label_smoothing)
    smoothed = target * (1.0 - label_smoothing) + label_smoothing / shape(input)[axis]
    if weight is not None:
        smoothed = smoothed * (weight if axis == 0 else reshape(weight, _class_weight_shape(rank(input))))
    losses = -sum(logarithms * smoothed, axis)
    return reduced(losses, reduction)


def binary_cross_entropy(
    logits: Tensor, labels: Tensor, weight: Tensor | float | None = None, reduction: str = "mean"
) -> Tensor:
    """Binary cross entropy of probabilities: -(labels * log(logits) + (1 - labels) * log(1 - logits)).

    Args:
        logits: probabilities from 0 to 1 (the name is MindSpore's), a floating-point tensor.
        labels: labels from 0 to 1, of the same shape.
        weight: weights of the elements, which broadcast; None for 1.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" the losses of the shape of `logits`.

    Example:
        >>> print(ops.binary_cross_entropy(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])).asnumpy().round(3))
        0.693

    """
    losses = -(labels * log(maximum(logits, 1e-12)) + (1.0 - labels) * log(maximum(1.0 - logits, 1e-12)))
    return reduced(losses if weight is None else losses * weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | float | None = None,
    pos_weight: Tensor | float | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input), computed without a logarithm of 0.

    Args:
        input: logits, a floating-point tensor.
        target: labels from 0 to 1, of the same shape.
        weight: weights of the elements, which broadcast; None for 1.
        pos_weight: weights of the positive labels, which broadcast; None for 1.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" the losses of the shape of `input`.

    Example:
        >>> print(ops.binary_cross_entropy_with_logits(Tensor([0.0, 0.0]), Tensor([1.0, 0.0])).asnumpy().round(3))
        0.693

    """
    factor = 1.0 if pos_weight is None else (pos_weight - 1.0) * target + 1.0
    # log(1 + exp(-input))
    below = log1p(exp(-abs(input))) + maximum(-input, 0.0)
    losses = (1.0 - target) * input + factor * below
    return reduced(losses if weight is None else losses * weight, reduction)


def gaussian_nll_loss(
    x: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """Negative log-likelihood of normal distributions: (log(var) + (x - target)^2 / var) / 2 (Nix and Weigend 1994).

    Args:
        x: means of the distributions, a floating-point tensor.
        target: observed values, of the same shape.
        var: variances, which broadcast.
        full: add the constant log(2 pi) / 2.
        eps: lower limit of the variances.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" the losses of the shape of x.

    Example:
        >>> print(ops.gaussian_nll_loss(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])))
        2.0

    """
    if not isinstance(full, bool):
        raise TypeError(f"gaussian_nll_loss: full must be a bool, not {full}")
    at_least = maximum(var, eps)
    losses = 0.5 * (log(at_least) + square(x - target) / at_least)
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


class _Reduced(PrimitiveWithInfer):
    """Base class of losses that return the loss per element, the mean or the sum.

    Args:
        reduction: "none", "mean" or "sum".
    """

    takes = MappingProxyType(dict.fromkeys(range(4), mstype.float_type))
    fresh = True
    reductions: tuple[str, ...] = ("none", "mean", "sum")

    @prim_attr_register
    def __init__(self, reduction: str = "mean") -> None:
        self.init_prim_io_names(inputs=["logits", "labels", "weight"], outputs=["output"])
        self._check_reduction()

    def _check_reduction(self) -> None:
        if self.reduction not in self.reductions:
            raise ValueError(
                f"{self.name}: reduction must be one of {', '.join(self.reductions)}, not {self.reduction!r}"
            )

    def infer_shape(self, x: Any, *others: Any) -> Any:
        whole = broadcast(x, *(other for other in others if other is not None))
        return whole if self.reduction == "none" else ()

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return functools.reduce(mstype.promote, (other for other in others if other is not None), x)

    def reduced(self, losses: Array) -> Array:
        """The losses, their mean or their sum, by the attribute `reduction`."""
        return losses if self.reduction == "none" else getattr(losses, self.reduction)()


class BinaryCrossEntropy(_Reduced):
    """-weight * (y log(x) + (1 - y) log(1 - x)) for probabilities x. The operands of log are at least 1e-12.

    Inputs: probabilities x, from 0 to 1; labels y, from 0 to 1; weights, or None. All are floating-point tensors of
    one type, whose shapes broadcast.

    Output: a scalar tensor of the type of x, or with "none" a tensor of the broadcast shape.

    Args:
        reduction: "none", "mean" or "sum".

    Example:
        >>> x, y, weight = Tensor([0.5, 0.5]), Tensor([1.0, 0.0]), Tensor([1.0, 2.0])
        >>> print(ops.BinaryCrossEntropy("none")(x, y, weight).asnumpy().round(3))
        [0.693 1.386]
        >>> print(ops.BinaryCrossEntropy()(x, y, weight).asnumpy().round(3))
        1.04
    """

    def compute(self, xp: ArrayModule, x: Array, y: Array, weight: Array | None = None) -> Array:
        least = x.dtype.type(1e-12)
        losses = -(y * xp.log(xp.maximum(x, least)) + (1 - y) * xp.log(xp.maximum(1 - x, least)))
        return self.reduced(losses if weight is None else losses * weight)


@bprop_getters.register(BinaryCrossEntropy)
def get_bprop_binary_cross_entropy(self: BinaryCrossEntropy) -> Bprop:
    """(x - y) / (x (1 - x)) times the weight."""
    is_mean = self.reduction == "mean"

    def bprop(x: Tensor, y: Tensor, weight: Any, out: Tensor, dout: Tensor) -> tuple[Any, ...]:
        share = dout / size_of(x) if is_mean else dout
        one, zero = log(maximum(x, 1e-12)), log(maximum(1 - x, 1e-12))
        weighted = share if weight is None else share * weight
        dx = weighted * (x - y) / maximum(x * (1 - x), 1e-12)
        dweight = None if weight is None else sum_like(-(share * (y * one + (1 - y) * zero)), weight)
        return sum_like(dx, x), sum_like(weighted * (zero - one), y), dweight

    return bprop


class BCEWithLogitsLoss(_Reduced):
    """-weight * (pos_weight y log(s) + (1 - y) log(1 - s)) with s = sigmoid(x): `(x, y, weight, pos_weight)`.

    Inputs: logits x; labels y, from 0 to 1; weights of the elements; weights of the positive labels. All are
    floating-point tensors of one type, whose shapes broadcast.

    Output: a scalar tensor of the type of x, or with "none" a tensor of the broadcast shape.

    Args:
        reduction: "none", "mean" or "sum".

    Example:
        >>> x, y, one = Tensor([0.0, 0.0]), Tensor([1.0, 0.0]), Tensor([1.0])
        >>> print(ops.BCEWithLogitsLoss("none")(x, y, one, Tensor([3.0])).asnumpy().round(3))
        [2.079 0.693]
    """

    @prim_attr_register
    def __init__(self, reduction: str = "mean") -> None:
        self.init_prim_io_names(inputs=["logits", "label", "weight", "pos_weight"], outputs=["loss"])
        self._check_reduction()

    def compute(self, xp: ArrayModule, x: Array, y: Array, weight: Array, pos_weight: Array) -> Array:
        below = xp.log1p(xp.exp(-xp.absolute(x))) + xp.maximum(-x, 0)
        return self.reduced(((1 - y) * x + ((pos_weight - 1) * y + 1) * below) * weight)


@bprop_getters.register(BCEWithLogitsLoss)
def get_bprop_bce_with_logits(self: BCEWithLogitsLoss) -> Bprop:
    """1 - y - (1 + (pos_weight - 1) y) sigmoid(-x), times the weight."""
    is_mean = self.reduction == "mean"

    def bprop(
        x: Tensor, y: Tensor, weight: Tensor, pos_weight: Tensor, out: Tensor, dout: Tensor
    ) -> tuple[Tensor, ...]:
        below = softplus(-x)
        factor = (pos_weight - 1) * y + 1
        losses = (1 - y) * x + factor * below
        share = dout / size_of(losses) if is_mean else dout
        weighted = share * weight
        dx = weighted * (1 - y - factor * sigmoid(-x))
        dy = weighted * ((pos_weight - 1) * below - x)
        dpos = weighted * (y * below)
        return sum_like(dx, x), sum_like(dy, y), sum_like(share * losses, weight), sum_like(dpos, pos_weight)

    return bprop


class KLDivLoss(_Reduced):
    """The Kullback-Leibler divergence (1951) y * (log(y) - x), for log probabilities x.

    An element with y = 0 counts 0.

    Inputs: log probabilities x; probabilities y. Both are floating-point tensors of one type, whose shapes broadcast.

    Output: a scalar tensor of the type of x, or with "none" a tensor of the broadcast shape.

    Args:
        reduction: "none", "mean", "sum" or "batchmean" (the sum divided by the number of rows).

    Example:
        >>> x, y = Tensor(np.log([[0.5, 0.5], [0.5, 0.5]])), Tensor(np.array([[1.0, 0.0], [0.5, 0.5]]))
        >>> print(ops.KLDivLoss("sum")(x, y).asnumpy().round(3))
        0.693
        >>> print(ops.KLDivLoss("batchmean")(x, y).asnumpy().round(3))
        0.347
    """

    reductions = ("none", "mean", "sum", "batchmean")

    @prim_attr_register
    def __init__(self, reduction: str = "mean") -> None:
        self.init_prim_io_names(inputs=["x", "target"], outputs=["loss"])
        self._check_reduction()

    def compute(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        losses = xp.where(y > 0, y * (xp.log(xp.where(y > 0, y, 1)) - x), 0 * x)
        if self.reduction == "batchmean":
            return losses.sum() / x.dtype.type(x.shape[0])
        return self.reduced(losses)


@bprop_getters.register(KLDivLoss)
def get_bprop_kl_div(self: KLDivLoss) -> Bprop:
    """x gets -y dout, y gets (log(y) + 1 - x) dout."""
    reduction = self.reduction

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        share = dout
        if reduction == "mean":
            share = dout / size_of(x)
        elif reduction == "batchmean":
            share = dout / shape(x)[0]
        some = greater(y, 0)
        logarithm = log(select(some, y, ones_like(y)))
        dy = select(some, share * (logarithm + 1 - x), zeros_like(y))
        return sum_like(select(some, -(share * y), zeros_like(x)), x), sum_like(dy, y)

    return bprop


class NLLLoss(_Reduced):
    """-weight[label] * x[label] per row, for log probabilities x: `(x, labels, weight)`.

    "mean" divides the sum of the losses by the sum of the weights of the rows.

    Inputs: log probabilities, a floating-point tensor of shape (N, C); labels, integers of shape (N,), from 0 to C - 1;
    weights of the classes, (C,).

    Outputs: the loss, a scalar tensor, or with "none" of shape (N,); the sum of weights, a scalar tensor of their type.

    Args:
        reduction: "none", "mean" or "sum".
        ignore_index: label of rows that are left out.

    Example:
        >>> x = Tensor([[-1.0, -2.0], [-3.0, -4.0]])
        >>> loss, total = ops.NLLLoss()(x, Tensor([1, 0]), Tensor([3.0, 1.0]))
        >>> print(loss, total)
        2.75 4.0
    """

    takes = MappingProxyType({0: mstype.float_type, 2: mstype.float_type})

    @prim_attr_register
    def __init__(self, reduction: str = "mean", ignore_index: int = -100) -> None:
        self.init_prim_io_names(inputs=["x", "target", "weight"], outputs=["loss", "total_weight"])
        self._check_reduction()

    def infer_shape(self, x: Any, labels: Any, weight: Any) -> Any:
        if len(x) != 2 or len(labels) != 1 or len(weight) != 1:
            raise ValueError(f"NLLLoss: x {x} must be a matrix, labels {labels} and weights {weight} vectors")
        out: Dims = labels if self.reduction == "none" else ()
        # The weights of ignored rows are 0, so only the sum of weights depends on them.
        return out, ()

    def infer_dtype(self, x: DType, labels: DType, weight: DType) -> Any:
        return mstype.promote(x, weight), weight

    def compute(self, xp: ArrayModule, x: Array, labels: Array, weight: Array) -> tuple[Array, ...]:
        counts = labels != self.ignore_index
        labels_or_0 = xp.where(counts, labels, 0)
        weights = xp.where(counts, weight[labels_or_0], weight.dtype.type(0))
        losses = -x[xp.arange(x.shape[0]), labels_or_0] * weights
        total = xp.asarray(weights.sum())
        if self.reduction == "mean":
            return xp.asarray(losses.sum() / total), total
        return xp.asarray(self.reduced(losses)), total


@bprop_getters.register(NLLLoss)
def get_bprop_nll(self: NLLLoss) -> Bprop:
    """-weight at the label, divided by the sum of weights for "mean"."""
    reduction = self.reduction
    ignored = self.ignore_index

    def bprop(
        x: Tensor, labels: Tensor, weight: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, ...]
    ) -> tuple[Tensor | None, ...]:
        classes = shape(x)[1]
        kind = dtype_of(x)
        picked = one_hot(labels, classes, cast(1.0, kind), cast(0.0, kind))
        picked = picked * expand_dims(cast(not_equal(labels, ignored), kind), 1)
        share = dout[0]
        if reduction == "none":
            share = expand_dims(share, 1)
        elif reduction == "mean":
            share = share / out[1]
        dweight = -(share * picked * x)
        if reduction == "mean":
            dweight = dweight - share * out[0] * picked
        of_total = picked * dout[1]
        return sum_like(-(share * picked * weight), x), None, sum_like(dweight + of_total, weight)

    return bprop


def kl_div(logits: Tensor, labels: Tensor, reduction: str = "mean") -> Tensor:
    """The Kullback-Leibler divergence labels * (log(labels) - logits), for logits that are log probabilities.

    Args:
        logits: log probabilities, a floating-point tensor.
        labels: probabilities, of the same shape.
        reduction: "mean", "sum", "none" or "batchmean" (the sum divided by the number of rows).

    Returns:
        A scalar tensor, or with "none" the losses of the shape of `logits`.

    Example:
        >>> print(ops.kl_div(ops.log(Tensor([0.5, 0.5])), Tensor([0.25, 0.75]), "sum").asnumpy().round(3))
        0.131

    """
    return cached(KLDivLoss, reduction)(logits, labels)
