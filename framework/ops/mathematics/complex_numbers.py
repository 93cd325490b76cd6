"""Complex numbers and their parts: real and imaginary part, conjugate, angle.

Rules of gradients give df/dx - i df/dy for a real value f of z = x + iy. With this convention the rules of products,
powers and the like are the same for complex numbers as for real ones. Users get the conjugate, as in MindSpore: see
`framework.pynative.gradient.conjugate`.
"""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.casting import Cast
from framework.ops.array.transposing import Transpose
from framework.ops.arrays import Array, ArrayModule
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.elementwise import Binary, Unary
from framework.ops.gradients import gradient
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "Angle", "Complex", "Conj", "ConjugateTranspose", "Imag", "Real", "adjoint", "angle", "conj", "imag", "real",
]  # fmt: skip

cast = Cast()
zeros_like = ZerosLike()


def part_of(x: DType) -> DType:
    """The element type of the parts of a complex number; that of a real number is its own."""
    return {mstype.complex64: mstype.float32, mstype.complex128: mstype.float64}.get(x, x)


class Real(Unary):
    """The real part of each element; of real numbers the elements themselves.

    Inputs: x, a tensor of any shape.
    Output: a tensor of x's shape; Float32 for Complex64, Float64 for Complex128.

    Example:
        >>> print(ops.Real()(Tensor([1 + 2j])))
        [1.]
    """

    def infer_dtype(self, x: DType) -> DType:
        return part_of(x)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.real(x).copy()


real = Real()


@gradient(Real)
def real_gradient(x: Any, out: Any, dout: Any) -> Any:
    """The gradient is a real number."""
    return cast(dout, x.dtype)


class Imag(Unary):
    """The imaginary part of each element; 0 for real numbers.

    Inputs: x, a tensor of any shape.
    Output: a tensor of x's shape; Float32 for Complex64, Float64 for Complex128.

    Example:
        >>> print(ops.Imag()(Tensor([1 + 2j])))
        [2.]
    """

    def infer_dtype(self, x: DType) -> DType:
        return part_of(x)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.imag(x).copy()


imag = Imag()


@gradient(Imag)
def imag_gradient(x: Any, out: Any, dout: Any) -> Any:
    """The gradient is an imaginary number; real numbers have none."""
    return cast(_complex(zeros_like(dout), -dout), x.dtype) if x.dtype.kind == "complex" else zeros_like(x)


class Complex(Binary):
    """Complex numbers of real and imaginary parts.

    Inputs: real and imag, tensors of one type, Float32 or Float64, whose shapes broadcast.
    Output: a tensor of the broadcast shape; Complex64, or Complex128 for Float64.

    Example:
        >>> print(ops.Complex()(Tensor([1.0]), Tensor([2.0])))
        [1.+2.j]
    """

    arguments = ("real", "imag")
    takes = dict.fromkeys((0, 1), (mstype.float32, mstype.float64))

    def infer_dtype(self, x: Any, y: Any) -> DType:
        return mstype.complex128 if mstype.result_type(x, y) is mstype.float64 else mstype.complex64

    def of_same(self, xp: ArrayModule, x: Array, y: Array) -> Array:
        return x + xp.asarray(1j, self.infer_dtype(mstype.of(x.dtype), mstype.of(y.dtype)).numpy) * y


_complex = Complex()


@gradient(Complex)
def complex_gradient(x: Any, y: Any, out: Any, dout: Any) -> Any:
    """The derivatives by both parts."""
    return real(dout), -imag(dout)


class Conj(Unary):
    """The conjugate of each element: the imaginary part with the other sign; real numbers stay.

    Inputs: x, a tensor of any shape.
    Output: a tensor of x's shape and element type.

    Example:
        >>> print(ops.Conj()(Tensor([1 + 2j])))
        [1.-2.j]
    """

    ufunc = "conj"


conj = Conj()


@gradient(Conj)
def conj_gradient(x: Any, out: Any, dout: Any) -> Any:
    """The conjugate."""
    return conj(dout)


class Angle(Unary):
    """The angle of each complex number from the positive real axis, in radians.

    Inputs: x, a tensor of any shape.
    Output: a tensor of x's shape; Float32 for Complex64, Float64 for Complex128.

    Example:
        >>> print(ops.Angle()(Tensor([1j, -1 + 0j])))
        [1.57079633 3.14159265]
    """

    def infer_dtype(self, x: DType) -> DType:
        return part_of(x if x.is_floating_point else mstype.float32)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.angle(x).astype(self.infer_dtype(mstype.of(x.dtype)).numpy, copy=False)


angle = Angle()


@gradient(Angle)
def angle_gradient(x: Any, out: Any, dout: Any) -> Any:
    """The derivatives by both parts are -y/|z|**2 and x/|z|**2; real numbers have none."""
    if x.dtype.kind != "complex":
        return zeros_like(x)
    scale = dout / (real(x) * real(x) + imag(x) * imag(x))
    return _complex(-imag(x) * scale, -real(x) * scale)


class ConjugateTranspose(PrimitiveWithInfer):
    """Dimensions in another order, and the conjugate of each element.

    Inputs: x, a tensor; perm, the dimensions in their new order.
    Output: a tensor of x's element type.

    Example:
        >>> print(ops.ConjugateTranspose()(Tensor([[1 + 1j, 2.0]]), (1, 0)))
        [[1.-1.j]
         [2.-0.j]]
    """

    value_inputs = (1,)
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "perm"], outputs=["output"])

    def infer_shape(self, x: Dims, perm: Any) -> Dims:
        return Transpose().infer_shape(x, perm)

    def infer_dtype(self, x: DType, perm: Any) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array, perm: Any) -> Array:
        return xp.conj(xp.transpose(x, perm)).copy()


def adjoint(x: Tensor) -> Tensor:
    """The last two dimensions exchanged, and the conjugate of each element.

    Args:
        x: a tensor with at least two dimensions.

    Returns:
        A tensor of the same element type.

    Example:
        >>> print(ops.adjoint(Tensor([[1 + 1j, 2.0]])))
        [[1.-1.j]
         [2.-0.j]]
    """
    return conj(x.swapaxes(-1, -2))
