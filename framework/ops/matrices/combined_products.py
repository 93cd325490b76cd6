"""Sums and products of matrices and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.ops.array.properties import rank, shape
from framework.ops.array.reshaping import Reshape, Squeeze, expand_dims, reshape
from framework.ops.array.transposing import transpose
from framework.ops.constexpr import constexpr
from framework.ops.matrices.products import bmm, matmul
from framework.ops.reduction.totals import sum
from framework.ops.shapes import as_tuple, normal_axis

__all__ = [
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "batch_dot",
    "bidense",
    "dense",
    "inner",
    "kron",
    "mm",
    "mv",
    "tensor_dot",
]


def mm(input: Tensor, mat2: Tensor | float) -> Tensor:
    """The product of two matrices.

    Example:
        >>> print(ops.mm(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
        [[11.]]

    """
    return matmul(input, mat2)


def mv(mat: Tensor, vec: Tensor | float) -> Tensor:
    """The product of a matrix (N, M) and a vector (M,).

    Example:
        >>> print(ops.mv(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
        [21. 43.]

    """
    return matmul(mat, vec)


def inner(input: Tensor, other: Tensor | float) -> Tensor:
    """The sums of products over the last dimension of both.

    Example:
        >>> print(ops.inner(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
        [21. 43.]

    """
    if rank(input) == 0 or rank(other) == 0:
        return input * other
    return Reshape()(
        matmul(reshape(input, (-1, shape(input)[-1])), transpose(reshape(other, (-1, shape(other)[-1])), (1, 0))),
        shape(input)[:-1] + shape(other)[:-1],
    )


def addmm(input: Tensor, mat1: Tensor | float, mat2: Tensor | float, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2).

    Example:
        >>> print(ops.addmm(ops.ones((1, 2)), Tensor([[1.0, 2.0]]), Tensor([[1.0, 0.0], [0.0, 1.0]]), alpha=3))
        [[4. 7.]]

    """
    return beta * input + alpha * matmul(mat1, mat2)


def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat @ vec).

    Example:
        >>> print(ops.addmv(Tensor([1.0, 1.0]), Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 0.5]), alpha=2))
        [ 5. 11.]

    """
    return beta * input + alpha * matmul(mat, vec)


def addr(x: Tensor, vec1: Tensor | float, vec2: Tensor | float, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta * x + alpha * the products of all elements of vec1 with all of vec2.

    Example:
        >>> print(ops.addr(ops.zeros((2, 3)), Tensor([1.0, 2.0]), Tensor([1.0, 10.0, 100.0])))
        [[  1.  10. 100.]
         [  2.  20. 200.]]

    """
    return beta * x + alpha * (expand_dims(vec1, 1) * expand_dims(vec2, 0))


def baddbmm(input: Tensor, batch1: Tensor | float, batch2: Tensor | float, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), for batches of matrices.

    Example:
        >>> print(ops.baddbmm(ops.ones((1, 2, 2)), Tensor([[[1.0], [2.0]]]), Tensor([[[3.0, 4.0]]])))
        [[[4. 5.]
          [7. 9.]]]

    """
    return beta * input + alpha * bmm(batch1, batch2)


def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * the sum of all products of two batches of matrices.

    Example:
        >>> print(ops.addbmm(ops.zeros((2, 2)), ops.ones((3, 2, 4)), ops.ones((3, 4, 2))))
        [[12. 12.]
         [12. 12.]]

    """
    return beta * input + alpha * sum(bmm(batch1, batch2), 0)


def dense(input: Tensor, weight: Tensor | float, bias: Tensor | float | None = None) -> Tensor:
    """input @ weight.T + bias, for an input (..., in_channels) and a weight (out_channels, in_channels).

    Example:
        >>> print(ops.dense(Tensor([[1.0, 2.0]]), Tensor([[1.0, 1.0], [0.0, 3.0]]), Tensor([0.5, 0.0])))
        [[3.5 6. ]]

    """
    out = matmul(input, transpose(weight, (1, 0))) if rank(weight) == 2 else matmul(input, weight)
    return out if bias is None else out + bias


def bidense(
    input1: Tensor, input2: Tensor | float, weight: Tensor | float, bias: Tensor | float | None = None
) -> Tensor:
    """input1 @ weight[o] @ input2 + bias[o] per output channel o; the weight is (out, in1, in2).

    Example:
        >>> print(ops.bidense(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]]), ops.ones((1, 2, 2)), Tensor([0.5])))
        [[21.5]]

    """
    rows = expand_dims(expand_dims(input1, -2), -2)
    out = sum(Squeeze(-2)(matmul(rows, weight)) * expand_dims(input2, -2), -1)
    return out if bias is None else out + bias


def kron(input: Tensor, other: Tensor | float) -> Tensor:
    """Every element of a matrix (N, M) times all of another (K, L), as one matrix (N K, M L).

    Example:
        >>> print(ops.kron(Tensor([[1, 2]]), Tensor([[1, 1], [0, 1]])))
        [[1 1 2 2]
         [0 1 0 2]]

    """
    (rows, columns), (further, more) = shape(input), shape(other)
    products = reshape(input, (rows, 1, columns, 1)) * reshape(other, (1, further, 1, more))
    return reshape(products, (rows * further, columns * more))


def batch_dot(x1: Tensor, x2: Tensor | float, axes: int | Sequence[int] | None = None) -> Tensor:
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


@constexpr
def _dotted(first: Sequence[int], second: Sequence[int], axes: int | Sequence[int]) -> Any:
    """Orders and shapes for a product over axes of both, and the shape of the output."""
    if isinstance(axes, int):
        mine, other = tuple(range(len(first) - axes, len(first))), tuple(range(axes))
    else:
        mine = tuple(normal_axis(axis, len(first)) for axis in as_tuple(axes[0]))
        other = tuple(normal_axis(axis, len(second)) for axis in as_tuple(axes[1]))
    kept = [i for i in range(len(first)) if i not in mine]
    left = [i for i in range(len(second)) if i not in other]
    inner = 1
    for axis in mine:
        inner *= first[axis]
    out = (*(first[i] for i in kept), *(second[i] for i in left))
    return (*kept, *mine), (*other, *left), inner, out


def tensor_dot(x1: Tensor, x2: Tensor | float, axes: int | Sequence[int]) -> Tensor:
    """The sum of products over axes of both: the last of one and the first of the other, or those given for each.

    Example:
        >>> print(ops.tensor_dot(ops.ones((2, 3)), ops.ones((3, 2)), 1))
        [[3. 3.]
         [3. 3.]]

    """
    order, turned, inner, out = _dotted(shape(x1), shape(x2), axes)
    first = reshape(transpose(x1, order), (-1, inner))
    return reshape(matmul(first, reshape(transpose(x2, turned), (inner, -1))), out)
