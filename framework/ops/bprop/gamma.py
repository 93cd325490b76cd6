"""Backward functions of the gamma function's derivatives and of the inverse of the error function."""

from __future__ import annotations

import math
from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.registry import Bprop, bprop_getters

digamma = P.Digamma()
exp = P.Exp()
polygamma = P.Polygamma()


@bprop_getters.register(P.Lgamma)
def get_bprop_lgamma(self: P.Lgamma) -> Bprop:
    """The next derivative."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * digamma(x),)

    return bprop


@bprop_getters.register(P.Digamma)
def get_bprop_digamma(self: P.Digamma) -> Bprop:
    """The next derivative."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * polygamma(1, x),)

    return bprop


@bprop_getters.register(P.Polygamma)
def get_bprop_polygamma(self: P.Polygamma) -> Bprop:
    """The next derivative."""

    def bprop(a: int, x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return None, dout * polygamma(a + 1, x)

    return bprop


@bprop_getters.register(P.Erfinv)
def get_bprop_erfinv(self: P.Erfinv) -> Bprop:
    """sqrt(pi) / 2 exp(y y) with y the output."""
    factor = math.sqrt(math.pi) / 2

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout * (factor * exp(out * out)),)

    return bprop
