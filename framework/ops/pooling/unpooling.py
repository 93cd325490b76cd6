"""The inverse of max pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common.tensor import Tensor
from framework.ops.array.properties import shape
from framework.ops.array.reshaping import reshape
from framework.ops.constexpr import constexpr
from framework.ops.creation.filling import zeros
from framework.ops.indexing.tensor_scatter import TensorScatterElements
from framework.ops.primitive import cached
from framework.ops.shapes import each

__all__ = [
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]


def max_unpool1d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Elements put where the largest of each window lay, zeros elsewhere: (N, C, L) or (C, L), as `max_unpool2d`.

    Example:
        >>> print(ops.max_unpool1d(Tensor([[[5.0, 9.0]]]), Tensor([[[1, 2]]]), 2))
        [[[0. 5. 9. 0.]]]

    """
    return _unpooled(x, indices, _before(shape(x), 1, kernel_size, stride, padding, output_size))


@constexpr
def _before(
    of: Sequence[int], dims: int, kernel: Any, stride: Any, padding: Any, output_size: Any
) -> tuple[tuple[int, ...], int, int]:
    """The whole shape before pooling, in how many planes, and how many elements each has."""
    if output_size:
        size = tuple(output_size)[-dims:]
    else:
        step = each(kernel if stride is None else stride, dims)
        size = tuple(
            (length - 1) * s - 2 * pads + k
            for length, s, pads, k in zip(of[-dims:], step, each(padding, dims), each(kernel, dims), strict=True)
        )
    if len(size) != dims or min(size) < 1:
        raise ValueError(f"max_unpool{dims}d: a tensor of shape {tuple(of)} does not unpool to the size {size}")
    return (*of[:-dims], *size), int(np.prod(of[:-dims])), int(np.prod(size))


def _unpooled(x: Tensor, indices: Tensor, before: Any) -> Any:
    """Elements at places of zeros, plane by plane."""
    whole, planes, count = before
    empty = zeros((planes, count), x.dtype)
    put = cached(TensorScatterElements, 1, "none")(empty, reshape(indices, (planes, -1)), reshape(x, (planes, -1)))
    return reshape(put, whole)


def max_unpool2d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Elements put where the largest of each window lay, zeros elsewhere.

    Args:
        x: (N, C, H, W) or (C, H, W), what `max_pool2d` gave.
        indices: int of the same shape: the places that it gave, row times width plus column.
        kernel_size: height and width of its windows, or one number for both.
        stride: how far they moved; their size where it is left out.
        padding: what was added on both sides.
        output_size: the shape of the images before, or its last two numbers; by default the smallest that fits.

    Raises:
        ValueError: the sizes leave nothing, or are too many.

    Example:
        >>> values, places = ops.max_pool2d(Tensor([[[[1.0, 2.0], [7.0, 4.0]]]]), 2, return_indices=True)
        >>> print(ops.max_unpool2d(values, places, 2))
        [[[[0. 0.]
           [7. 0.]]]]

    """
    return _unpooled(x, indices, _before(shape(x), 2, kernel_size, stride, padding, output_size))


def max_unpool3d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Elements put where the largest of each box lay, zeros elsewhere: (N, C, D, H, W), as `max_unpool2d`.

    Example:
        >>> print(ops.max_unpool3d(Tensor([[[[[5.0]]]]]), Tensor([[[[[6]]]]]), 2).asnumpy().ravel())
        [0. 0. 0. 0. 0. 0. 5. 0.]

    """
    return _unpooled(x, indices, _before(shape(x), 3, kernel_size, stride, padding, output_size))
