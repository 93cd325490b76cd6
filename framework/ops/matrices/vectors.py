"""Outer and cross products, distances and normalized lengths of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import maximum, pow
from framework.ops.arithmetic.division import div_no_nan
from framework.ops.array.broadcasting import SumLike
from framework.ops.array.casting import Cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.reshaping import expand_dims
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import equal, greater
from framework.ops.elementwise import promoted
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.mathematics.complex_numbers import conj
from framework.ops.mathematics.exponential import sqrt, square
from framework.ops.mathematics.rounding import absolute, sign
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.reduction.totals import ReduceSum
from framework.ops.shapes import Dims, broadcast, normal_axis

__all__ = [
    "Cdist",
    "Cross",
    "Ger",
    "L2Normalize",
    "cdist",
    "cross",
    "ger",
    "vecdot",
]

reduce_sum = ReduceSum()
sum_like = SumLike()
cast = Cast()
sum_kept = ReduceSum(True)


class Ger(PrimitiveWithInfer):
    """The outer product of two vectors: out[i, j] = x1[i] x2[j].

    Inputs: tensors of shapes (N,) and (M,), of one type. Output: a tensor of shape (N, M) and that type.

    Example:
        >>> print(ops.Ger()(Tensor([1, 2]), Tensor([3, 4, 5])))
        [[ 3  4  5]
         [ 6  8 10]]
    """

    arguments = ("input", "vec2")
    promotes = True
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x1", "x2"], outputs=["output"])

    def infer_shape(self, x1: Dims, x2: Dims) -> Dims:
        if len(x1) != 1 or len(x2) != 1:
            raise ValueError(f"Ger takes two vectors, not tensors of shapes {x1} and {x2}")
        return x1 + x2

    def infer_dtype(self, x1: DType, x2: DType) -> DType:
        return mstype.promote(x1, x2)

    def compute(self, xp: ArrayModule, x1: Array, x2: Array) -> Array:
        return xp.outer(*promoted(xp, x1, x2))


ger = Ger()


@gradient(Ger)
def ger_gradient(x1: Tensor, x2: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """x1 gets dout x2, x2 gets dout^T x1."""
    of_first = reduce_sum(dout * expand_dims(x2, 0), 1)
    return sum_like(of_first, x1), sum_like(reduce_sum(dout * expand_dims(x1, 1), 0), x2)


class Cross(PrimitiveWithInfer):
    """The cross product of vectors of length 3.

    (a, b, c) times (d, e, f) is (b * f - c * e, c * d - a * f, a * e - b * d), which is orthogonal to both.

    Inputs: two tensors of one shape and type, with a dimension of length 3. Output: a tensor of that shape and type.

    Args:
        dim: dimension of the vectors; -65530 for the first one of length 3.

    Example:
        >>> print(ops.Cross()(Tensor([1, 0, 0]), Tensor([0, 1, 0])))
        [0 0 1]
    """

    takes = MappingProxyType({0: mstype.number_type, 1: mstype.number_type})
    promotes = True
    fresh = True

    @prim_attr_register
    def __init__(self, dim: int = -65530) -> None:
        self.init_prim_io_names(inputs=["x1", "x2"], outputs=["y"])

    def axis(self, shape: Dims) -> int:
        """The dimension of the vectors."""
        axis = shape.index(3) if self.dim == -65530 and 3 in shape else self.dim
        if shape[normal_axis(axis, len(shape))] != 3:
            raise ValueError(f"Cross: dimension {axis} of shape {shape} must have length 3")
        return normal_axis(axis, len(shape))

    def infer_shape(self, x1: Dims, x2: Dims) -> Dims:
        if x1 != x2:
            raise ValueError(f"Cross: both tensors must have the same shape, not {x1} and {x2}")
        self.axis(x1)
        return x1

    def infer_dtype(self, x1: DType, x2: DType) -> DType:
        return mstype.promote(x1, x2)

    def compute(self, xp: ArrayModule, x1: Array, x2: Array) -> Array:
        x1, x2 = promoted(xp, x1, x2)
        return xp.cross(x1, x2, axis=self.axis(x1.shape)).astype(x1.dtype, copy=False)


@bprop_getters.register(Cross)
def get_bprop_cross(self: Cross) -> Bprop:
    """The product is linear in both operands and antisymmetric."""

    def bprop(x1: Tensor, x2: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return sum_like(self(x2, dout), x1), sum_like(self(dout, x1), x2)

    return bprop


class Cdist(PrimitiveWithInfer):
    """The p-norm distances between the rows of two matrices: (sum |a - b| ** p) ** (1 / p).

    Inputs: floating-point tensors of shapes (..., N, D) and (..., M, D) and one type, whose first dimensions broadcast.

    Output: a tensor of shape (..., N, M) and that type.

    Args:
        p: order of the norm; 0 counts differing elements, infinity takes the largest difference.

    Example:
        >>> x, y = Tensor([[0.0, 0.0], [3.0, 0.0]]), Tensor([[3.0, 4.0]])
        >>> print(ops.Cdist()(x, y))
        [[5.]
         [4.]]
        >>> print(ops.Cdist(p=1.0)(x, y))
        [[7.]
         [4.]]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(self, p: float = 2.0) -> None:
        self.init_prim_io_names(inputs=["input_x", "input_y"], outputs=["output"])
        if p < 0:
            raise ValueError(f"Cdist: p must not be negative, not {p}")

    def infer_shape(self, x: Dims, y: Dims) -> Dims:
        if len(x) < 2 or len(y) < 2 or x[-1] != y[-1]:
            raise ValueError(f"Cdist: rows of shapes {x} and {y} must have the same length")
        return (*broadcast(x[:-2], y[:-2]), x[-2], y[-2])

    def infer_dtype(self, x: DType, y: DType) -> DType:
        return mstype.promote(x, y)

    def compute(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        x, y = promoted(xp, x, y)
        apart = xp.absolute(xp.expand_dims(x, -2) - xp.expand_dims(y, -3))
        if self.p == 0:
            return (apart != 0).sum(axis=-1).astype(apart.dtype)
        if self.p == float("inf"):
            return apart.max(axis=-1)
        return ((apart**self.p).sum(axis=-1) ** (1 / self.p)).astype(apart.dtype, copy=False)


@bprop_getters.register(Cdist)
def get_bprop_cdist(self: Cdist) -> Bprop:
    """sign(d) (|d| / distance) ** (p - 1) for a difference d; 0 where the distance is 0."""
    p = self.p
    largest = p == float("inf")

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        difference = expand_dims(x, -2) - expand_dims(y, -3)
        distance = expand_dims(out, -1)
        if p == 0:
            slope = difference * 0
        elif p == 1:
            slope = sign(difference)
        elif p == 2:
            slope = div_no_nan(difference, distance)
        elif largest:
            slope = sign(difference) * cast(equal(absolute(difference), distance), dtype_of(x))
        else:
            slope = sign(difference) * pow(div_no_nan(absolute(difference), distance), p - 1)
        gradient = expand_dims(dout, -1) * slope
        return sum_like(reduce_sum(gradient, -2), x), sum_like(-reduce_sum(gradient, -3), y)

    return bprop


class L2Normalize(PrimitiveWithInfer):
    """x / sqrt(max(sum of squares, epsilon)) over axes.

    Inputs: a floating-point tensor of any shape. Output: a tensor of the same shape and type.

    Args:
        axis: an axis or several.
        epsilon: lower limit of the sum of squares.

    Example:
        >>> print(ops.L2Normalize(axis=1)(Tensor([[3.0, 4.0], [0.0, 2.0]])))
        [[0.6 0.8]
         [0.  1. ]]
    """

    takes = MappingProxyType({0: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(self, axis: int = 0, epsilon: float = 1e-4) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.add_prim_attr("axis", (axis,) if isinstance(axis, int) else tuple(axis))

    def infer_shape(self, x: Dims) -> Dims:
        for axis in self.axis:
            normal_axis(axis, len(x))
        return x

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        total = xp.square(x).sum(axis=self.axis, keepdims=True)
        return x / xp.sqrt(xp.maximum(total, x.dtype.type(self.epsilon)))


@bprop_getters.register(L2Normalize)
def get_bprop_l2_normalize(self: L2Normalize) -> Bprop:
    """With n the output and r the root: (dout - n sum(n dout)) / r; where epsilon is the limit, dout / r."""
    axis = self.axis
    epsilon = self.epsilon

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        total = sum_kept(square(x), axis)
        counts = cast(greater(total, epsilon), dtype_of(x))
        return ((dout - counts * out * sum_kept(out * dout, axis)) / sqrt(maximum(total, epsilon)),)

    return bprop


def cdist(x1: Tensor, x2: Tensor | float, p: float = 2.0) -> Tensor:
    """The p-norm distances between the rows of two matrices.

    Args:
        x1: tensor of shape (..., N, D), of a floating-point type.
        x2: tensor of shape (..., M, D), of the same type.
        p: order of the norm; 0 counts differing elements, infinity takes the largest difference.

    Returns:
        A tensor of shape (..., N, M).

    Example:
        >>> print(ops.cdist(Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0], [0.0, 2.0]])))
        [[5. 2.]]

    """
    return cached(Cdist, p)(x1, x2)


def cross(input: Tensor, other: Tensor | float, dim: int | Sequence[int] | None = None) -> Tensor:
    """The cross product along a dimension of length 3.

    Args:
        input: tensor with a dimension of length 3.
        other: tensor of the same shape.
        dim: dimension of the vectors; None for the first one of length 3.

    Returns:
        A tensor of the same shape.

    Example:
        >>> print(ops.cross(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])))
        [0. 0. 1.]

    """
    return cached(Cross, -65530 if dim is None else dim)(input, other)


def vecdot(x: Tensor, y: Tensor, *, axis: int = -1) -> Tensor:
    """The dot products of vectors along an axis: sum(conj(x) * y).

    Args:
        x: the first vectors; of complex numbers their conjugates are taken.
        y: the second vectors, of the type of `x`; the shapes broadcast.
        axis: the axis along which the vectors lie.

    Returns:
        A tensor of the broadcast shape without the axis.

    Example:
        >>> print(ops.vecdot(Tensor([[1.0, 3.0], [5.0, 7.0]]), Tensor([[4.0, 5.0], [3.0, 2.0]])))
        [19. 29.]
    """
    return reduce_sum((conj(x) if dtype_of(x).kind == "complex" else x) * y, axis)
