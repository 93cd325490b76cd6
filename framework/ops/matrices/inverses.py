"""Inverse, determinant, Cholesky factor, diagonal and trace of matrices."""

from __future__ import annotations

from types import MappingProxyType

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.properties import rank as rank_of
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import expand_dims
from framework.ops.array.transposing import transpose
from framework.ops.array.triangles import Tril
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.creation.filling import Eye
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.matrices.products import BatchMatMul
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "Cholesky",
    "Diag",
    "DiagPart",
    "MatrixDeterminant",
    "MatrixInverse",
    "Trace",
    "cholesky",
    "det",
    "diag",
    "inverse",
    "matrix_determinant",
    "trace",
]

matmul = BatchMatMul()
tril = Tril()
product_left = BatchMatMul(transpose_a=True)
eye = Eye()


class _OfMatrices(PrimitiveWithInfer):
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_dtype(self, x: DType, *others: object) -> DType:
        return x

    def _square(self, x: Dims) -> Dims:
        if len(x) < 2 or (None not in x[-2:] and x[-1] != x[-2]):
            raise ValueError(f"{self.name} takes square matrices, not a tensor of shape {x}")
        return x


class MatrixInverse(_OfMatrices):
    """The inverses of the matrices in the last two dimensions.

    The product of a matrix and its inverse is the identity matrix.

    Inputs: a tensor of shape (..., N, N), Float32 or Float64. Output: a tensor of the same shape and type.

    Args:
        adjoint: return the transposes of the inverses.

    Example:
        >>> print(ops.MatrixInverse()(Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]
    """

    arguments = ("input",)
    takes = MappingProxyType({0: (mstype.float32, mstype.float64, *mstype.complex_type)})

    @prim_attr_register
    def __init__(self, adjoint: bool = False) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> Dims:
        return self._square(x)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        inverse = xp.linalg.inv(x)
        return inverse.swapaxes(-1, -2) if self.adjoint else inverse


inverse_transposed = MatrixInverse(adjoint=True)
inverse = MatrixInverse()


@constexpr
def transposed_order(rank: int) -> tuple[int, ...]:
    """The axis order with the last two dimensions exchanged."""
    return (*range(rank - 2), rank - 1, rank - 2)


@bprop_getters.register(MatrixInverse)
def get_bprop_matrix_inverse(self: MatrixInverse) -> Bprop:
    """-y^T dout y^T with the inverse y; -y dout^T y for the transposed inverse."""
    adjoint = self.adjoint

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        order = transposed_order(rank_of(x))
        if adjoint:
            return (-matmul(matmul(out, transpose(dout, order)), out),)
        turned = transpose(out, order)
        return (-matmul(matmul(turned, dout), turned),)

    return bprop


class MatrixDeterminant(_OfMatrices):
    """The determinants of the matrices in the last two dimensions.

    The determinant of a matrix with rows (a, b) and (c, d) is a * d - b * c.

    Inputs: a tensor of shape (..., N, N), Float32 or Float64. Output: a tensor of shape (...) and the same type.

    Example:
        >>> print(ops.MatrixDeterminant()(Tensor([[[2.0, 1.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, -1.0]]])))
        [ 8. -1.]
    """

    arguments = ("input",)
    takes = MappingProxyType({0: (mstype.float32, mstype.float64, *mstype.complex_type)})

    def infer_shape(self, x: Dims) -> Dims:
        return self._square(x)[:-2]

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.asarray(xp.linalg.det(x))


det = MatrixDeterminant()
matrix_determinant = MatrixDeterminant()


@gradient(MatrixDeterminant)
def matrix_determinant_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """dout times the determinant times the transposed inverse."""
    return expand_dims(expand_dims(dout * out, -1), -1) * inverse_transposed(x)


class Cholesky(_OfMatrices):
    """The Cholesky factor: the lower triangular L with L L^T = x, for symmetric positive definite matrices x.

    Inputs: a tensor of shape (..., N, N), Float32 or Float64. Output: a tensor of the same shape and type.

    Args:
        upper: return the transpose of L.

    Example:
        >>> print(ops.Cholesky()(Tensor([[4.0, 2.0], [2.0, 10.0]])))
        [[2. 0.]
         [1. 3.]]
    """

    arguments = ("input_x",)
    takes = MappingProxyType({0: (mstype.float32, mstype.float64, *mstype.complex_type)})

    @prim_attr_register
    def __init__(self, upper: bool = False) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        return self._square(x)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        lower = xp.linalg.cholesky(x)
        return lower.swapaxes(-1, -2) if self.upper else lower


