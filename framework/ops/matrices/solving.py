"""Linear systems, pseudo-inverses, determinants and exponentials, composed of factorizations and products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.broadcasting import BroadcastTo
from framework.ops.array.casting import cast
from framework.ops.array.properties import rank, shape
from framework.ops.array.reshaping import expand_dims
from framework.ops.array.transposing import swapaxes
from framework.ops.array.triangles import tril, triu
from framework.ops.constexpr import constexpr
from framework.ops.control.composed import Composed
from framework.ops.control.dependencies import stop_gradient
from framework.ops.creation.filled_like import OnesLike, zeros_like
from framework.ops.creation.filling import Eye, eye
from framework.ops.indexing.selecting import where
from framework.ops.mathematics.exponential import log
from framework.ops.mathematics.rounding import abs, sign
from framework.ops.matrices.factorizations import Qr, Svd, svd
from framework.ops.matrices.inverses import MatrixDeterminant, MatrixInverse
from framework.ops.matrices.inverses import det as _determinant
from framework.ops.matrices.inverses import inverse as _inverse
from framework.ops.matrices.products import matmul
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.reduction.extremes import amax, amin
from framework.ops.reduction.norms import norm
from framework.ops.reduction.totals import prod, sum

__all__ = [
    "CholeskyInverse",
    "cholesky_inverse",
    "cond",
    "log_matrix_determinant",
    "logdet",
    "lstsq",
    "matrix_exp",
    "matrix_power",
    "pinv",
    "slogdet",
]

ones_like = OnesLike()


def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinants of matrices.

    Args:
        input: matrices of shape (..., N, N), Float32 or Float64, with determinants above 0.

    Returns:
        A tensor of shape (...).

    Example:
        >>> print(ops.logdet(Tensor([[2.0, 0.0], [0.0, 4.0]])).asnumpy().round(3))
        2.079

    """
    return log(MatrixDeterminant()(input))


def matrix_power(input: Tensor, n: int) -> Tensor:
    """The n-th power of matrices; a negative n gives powers of the inverse.

    Args:
        input: matrices of shape (..., N, N), Float32 or Float64.
        n: exponent.

    Returns:
        A tensor of the same shape and type.

    Example:
        >>> print(ops.matrix_power(Tensor([[1.0, 1.0], [0.0, 1.0]]), 3))
        [[1. 3.]
         [0. 1.]]

    """
    if n < 0:
        return matrix_power(MatrixInverse()(input), -n)
    if n == 0:
        return BroadcastTo(tuple(shape(input)))(Eye()(shape(input)[-1], shape(input)[-1], input.dtype))
    out = input
    for _ in range(n - 1):
        out = matmul(out, input)
    return out


def pinv(x: Tensor, *, atol: float | None = None, rtol: float | None = None, hermitian: bool = False) -> Tensor:
    """The Moore-Penrose pseudo-inverse V diag(1 / s) U^T, with the singular values s above a tolerance.

    Args:
        x: matrices of shape (..., M, N), Float32 or Float64.
        atol: absolute tolerance of the singular values; None for 0.
        rtol: tolerance relative to the largest singular value. If both tolerances are None, it is the larger of M and N
            times the precision of the element type.
        hermitian: whether x is known to be symmetric; has no effect on the result.

    Returns:
        A tensor of shape (..., N, M).

    Example:
        >>> print(ops.pinv(Tensor([[2.0, 0.0], [0.0, 0.0], [0.0, 4.0]])).asnumpy() + 0.0)
        [[0.5  0.   0.  ]
         [0.   0.   0.25]]

    """
    s, u, v = cached(Svd, False, True)(x)
    relative = _tolerance(shape(x), x.dtype, atol is None and rtol is None) if rtol is None else rtol
    least = amax(s, -1, True) * relative
    if atol is not None:
        least = where(least > atol, least, zeros_like(least) + atol)
    is_above = s > least
    scales = where(is_above, 1.0 / where(is_above, s, ones_like(s)), zeros_like(s))
    return matmul(v * expand_dims(scales, -2), swapaxes(u, -1, -2))


@constexpr
def _tolerance(x_shape: Sequence[int], dtype: DType, default: bool) -> float:
    """The default relative tolerance: the larger side times the precision of the element type; or 0."""
    return max(x_shape[-2:]) * (2.0**-52 if dtype == mstype.float64 else 2.0**-23) if default else 0.0


def lstsq(input: Tensor, A: Tensor | float) -> Tensor:  # noqa: N803 - MindSpore's
    """The least-squares solution x that minimizes |input @ x - A|; the shortest one of several.

    Args:
        input: matrix of shape (M, N), Float32 or Float64.
        A: right-hand sides of shape (M, K) or (M,).

    Returns:
        A tensor of shape (N, K), or (N, 1) for a vector.

    Example:
        >>> lines = Tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
        >>> print(ops.lstsq(lines, Tensor([1.0, 3.0, 5.0])).asnumpy().round(3))
        [[1.]
         [2.]]

    """
    return matmul(pinv(input), expand_dims(A, -1) if rank(A) == 1 else A)


