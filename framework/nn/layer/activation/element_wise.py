"""Smooth activations, element by element."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.common.validator import check_bool
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive

__all__ = [
    "GELU", "FastGelu", "HSigmoid", "HSwish", "LogSigmoid", "Mish", "ReLU", "ReLU6", "SeLU", "SiLU", "Sigmoid",
    "SoftSign", "Softplus", "Softsign", "Tanh", "Tanhshrink",
]  # fmt: skip


class _Elementwise(Cell):
    """Base class of activations that apply one primitive."""

    primitive: type[Primitive]

    def __init__(self) -> None:
        super().__init__()
        self.function = self.primitive()

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return self.function(x)


class ReLU(_Elementwise):
    """Rectified linear unit: max(x, 0).

    Example:
        >>> print(nn.ReLU()(Tensor([-2.0, 3.0])))
        [0. 3.]

    """

    primitive = P.ReLU


class ReLU6(_Elementwise):
    """min(max(x, 0), 6).

    Example:
        >>> print(nn.ReLU6()(Tensor([-2.0, 3.0, 8.0])))
        [0. 3. 6.]

    """

    primitive = P.ReLU6


class Sigmoid(_Elementwise):
    """1 / (1 + exp(-x)).

    Example:
        >>> print(nn.Sigmoid()(Tensor([0.0, 2.0])).asnumpy().round(3))
        [0.5   0.881]

    """

    primitive = P.Sigmoid


class Tanh(_Elementwise):
    """The hyperbolic tangent.

    Example:
        >>> print(nn.Tanh()(Tensor([0.0, 1.0])).asnumpy().round(3))
        [0.    0.762]

    """

    primitive = P.Tanh


class SiLU(_Elementwise):
    """x * sigmoid(x).

    Example:
        >>> print(nn.SiLU()(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3))
        [-0.269  0.     0.731]

    """

    primitive = P.SiLU


class Softplus(_Elementwise):
    """log(1 + exp(x)).

    Example:
        >>> print(nn.Softplus()(Tensor([0.0, 2.0])).asnumpy().round(3))
        [0.693 2.127]

    """

    primitive = P.Softplus


class HSigmoid(_Elementwise):
    """min(max(x + 3, 0), 6) / 6.

    Example:
        >>> print(nn.HSigmoid()(Tensor([-4.0, 0.0, 4.0])))
        [0.  0.5 1. ]

    """

    primitive = P.HSigmoid


class HSwish(_Elementwise):
    """x * min(max(x + 3, 0), 6) / 6.

    Example:
        >>> print(nn.HSwish()(Tensor([-1.5, 0.0, 4.0])))
        [-0.375  0.     4.   ]

    """

    primitive = P.HSwish


class GELU(Cell):
    """Gaussian error linear unit: x times the standard normal distribution function of x (Hendrycks and Gimpel 2016).

    Args:
        approximate: use the approximation by tanh.

    Example:
        >>> print(nn.GELU()(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3))
        [-0.159  0.     0.841]

    """

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        check_bool(approximate, "GELU: approximate")
        self.approximate = "tanh" if approximate else "none"

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return F.gelu(x, self.approximate)


class FastGelu(Cell):
    """A fast approximation of `GELU`: x / (1 + exp(-1.702 |x|)) * exp(0.851 (x - |x|)).

    Input: a floating-point tensor of any shape. Output: a tensor of that shape and type.

    Example:
        >>> print(nn.FastGelu()(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(4))
        [-0.1542  0.      0.8458]

    """

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return F.fast_gelu(x)


class SoftSign(_Elementwise):
    """x / (1 + |x|).

    Example:
        >>> print(nn.SoftSign()(Tensor([-1.0, 3.0])))
        [-0.5   0.75]

    """

    primitive = P.Softsign


Softsign = SoftSign


class Mish(_Elementwise):
    """x * tanh(log(1 + exp(x))) (Misra 2019).

    Example:
        >>> print(nn.Mish()(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3))
        [-0.303  0.     0.865]

    """

    primitive = P.Mish


class SeLU(_Elementwise):
    """1.0507 * x, and 1.0507 * 1.6733 * (exp(x) - 1) where x is negative (Klambauer et al. 2017).

    Example:
        >>> print(nn.SeLU()(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3))
        [-1.111  0.     1.051]

    """

    primitive = P.SeLU


class LogSigmoid(Cell):
    """log(sigmoid(x)).

    Example:
        >>> print(nn.LogSigmoid()(Tensor([0.0, -90.0])).asnumpy().round(3))
        [ -0.693 -90.   ]

    """

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return F.logsigmoid(x)


class Tanhshrink(Cell):
    """x - tanh(x).

    Example:
        >>> print(nn.Tanhshrink()(Tensor([0.0, 1.0])).asnumpy().round(3))
        [0.    0.238]

    """

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return F.tanhshrink(x)
