"""Factors, inverses and functions of whole matrices, made of factorizations and products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.creation import cast, eye, zeros_like
from framework.ops.functional.picking import where
from framework.ops.functional.primitives import expand_dims, ones_like, rank, reshape, shape, stop_gradient, transpose
from framework.ops.functional.shaping import swapaxes, tril, triu
from framework.ops.mathematics.exponential import log
from framework.ops.mathematics.rounding import abs, sign
from framework.ops.matrices.products import matmul
from framework.ops.primitive import cached
from framework.ops.reduction.extremes import amax
from framework.ops.reduction.totals import prod, sum

__all__ = [
    "batch_dot", "cholesky_inverse", "log_matrix_determinant", "lstsq",  "matrix_exp", "pinv", "qr",
    "slogdet", "svd",
]  # fmt: skip

_inverse = P.MatrixInverse()
_determinant = P.MatrixDeterminant()


@constexpr
def _is_complete(mode: str) -> bool:
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode is 'reduced' or 'complete', not {mode!r}")
    return mode == "complete"


def qr(input: Any, mode: str = "reduced") -> Any:
    """The matrices Q, with orthonormal columns, and R, upper triangular, whose product is `input`.

    Args:
        input: (..., M, N), Float32 or Float64.
        mode: "reduced": Q is (..., M, K) and R (..., K, N), K the lesser of M and N; "complete": K is M.

    Raises:
        ValueError: another mode; in a gradient also "complete", and fewer rows than columns.

    Example:
        >>> q, r = ops.qr(Tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> print(np.abs(r.asnumpy()).round(3))
        [[5.  2.2]
         [0.  0.4]]

    """
    return cached(P.Qr, _is_complete(mode))(input)


def svd(input: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """The singular values s of `input`, the largest first, and U and V with input = U diag(s) V^T.

    Args:
        input: (..., M, N), Float32 or Float64.
        full_matrices: U and V have all columns: (..., M, M) and (..., N, N).
        compute_uv: give U and V; else s alone.

    Returns:
        s (..., K), U (..., M, K), V (..., N, K), K the lesser of M and N; or s.

    Example:
        >>> print(ops.svd(Tensor([[3.0, 0.0], [0.0, -2.0]]), compute_uv=False))
        [3. 2.]

    """
    out = cached(P.Svd, full_matrices, compute_uv)(input)
    return out if compute_uv else out[0]


def pinv(x: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """The pseudo-inverse V diag(1 / s) U^T (Moore, Penrose), s the singular values above a tolerance.

    Args:
        x: (..., M, N), Float32 or Float64.
        atol: what s must be above; 0 where it is left out.
        rtol: what s must be above, times the largest of them; where both are left out, the larger of M and N times the
            precision of the element type.
        hermitian: whether x is known to be symmetric; it has no effect on the result.

    Returns:
        (..., N, M).

    Example:
        >>> print(ops.pinv(Tensor([[2.0, 0.0], [0.0, 0.0], [0.0, 4.0]])).asnumpy() + 0.0)
        [[0.5  0.   0.  ]
         [0.   0.   0.25]]

    """
    s, u, v = cached(P.Svd, False, True)(x)
    relative = _tolerance(shape(x), x.dtype, atol is None and rtol is None) if rtol is None else rtol
    least = amax(s, -1, True) * relative
    if atol is not None:
        least = where(least > atol, least, zeros_like(least) + atol)
    kept = s > least
    scales = where(kept, 1.0 / where(kept, s, ones_like(s)), zeros_like(s))
    return matmul(v * expand_dims(scales, -2), swapaxes(u, -1, -2))


@constexpr
def _tolerance(of: Sequence[int], dtype: Any, wanted: bool) -> float:
    """The larger side times the distance of 1 from the next number."""
    return max(of[-2:]) * (2.0**-52 if dtype == mstype.float64 else 2.0**-23) if wanted else 0.0


def lstsq(input: Any, A: Any) -> Any:  # noqa: N803 - MindSpore's
    """The x for which |input @ x - A| is least, and of several the shortest.

    Args:
        input: (M, N), Float32 or Float64.
        A: (M, K) or (M,).

    Returns:
        (N, K), with a vector (N, 1).

    Example:
        >>> lines = Tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
        >>> print(ops.lstsq(lines, Tensor([1.0, 3.0, 5.0])).asnumpy().round(3))
        [[1.]
         [2.]]

    """
    return matmul(pinv(input), expand_dims(A, -1) if rank(A) == 1 else A)


def slogdet(input: Any) -> Any:
    """The signs of determinants, and the logarithms of their absolute values, which do not overflow.

    With input = Q R the logarithm is the sum of log |R_ii|.

    Args:
        input: (..., N, N), Float32 or Float64.

    Returns:
        Signs (...), 0 where the determinant is, and logarithms (...), minus infinity there.

    Example:
        >>> sign, logarithm = ops.slogdet(Tensor([[0.0, 1.0], [2.0, 0.0]]))
        >>> print(sign, logarithm.asnumpy().round(3))
        -1.0 0.693

    """
    q, r = cached(P.Qr, False)(input)
    diagonal = sum(r * eye(shape(input)[-1], shape(input)[-1], input.dtype), -1)
    turned = sign(_determinant(stop_gradient(q)))
    return turned * prod(sign(stop_gradient(diagonal)), -1), sum(log(abs(diagonal)), -1)


def log_matrix_determinant(input: Any) -> Any:
    """`slogdet` under its other name.

    Example:
        >>> print(ops.log_matrix_determinant(Tensor([[1.0, 0.0], [0.0, 1.0]]))[0])
        1.0

    """
    return slogdet(input)


def matrix_exp(input: Any) -> Any:
    """The sum of input^n / n! over all n, by scaling and squaring (Moler and Van Loan 2003).

    It is computed in Float64, of input / 2^10 by the first 15 terms of the sum; norms of input may be up to some 1000.

    Args:
        input: (..., N, N), floating-point.

    Example:
        >>> print(ops.matrix_exp(Tensor([[0.0, 1.0], [0.0, 0.0]])))
        [[1. 1.]
         [0. 1.]]

    """
    small = cast(input, mstype.float64) / 1024.0
    one = eye(shape(input)[-1], shape(input)[-1], mstype.float64)
    out = zeros_like(small) + one
    for step in range(15):
        out = one + matmul(small, out) / (15.0 - step)
    for _ in range(10):
        out = matmul(out, out)
    return cast(out, input.dtype)


def cholesky_inverse(input_x: Any, upper: bool = False) -> Any:
    """The inverse of the matrix whose Cholesky factor is given: (L L^T)^-1, or (U^T U)^-1.

    Args:
        input_x: (..., N, N), triangular; elements on the other side do not count.
        upper: the factor is U, not L.

    Example:
        >>> print(ops.cholesky_inverse(Tensor([[2.0, 0.0], [0.0, 0.5]])))
        [[0.25 0.  ]
         [0.   4.  ]]

    """
    back = _inverse(triu(input_x) if upper else tril(input_x))
    return matmul(back, swapaxes(back, -1, -2)) if upper else matmul(swapaxes(back, -1, -2), back)


def batch_dot(x1: Any, x2: Any, axes: Any = None) -> Any:
    """The sums of products over one axis of each, sample by sample.

    Args:
        x1: (batch, ...), two dimensions or more.
        x2: (batch, ...), two dimensions or more.
        axes: which axis of each is summed, one number for both or two; the last one of x1 and the one before the last
            of x2 where they are left out.

    Returns:
        What is left of x1, then what is left of x2, one batch for both; (batch, 1) where nothing is left.

    Raises:
        ValueError: the batches, or the axes, differ in length, or an axis is the batch.

    Example:
        >>> print(ops.batch_dot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0, 1.0], [0.0, 2.0]]), 1))
        [[3.]
         [8.]]

    """
    first, second, shapes, made = _batches(shape(x1), shape(x2), axes)
    return reshape(matmul(reshape(transpose(x1, first), shapes[0]), reshape(transpose(x2, second), shapes[1])), made)


@constexpr
def _batches(one: Sequence[int], other: Sequence[int], axes: Any) -> tuple[Any, ...]:
    """The orders and shapes in which both are batches of matrices, and the shape of what they make."""
    default = (len(one) - 1, max(len(other) - 2, 1))
    pair = default if axes is None else tuple(axes) if isinstance(axes, tuple | list) else (axes, axes)
    first, second = pair[0] % len(one), pair[1] % len(other)
    if 0 in (first, second) or one[first] != other[second] or one[0] != other[0]:
        raise ValueError(f"batch_dot: axes {pair} of shapes {tuple(one)} and {tuple(other)} do not go together")
    rows = [axis for axis in range(1, len(one)) if axis != first]
    columns = [axis for axis in range(1, len(other)) if axis != second]
    shapes = ((one[0], -1, one[first]), (one[0], one[first], -1))
    made = (one[0], *(one[axis] for axis in rows), *(other[axis] for axis in columns))
    return (0, *rows, first), (0, second, *columns), shapes, made if len(made) > 1 else (one[0], 1)
