"""Activations as Cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive

__all__ = [
    "ELU",
    "GELU",
    "HSigmoid",
    "HSwish",
    "LeakyReLU",
    "LogSoftmax",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
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
    """max(x, 0)."""

    primitive = P.ReLU


class ReLU6(_Elementwise):
    """min(max(x, 0), 6)."""

    primitive = P.ReLU6


class Sigmoid(_Elementwise):
    """1 / (1 + exp(-x))."""

    primitive = P.Sigmoid


class Tanh(_Elementwise):
    """The hyperbolic tangent."""

    primitive = P.Tanh


class SiLU(_Elementwise):
    """x * sigmoid(x)."""

    primitive = P.SiLU


class Softplus(_Elementwise):
    """log(1 + exp(x))."""

    primitive = P.Softplus


class HSigmoid(_Elementwise):
    """min(max(x + 3, 0), 6) / 6."""

    primitive = P.HSigmoid


class HSwish(_Elementwise):
    """x * min(max(x + 3, 0), 6) / 6."""

    primitive = P.HSwish


class ELU(Cell):
    """x, and alpha * (exp(x) - 1) where x is negative.

    Args:
        alpha: the limit for very negative numbers, with a minus sign.

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

    """

    def __init__(self, axis: int | tuple[int, ...] = -1) -> None:
        super().__init__()
        self.softmax = P.Softmax(axis)

    def construct(self, x: Any) -> Any:
        """Of any shape."""
        return self.softmax(x)


class LogSoftmax(Cell):
    """x - log of the sum of exp(x) over an axis.

    Args:
        axis: the axis.

    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.log_softmax = P.LogSoftmax(axis)

    def construct(self, x: Any) -> Any:
        """Of any shape."""
        return self.log_softmax(x)


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
