"""Activations as Cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import initializer
from framework.common.parameter import Parameter
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "FastGelu",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SeLU",
    "SiLU",
    "Sigmoid",
    "SoftShrink",
    "SoftSign",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "get_activation",
]


class _Elementwise(Cell):
    """Applies one primitive to each element."""

    primitive: type[Primitive]

    def __init__(self) -> None:
        super().__init__()
        self.function = self.primitive()

    def construct(self, x: Any) -> Any:
        """Of any shape."""
        return self.function(x)


class ReLU(_Elementwise):
    """max(x, 0).

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

    def construct(self, x: Any) -> Any:
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

    def construct(self, x: Any) -> Any:
        """Of any shape."""
        return F.leaky_relu(x, self.alpha)


class GELU(Cell):
    """x times the standard normal distribution function of x.

    Args:
        approximate: in the tanh form.

    Example:
        >>> print(nn.GELU()(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(3))
        [-0.159  0.     0.841]

    """

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.approximate = "tanh" if approximate else "none"

    def construct(self, x: Any) -> Any:
        """Of any shape."""
        return F.gelu(x, self.approximate)


class Softmax(Cell):
    """exp(x) / sum of exp(x) over axes.

    Args:
        axis: an int, or a tuple of them.

    Example:
        >>> print(nn.Softmax()(Tensor([[0.0, 0.0], [0.0, 1.0]])).asnumpy().round(3))
        [[0.5   0.5  ]
         [0.269 0.731]]

    """

    def __init__(self, axis: int | tuple[int, ...] = -1) -> None:
        super().__init__()
        self.softmax = P.Softmax(axis)

    def construct(self, x: Any) -> Any:
        """Of any shape."""
        return self.softmax(x)


class Softmax2d(Cell):
    """exp(x) / sum of exp(x) over the channels of each pixel.

    Input: images (N, C, H, W), or one, (C, H, W), of a floating-point type. Output: a tensor of that shape and type.

    Example:
        >>> print(nn.Softmax2d()(ops.zeros((1, 2, 1, 1))).asnumpy().ravel())
        [0.5 0.5]

    """

    def __init__(self) -> None:
        super().__init__()
        self.softmax = P.Softmax(-3)

    def construct(self, x: Any) -> Any:
        """Of shape (N, C, H, W) or (C, H, W)."""
        return self.softmax(x)


class FastGelu(Cell):
    """x / (1 + exp(-1.702 |x|)) * exp(0.851 (x - |x|)): near to `GELU`.

    Input: a floating-point tensor of any shape. Output: a tensor of that shape and type.

    Example:
        >>> print(nn.FastGelu()(Tensor([-1.0, 0.0, 1.0])).asnumpy().round(4))
        [-0.1542  0.      0.8458]

    """

    def construct(self, x: Any) -> Any:
        """Of any shape."""
        return F.fast_gelu(x)


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

    def construct(self, x: Any) -> Any:
        """Of any shape."""
        factor = F.uniform(F.shape(x), self.lower, self.upper, None, F.dtype(x))
        return F.select(F.greater(x, 0), x, x * factor)


class LogSoftmax(Cell):
    """x - log of the sum of exp(x) over an axis.

    Args:
        axis: the axis.

    Example:
        >>> print(nn.LogSoftmax()(Tensor([0.0, 0.0])).asnumpy().round(3))
        [-0.693 -0.693]

    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.log_softmax = P.LogSoftmax(axis)

    def construct(self, x: Any) -> Any:
        """Of any shape."""
        return self.log_softmax(x)


class SoftSign(_Elementwise):
    """x / (1 + |x|).

    Example:
        >>> print(nn.SoftSign()(Tensor([-1.0, 3.0])))
        [-0.5   0.75]

    """

    primitive = P.Softsign


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

    def construct(self, x: Any) -> Any:
        """Of any shape."""
        return F.logsigmoid(x)


class Tanhshrink(Cell):
    """x - tanh(x).

    Example:
        >>> print(nn.Tanhshrink()(Tensor([0.0, 1.0])).asnumpy().round(3))
        [0.    0.238]

    """

    def construct(self, x: Any) -> Any:
        """Of any shape."""
        return F.tanhshrink(x)


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

    def construct(self, x: Any) -> Any:
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

    def construct(self, x: Any) -> Any:
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

    def construct(self, x: Any) -> Any:
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

    def construct(self, x: Any) -> Any:
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

    def construct(self, x: Any) -> Any:
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

    def __init__(self, channel: int = 1, w: Any = 0.25, dtype: DType = mstype.float32) -> None:
        super().__init__()
        self.a = Parameter(initializer(w, (channel,), dtype), name="a")
        self.prelu = P.PReLU()

    def construct(self, x: Any) -> Any:
        """Of shape (N, C, ...)."""
        return self.prelu(x, self.a)


class Softmin(Cell):
    """softmax(-x) over an axis.

    Args:
        axis: the axis.

    Example:
        >>> print(nn.Softmin()(Tensor([0.0, 1.0])).asnumpy().round(3))
        [0.731 0.269]

    """

    def __init__(self, axis: int | tuple[int, ...] = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        """Of any shape."""
        return F.softmin(x, self.axis)


class GLU(Cell):
    """One half of x along an axis times the sigmoid of the other (Dauphin et al. 2016).

    Args:
        axis: the axis.

    Example:
        >>> print(nn.GLU()(Tensor([1.0, 2.0, 0.0, 100.0])))
        [0.5 2. ]

    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        """Of an even length along the axis."""
        return F.glu(x, self.axis)


_BY_NAME: dict[str, Callable[[], Cell]] = {
    "relu": ReLU,
    "relu6": ReLU6,
    "sigmoid": Sigmoid,
    "tanh": Tanh,
    "gelu": GELU,
    "elu": ELU,
    "leakyrelu": LeakyReLU,
    "softmax": Softmax,
    "logsoftmax": LogSoftmax,
    "hsigmoid": HSigmoid,
    "hswish": HSwish,
    "silu": SiLU,
    "mish": Mish,
    "prelu": PReLU,
    "selu": SeLU,
    "softsign": SoftSign,
    "softshrink": SoftShrink,
    "hshrink": HShrink,
    "logsigmoid": LogSigmoid,
    "tanhshrink": Tanhshrink,
    "hardtanh": Hardtanh,
    "celu": CELU,
}


def get_activation(name: Any) -> Any:
    """A new activation by its name; a Cell, a primitive or None is returned as it is.

    Raises:
        ValueError: there is none of this name.

    """
    if not isinstance(name, str):
        return name
    if name.lower() not in _BY_NAME:
        raise ValueError(f"there is no activation {name!r}; there are {', '.join(sorted(_BY_NAME))}")
    return _BY_NAME[name.lower()]()
