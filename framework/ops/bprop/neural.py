"""Backward functions of layers, softmax and losses."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.gradients import Bprop, bprop_getters, gradient

zeros_like = P.ZerosLike()


@bprop_getters.register(P.Dropout)
def get_bprop_dropout(self: P.Dropout) -> Bprop:
    """Through the elements that were kept."""
    keep_prob = self.keep_prob

    def bprop(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> Any:
        return (dout[0] * out[1] / keep_prob,)

    return bprop


@gradient(P.StopGradient)
def stop_gradient_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Nothing flows through."""
    return zeros_like(x)


@gradient(P.Depend)
def depend_gradient(value: Tensor, expr: Any, out: Tensor, dout: Tensor) -> Any:
    """Through the value."""
    return dout, None
