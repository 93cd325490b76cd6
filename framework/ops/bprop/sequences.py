"""Backward functions of connectionist temporal classification."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import cached

expand_dims = P.ExpandDims()


@bprop_getters.register(P.CTCLoss)
def get_bprop_ctc_loss(self: P.CTCLoss) -> Bprop:
    """The gradient that came out beside the loss, times dout of each sequence."""
    attributes = self.preprocess_collapse_repeated, self.ctc_merge_repeated, self.ignore_longer_outputs_than_inputs
    grad = cached(P.CTCLossGrad, *attributes)

    def bprop(x: Tensor, places: Tensor, values: Tensor, lengths: Tensor, out: Any, dout: Any) -> Any:
        gradient = grad(out[1], x, places, values, lengths)
        return expand_dims(expand_dims(dout[0], 0), 2) * gradient, None, None, None

    return bprop


@bprop_getters.register(P.CTCLossGrad)
def get_bprop_ctc_loss_grad(self: P.CTCLossGrad) -> Bprop:
    """Second derivatives, which are symmetric."""
    attributes = self.preprocess_collapse_repeated, self.ctc_merge_repeated, self.ignore_longer_outputs_than_inputs
    hessian = cached(P.CTCLossHessian, *attributes)

    def bprop(
        gradient: Tensor, x: Tensor, places: Tensor, values: Tensor, lengths: Tensor, out: Tensor, dout: Tensor
    ) -> Any:
        return None, hessian(dout, x, places, values, lengths), None, None, None

    return bprop


@bprop_getters.register(P.CTCLossV2)
def get_bprop_ctc_loss_v2(self: P.CTCLossV2) -> Bprop:
    """The gradient times dout of each sequence."""
    grad = cached(P.CTCLossV2Grad, self.blank, "none", self.zero_infinity)

    def bprop(x: Tensor, targets: Tensor, steps: Tensor, counts: Tensor, out: Any, dout: Any) -> Any:
        return expand_dims(expand_dims(dout[0], 0), 2) * grad(x, targets, steps, counts), None, None, None

    return bprop


@bprop_getters.register(P.CTCLossV2Grad)
def get_bprop_ctc_loss_v2_grad(self: P.CTCLossV2Grad) -> Bprop:
    """Second derivatives, which are symmetric."""
    hessian = cached(P.CTCLossV2Hessian, self.blank, "none", self.zero_infinity)

    def bprop(x: Tensor, targets: Tensor, steps: Tensor, counts: Tensor, out: Tensor, dout: Tensor) -> Any:
        return hessian(dout, x, targets, steps, counts), None, None, None

    return bprop
