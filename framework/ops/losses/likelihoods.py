"""Losses that are likelihoods of distributions."""

from __future__ import annotations

import functools
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.activation.sigmoids import Softplus, sigmoid
from framework.ops.arithmetic.binary import maximum
from framework.ops.comparison import greater, not_equal
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.mathematics.exponential import log
from framework.ops.operations.array import Cast, ExpandDims
from framework.ops.operations.choosing import OneHot, Select
from framework.ops.operations.creation import DTypeOf, OnesLike, Shape, Size, SumLike, ZerosLike
from framework.ops.operations.shapes import Dims, broadcast
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register

__all__ = [
    "BCEWithLogitsLoss",
    "BinaryCrossEntropy",
    "KLDivLoss",
    "NLLLoss",
    "kl_div",
]

size_of = Size()
sum_like = SumLike()
softplus = Softplus()
shape_of = Shape()
select = Select()
ones_like = OnesLike()
zeros_like = ZerosLike()
dtype_of = DTypeOf()
one_hot = OneHot(-1)
cast = Cast()
expand_dims = ExpandDims()


class _Reduced(PrimitiveWithInfer):
    """A loss per element, their mean or their sum.

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
        whole = broadcast(x, *others)
        return whole if self.reduction == "none" else ()

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return functools.reduce(mstype.promote, others, x)

    def reduced(self, losses: Any) -> Any:
        """The losses, their mean or their sum."""
        return losses if self.reduction == "none" else getattr(losses, self.reduction)()


class BinaryCrossEntropy(_Reduced):
    """-weight * (y log(x) + (1 - y) log(1 - x)) for probabilities x, with logarithms of at least 1e-12.

    Inputs: probabilities x, from 0 to 1; labels y, of 0 and 1 or between; weights: floating-point tensors of one type,
    whose shapes broadcast. Output: a tensor of the broadcast shape, or a scalar tensor, of the type of x.

    Args:
        reduction: "none": the loss of each element; "mean" or "sum": theirs.

    Example:
        >>> x, y, weight = Tensor([0.5, 0.5]), Tensor([1.0, 0.0]), Tensor([1.0, 2.0])
        >>> print(ops.BinaryCrossEntropy("none")(x, y, weight).asnumpy().round(3))
        [0.693 1.386]
        >>> print(ops.BinaryCrossEntropy()(x, y, weight).asnumpy().round(3))
        1.04
    """

    def compute(self, xp: Any, x: Any, y: Any, weight: Any) -> Any:
        least = x.dtype.type(1e-12)
        losses = -(y * xp.log(xp.maximum(x, least)) + (1 - y) * xp.log(xp.maximum(1 - x, least)))
        return self.reduced(losses * weight)


@bprop_getters.register(BinaryCrossEntropy)
def get_bprop_binary_cross_entropy(self: BinaryCrossEntropy) -> Bprop:
    """(x - y) / (x (1 - x)) times the weight."""
    is_mean = self.reduction == "mean"

    def bprop(x: Tensor, y: Tensor, weight: Tensor, out: Tensor, dout: Tensor) -> Any:
        share = dout / size_of(x) if is_mean else dout
        one, zero = log(maximum(x, 1e-12)), log(maximum(1 - x, 1e-12))
        dx = share * weight * (x - y) / maximum(x * (1 - x), 1e-12)
        dweight = -(share * (y * one + (1 - y) * zero))
        return sum_like(dx, x), sum_like(share * weight * (zero - one), y), sum_like(dweight, weight)

    return bprop


class BCEWithLogitsLoss(_Reduced):
    """-weight * (pos_weight y log(s) + (1 - y) log(1 - s)) with s = sigmoid(x): `(x, y, weight, pos_weight)`.

    Inputs: logits x, of any size; labels y, from 0 to 1; weights of the elements; weights of the positive labels:
    floating-point tensors of one type, whose shapes broadcast. Output: a tensor of the broadcast shape, or a scalar
    tensor, of the type of x.

    Args:
        reduction: "none": the loss of each element; "mean" or "sum": theirs.

    Example:
        >>> x, y, one = Tensor([0.0, 0.0]), Tensor([1.0, 0.0]), Tensor([1.0])
        >>> print(ops.BCEWithLogitsLoss("none")(x, y, one, Tensor([3.0])).asnumpy().round(3))
        [2.079 0.693]
    """

    @prim_attr_register
    def __init__(self, reduction: str = "mean") -> None:
        self.init_prim_io_names(inputs=["logits", "label", "weight", "pos_weight"], outputs=["loss"])
        self._check_reduction()

    def compute(self, xp: Any, x: Any, y: Any, weight: Any, pos_weight: Any) -> Any:
        below = xp.log1p(xp.exp(-xp.absolute(x))) + xp.maximum(-x, 0)
        return self.reduced(((1 - y) * x + ((pos_weight - 1) * y + 1) * below) * weight)


@bprop_getters.register(BCEWithLogitsLoss)
def get_bprop_bce_with_logits(self: BCEWithLogitsLoss) -> Bprop:
    """1 - y - (1 + (pos_weight - 1) y) sigmoid(-x), times the weight."""
    is_mean = self.reduction == "mean"

    def bprop(x: Tensor, y: Tensor, weight: Tensor, pos_weight: Tensor, out: Tensor, dout: Tensor) -> Any:
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
    """y * (log(y) - x), for x that are logarithms: how far distributions are (Kullback and Leibler 1951).

    An element with y = 0 counts 0.

    Inputs: logarithms of probabilities x; probabilities y: floating-point tensors of one type, whose shapes broadcast.
    Output: a tensor of the broadcast shape, or a scalar tensor, of the type of x.

    Args:
        reduction: "none": the loss of each element; "mean" or "sum": theirs; "batchmean": the sum by the number of
            rows.

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

    def compute(self, xp: Any, x: Any, y: Any) -> Any:
        losses = xp.where(y > 0, y * (xp.log(xp.where(y > 0, y, 1)) - x), 0 * x)
        if self.reduction == "batchmean":
            return losses.sum() / x.dtype.type(x.shape[0])
        return self.reduced(losses)


