"""Products of matrices."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.functional.primitives import expand_dims, rank, reshape, shape
from framework.ops.primitive import cached

__all__ = [
    "bmm",
    "dot",
    "matmul",
    "outer",
]

_batch_matmul = P.BatchMatMul()
_matmul = P.MatMul()


def matmul(input: Any, other: Any) -> Any:
    """The product of matrices by numpy's rules: vectors count as rows in front and columns behind.

    Example:
        >>> print(ops.matmul(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
        [21. 43.]

    """
    first = rank(input)
    second = rank(other)
    if first == 2 and second == 2:
        return _matmul(input, other)
    a = expand_dims(input, 0) if first == 1 else input
    b = expand_dims(other, 1) if second == 1 else other
    sizes = shape(a)
    if first > 2 and second <= 2 and sizes[-1] == shape(b)[0] != 0:
        # One product for all rows: its gradient by the matrix is one too, not a sum of one for each batch.
        rows = _matmul(reshape(a, (-1, sizes[-1])), b)
        return reshape(rows, sizes[:-1] + (shape(b)[1:] if second == 2 else ()))
    out = _batch_matmul(a, b)
    if first == 1 and second == 1:
        return reshape(out, ())
    if first == 1:
        return cached(P.Squeeze, -2)(out)
    return cached(P.Squeeze, -1)(out) if second == 1 else out


def bmm(input_x: Any, mat2: Any) -> Any:
    """The products of the matrices in the last two dimensions.

    Example:
        >>> print(ops.bmm(ops.ones((2, 1, 3)), ops.ones((2, 3, 1))).asnumpy().ravel())
        [3. 3.]

    """
    return _batch_matmul(input_x, mat2)


def dot(input: Any, other: Any) -> Any:
    """The sum of products over the last dimension of x and, of y, the one before the last.

    Example:
        >>> print(ops.dot(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
        [[11.]]

    """
    return matmul(input, other)


def outer(input: Any, vec2: Any) -> Any:
    """The products of all elements of one vector with all of another.

    Example:
        >>> print(ops.outer(Tensor([1, 2]), Tensor([1, 10, 100])))
        [[  1  10 100]
         [  2  20 200]]

    """
    return expand_dims(input, 1) * expand_dims(vec2, 0)
