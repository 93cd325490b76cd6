"""Piecewise activations: rectifiers, shrinkage and thresholds."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import initializer
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.common.validator import check_positive_int, check_type
from framework.nn.annotations import Initial
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["CELU", "ELU", "HShrink", "Hardtanh", "LeakyReLU", "PReLU", "RReLU", "SoftShrink", "Threshold"]


class ELU(Cell):
    """Exponential linear unit: x, and alpha * (exp(x) - 1) where x is negative.

    Args:
        alpha: minus the limit for x to minus infinity.

    Example:
        >>> print(nn.ELU()(Tensor([-1.0, 2.0])).asnumpy().round(3))
        [-0.632  2.   ]

    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.elu = P.Elu(alpha)

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return self.elu(x)


class LeakyReLU(Cell):
    """Leaky rectified linear unit: x, and alpha * x where x is negative.

    Args:
        alpha: slope for negative x.

    Example:
        >>> print(nn.LeakyReLU(0.5)(Tensor([-2.0, 3.0])))
        [-1.  3.]

    """

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return F.leaky_relu(x, self.alpha)


class RReLU(Cell):
    """Randomized rectifier (Xu et al. 2015): x, and a uniform random multiple of x where x is negative.

    Args:
        lower: lower limit of the random factor.
        upper: upper limit of the random factor.

    Input: a floating-point tensor of any shape. Output: a tensor of that shape and type.

    Example:
        >>> print(nn.RReLU(0.5, 0.5)(Tensor([-2.0, 3.0])))
        [-1.  3.]

    """

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3) -> None:
        super().__init__()
        check_type("RReLU: lower", lower, (int, float))
        check_type("RReLU: upper", upper, (int, float))
        if lower > upper:
            raise ValueError(f"RReLU: lower must be at most upper, not {lower} and {upper}")
        self.lower, self.upper = float(lower), float(upper)

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        factor = F.uniform(F.shape(x), self.lower, self.upper, None, F.dtype(x))
        return F.select(F.greater(x, 0), x, x * factor)


class CELU(Cell):
    """Continuous exponential linear unit: max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0).

    Args:
        alpha: minus the limit for x to minus infinity.

    Example:
        >>> print(nn.CELU()(Tensor([-1.0, 2.0])).asnumpy().round(3))
        [-0.632  2.   ]

    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.celu = P.CeLU(alpha)

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return self.celu(x)


class HShrink(Cell):
    """Hard shrinkage: x where |x| > lambd, 0 elsewhere.

    Args:
        lambd: threshold of the absolute value.

    Example:
        >>> print(nn.HShrink()(Tensor([-1.0, 0.2, 2.0])))
        [-1.  0.  2.]

    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.hshrink = P.HShrink(lambd)

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return self.hshrink(x)


class SoftShrink(Cell):
    """Soft shrinkage: x moved towards 0 by lambd, and 0 where |x| <= lambd.

    Args:
        lambd: threshold of the absolute value.

    Example:
        >>> print(nn.SoftShrink()(Tensor([-1.0, 0.2, 2.0])))
        [-0.5  0.   1.5]

    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.softshrink = P.SoftShrink(lambd)

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return self.softshrink(x)


class Hardtanh(Cell):
    """x clipped to [min_val, max_val].

    Args:
        min_val: lower limit.
        max_val: upper limit.

    Example:
        >>> print(nn.Hardtanh()(Tensor([-3.0, 0.2, 2.0])))
        [-1.   0.2  1. ]

    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__()
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return F.hardtanh(x, self.min_val, self.max_val)


class Threshold(Cell):
    """x where it is above a threshold, a value elsewhere.

    Args:
        threshold: the threshold.
        value: value elsewhere.

    Example:
        >>> print(nn.Threshold(0.5, -1.0)(Tensor([0.1, 0.6])))
        [-1.   0.6]

    """

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return F.threshold(x, self.threshold, self.value)


class PReLU(Cell):
    """Parametric rectifier (He et al. 2015): x, and weight * x where x is negative. The weight is trained.

    Args:
        channel: number of weights: one, or one for each channel.
        w: initializer of the weights.
        dtype: element type of the weights.

    Example:
        >>> print(nn.PReLU()(Tensor([[-2.0], [3.0]])))
        [[-0.5]
         [ 3. ]]

    """

    def __init__(self, channel: int = 1, w: Initial = 0.25, dtype: DType = mstype.float32) -> None:
        super().__init__()
        check_positive_int(channel, "PReLU: channel")
        self.w = Parameter(initializer(w, (channel,), dtype), name="a")
        self.prelu = P.PReLU()

    def construct(self, x: Tensor) -> Any:
        """Apply the rectifier to a tensor of shape (N, C, ...)."""
        return self.prelu(x, self.w)
