"""Activation functions that let one side of 0 through and bend or cut the other."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.operations.elementwise import FloatUnary
from framework.ops.operations.shapes import Dims
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = ["CeLU", "HShrink", "Mish", "PReLU", "SeLU", "SoftShrink"]

#: With these the mean 0 and the variance 1 are a fixed point from layer to layer (Klambauer et al. 2017).
SELU_ALPHA: Final = 1.6732632423543772
SELU_SCALE: Final = 1.0507009873554805


class CeLU(FloatUnary):
    """max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0), whose derivative is continuous (Barron 2017).

    Inputs: x, a tensor of any shape; integers are taken as Float32.

    Output: a tensor of the shape and floating-point type of x.

    Args:
        alpha: the limit for very negative numbers, with a minus sign; not 0.

    Example:
        >>> print(ops.CeLU(alpha=2.0)(Tensor([-100.0, 0.0, 3.0], ms.float32)))
        [-2.  0.  3.]
    """

    @prim_attr_register
    def __init__(self, alpha: float = 1.0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        if alpha == 0:
            raise ValueError("CeLU: alpha must not be 0")

    def of_float(self, xp: Any, x: Any) -> Any:
        return xp.maximum(x, 0) + xp.minimum(self.alpha * xp.expm1(x / self.alpha), 0)


class SeLU(FloatUnary):
    """scale * x, and scale * alpha * (exp(x) - 1) where x is negative; scale 1.0507, alpha 1.6733 (Klambauer 2017).

    Inputs: x, a tensor of any shape; integers are taken as Float32.

    Output: a tensor of the shape and floating-point type of x.

    Example:
        >>> print(ops.SeLU()(Tensor([-100.0, 0.0, 1.0], ms.float32)))
        [-1.7580993  0.         1.050701 ]
    """

    arguments = ("input_x",)

    def of_float(self, xp: Any, x: Any) -> Any:
        return SELU_SCALE * xp.where(x > 0, x, SELU_ALPHA * xp.expm1(xp.minimum(x, 0)))


class Mish(FloatUnary):
    """x * tanh(log(1 + exp(x))) (Misra 2019).

    Inputs: x, a tensor of any shape; integers are taken as Float32.

    Output: a tensor of the shape and floating-point type of x.

    Example:
        >>> print(ops.Mish()(Tensor([-1.0, 0.0, 20.0], ms.float32)).asnumpy().round(4))
        [-0.3034  0.     20.    ]
    """

    arguments = ("x",)
    takes = MappingProxyType({0: (mstype.bool_, *mstype.real_type)})

    def of_float(self, xp: Any, x: Any) -> Any:
        return x * xp.tanh(xp.logaddexp(x, x.dtype.type(0)))


class HShrink(FloatUnary):
    """x, and 0 where its absolute value is not above a bound.

    Inputs: x, a tensor of any shape; integers are taken as Float32.

    Output: a tensor of the shape and floating-point type of x.

    Args:
        lambd: the bound.

    Example:
        >>> print(ops.HShrink(lambd=1.0)(Tensor([-2.0, -0.5, 1.0, 3.0], ms.float32)))
        [-2.  0.  0.  3.]
    """

    @prim_attr_register
    def __init__(self, lambd: float = 0.5) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])

    def of_float(self, xp: Any, x: Any) -> Any:
        return xp.where(xp.absolute(x) > self.lambd, x, x.dtype.type(0))


class SoftShrink(HShrink):
    """x moved towards 0 by a bound, and 0 where its absolute value is not above it: sign(x) * max(|x| - lambd, 0).

    Inputs: x, a tensor of any shape; integers are taken as Float32.

    Output: a tensor of the shape and floating-point type of x.

    Args:
        lambd: the bound.

    Example:
        >>> print(ops.SoftShrink(lambd=1.0)(Tensor([-2.0, 0.5, 1.0, 3.0], ms.float32)))
        [-1.  0.  0.  2.]
    """

    def of_float(self, xp: Any, x: Any) -> Any:
        return xp.sign(x) * xp.maximum(xp.absolute(x) - x.dtype.type(self.lambd), 0)


class PReLU(PrimitiveWithInfer):
    """x, and weight * x where x is negative (He et al. 2015).

    Inputs: x of shape (N, C, ...); the weights, one for each channel or one for all, of shape (C,) or (1,).

    Output: a tensor of the shape and element type of x.

    Example:
        >>> x = Tensor([[-2.0, -2.0], [3.0, 3.0]], ms.float32)
        >>> print(ops.PReLU()(x, Tensor([0.5, 0.25], ms.float32)))
        [[-1.  -0.5]
         [ 3.   3. ]]
    """

    arguments = ("input", "weight")
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "weight"], outputs=["output"])

    def infer_shape(self, x: Dims, weight: Dims) -> Dims:
        channels = x[1] if len(x) > 1 else 1
        if len(weight) != 1 or (weight[0] != 1 and None not in (weight[0], channels) and weight[0] != channels):
            raise ValueError(f"PReLU: weights of shape {weight} do not fit the {channels} channels of {x}")
        return x

    def infer_dtype(self, x: DType, weight: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any, weight: Any) -> Any:
        self.infer_shape(x.shape, weight.shape)
        if x.ndim > 1:
            weight = weight.reshape(1, -1, *(1,) * (x.ndim - 2))
        return xp.where(x > 0, x, (weight * x).astype(x.dtype, copy=False))
