"""Backward functions of the gamma function's derivatives and of the inverse of the error function."""

from __future__ import annotations

import math
from typing import Any, Final

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.registry import gradient

digamma = P.Digamma()
exp = P.Exp()
polygamma = P.Polygamma()

#: The slope of the inverse of the error function at 0.
ERFINV_SLOPE: Final = math.sqrt(math.pi) / 2


@gradient(P.Lgamma)
def lgamma_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """The next derivative."""
    return dout * digamma(x)


@gradient(P.Digamma)
def digamma_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """The next derivative."""
    return dout * polygamma(1, x)


@gradient(P.Polygamma)
def polygamma_gradient(a: int, x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """The next derivative."""
    return None, dout * polygamma(a + 1, x)


@gradient(P.Erfinv)
def erfinv_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """sqrt(pi) / 2 exp(y y) with y the output."""
    return dout * (ERFINV_SLOPE * exp(out * out))
