"""Operators that order execution, and one that stops gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ir.abstract import Abstract
from framework.ops.arrays import Array, ArrayModule
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "ControlDepend",
    "Depend",
    "HookBackward",
    "InsertGradientOf",
    "StopGradient",
    "depend",
    "passed_on",
    "stop_gradient",
]

zeros_like = ZerosLike()


class _Identity(PrimitiveWithInfer):
    """The identity on one tensor."""

    def infer_shape(self, x: Dims) -> Dims:
        return x

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return x


class StopGradient(_Identity):
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


_stop_gradient = StopGradient()


def stop_gradient(value: Any) -> Any:
    """The value itself, with a gradient of zero.

    Args:
        value: a tensor, or a tuple or list of them. Numbers, which have no gradient, are returned as they are.

    Example:
        >>> print(ms.grad(lambda x: x * ops.stop_gradient(x))(Tensor(3.0)))
        3.0
    """
    if isinstance(value, Tensor):
        return _stop_gradient(value)
    if isinstance(value, (tuple, list)):
        found = [stop_gradient(item) for item in value]
        return found if isinstance(value, list) else tuple(found)
    return value


@gradient(StopGradient)
def stop_gradient_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The gradient stops here."""
    return zeros_like(x)


class InsertGradientOf(_Identity):
    """The identity, with a gradient that a function computes.

    Inputs: x, a tensor.

    Output: x.

    Args:
        f: from the gradient by the output to the gradient by x.

    Raises:
        TypeError: f is not a function.

    Example:
        >>> doubled = ops.InsertGradientOf(lambda gradient: gradient * 2)
        >>> print(ms.grad(lambda x: doubled(x) * 3)(Tensor(1.0)))
        6.0
    """

    @prim_attr_register
    def __init__(self, f: Callable[[Tensor], Tensor]) -> None:
        if not callable(f):
            raise TypeError(f"InsertGradientOf: f is a function, not {type(f).__name__}")
        self.init_prim_io_names(inputs=["x"], outputs=["output"])


@bprop_getters.register(InsertGradientOf)
def get_bprop_insert_gradient_of(self: InsertGradientOf) -> Bprop:
    """What the function makes of the gradient."""
    function: Callable[[Tensor], Tensor] = self.attrs["f"]

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
        return function(dout)

    return bprop


class HookBackward(_Identity):
    """The identity; going backward in PyNative mode, a function sees the gradient. Compiled functions leave it out.

    Inputs: x, a tensor.

    Output: x.

    Args:
        hook_fn: gets a tuple with the gradient. What it returns replaces the gradient, unless that is None.
        cell_id: recorded as an attribute, without effect.

    Raises:
        TypeError: hook_fn is not a function.

    Example:
        >>> hook = ops.HookBackward(lambda gradients: gradients[0] * 2)
        >>> print(ms.grad(lambda x: hook(x) * 3)(Tensor(1.0)))
        6.0
    """

    @prim_attr_register
    def __init__(self, hook_fn: Callable[..., Any], cell_id: str = "") -> None:
        if not callable(hook_fn):
            raise TypeError(f"HookBackward: hook_fn is a function, not {type(hook_fn).__name__}")
        self.init_prim_io_names(inputs=["x"], outputs=["output"])


def passed_on(dout: Tensor, hook: Callable[..., Any]) -> Tensor:
    """What a hook makes of a gradient; in compiled functions `framework.ad.expand` leaves the hook out."""
    replaced = hook((dout,))
    made: Tensor = replaced[0] if isinstance(replaced, tuple) else replaced
    return dout if made is None else made


@bprop_getters.register(HookBackward)
def get_bprop_hook_backward(self: HookBackward) -> Bprop:
    """The gradient, by way of the hook while the program runs line by line."""
    hook = self.attrs["hook_fn"]

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
        return passed_on(dout, hook)

    return bprop


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
