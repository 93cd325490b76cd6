"""Operators that take matrices apart into factors."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.operations.shapes import Dims
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = ["Qr", "Svd"]


class _Factors(PrimitiveWithInfer):
    takes = MappingProxyType({0: (mstype.float32, mstype.float64)})
    fresh = True

    def _sizes(self, x: Dims) -> tuple[Any, Any, Any]:
        """Rows, columns, and the lesser of both."""
        if len(x) < 2:
            raise ValueError(f"{self.name} takes matrices, not shape {x}")
        rows, columns = x[-2:]
        return rows, columns, None if rows is None or columns is None else min(rows, columns)


class Qr(_Factors):
    """The matrices Q, with orthonormal columns, and R, upper triangular, whose product is x.

    Inputs: x of shape (..., M, N), Float32 or Float64. Outputs: Q (..., M, K) and R (..., K, N) of its type, K the
    lesser of M and N.

    Args:
        full_matrices: K is M, and the columns of Q are a whole basis; then there is no gradient.

    Example:
        >>> q, r = ops.Qr()(Tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> print((q @ r).asnumpy().round(3), abs(r.asnumpy()).round(3))
        [[3. 1.]
         [4. 2.]] [[5.  2.2]
         [0.  0.4]]
    """

    @prim_attr_register
    def __init__(self, full_matrices: bool = False) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["q", "r"])

    def infer_shape(self, x: Dims) -> tuple[Dims, Dims]:
        rows, columns, lesser = self._sizes(x)
        kept = rows if self.full_matrices else lesser
        return (*x[:-2], rows, kept), (*x[:-2], kept, columns)

    def infer_dtype(self, x: DType) -> tuple[DType, DType]:
        return x, x

    def compute(self, xp: Any, x: Any) -> Any:
        return tuple(xp.linalg.qr(x, mode="complete" if self.full_matrices else "reduced"))


class Svd(_Factors):
    """The singular values of x, the largest first, and the matrices U and V of x = U diag(s) V^T.

    Inputs: x of shape (..., M, N), Float32 or Float64. Outputs: s (..., K), U (..., M, K) and V (..., N, K) of its
    type, K the lesser of M and N. Where singular values are equal, U and V have no gradient.

    Args:
        full_matrices: U is (..., M, M) and V (..., N, N); then there is no gradient.
        compute_uv: without it U and V are of zeros, and s alone is computed.

    Example:
        >>> s, u, v = ops.Svd()(Tensor([[3.0, 0.0], [0.0, -2.0]]))
        >>> print(s, abs(u.asnumpy()), ((u * s) @ v.T).asnumpy())
        [3. 2.] [[1. 0.]
         [0. 1.]] [[ 3.  0.]
         [ 0. -2.]]
    """

    @prim_attr_register
    def __init__(self, full_matrices: bool = False, compute_uv: bool = True) -> None:
        self.init_prim_io_names(inputs=["a"], outputs=["s", "u", "v"])

    def infer_shape(self, x: Dims) -> tuple[Dims, Dims, Dims]:
        rows, columns, lesser = self._sizes(x)
        of_u, of_v = (rows, columns) if self.full_matrices else (lesser, lesser)
        return (*x[:-2], lesser), (*x[:-2], rows, of_u), (*x[:-2], columns, of_v)

    def infer_dtype(self, x: DType) -> tuple[DType, DType, DType]:
        return x, x, x

    def compute(self, xp: Any, x: Any) -> Any:
        if not self.compute_uv:
            values = xp.linalg.svd(x, compute_uv=False)
            _, of_u, of_v = self.infer_shape(x.shape)
            return values, xp.zeros(of_u, x.dtype), xp.zeros(of_v, x.dtype)
        u, values, v = xp.linalg.svd(x, full_matrices=self.full_matrices)
        return values, u, xp.ascontiguousarray(v.swapaxes(-1, -2))
