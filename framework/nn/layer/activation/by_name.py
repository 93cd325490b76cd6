"""Activations by name, for layers with an `activation` argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framework.nn.cell import Cell
from framework.nn.layer.activation.axis_wise import LogSoftmax, Softmax
from framework.nn.layer.activation.element_wise import (
    GELU,
    HSigmoid,
    HSwish,
    LogSigmoid,
    Mish,
    ReLU,
    ReLU6,
    SeLU,
    Sigmoid,
    SiLU,
    SoftSign,
    Tanh,
    Tanhshrink,
)
from framework.nn.layer.activation.rectifiers import CELU, ELU, Hardtanh, HShrink, LeakyReLU, PReLU, SoftShrink
from framework.ops.primitive import Primitive

__all__ = ["get_activation"]

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


def get_activation(name: str | Cell | Primitive | None) -> Any:
    """An activation by its name; a Cell, a primitive or None is returned as it is.

    Args:
        name: the name.

    Returns:
        A new Cell, or the argument.

    Raises:
        KeyError: there is no activation of this name.
    """
    if not isinstance(name, str):
        return name
    if name.lower() not in _BY_NAME:
        raise KeyError(f"there is no activation {name!r}, only {', '.join(sorted(_BY_NAME))}")
    return _BY_NAME[name.lower()]()
