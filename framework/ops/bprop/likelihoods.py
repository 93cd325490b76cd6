"""Backward functions of losses that weigh their elements."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.gradients import Bprop, bprop_getters

cast = P.Cast()
dtype_of = P.DTypeOf()
equal = P.Equal()
expand_dims = P.ExpandDims()
greater = P.Greater()
log = P.Log()
maximum = P.Maximum()
not_equal = P.NotEqual()
one_hot = P.OneHot(-1)
ones_like = P.OnesLike()
select = P.Select()
shape_of = P.Shape()
sigmoid = P.Sigmoid()
size_of = P.Size()
softplus = P.Softplus()
sum_like = P.SumLike()
zeros_like = P.ZerosLike()


@bprop_getters.register(P.BinaryCrossEntropy)
def get_bprop_binary_cross_entropy(self: P.BinaryCrossEntropy) -> Bprop:
    """(x - y) / (x (1 - x)) times the weight."""
    is_mean = self.reduction == "mean"

    def bprop(x: Tensor, y: Tensor, weight: Tensor, out: Tensor, dout: Tensor) -> Any:
        share = dout / size_of(x) if is_mean else dout
        one, zero = log(maximum(x, 1e-12)), log(maximum(1 - x, 1e-12))
        dx = share * weight * (x - y) / maximum(x * (1 - x), 1e-12)
        dweight = -(share * (y * one + (1 - y) * zero))
        return sum_like(dx, x), sum_like(share * weight * (zero - one), y), sum_like(dweight, weight)

    return bprop


@bprop_getters.register(P.BCEWithLogitsLoss)
def get_bprop_bce_with_logits(self: P.BCEWithLogitsLoss) -> Bprop:
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


@bprop_getters.register(P.KLDivLoss)
def get_bprop_kl_div(self: P.KLDivLoss) -> Bprop:
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


@bprop_getters.register(P.NLLLoss)
def get_bprop_nll(self: P.NLLLoss) -> Bprop:
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
