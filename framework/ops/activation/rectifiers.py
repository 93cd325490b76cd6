"""Activation functions that pass one side of 0 and bend or cut the other."""

from __future__ import annotations

from typing import Final

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import minimum
from framework.ops.array.broadcasting import SumLike
from framework.ops.array.casting import Cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.properties import rank as rank_of
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import reshape
from framework.ops.arrays import Array, ArrayModule, converted, without_halves
from framework.ops.comparison import greater, less_equal, logical_and
from framework.ops.constexpr import constexpr
from framework.ops.creation.filled_like import OnesLike, ZerosLike
from framework.ops.elementwise import FloatUnary
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.gradients import gradient as gradient_kernel
from framework.ops.indexing.selecting import select, where
from framework.ops.mathematics.exponential import exp
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.random.uniform_and_normal import uniform
from framework.ops.shapes import Dims, broadcast

__all__ = [
    "CeLU",
    "Elu",
    "PReLU",
    "ReLU",
    "ReLU6",
    "ReluGrad",
    "SeLU",
    "celu",
    "elu",
    "leaky_relu",
    "prelu",
    "relu",
    "relu6",
    "rrelu",
    "selu",
]

zeros_like = ZerosLike()
cast = Cast()
ones_like = OnesLike()
sum_like = SumLike()


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

    def compute(self, xp: ArrayModule, x: Array, *, out: Array | None = None) -> Array:
        return xp.maximum(x, x.dtype.type(0), out=out)

    def expression(self, x: Dims) -> str:
        return "xp.maximum({0}, 0.0{out})"


relu = ReLU()


@gradient_kernel(ReLU)
def relu_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The slope is 1 where x is positive, else 0."""
    return relu_grad(dout, out)


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

    def compute(self, xp: ArrayModule, dout: Array, y: Array, *, out: Array | None = None) -> Array:
        if dout.dtype == xp.float16:
            return converted(xp.multiply(without_halves(dout), y > 0), dout.dtype)
        return xp.multiply(dout, y > 0, out=out)

    def expression(self, dout: Dims, y: Dims) -> str:
        return "xp.multiply({0}, {1} > 0.0{out})"


relu_grad = ReluGrad()


@gradient_kernel(ReluGrad)
def relu_grad_gradient(gradient: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The operator is linear in `dout`, and piecewise constant in the output."""
    return relu_grad(dout, y), zeros_like(y)


class ReLU6(FloatUnary):
    """min(max(x, 0), 6).

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.ReLU6()(Tensor([-1.0, 2.0, 9.0])))
        [0. 2. 6.]
    """

    arguments = ("x",)

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return xp.clip(x, 0, 6)


relu6 = ReLU6()


@gradient_kernel(ReLU6)
def relu6_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The slope is 1 for 0 < x <= 6, else 0."""
    return dout * cast(logical_and(greater(x, 0), less_equal(x, 6)), dtype_of(dout))


class Elu(FloatUnary):
    """x where x is not negative, else alpha * (exp(x) - 1).

    Args:
        alpha: minus the limit of the output for x towards minus infinity.

    Inputs: x, a tensor of any shape; integers are taken as Float32.
    Output: a tensor of x's shape and floating-point type.

    Example:
        >>> print(ops.Elu(alpha=2.0)(Tensor([-100.0, 0.0, 3.0])))
        [-2.  0.  3.]
    """

    @prim_attr_register
    def __init__(self, alpha: float = 1.0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return xp.where(x > 0, x, self.alpha * xp.expm1(xp.minimum(x, 0)))


@bprop_getters.register(Elu)
def get_bprop_elu(self: Elu) -> Bprop:
    """1 where x is positive, else alpha exp(x)."""
    alpha = self.alpha

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        below = alpha * exp(minimum(x, zeros_like(x)))
        return (dout * select(greater(x, 0), ones_like(x), below),)

    return bprop


class CeLU(FloatUnary):
    """max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0), whose derivative is continuous (Barron 2017).

    Inputs: x, a tensor of any shape; integers are taken as Float32.

    Output: a tensor of the shape and floating-point type of x.

    Args:
        alpha: minus the limit of the output for x towards minus infinity; not 0.

    Example:
        >>> print(ops.CeLU(alpha=2.0)(Tensor([-100.0, 0.0, 3.0], ms.float32)))
        [-2.  0.  3.]
    """

    @prim_attr_register
    def __init__(self, alpha: float = 1.0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        if alpha == 0:
            raise ValueError("CeLU: alpha must not be 0")

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return xp.maximum(x, 0) + xp.minimum(self.alpha * xp.expm1(x / self.alpha), 0)


@bprop_getters.register(CeLU)
def get_bprop_celu(self: CeLU) -> Bprop:
    """1 where x is positive, else exp(x / alpha)."""
    alpha = self.alpha

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        below = exp(minimum(x, zeros_like(x)) / alpha)
        return (dout * select(greater(x, 0), ones_like(x), below),)

    return bprop


class SeLU(FloatUnary):
    """scale * elu(x, alpha) with scale = 1.0507 and alpha = 1.6733 (Klambauer et al. 2017).

    Inputs: x, a tensor of any shape; integers are taken as Float32.

    Output: a tensor of the shape and floating-point type of x.

    Example:
        >>> print(ops.SeLU()(Tensor([-100.0, 0.0, 1.0], ms.float32)))
        [-1.7580993  0.         1.050701 ]
    """

    arguments = ("input_x",)

    def of_float(self, xp: ArrayModule, x: Array) -> Array:
        return SELU_SCALE * xp.where(x > 0, x, SELU_ALPHA * xp.expm1(xp.minimum(x, 0)))


selu = SeLU()


@gradient_kernel(SeLU)
def selu_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The scale where x is positive, else scale alpha exp(x)."""
    below = SELU_ALPHA * exp(minimum(x, zeros_like(x)))
    return SELU_SCALE * (dout * select(greater(x, 0), ones_like(x), below))