def slogdet(input: Tensor) -> tuple[Tensor, ...]:
    """The signs of determinants and the logarithms of their absolute values, computed without overflow.

    With input = Q R the logarithm is the sum of log |R_ii|.

    Args:
        input: matrices of shape (..., N, N), Float32 or Float64.

    Returns:
        The signs (...) and the logarithms (...); 0 and minus infinity where the determinant is 0.

    Example:
        >>> sign, logarithm = ops.slogdet(Tensor([[0.0, 1.0], [2.0, 0.0]]))
        >>> print(sign, logarithm.asnumpy().round(3))
        -1.0 0.693

    """
    q, r = cached(Qr, False)(input)
    diagonal = sum(r * eye(shape(input)[-1], shape(input)[-1], input.dtype), -1)
    turned = sign(_determinant(stop_gradient(q)))
    return turned * prod(sign(stop_gradient(diagonal)), -1), sum(log(abs(diagonal)), -1)


def log_matrix_determinant(input: Tensor) -> tuple[Tensor, ...]:
    """The signs of determinants and the logarithms of their absolute values: another name of `slogdet`.

    Args:
        input: matrices of shape (..., N, N), Float32 or Float64.

    Returns:
        The signs (...) and the logarithms (...).

    Example:
        >>> print(ops.log_matrix_determinant(Tensor([[1.0, 0.0], [0.0, 1.0]]))[0])
        1.0

    """
    return slogdet(input)


def matrix_exp(input: Tensor) -> Tensor:
    """The matrix exponential, the sum of input^n / n! over all n, by scaling and squaring (Moler and Van Loan 2003).

    It is computed in Float64 from the first 15 terms for input / 2^10. Norms of the input may reach about 1000.

    Args:
        input: matrices of shape (..., N, N), of a floating-point type.

    Returns:
        A tensor of the same shape and type.

    Example:
        >>> print(ops.matrix_exp(Tensor([[0.0, 1.0], [0.0, 0.0]])))
        [[1. 1.]
         [0. 1.]]

    """
    small = cast(input, mstype.float64) / 1024.0
    identity = eye(shape(input)[-1], shape(input)[-1], mstype.float64)
    out = zeros_like(small) + identity
    for step in range(15):
        out = identity + matmul(small, out) / (15.0 - step)
    for _ in range(10):
        out = matmul(out, out)
    return cast(out, input.dtype)


def cholesky_inverse(input_x: Tensor, upper: bool = False) -> Tensor:
    """The inverse of a matrix from its Cholesky factor: (L L^T)^-1, or (U^T U)^-1.

    Args:
        input_x: triangular factors of shape (..., N, N); elements on the other side are ignored.
        upper: the factor is U, not L.

    Returns:
        A tensor of the same shape and type.

    Example:
        >>> print(ops.cholesky_inverse(Tensor([[2.0, 0.0], [0.0, 0.5]])))
        [[0.25 0.  ]
         [0.   4.  ]]

    """
    back = _inverse(triu(input_x) if upper else tril(input_x))
    return matmul(back, swapaxes(back, -1, -2)) if upper else matmul(swapaxes(back, -1, -2), back)


class CholeskyInverse(Composed):
    """The inverse of a matrix from its Cholesky factor; see `cholesky_inverse`.

    Args:
        upper: the factor is upper triangular.

    Example:
        >>> print(ops.CholeskyInverse()(Tensor([[2.0, 0.0], [0.0, 0.5]])))
        [[0.25 0.  ]
         [0.   4.  ]]
    """

    @prim_attr_register
    def __init__(self, upper: bool = False) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def __call__(self, input_x: Tensor) -> Tensor:
        """Compute the inverse."""
        return cholesky_inverse(input_x, self.upper)


def cond(A: Tensor, p: Any = None) -> Tensor:  # noqa: N803 - MindSpore's
    """The condition number of matrices: how much a relative error of b can grow in the solution of A x = b.

    It is norm(A) * norm(A^-1); for the norm 2, the largest singular value divided by the smallest.

    Args:
        A: matrices of shape (..., N, N) of a floating-point type.
        p: order of the norm, as for `norm`: None and 2 for the largest singular value, -2 for the smallest; 1, -1,
            inf, -inf, "fro" or "nuc".

    Returns:
        A tensor of shape (...).

    Example:
        >>> print(ops.cond(Tensor([[2.0, 0.0], [0.0, 0.5]])))
        4.0

    """
    if p is None or p in (2, -2):
        values: Any = svd(A, compute_uv=False)
        ratio = amax(values, -1) / amin(values, -1)
        return 1 / ratio if p == -2 else ratio
    return norm(A, p, (-2, -1)) * norm(_inverse(A), p, (-2, -1))
