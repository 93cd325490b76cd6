"""Functions made of matrix products: sums with a product, dense layers, Kronecker and tensor products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.ops.array.properties import rank, shape
from framework.ops.array.reshaping import Reshape, Squeeze, expand_dims, reshape
from framework.ops.array.transposing import transpose
from framework.ops.constexpr import constexpr
from framework.ops.control.composed import Composed
from framework.ops.matrices.products import bmm, matmul
from framework.ops.primitive import prim_attr_register
from framework.ops.reduction.totals import sum
from framework.ops.shapes import as_tuple, normal_axis

__all__ = [
    "Dense",
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

    Args:
        input: matrix of shape (N, K).
        mat2: matrix of shape (K, M).

    Returns:
        A tensor of shape (N, M), of the type that both promote to.

    Example:
        >>> print(ops.mm(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
        [[11.]]

    """
    return matmul(input, mat2)


def mv(mat: Tensor, vec: Tensor | float) -> Tensor:
    """The product of a matrix and a vector.

    Args:
        mat: matrix of shape (N, M).
        vec: vector of shape (M,).

    Returns:
        A tensor of shape (N,), of the type that both promote to.

    Example:
        >>> print(ops.mv(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
        [21. 43.]

    """
    return matmul(mat, vec)


def inner(input: Tensor, other: Tensor | float) -> Tensor:
    """The inner products over the last dimension of both tensors.

    Args:
        input: tensor of shape (..., K).
        other: tensor of shape (..., K).

    Returns:
        A tensor of shape input.shape[:-1] + other.shape[:-1].

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

    Args:
        input: tensor that broadcasts to (N, M).
        mat1: matrix of shape (N, K).
        mat2: matrix of shape (K, M).
        beta: factor of `input`.
        alpha: factor of the product.

    Returns:
        A tensor of shape (N, M).

    Example:
        >>> print(ops.addmm(ops.ones((1, 2)), Tensor([[1.0, 2.0]]), Tensor([[1.0, 0.0], [0.0, 1.0]]), alpha=3))
        [[4. 7.]]

    """
    return beta * input + alpha * matmul(mat1, mat2)


def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat @ vec).

    Args:
        input: tensor that broadcasts to (N,).
        mat: matrix of shape (N, M).
        vec: vector of shape (M,).
        beta: factor of `input`.
        alpha: factor of the product.

    Returns:
        A tensor of shape (N,).

    Example:
        >>> print(ops.addmv(Tensor([1.0, 1.0]), Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 0.5]), alpha=2))
        [ 5. 11.]

    """
    return beta * input + alpha * matmul(mat, vec)


def addr(x: Tensor, vec1: Tensor | float, vec2: Tensor | float, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta * x + alpha * the outer product of two vectors.

    Args:
        x: tensor that broadcasts to (N, M).
        vec1: vector of shape (N,).
        vec2: vector of shape (M,).
        beta: factor of x.
        alpha: factor of the outer product.

    Returns:
        A tensor of shape (N, M).

    Example:
        >>> print(ops.addr(ops.zeros((2, 3)), Tensor([1.0, 2.0]), Tensor([1.0, 10.0, 100.0])))
        [[  1.  10. 100.]
         [  2.  20. 200.]]

    """
    return beta * x + alpha * (expand_dims(vec1, 1) * expand_dims(vec2, 0))


def baddbmm(input: Tensor, batch1: Tensor | float, batch2: Tensor | float, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), for batches of matrices.

    Args:
        input: tensor that broadcasts to (B, N, M).
        batch1: matrices of shape (B, N, K).
        batch2: matrices of shape (B, K, M).
        beta: factor of `input`.
        alpha: factor of the products.

    Returns:
        A tensor of shape (B, N, M).

    Example:
        >>> print(ops.baddbmm(ops.ones((1, 2, 2)), Tensor([[[1.0], [2.0]]]), Tensor([[[3.0, 4.0]]])))
        [[[4. 5.]
          [7. 9.]]]

    """
    return beta * input + alpha * bmm(batch1, batch2)


def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * the sum of all products of two batches of matrices.

    Args:
        input: tensor that broadcasts to (N, M).
        batch1: matrices of shape (B, N, K).
        batch2: matrices of shape (B, K, M).
        beta: factor of `input`.
        alpha: factor of the sum.

    Returns:
        A tensor of shape (N, M).

    Example:
        >>> print(ops.addbmm(ops.zeros((2, 2)), ops.ones((3, 2, 4)), ops.ones((3, 4, 2))))
        [[12. 12.]
         [12. 12.]]

    """
    return beta * input + alpha * sum(bmm(batch1, batch2), 0)


def dense(input: Tensor, weight: Tensor | float, bias: Tensor | float | None = None) -> Tensor:
    """A dense layer: input @ weight.T + bias.

    Args:
        input: tensor of shape (..., in_channels).
        weight: matrix of shape (out_channels, in_channels).
        bias: vector of shape (out_channels,); None for no bias.

    Returns:
        A tensor of shape (..., out_channels).

    Example:
        >>> print(ops.dense(Tensor([[1.0, 2.0]]), Tensor([[1.0, 1.0], [0.0, 3.0]]), Tensor([0.5, 0.0])))
        [[3.5 6. ]]

    """
    out = matmul(input, transpose(weight, (1, 0))) if rank(weight) == 2 else matmul(input, weight)
    return out if bias is None else out + bias


