"""Backward functions of connectionist temporal classification."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.registry import Bprop, bprop_getters
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
