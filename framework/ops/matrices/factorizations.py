"""QR and singular value decomposition. The gradients are those of Townsend 2016 and Walter and Lehmann 2012."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.division import div_no_nan
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.properties import rank as rank_of
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import expand_dims
from framework.ops.array.transposing import transpose
from framework.ops.array.triangles import Tril
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.creation.filled_like import OnesLike
from framework.ops.creation.filling import Eye
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.mathematics.exponential import square
from framework.ops.matrices.inverses import MatrixInverse, transposed_order
from framework.ops.matrices.products import BatchMatMul
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "Qr",
    "Svd",
    "qr",
    "svd",
]

tril = Tril()
product_right = BatchMatMul(transpose_b=True)
product_left = BatchMatMul(transpose_a=True)
eye = Eye()
matmul = BatchMatMul()
inverse_transposed = MatrixInverse(adjoint=True)
ones_like = OnesLike()


class _Factors(PrimitiveWithInfer):
    takes = MappingProxyType({0: (mstype.float32, mstype.float64)})
    fresh = True

    def _sizes(self, x: Dims) -> tuple[Any, Any, Any]:
        """The numbers of rows and columns, and the smaller of the two."""
        if len(x) < 2:
            raise ValueError(f"{self.name} takes matrices, not a tensor of shape {x}")
        rows, columns = x[-2:]
        return rows, columns, None if rows is None or columns is None else min(rows, columns)


class Qr(_Factors):
    """The QR decomposition x = Q R, with orthonormal columns in Q and an upper triangular R.

    Inputs: x of shape (..., M, N), Float32 or Float64.

    Outputs: Q (..., M, K) and R (..., K, N), of the type of x, with K the smaller of M and N.

    Args:
        full_matrices: make Q square, (..., M, M). Then there is no gradient.

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

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        return tuple(xp.linalg.qr(x, mode="complete" if self.full_matrices else "reduced"))


@constexpr
def _is_complete(mode: str) -> bool:
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode must be 'reduced' or 'complete', not {mode!r}")
    return mode == "complete"


def qr(input: Tensor, mode: str = "reduced") -> tuple[Tensor, ...]:
    """The QR decomposition input = Q R, with orthonormal columns in Q and an upper triangular R.

    Args:
        input: matrices of shape (..., M, N), Float32 or Float64.
        mode: "reduced" for Q (..., M, K) and R (..., K, N), with K the smaller of M and N; "complete" for K = M.

    Returns:
        Q and R, of the type of `input`.

    Raises:
        ValueError: the mode is unknown. Differentiation also refuses "complete", and matrices with fewer rows than
            columns.

    Example:
        >>> q, r = ops.qr(Tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> print(np.abs(r.asnumpy()).round(3))
        [[5.  2.2]
         [0.  0.4]]

    """
    return cached(Qr, _is_complete(mode))(input)


@constexpr
def _check_differentiable(name: str, fits: bool, full: bool, shape: Sequence[int]) -> bool:
    """Raise ValueError where the gradient has no formula."""
    if full:
        raise ValueError(f"{name} with full_matrices has no gradient: the added columns are not unique")
    if not fits:
        raise ValueError(
            f"{name} has a gradient only where matrices have at least as many rows as columns, not {tuple(shape)}"
        )
    return True


@bprop_getters.register(Qr)
def get_bprop_qr(self: Qr) -> Bprop:
    """(dQ + Q sym(M)) R^-T with M = R dR^T - dQ^T Q, sym the lower triangle mirrored."""
    full = self.full_matrices

    def bprop(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> tuple[Tensor, ...]:
        shape = shape_of(x)
        _check_differentiable("Qr", shape[-2] >= shape[-1], full, shape)
        q, r = out
        lower = tril(product_right(r, dout[1]) - product_left(dout[0], q))
        diagonal = lower * eye(shape[-1], shape[-1], dtype_of(x))
        mirrored = lower + transpose(lower, transposed_order(rank_of(x))) - diagonal
        return (matmul(dout[0] + matmul(q, mirrored), inverse_transposed(r)),)

    return bprop


class Svd(_Factors):
    """The singular value decomposition x = U diag(s) V^T, with the largest singular value first.

    Inputs: x of shape (..., M, N), Float32 or Float64.

    Outputs: s (..., K), U (..., M, K) and V (..., N, K), of the type of x, with K the smaller of M and N. Where
    singular values are equal, U and V have no gradient.

    Args:
        full_matrices: make U (..., M, M) and V (..., N, N) square. Then there is no gradient.
        compute_uv: compute U and V; otherwise they are zeros.

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

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        if not self.compute_uv:
            values = xp.linalg.svd(x, compute_uv=False)
            _, of_u, of_v = self.infer_shape(x.shape)
            return values, xp.zeros(of_u, x.dtype), xp.zeros(of_v, x.dtype)
        u, values, v = xp.linalg.svd(x, full_matrices=self.full_matrices)
        return values, u, xp.ascontiguousarray(v.swapaxes(-1, -2))


def svd(input: Tensor, full_matrices: bool = False, compute_uv: bool = True) -> Tensor | tuple[Tensor, ...]:
    """The singular value decomposition input = U diag(s) V^T, with the largest singular value first.

    Args:
        input: matrices of shape (..., M, N), Float32 or Float64.
        full_matrices: make U and V square, (..., M, M) and (..., N, N).
        compute_uv: return U and V too; otherwise s alone.

    Returns:
        s (..., K), U (..., M, K) and V (..., N, K), with K the smaller of M and N; or s.

    Example:
        >>> print(ops.svd(Tensor([[3.0, 0.0], [0.0, -2.0]]), compute_uv=False))
        [3. 2.]

    """
    out = cached(Svd, full_matrices, compute_uv)(input)
    return out if compute_uv else out[0]


@bprop_getters.register(Svd)
def get_bprop_svd(self: Svd) -> Bprop:
    """U ((J + J^T) S + S (K + K^T) + dS) V^T with J = F U^T dU, K = F V^T dV, F_ij = 1 / (s_j^2 - s_i^2).

    Where U or V span less than the whole space, the part of the gradient outside of them is added.
    """
    full, with_vectors = self.full_matrices, self.compute_uv
    plain = Svd()

    def bprop(x: Tensor, out: tuple[Tensor, Tensor, Tensor], dout: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, ...]:
        shape = shape_of(x)
        if not with_vectors:
            _, u, v = plain(x)
            return (product_right(u * expand_dims(dout[0], -2), v),)
        _check_differentiable("Svd", True, full, shape)
        order = transposed_order(rank_of(x))
        s, u, v = out
        columns, rows = expand_dims(s, -2), expand_dims(s, -1)
        gaps = square(columns) - square(rows)
        inverse_gaps = div_no_nan(ones_like(gaps), gaps)
        of_u = inverse_gaps * product_left(u, dout[1])
        of_v = inverse_gaps * product_left(v, dout[2])
        inner = (of_u + transpose(of_u, order)) * columns + rows * (of_v + transpose(of_v, order))
        inner = inner + expand_dims(dout[0], -2) * eye(shape_of(s)[-1], shape_of(s)[-1], dtype_of(x))
        total = product_right(matmul(u, inner), v)
        if shape[-2] > shape[-1]:
            outside = dout[1] / columns
            total = total + product_right(outside - matmul(u, product_left(u, outside)), v)
        if shape[-1] > shape[-2]:
            outside = dout[2] / columns
            total = total + product_right(u, outside - matmul(v, product_left(v, outside)))
        return (total,)

    return bprop
