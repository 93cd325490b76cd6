"""Operators on matrices and vectors: diagonals, determinants, inverses, distances."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.operations.elementwise import promoted
from framework.ops.operations.shapes import Dims, broadcast, normal_axis
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "Cdist",
    "Cholesky",
    "Cross",
    "Diag",
    "DiagPart",
    "Ger",
    "L2Normalize",
    "MatrixDeterminant",
    "MatrixInverse",
    "Trace",
]


class _OfMatrices(PrimitiveWithInfer):
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_dtype(self, x: DType, *others: Any) -> DType:
        return x

    def _square(self, x: Dims) -> Dims:
        if len(x) < 2 or (None not in x[-2:] and x[-1] != x[-2]):
            raise ValueError(f"{self.name} takes square matrices, not shape {x}")
        return x


class MatrixInverse(_OfMatrices):
    """The inverses of the matrices in the last two dimensions.

    The product of a matrix and its inverse is the identity matrix.

    Inputs: a tensor of shape (..., N, N), Float32 or Float64. Output: a tensor of the same shape and type.

    Args:
        adjoint: take the inverses' transposes.

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

    def compute(self, xp: Any, x: Any) -> Any:
        inverse = xp.linalg.inv(x)
        return inverse.swapaxes(-1, -2) if self.adjoint else inverse


class MatrixDeterminant(_OfMatrices):
    """The determinants of the matrices in the last two dimensions.

    Of a matrix with rows (a, b) and (c, d) it is a * d - b * c.

    Inputs: a tensor of shape (..., N, N), Float32 or Float64. Output: a tensor of shape (...) and the same type.

    Example:
        >>> print(ops.MatrixDeterminant()(Tensor([[[2.0, 1.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, -1.0]]])))
        [ 8. -1.]
    """

    arguments = ("input",)
    takes = MappingProxyType({0: (mstype.float32, mstype.float64, *mstype.complex_type)})

    def infer_shape(self, x: Dims) -> Dims:
        return self._square(x)[:-2]

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.asarray(xp.linalg.det(x))


class Cholesky(_OfMatrices):
    """The lower triangular L with L L^T = x, for symmetric positive definite matrices.

    Inputs: a tensor of shape (..., N, N), Float32 or Float64. Output: a tensor of the same shape and type.

    Args:
        upper: take L's transpose.

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

    def compute(self, xp: Any, x: Any) -> Any:
        lower = xp.linalg.cholesky(x)
        return lower.swapaxes(-1, -2) if self.upper else lower


class Diag(_OfMatrices):
    """A tensor on the diagonal of one with twice the dimensions, zeros elsewhere: out[i, j, i, j] = x[i, j].

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

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.diag(x.reshape(-1)).reshape(x.shape + x.shape)


class DiagPart(_OfMatrices):
    """The diagonal of a tensor whose dimensions come twice: out[i, j] = x[i, j, i, j].

    The inverse of `Diag`.

    Inputs: a tensor of shape (A, B, ..., A, B, ...). Output: a tensor of shape (A, B, ...) and the same type.

    Example:
        >>> print(ops.DiagPart()(Tensor([[1, 2], [3, 4]])))
        [1 4]
    """

    def infer_shape(self, x: Dims) -> Dims:
        half = len(x) // 2
        if not x or len(x) % 2 or x[:half] != x[half:]:
            raise ValueError(f"DiagPart: the dimensions of {x} do not come twice")
        return x[:half]

    def compute(self, xp: Any, x: Any) -> Any:
        shape = self.infer_shape(x.shape)
        size = 1
        for length in shape:
            size *= length or 0
        return xp.diagonal(x.reshape(size, size)).reshape(shape).copy()


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
            raise ValueError(f"Trace takes a matrix, not shape {x}")
        return ()

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.trace(x, dtype=x.dtype)