@bprop_getters.register(Cholesky)
def get_bprop_cholesky(self: Cholesky) -> Bprop:
    """L^-T sym(phi(L^T dout)) L^-1, phi the lower triangle with half of the diagonal (Murray 2016)."""
    upper = self.upper

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        order = transposed_order(rank_of(x))
        lower = transpose(out, order) if upper else out
        gradient = transpose(dout, order) if upper else dout
        triangle = tril(product_left(lower, gradient))
        rows = shape_of(x)[-1]
        triangle = triangle - 0.5 * triangle * eye(rows, rows, dtype_of(x))
        symmetric = 0.5 * (triangle + transpose(triangle, order))
        back = inverse(lower)
        return (matmul(product_left(back, symmetric), back),)

    return bprop


class Diag(_OfMatrices):
    """A tensor of zeros with x on the diagonal of twice the dimensions: out[i, j, i, j] = x[i, j].

    Inputs: a tensor of one dimension or more, (A, B, ...). Output: a tensor of shape (A, B, ..., A, B, ...) and the
    same type.

    Example:
        >>> print(ops.Diag()(Tensor([1, 2, 3])))
        [[1 0 0]
         [0 2 0]
         [0 0 3]]
    """

    def infer_shape(self, x: Dims) -> Dims:
        return x + x

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.diag(x.reshape(-1)).reshape(x.shape + x.shape)


_diag = Diag()


@gradient(Diag)
def diag_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The diagonal of dout."""
    return diag_part(dout)


class DiagPart(_OfMatrices):
    """The diagonal of a tensor whose dimensions are repeated: out[i, j] = x[i, j, i, j].

    The inverse of `Diag`.

    Inputs: a tensor of shape (A, B, ..., A, B, ...). Output: a tensor of shape (A, B, ...) and the same type.

    Example:
        >>> print(ops.DiagPart()(Tensor([[1, 2], [3, 4]])))
        [1 4]
    """

    def infer_shape(self, x: Dims) -> Dims:
        half = len(x) // 2
        if not x or len(x) % 2 or x[:half] != x[half:]:
            raise ValueError(f"DiagPart takes a tensor of shape (A, B, ..., A, B, ...), not {x}")
        return x[:half]

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        shape = self.infer_shape(x.shape)
        size = 1
        for length in shape:
            size *= length or 0
        return xp.diagonal(x.reshape(size, size)).reshape(shape).copy()


diag_part = DiagPart()


@gradient(DiagPart)
def diag_part_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """dout on the diagonal."""
    return _diag(dout)


class Trace(_OfMatrices):
    """The sum of the main diagonal of a matrix: x[0, 0] + x[1, 1] + ...

    Inputs: a tensor of shape (N, M). Output: a scalar tensor of the same type.

    Example:
        >>> print(ops.Trace()(Tensor([[1, 2], [3, 4]])))
        5
    """

    arguments = ("input",)

    def infer_shape(self, x: Dims) -> Dims:
        if len(x) != 2:
            raise ValueError(f"Trace takes a matrix, not a tensor of shape {x}")
        return ()

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.trace(x, dtype=x.dtype)


trace = Trace()


@gradient(Trace)
def trace_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """dout times the identity matrix."""
    rows, columns = shape_of(x)
    return dout * eye(rows, columns, dtype_of(x))


def cholesky(input_x: Tensor, upper: bool = False) -> Tensor:
    """The Cholesky factor of symmetric positive definite matrices: the lower triangular L with L L^T = x.

    Args:
        input_x: matrices of shape (..., N, N), Float32 or Float64.
        upper: return the transpose of L.

    Returns:
        A tensor of the same shape and type.

    Example:
        >>> print(ops.cholesky(Tensor([[4.0, 2.0], [2.0, 10.0]])))
        [[2. 0.]
         [1. 3.]]

    """
    return cached(Cholesky, upper)(input_x)


def diag(input: Tensor) -> Tensor:
    """A tensor of zeros with `input` on the diagonal of twice the dimensions: out[i, j, i, j] = input[i, j].

    Args:
        input: tensor of shape (A, B, ...).

    Returns:
        A tensor of shape (A, B, ..., A, B, ...) and the same type.

    Example:
        >>> print(ops.diag(Tensor([1, 2])))
        [[1 0]
         [0 2]]

    """
    return _diag(input)
