"""Activations that bend at a bound, as Cells."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import initializer
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.annotations import Initial
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["CELU", "ELU", "HShrink", "Hardtanh", "LeakyReLU", "PReLU", "RReLU", "SoftShrink", "Threshold"]


class ELU(Cell):
    """x, and alpha * (exp(x) - 1) where x is negative.

    Args:
        alpha: the limit for very negative numbers, with a minus sign.

    Example:
        >>> print(nn.ELU()(Tensor([-1.0, 2.0])).asnumpy().round(3))
        [-0.632  2.   ]

    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.elu = P.Elu(alpha)

    def construct(self, x: Tensor) -> Any:
        """Of any shape."""
        return self.elu(x)


class LeakyReLU(Cell):
    """x, and alpha * x where x is negative.

    Args:
        alpha: the slope there.

    Example:
        >>> print(nn.LeakyReLU(0.5)(Tensor([-2.0, 3.0])))
        [-1.  3.]

    """

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Any:
        """Of any shape."""
        return F.leaky_relu(x, self.alpha)


class RReLU(Cell):
    """x, and where it is negative a random multiple of it: uniform between two bounds (Xu et al. 2015).

    Args:
        lower: the lower bound.
        upper: the upper bound.

    Input: a floating-point tensor of any shape. Output: a tensor of that shape and type.

    Example:
        >>> print(nn.RReLU(0.5, 0.5)(Tensor([-2.0, 3.0])))
        [-1.  3.]

    """

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3) -> None:
        super().__init__()
        if lower > upper:
            raise ValueError(f"RReLU: lower must not be above upper, but {lower} is above {upper}")
        self.lower, self.upper = float(lower), float(upper)

    def construct(self, x: Tensor) -> Any:
        """Of any shape."""
        factor = F.uniform(F.shape(x), self.lower, self.upper, None, F.dtype(x))
        return F.select(F.greater(x, 0), x, x * factor)


class CELU(Cell):
    """max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0).

    Args:
        alpha: the limit for very negative numbers, with a minus sign.

    Example:
        >>> print(nn.CELU()(Tensor([-1.0, 2.0])).asnumpy().round(3))
        [-0.632  2.   ]

    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.celu = P.CeLU(alpha)

    def construct(self, x: Tensor) -> Any:
        """Of any shape."""
        return self.celu(x)


class HShrink(Cell):
    """x, and 0 where its absolute value is not above a bound.

    Args:
        lambd: the bound.

    Example:
        >>> print(nn.HShrink()(Tensor([-1.0, 0.2, 2.0])))
        [-1.  0.  2.]

    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.hshrink = P.HShrink(lambd)

    def construct(self, x: Tensor) -> Any:
        """Of any shape."""
        return self.hshrink(x)


class SoftShrink(Cell):
    """x moved towards 0 by a bound, and 0 where its absolute value is not above it.

    Args:
        lambd: the bound.

    Example:
        >>> print(nn.SoftShrink()(Tensor([-1.0, 0.2, 2.0])))
        [-0.5  0.   1.5]

    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.softshrink = P.SoftShrink(lambd)

    def construct(self, x: Tensor) -> Any:
        """Of any shape."""
        return self.softshrink(x)


class Hardtanh(Cell):
    """No element below one bound or above the other.

    Args:
        min_val: the lower bound.
        max_val: the upper bound.

    Example:
        >>> print(nn.Hardtanh()(Tensor([-3.0, 0.2, 2.0])))
        [-1.   0.2  1. ]

    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__()
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x: Tensor) -> Any:
        """Of any shape."""
        return F.hardtanh(x, self.min_val, self.max_val)


class Threshold(Cell):
    """x where it is above a threshold, a value elsewhere.

    Args:
        threshold: the threshold.
        value: the value.

    Example:
        >>> print(nn.Threshold(0.5, -1.0)(Tensor([0.1, 0.6])))
        [-1.   0.6]

    """

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, x: Tensor) -> Any:
        """Of any shape."""
        return F.threshold(x, self.threshold, self.value)


class PReLU(Cell):
    """x, and weight * x where x is negative; the weight is trained (He et al. 2015).

    Args:
        channel: how many weights: one, or one for each channel.
        w: how they begin.
        dtype: element type of the weights.

    Example:
        >>> print(nn.PReLU()(Tensor([[-2.0], [3.0]])))
        [[-0.5]
         [ 3. ]]

    """

    def __init__(self, channel: int = 1, w: Initial = 0.25, dtype: DType = mstype.float32) -> None:
        super().__init__()
        self.a = Parameter(initializer(w, (channel,), dtype), name="a")
        self.prelu = P.PReLU()

    def construct(self, x: Tensor) -> Any:
        """Of shape (N, C, ...)."""
        return self.prelu(x, self.a)