class PReLU(PrimitiveWithInfer):
    """x where x is not negative, else weight * x (He et al. 2015).

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

    def compute(self, xp: ArrayModule, x: Array, weight: Array) -> Array:
        self.infer_shape(x.shape, weight.shape)
        if x.ndim > 1:
            weight = weight.reshape(1, -1, *(1,) * (x.ndim - 2))
        return xp.where(x > 0, x, (weight * x).astype(x.dtype, copy=False))


prelu = PReLU()


@constexpr
def _along_channels(rank: int) -> tuple[int, ...]:
    """The shape in which weights of shape (C,) broadcast along the channels."""
    return (1, -1, *(1,) * (rank - 2)) if rank > 1 else (-1,)


@gradient_kernel(PReLU)
def prelu_gradient(x: Tensor, weight: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """For x, 1 or the weight; for a weight, the sum of x * dout over the negative elements of its channel."""
    spread = reshape(weight, _along_channels(rank_of(x)))
    positive = greater(x, 0)
    of_weight = sum_like(select(positive, zeros_like(x), x * dout), spread)
    return select(positive, dout, spread * dout), reshape(of_weight, shape_of(weight))


#: With these constants, mean 0 and variance 1 are a fixed point across layers (Klambauer et al. 2017).
SELU_ALPHA: Final = 1.6732632423543772

SELU_SCALE: Final = 1.0507009873554805


def elu(input_x: Tensor, alpha: float = 1.0) -> Tensor:
    """x where x is not negative, else alpha * (exp(x) - 1).

    Args:
        input_x: a floating-point tensor of any shape.
        alpha: minus the limit for x towards minus infinity.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.elu(Tensor([-1.0, 2.0])).asnumpy().round(3))
        [-0.632  2.   ]

    """
    return cached(Elu, alpha)(input_x)


def leaky_relu(input: Tensor, alpha: float = 0.2) -> Tensor:
    """x where x is not negative, else alpha * x.

    Args:
        input: a tensor of any shape.
        alpha: the slope for negative elements.

    Returns:
        A tensor of the same shape, of the element type to which the operands are promoted.

    Example:
        >>> print(ops.leaky_relu(Tensor([-2.0, 3.0]), 0.5))
        [-1.  3.]

    """
    return select(greater(input, 0), input, alpha * input)


def celu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0).

    Args:
        x: a floating-point tensor of any shape.
        alpha: minus the limit for x towards minus infinity; not 0.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.celu(Tensor([-1.0, 2.0])).asnumpy().round(3))
        [-0.632  2.   ]

    """
    return cached(CeLU, alpha)(x)


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3) -> Tensor:
    """x where x is not negative, else a * x with a random a, uniform between two bounds (Xu et al. 2015).

    Args:
        input: a floating-point tensor of any shape.
        lower: the smallest slope for negative elements.
        upper: the largest slope for negative elements.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.rrelu(Tensor([-2.0, 3.0]), 0.5, 0.5))
        [-1.  3.]

    """
    return where(input > 0, input, input * uniform(shape_of(input), lower, upper, None, dtype_of(input)))
