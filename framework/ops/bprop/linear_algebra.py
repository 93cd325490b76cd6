"""Backward functions of products of matrices."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.needed import is_needed
from framework.ops.primitive import cached

sum_like = P.SumLike()
zeros_like = P.ZerosLike()


@bprop_getters.register(P.BatchMatMul)
def get_bprop_matmul(self: P.BatchMatMul) -> Bprop:
    """d(A B) = dA B + A dB; each gradient is again one product, with transposes where they belong."""
    kind = type(self)
    a, b = self.transpose_a, self.transpose_b
    of_first = cached(kind, b, True) if a else cached(kind, False, not b)
    of_second = cached(kind, True, a) if b else cached(kind, not a, False)

    def bprop(x1: Tensor, x2: Tensor, out: Tensor, dout: Tensor) -> Any:
        dx1 = None
        if is_needed(x1):
            dx1 = sum_like(of_first(x2, dout) if a else of_first(dout, x2), x1)
        dx2 = None
        if is_needed(x2):
            dx2 = sum_like(of_second(dout, x1) if b else of_second(x1, dout), x2)
        return dx1, dx2

    return bprop


@bprop_getters.register(P.BiasAdd)
def get_bprop_bias_add(self: P.BiasAdd) -> Bprop:
    """The bias gets the sum over all but the channels."""
    bias_add_grad = cached(P.BiasAddGrad, self.data_format)

    def bprop(x: Tensor, b: Tensor, out: Tensor, dout: Tensor) -> Any:
        return sum_like(dout, x), sum_like(bias_add_grad(dout), b)

    return bprop


@bprop_getters.register(P.BiasAddGrad)
def get_bprop_bias_add_grad(self: P.BiasAddGrad) -> Bprop:
    """Every element gets the gradient of its channel's sum: a bias of zeros."""
    bias_add = cached(P.BiasAdd, self.data_format)

    def bprop(dy: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (bias_add(zeros_like(dy), dout),)

    return bprop