class Ger(PrimitiveWithInfer):
    """The products of all elements of one vector with all of another: out[i, j] = x1[i] x2[j].

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
            raise ValueError(f"Ger takes two vectors, not shapes {x1} and {x2}")
        return x1 + x2

    def infer_dtype(self, x1: DType, x2: DType) -> DType:
        return mstype.promote(x1, x2)

    def compute(self, xp: Any, x1: Any, x2: Any) -> Any:
        return xp.outer(*promoted(xp, x1, x2))


class Cross(PrimitiveWithInfer):
    """The vector product of vectors of length 3.

    (a, b, c) times (d, e, f) is (b * f - c * e, c * d - a * f, a * e - b * d), at right angles to both.

    Inputs: tensors of one shape and type, with a dimension of length 3. Output: a tensor of that shape and type.

    Args:
        dim: along which dimension they lie; -65530 for the first one of length 3.

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
        """The dimension along which vectors lie."""
        axis = shape.index(3) if self.dim == -65530 and 3 in shape else self.dim
        if shape[normal_axis(axis, len(shape))] != 3:
            raise ValueError(f"Cross: dimension {axis} of {shape} has not length 3")
        return normal_axis(axis, len(shape))

    def infer_shape(self, x1: Dims, x2: Dims) -> Dims:
        if x1 != x2:
            raise ValueError(f"Cross: shapes {x1} and {x2} differ")
        self.axis(x1)
        return x1

    def infer_dtype(self, x1: DType, x2: DType) -> DType:
        return mstype.promote(x1, x2)

    def compute(self, xp: Any, x1: Any, x2: Any) -> Any:
        x1, x2 = promoted(xp, x1, x2)
        return xp.cross(x1, x2, axis=self.axis(x1.shape)).astype(x1.dtype, copy=False)


class Cdist(PrimitiveWithInfer):
    """The distances of all rows of one matrix from all of another: (sum |a - b| ** p) ** (1 / p).

    Inputs: floating-point tensors of shapes (..., N, D) and (..., M, D) and one type, whose first dimensions broadcast.
    Output: a tensor of shape (..., N, M) and that type.

    Args:
        p: which norm; 0 counts differing elements, infinity takes the largest difference.

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
            raise ValueError(f"Cdist: rows of shapes {x} and {y} must have one length")
        return (*broadcast(x[:-2], y[:-2]), x[-2], y[-2])

    def infer_dtype(self, x: DType, y: DType) -> DType:
        return mstype.promote(x, y)

    def compute(self, xp: Any, x: Any, y: Any) -> Any:
        x, y = promoted(xp, x, y)
        apart = xp.absolute(xp.expand_dims(x, -2) - xp.expand_dims(y, -3))
        if self.p == 0:
            return (apart != 0).sum(axis=-1).astype(apart.dtype)
        if self.p == float("inf"):
            return apart.max(axis=-1)
        return ((apart**self.p).sum(axis=-1) ** (1 / self.p)).astype(apart.dtype, copy=False)


class L2Normalize(PrimitiveWithInfer):
    """x / sqrt(max(sum of squares, epsilon)) over axes.

    Inputs: a floating-point tensor of any shape. Output: a tensor of the same shape and type.

    Args:
        axis: an int, or several.
        epsilon: the least the sum counts.

    Example:
        >>> print(ops.L2Normalize(axis=1)(Tensor([[3.0, 4.0], [0.0, 2.0]])))
        [[0.6 0.8]
         [0.  1. ]]
    """

    takes = MappingProxyType({0: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(self, axis: Any = 0, epsilon: float = 1e-4) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.add_prim_attr("axis", (axis,) if isinstance(axis, int) else tuple(axis))

    def infer_shape(self, x: Dims) -> Dims:
        for axis in self.axis:
            normal_axis(axis, len(x))
        return x

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any) -> Any:
        total = xp.square(x).sum(axis=self.axis, keepdims=True)
        return x / xp.sqrt(xp.maximum(total, x.dtype.type(self.epsilon)))