def bidense(
    input1: Tensor, input2: Tensor | float, weight: Tensor | float, bias: Tensor | float | None = None
) -> Tensor:
    """A bilinear layer: input1 @ weight[o] @ input2 + bias[o] for each output channel o.

    Args:
        input1: tensor of shape (..., in1).
        input2: tensor of shape (..., in2).
        weight: tensor of shape (out, in1, in2).
        bias: vector of shape (out,); None for no bias.

    Returns:
        A tensor of shape (..., out).

    Example:
        >>> print(ops.bidense(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]]), ops.ones((1, 2, 2)), Tensor([0.5])))
        [[21.5]]

    """
    rows = expand_dims(expand_dims(input1, -2), -2)
    out = sum(Squeeze(-2)(matmul(rows, weight)) * expand_dims(input2, -2), -1)
    return out if bias is None else out + bias


def kron(input: Tensor, other: Tensor | float) -> Tensor:
    """The Kronecker product of two matrices: each element of the first times the whole second matrix.

    Args:
        input: matrix of shape (N, M).
        other: matrix of shape (K, L).

    Returns:
        A matrix of shape (N K, M L).

    Example:
        >>> print(ops.kron(Tensor([[1, 2]]), Tensor([[1, 1], [0, 1]])))
        [[1 1 2 2]
         [0 1 0 2]]

    """
    (rows, columns), (other_rows, other_columns) = shape(input), shape(other)
    products = reshape(input, (rows, 1, columns, 1)) * reshape(other, (1, other_rows, 1, other_columns))
    return reshape(products, (rows * other_rows, columns * other_columns))


def batch_dot(x1: Tensor, x2: Tensor | float, axes: int | Sequence[int] | None = None) -> Tensor:
    """Products summed over one axis of each tensor, sample by sample.

    Args:
        x1: tensor of shape (batch, ...), of two dimensions or more.
        x2: tensor of shape (batch, ...), of two dimensions or more.
        axes: axis of each tensor that is summed over, one number for both or two. None for the last axis of x1 and the
            last but one of x2.

    Returns:
        A tensor of shape (batch, ...) with the other dimensions of x1, then those of x2; (batch, 1) if there are none.

    Raises:
        ValueError: the batches or the axes differ in length, or an axis is the batch axis.

    Example:
        >>> print(ops.batch_dot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0, 1.0], [0.0, 2.0]]), 1))
        [[3.]
         [8.]]

    """
    first, second, shapes, out_shape = _batch_plan(shape(x1), shape(x2), axes)
    return reshape(
        matmul(reshape(transpose(x1, first), shapes[0]), reshape(transpose(x2, second), shapes[1])), out_shape
    )


@constexpr
def _batch_plan(shape1: Sequence[int], shape2: Sequence[int], axes: Any) -> tuple[Any, ...]:
    """The axis orders and shapes that make both operands batches of matrices, and the shape of the output."""
    default = (len(shape1) - 1, max(len(shape2) - 2, 1))
    pair = default if axes is None else tuple(axes) if isinstance(axes, tuple | list) else (axes, axes)
    first, second = pair[0] % len(shape1), pair[1] % len(shape2)
    if 0 in (first, second) or shape1[first] != shape2[second] or shape1[0] != shape2[0]:
        raise ValueError(f"batch_dot: axes {pair} do not match in shapes {tuple(shape1)} and {tuple(shape2)}")
    rows = [axis for axis in range(1, len(shape1)) if axis != first]
    columns = [axis for axis in range(1, len(shape2)) if axis != second]
    shapes = ((shape1[0], -1, shape1[first]), (shape1[0], shape1[first], -1))
    out_shape = (shape1[0], *(shape1[axis] for axis in rows), *(shape2[axis] for axis in columns))
    return (0, *rows, first), (0, second, *columns), shapes, out_shape if len(out_shape) > 1 else (shape1[0], 1)


@constexpr
def _tensor_dot_plan(first: Sequence[int], second: Sequence[int], axes: int | Sequence[int]) -> Any:
    """The axis orders that make both operands matrices, the summed length, and the shape of the output."""
    if isinstance(axes, int):
        summed1, summed2 = tuple(range(len(first) - axes, len(first))), tuple(range(axes))
    else:
        summed1 = tuple(normal_axis(axis, len(first)) for axis in as_tuple(axes[0]))
        summed2 = tuple(normal_axis(axis, len(second)) for axis in as_tuple(axes[1]))
    free1 = [i for i in range(len(first)) if i not in summed1]
    free2 = [i for i in range(len(second)) if i not in summed2]
    inner = 1
    for axis in summed1:
        inner *= first[axis]
    out = (*(first[i] for i in free1), *(second[i] for i in free2))
    return (*free1, *summed1), (*summed2, *free2), inner, out


def tensor_dot(x1: Tensor, x2: Tensor | float, axes: int | Sequence[int]) -> Tensor:
    """Products summed over axes of both tensors.

    Args:
        x1: tensor of any shape.
        x2: tensor of any shape.
        axes: number of axes, the last of x1 and the first of x2; or a pair with the axes of each.

    Returns:
        A tensor with the other dimensions of x1, then those of x2.

    Example:
        >>> print(ops.tensor_dot(ops.ones((2, 3)), ops.ones((3, 2)), 1))
        [[3. 3.]
         [3. 3.]]

    """
    order1, order2, inner, out = _tensor_dot_plan(shape(x1), shape(x2), axes)
    first = reshape(transpose(x1, order1), (-1, inner))
    return reshape(matmul(first, reshape(transpose(x2, order2), (inner, -1))), out)


class Dense(Composed):
    """A dense layer: `(x, weight, bias)`, x @ weight.T + bias; see `dense`.

    Example:
        >>> print(ops.Dense()(Tensor([[1.0, 2.0]]), Tensor([[1.0, 1.0], [0.0, 3.0]]), Tensor([0.5, 0.0])))
        [[3.5 6. ]]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "w", "b"], outputs=["output"])

    def __call__(self, input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        """Compute the layer."""
        return dense(input, weight, bias)