@bprop_getters.register(KLDivLoss)
def get_bprop_kl_div(self: KLDivLoss) -> Bprop:
    """-y; the distributions get log(y) + 1 - x."""
    reduction = self.reduction

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        share = dout
        if reduction == "mean":
            share = dout / size_of(x)
        elif reduction == "batchmean":
            share = dout / shape_of(x)[0]
        some = greater(y, 0)
        logarithm = log(select(some, y, ones_like(y)))
        dy = select(some, share * (logarithm + 1 - x), zeros_like(y))
        return sum_like(select(some, -(share * y), zeros_like(x)), x), sum_like(dy, y)

    return bprop


class NLLLoss(_Reduced):
    """-weight[label] * x[label] per row, for x that are logarithms: `(x (N, C), labels (N), weights (C))`.

    With "mean" the sum of the losses is divided by the sum of the weights of the rows.

    Inputs: logarithms of probabilities, a floating-point tensor of shape (N, C); labels, (N,) integers from 0 to C - 1;
    weights of the classes, (C,). Outputs: the losses, (N,), or their sum, or that by the sum of weights, a scalar
    tensor; the sum of weights, a scalar tensor of their type.

    Args:
        reduction: "none", "mean" or "sum".
        ignore_index: a label whose rows count for nothing.

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
        # A row that is ignored only ever shows in the sum of weights.
        return out, ()

    def infer_dtype(self, x: DType, labels: DType, weight: DType) -> Any:
        return mstype.promote(x, weight), weight

    def compute(self, xp: Any, x: Any, labels: Any, weight: Any) -> Any:
        counts = labels != self.ignore_index
        at = xp.where(counts, labels, 0)
        weights = xp.where(counts, weight[at], weight.dtype.type(0))
        losses = -x[xp.arange(x.shape[0]), at] * weights
        total = xp.asarray(weights.sum())
        if self.reduction == "mean":
            return xp.asarray(losses.sum() / total), total
        return xp.asarray(self.reduced(losses)), total


@bprop_getters.register(NLLLoss)
def get_bprop_nll(self: NLLLoss) -> Bprop:
    """-weight at the label, by the sum of weights where the mean is taken."""
    reduction = self.reduction
    ignored = self.ignore_index

    def bprop(x: Tensor, labels: Tensor, weight: Tensor, out: Any, dout: Any) -> Any:
        classes = shape_of(x)[1]
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


def kl_div(logits: Any, labels: Any, reduction: str = "mean") -> Any:
    """labels * (log(labels) - logits): "mean", "sum", "none" or "batchmean".

    Example:
        >>> print(ops.kl_div(ops.log(Tensor([0.5, 0.5])), Tensor([0.25, 0.75]), "sum").asnumpy().round(3))
        0.131

    """
    return cached(KLDivLoss, reduction)(logits, labels)
