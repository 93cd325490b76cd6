"""Operators that order execution, and one that stops gradients."""

from __future__ import annotations

from typing import Any

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ir.abstract import Abstract
from framework.ops.arrays import Array, ArrayModule
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.gradients import gradient
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "ControlDepend",
    "Depend",
    "StopGradient",
    "depend",
    "stop_gradient",
]

zeros_like = ZerosLike()


class StopGradient(PrimitiveWithInfer):
    """The identity, with a gradient of zero.

    Inputs: x, a tensor.

    Output: x.

    Example:
        >>> x = Tensor(3.0, ms.float32)
        >>> print(ms.grad(lambda x: x * x)(x), ms.grad(lambda x: x * ops.StopGradient()(x))(x))
        6.0 3.0
    """

    arguments = ("value",)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        return x

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return x


stop_gradient = StopGradient()


@gradient(StopGradient)
def stop_gradient_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The gradient stops here."""
    return zeros_like(x)


class Depend(PrimitiveWithInfer):
    """The first input, once the second one has been computed.

    Inputs: value, a tensor or another value; expr, the value that is computed first.

    Output: value.

    Example:
        >>> value = Tensor([1, 2])
        >>> print(ops.Depend()(value, ops.Print()("first")))
        first
        [1 2]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["value", "expr"], outputs=["output"])

    def infer(self, value: Abstract, expr: Abstract) -> Abstract:  # type: ignore[override]
        return value

    def compute(self, xp: ArrayModule, value: Array, expr: Array) -> Array:
        return value


depend = Depend()


@gradient(Depend)
def depend_gradient(value: Tensor, expr: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """The gradient flows to the value only."""
    return dout, None


class ControlDepend(PrimitiveWithInfer):
    """Orders execution: the first input is computed before the second one (MindSpore 0.x).

    Operators with side effects run in program order without it.

    Inputs: src and dst, tensors.

    Output: src.

    Args:
        depend_mode: recorded as an attribute, without effect.

    Example:
        >>> print(ops.ControlDepend()(Tensor([1, 2]), Tensor([3])))
        [1 2]
    """

    side_effect = True

    @prim_attr_register
    def __init__(self, depend_mode: int = 0) -> None:
        self.init_prim_io_names(inputs=["src", "dst"], outputs=["output"])

    def infer_shape(self, src: object, dst: object) -> Any:
        return src

    def infer_dtype(self, src: object, dst: object) -> Any:
        return src

    def compute(self, xp: ArrayModule, src: Array, dst: Array) -> Array:
        return src
