"""Backward functions of factorizations of matrices; Townsend 2016 and Walter and Lehmann 2012 have the formulas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.gradients import Bprop, bprop_getters

div_no_nan = P.DivNoNan()
dtype_of = P.DTypeOf()
expand_dims = P.ExpandDims()
eye = P.Eye()
inverse_transposed = P.MatrixInverse(adjoint=True)
matmul = P.BatchMatMul()
ones_like = P.OnesLike()
product_left = P.BatchMatMul(transpose_a=True)
product_right = P.BatchMatMul(transpose_b=True)
rank_of = P.Rank()
shape_of = P.Shape()
square = P.Square()
transpose = P.Transpose()
tril = P.Tril()


@constexpr
def _turned(rank: int) -> tuple[int, ...]:
    """The order of dimensions with the last two exchanged."""
    return (*range(rank - 2), rank - 1, rank - 2)


@constexpr
def _differentiable(name: str, fits: bool, full: bool, shape: Sequence[int]) -> bool:
    """Refuses what no formula is for."""
    if full:
        raise ValueError(f"{name} with full_matrices has no gradient: the columns that are added are not determined")
    if not fits:
        raise ValueError(f"{name} has a gradient for matrices of at least as many rows as columns, not {tuple(shape)}")
    return True


@bprop_getters.register(P.Qr)
def get_bprop_qr(self: P.Qr) -> Bprop:
    """(dQ + Q sym(M)) R^-T with M = R dR^T - dQ^T Q, sym the lower triangle mirrored."""
    full = self.full_matrices

    def bprop(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> Any:
        shape = shape_of(x)
        _differentiable("Qr", shape[-2] >= shape[-1], full, shape)
        q, r = out
        lower = tril(product_right(r, dout[1]) - product_left(dout[0], q))
        diagonal = lower * eye(shape[-1], shape[-1], dtype_of(x))
        mirrored = lower + transpose(lower, _turned(rank_of(x))) - diagonal
        return (matmul(dout[0] + matmul(q, mirrored), inverse_transposed(r)),)

    return bprop


@bprop_getters.register(P.Svd)
def get_bprop_svd(self: P.Svd) -> Bprop:
    """U ((J + J^T) S + S (K + K^T) + dS) V^T with J = F U^T dU, K = F V^T dV, F_ij = 1 / (s_j^2 - s_i^2).

    To which what lies outside of the spaces that U and V span is added, where they span less than the whole.
    """
    full, with_vectors = self.full_matrices, self.compute_uv
    plain = P.Svd()

    def bprop(x: Tensor, out: tuple[Tensor, Tensor, Tensor], dout: tuple[Tensor, Tensor, Tensor]) -> Any:
        shape = shape_of(x)
        if not with_vectors:
            _, u, v = plain(x)
            return (product_right(u * expand_dims(dout[0], -2), v),)
        _differentiable("Svd", True, full, shape)
        order = _turned(rank_of(x))
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
