"""Sums and products of matrices and vectors, made of products."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.functional.measuring import norm
from framework.ops.functional.primitives import expand_dims, rank, reshape, shape, transpose
from framework.ops.mathematics.exponential import log
from framework.ops.matrices.products import bmm, matmul
from framework.ops.reduction.totals import sum

__all__ = [
    "addbmm", "addmm", "addmv", "addr", "baddbmm", "bidense", "dense", "dist", "inner", "kron", "logdet",
    "matrix_power", "mm", "mv", "t",
]  # fmt: skip


def mm(input: Any, mat2: Any) -> Any:
    """The product of two matrices.

    Example:
        >>> print(ops.mm(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
        [[11.]]

    """
    return matmul(input, mat2)


def mv(mat: Any, vec: Any) -> Any:
    """The product of a matrix (N, M) and a vector (M,).

    Example:
        >>> print(ops.mv(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
        [21. 43.]

    """
    return matmul(mat, vec)


def inner(input: Any, other: Any) -> Any:
    """The sums of products over the last dimension of both.

    Example:
        >>> print(ops.inner(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
        [21. 43.]

    """
    if rank(input) == 0 or rank(other) == 0:
        return input * other
    return P.Reshape()(
        matmul(reshape(input, (-1, shape(input)[-1])), transpose(reshape(other, (-1, shape(other)[-1])), (1, 0))),
        shape(input)[:-1] + shape(other)[:-1],
    )


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (mat1 @ mat2).

    Example:
        >>> print(ops.addmm(ops.ones((1, 2)), Tensor([[1.0, 2.0]]), Tensor([[1.0, 0.0], [0.0, 1.0]]), alpha=3))
        [[4. 7.]]

    """
    return beta * input + alpha * matmul(mat1, mat2)


def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (mat @ vec).

    Example:
        >>> print(ops.addmv(Tensor([1.0, 1.0]), Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 0.5]), alpha=2))
        [ 5. 11.]

    """
    return beta * input + alpha * matmul(mat, vec)


def addr(x: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * x + alpha * the products of all elements of vec1 with all of vec2.

    Example:
        >>> print(ops.addr(ops.zeros((2, 3)), Tensor([1.0, 2.0]), Tensor([1.0, 10.0, 100.0])))
        [[  1.  10. 100.]
         [  2.  20. 200.]]

    """
    return beta * x + alpha * (expand_dims(vec1, 1) * expand_dims(vec2, 0))


def baddbmm(input: Any, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (batch1 @ batch2), for batches of matrices.

    Example:
        >>> print(ops.baddbmm(ops.ones((1, 2, 2)), Tensor([[[1.0], [2.0]]]), Tensor([[[3.0, 4.0]]])))
        [[[4. 5.]
          [7. 9.]]]

    """
    return beta * input + alpha * bmm(batch1, batch2)


def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * the sum of all products of two batches of matrices.

    Example:
        >>> print(ops.addbmm(ops.zeros((2, 2)), ops.ones((3, 2, 4)), ops.ones((3, 4, 2))))
        [[12. 12.]
         [12. 12.]]

    """
    return beta * input + alpha * sum(bmm(batch1, batch2), 0)


def dense(input: Any, weight: Any, bias: Any = None) -> Any:
    """input @ weight.T + bias, for an input (..., in_channels) and a weight (out_channels, in_channels).

    Example:
        >>> print(ops.dense(Tensor([[1.0, 2.0]]), Tensor([[1.0, 1.0], [0.0, 3.0]]), Tensor([0.5, 0.0])))
        [[3.5 6. ]]

    """
    out = matmul(input, transpose(weight, (1, 0))) if rank(weight) == 2 else matmul(input, weight)
    return out if bias is None else out + bias


def bidense(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """input1 @ weight[o] @ input2 + bias[o] per output channel o; the weight is (out, in1, in2).

    Example:
        >>> print(ops.bidense(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]]), ops.ones((1, 2, 2)), Tensor([0.5])))
        [[21.5]]

    """
    rows = expand_dims(expand_dims(input1, -2), -2)
    out = sum(P.Squeeze(-2)(matmul(rows, weight)) * expand_dims(input2, -2), -1)
    return out if bias is None else out + bias


def kron(input: Any, other: Any) -> Any:
    """Every element of a matrix (N, M) times all of another (K, L), as one matrix (N K, M L).

    Example:
        >>> print(ops.kron(Tensor([[1, 2]]), Tensor([[1, 1], [0, 1]])))
        [[1 1 2 2]
         [0 1 0 2]]

    """
    (rows, columns), (further, more) = shape(input), shape(other)
    products = reshape(input, (rows, 1, columns, 1)) * reshape(other, (1, further, 1, more))
    return reshape(products, (rows * further, columns * more))


def dist(input: Any, other: Any, p: float = 2) -> Any:
    """The norm of order p of the difference.

    Example:
        >>> print(ops.dist(Tensor([0.0, 0.0]), Tensor([3.0, 4.0])))
        5.0

    """
    return norm(reshape(input - other, (-1,)), p)


def t(input: Any) -> Any:
    """The transpose of a matrix; a vector as it is.

    Example:
        >>> print(ops.t(Tensor([[1, 2, 3], [4, 5, 6]])))
        [[1 4]
         [2 5]
         [3 6]]

    """
    return transpose(input, (1, 0)) if rank(input) == 2 else input


def logdet(input: Any) -> Any:
    """The logarithm of the determinants of matrices (..., N, N).

    Example:
        >>> print(ops.logdet(Tensor([[2.0, 0.0], [0.0, 4.0]])).asnumpy().round(3))
        2.079

    """
    return log(P.MatrixDeterminant()(input))


def matrix_power(input: Any, n: int) -> Any:
    """The n-th power of matrices (..., N, N); with a negative n that of the inverse.

    Example:
        >>> print(ops.matrix_power(Tensor([[1.0, 1.0], [0.0, 1.0]]), 3))
        [[1. 3.]
         [0. 1.]]

    """
    if n < 0:
        return matrix_power(P.MatrixInverse()(input), -n)
    if n == 0:
        return P.BroadcastTo(tuple(shape(input)))(P.Eye()(shape(input)[-1], shape(input)[-1], input.dtype))
    out = input
    for _ in range(n - 1):
        out = matmul(out, input)
    return out
