"""Activation functions."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.kernels.accelerated import log_softmax, softmax_
from framework.ops.operations.elementwise import FloatUnary
from framework.ops.operations.shapes import Dims, axes_of, broadcast
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "Elu",
    "GeLU",
    "HSigmoid",
    "HSwish",
    "LogSoftmax",
    "ReLU",
    "ReLU6",
    "ReluGrad",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
]


class ReLU(FloatUnary):
    """max(x, 0).

    Inputs: x, a tensor of numbers of any shape.
    Output: a tensor of x's shape and element type.

    Example:
        >>> print(ops.ReLU()(Tensor([-1.0, 0.0, 2.0])))
        [0. 0. 2.]
    """

    in_place = (0,)

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any, *, out: Any = None) -> Any:
        return xp.maximum(x, x.dtype.type(0), out=out)

    def expression(self, x: Dims) -> str:
        return "xp.maximum({0}, 0.0{out})"


class ReluGrad(PrimitiveWithInfer):
    """`dout` where the output of a `ReLU` is positive, else 0: `(dout, output)`.

    Inputs: dout, the gradient with respect to the output; the output of the `ReLU`, a tensor of the same shape.
    Output: the gradient with respect to the input of the `ReLU`, of dout's shape and element type.

    Example:
        >>> output = ops.ReLU()(Tensor([-1.0, 2.0, 3.0]))
        >>> print(ops.ReluGrad()(Tensor([10.0, 20.0, 30.0]), output))
        [ 0. 20. 30.]
    """

    in_place = (0, 1)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["dout", "y"], outputs=["dx"])

    def infer_shape(self, dout: Dims, y: Dims) -> Dims:
        return broadcast(dout, y)

    def infer_dtype(self, dout: DType, y: DType) -> DType:
        return dout

    def compute(self, xp: Any, dout: Any, y: Any, *, out: Any = None) -> Any:
        return xp.multiply(dout, y > 0, out=out)

    def expression(self, dout: Dims, y: Dims) -> str:
        return "xp.multiply({0}, {1} > 0.0{out})"


class ReLU6(FloatUnary):
    """min(max(x, 0), 6).

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.ReLU6()(Tensor([-1.0, 2.0, 9.0])))
        [0. 2. 6.]
    """

    arguments = ("x",)

    def of_float(self, xp: Any, x: Any) -> Any:
        return xp.clip(x, 0, 6)


class Sigmoid(FloatUnary):
    """1 / (1 + exp(-x)).

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.Sigmoid()(Tensor([-100.0, 0.0, 100.0])))
        [0.  0.5 1. ]
    """

    def of_float(self, xp: Any, x: Any) -> Any:
        # Through tanh, which overflows nowhere.
        half = x.dtype.type(0.5)
        return half * xp.tanh(half * x) + half


class SiLU(Sigmoid):
    """x * sigmoid(x).

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.SiLU()(Tensor([0.0, 100.0])))
        [  0. 100.]
    """

    def of_float(self, xp: Any, x: Any) -> Any:
        return x * super().of_float(xp, x)


class Softplus(FloatUnary):
    """log(1 + exp(x)).

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.Softplus()(Tensor([-200.0, 200.0])))
        [  0. 200.]
    """

    takes = MappingProxyType({0: (mstype.bool_, *mstype.real_type)})

    def of_float(self, xp: Any, x: Any) -> Any:
        return xp.logaddexp(x, x.dtype.type(0))


class Softsign(FloatUnary):
    """x / (1 + |x|).

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.Softsign()(Tensor([-1.0, 0.0, 3.0])))
        [-0.5   0.    0.75]
    """

    arguments = ("x",)

    def of_float(self, xp: Any, x: Any) -> Any:
        return x / (1 + xp.absolute(x))


class HSigmoid(FloatUnary):
    """min(max(x + 3, 0), 6) / 6.

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.HSigmoid()(Tensor([-4.0, 0.0, 4.0])))
        [0.  0.5 1. ]
    """

    def of_float(self, xp: Any, x: Any) -> Any:
        return xp.clip(x + 3, 0, 6) / 6


class HSwish(FloatUnary):
    """x * min(max(x + 3, 0), 6) / 6.

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.HSwish()(Tensor([-1.5, 0.0, 4.0])))
        [-0.375  0.     4.   ]
    """

    def of_float(self, xp: Any, x: Any) -> Any:
        return x * xp.clip(x + 3, 0, 6) / 6


class Elu(FloatUnary):
    """x, and alpha * (exp(x) - 1) where x is negative.

    Args:
        alpha: the limit for very negative numbers, with a minus sign.

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.Elu(alpha=2.0)(Tensor([-100.0, 0.0, 3.0])))
        [-2.  0.  3.]
    """

    @prim_attr_register
    def __init__(self, alpha: float = 1.0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def of_float(self, xp: Any, x: Any) -> Any:
        return xp.where(x > 0, x, self.alpha * xp.expm1(xp.minimum(x, 0)))


class GeLU(FloatUnary):
    """x times the standard normal distribution function of x, in the tanh form of Hendrycks and Gimpel, 2016.

    0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.GeLU()(Tensor([0.0, 10.0])))
        [ 0. 10.]
    """

    def of_float(self, xp: Any, x: Any) -> Any:
        return 0.5 * x * (1 + xp.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


class Softmax(PrimitiveWithInfer):
    """exp(x) / sum of exp(x) over axes.

    Args:
        axis: an int, or a tuple of them.

    Inputs: x, a tensor of a floating-point type.
    Output: a tensor of x's shape and element type; along the axes its elements sum to 1.

    Example:
        >>> print(ops.Softmax()(Tensor([[0.0, 0.0], [-100.0, 100.0]])))
        [[0.5 0.5]
         [0.  1. ]]
    """

    takes = MappingProxyType({0: mstype.float_type})

    in_place = (0,)

    @prim_attr_register
    def __init__(self, axis: int | tuple[int, ...] = -1) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        self.add_prim_attr("axis", (axis,) if isinstance(axis, int) else tuple(axis))

    def infer_shape(self, x: Dims) -> Dims:
        axes_of(self.axis, len(x))
        return x

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any, *, out: Any = None) -> Any:
        return softmax_(xp, x, self.axis, out)


class LogSoftmax(PrimitiveWithInfer):
    """x - log of the sum of exp(x) over an axis.

    Args:
        axis: the axis.

    Inputs: x, a tensor of a floating-point type.
    Output: a tensor of x's shape and element type: the logarithm of what `Softmax` gives.

    Example:
        >>> print(ops.LogSoftmax()(Tensor([0.0, 200.0])))
        [-200.    0.]
    """

    takes = MappingProxyType({0: mstype.float_type})

    in_place = (0,)

    @prim_attr_register
    def __init__(self, axis: int = -1) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        axes_of(self.axis, len(x))
        return x

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any, *, out: Any = None) -> Any:
        return log_softmax(xp, x, self.axis, out)
