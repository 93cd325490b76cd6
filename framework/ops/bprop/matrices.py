"""Backward functions of operators on matrices; Giles, Collected Matrix Derivative Results, 2008, has the formulas."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.gradients import Bprop, bprop_getters, gradient

absolute = P.Abs()
cast = P.Cast()
diag = P.Diag()
diag_part = P.DiagPart()
div_no_nan = P.DivNoNan()
dtype_of = P.DTypeOf()
equal = P.Equal()
expand_dims = P.ExpandDims()
eye = P.Eye()
greater = P.Greater()
inverse_transposed = P.MatrixInverse(adjoint=True)
inverse = P.MatrixInverse()
matmul = P.BatchMatMul()
maximum = P.Maximum()
power = P.Pow()
product_left = P.BatchMatMul(transpose_a=True)
rank_of = P.Rank()
reduce_sum = P.ReduceSum()
shape_of = P.Shape()
sign = P.Sign()
sqrt = P.Sqrt()
square = P.Square()
sum_kept = P.ReduceSum(True)
sum_like = P.SumLike()
transpose = P.Transpose()
tril = P.Tril()


@constexpr
def _turned(rank: int) -> tuple[int, ...]:
    """The order of dimensions with the last two exchanged."""
    return (*range(rank - 2), rank - 1, rank - 2)


@bprop_getters.register(P.MatrixInverse)
def get_bprop_matrix_inverse(self: P.MatrixInverse) -> Bprop:
    """With y the inverse: -y^T dout y^T; of the transposed inverse -y dout^T y."""
    adjoint = self.adjoint

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        order = _turned(rank_of(x))
        if adjoint:
            return (-matmul(matmul(out, transpose(dout, order)), out),)
        turned = transpose(out, order)
        return (-matmul(matmul(turned, dout), turned),)

    return bprop


@gradient(P.MatrixDeterminant)
def matrix_determinant_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """The determinant times the transposed inverse."""
    return expand_dims(expand_dims(dout * out, -1), -1) * inverse_transposed(x)


@bprop_getters.register(P.Cholesky)
def get_bprop_cholesky(self: P.Cholesky) -> Bprop:
    """L^-T sym(phi(L^T dout)) L^-1, phi the lower triangle with half of the diagonal (Murray 2016)."""
    upper = self.upper

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        order = _turned(rank_of(x))
        lower = transpose(out, order) if upper else out
        gradient = transpose(dout, order) if upper else dout
        triangle = tril(product_left(lower, gradient))
        rows = shape_of(x)[-1]
        triangle = triangle - 0.5 * triangle * eye(rows, rows, dtype_of(x))
        both = 0.5 * (triangle + transpose(triangle, order))
        back = inverse(lower)
        return (matmul(product_left(back, both), back),)

    return bprop


@gradient(P.Diag)
def diag_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """The diagonal."""
    return diag_part(dout)


@gradient(P.DiagPart)
def diag_part_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """On the diagonal."""
    return diag(dout)


@gradient(P.Trace)
def trace_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Ones on the diagonal."""
    rows, columns = shape_of(x)
    return dout * eye(rows, columns, dtype_of(x))


@gradient(P.Ger)
def ger_gradient(x1: Tensor, x2: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Each gets the products with the other."""
    of_first = reduce_sum(dout * expand_dims(x2, 0), 1)
    return sum_like(of_first, x1), sum_like(reduce_sum(dout * expand_dims(x1, 1), 0), x2)


@bprop_getters.register(P.Cross)
def get_bprop_cross(self: P.Cross) -> Bprop:
    """The product is linear in both, and changes its sign with their order."""

    def bprop(x1: Tensor, x2: Tensor, out: Tensor, dout: Tensor) -> Any:
        return sum_like(self(x2, dout), x1), sum_like(self(dout, x1), x2)

    return bprop


@bprop_getters.register(P.Cdist)
def get_bprop_cdist(self: P.Cdist) -> Bprop:
    """sign(d) (|d| / distance) ** (p - 1) for a difference d; 0 where the distance is."""
    p = self.p
    largest = p == float("inf")

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
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
            slope = sign(difference) * power(div_no_nan(absolute(difference), distance), p - 1)
        gradient = expand_dims(dout, -1) * slope
        return sum_like(reduce_sum(gradient, -2), x), sum_like(-reduce_sum(gradient, -3), y)

    return bprop


@bprop_getters.register(P.L2Normalize)
def get_bprop_l2_normalize(self: P.L2Normalize) -> Bprop:
    """With n the output and r the root: (dout - n sum(n dout)) / r; where epsilon counts, dout / r."""
    axis = self.axis
    epsilon = self.epsilon

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        total = sum_kept(square(x), axis)
        counts = cast(greater(total, epsilon), dtype_of(x))
        return ((dout - counts * out * sum_kept(out * dout, axis)) / sqrt(maximum(total, epsilon)),)

    return bprop
