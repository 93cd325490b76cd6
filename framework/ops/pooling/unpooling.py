"""Max unpooling: the inverse of max pooling, with zeros for all other elements."""

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
    """The inverse of max pooling along the last dimension: maxima at their positions, zeros elsewhere.

    Args:
        x: maxima of shape (N, C, L) or (C, L).
        indices: integers of the same shape: positions of the maxima along the last dimension.
        kernel_size: length of the pooling windows.
        stride: distance between windows; None for their length.
        padding: padding of the pooling at each end.
        output_size: shape before pooling, or its last length; None for the smallest that fits.

    Returns:
        A tensor of the shape before pooling.

    Raises:
        ValueError: the sizes do not give a shape of at least 1.

    Example:
        >>> print(ops.max_unpool1d(Tensor([[[5.0, 9.0]]]), Tensor([[[1, 2]]]), 2))
        [[[0. 5. 9. 0.]]]

    """
    return _unpooled(x, indices, _unpooled_shape(shape(x), 1, kernel_size, stride, padding, output_size))


@constexpr
def _unpooled_shape(
    x_shape: Sequence[int], dims: int, kernel: Any, stride: Any, padding: Any, output_size: Any
) -> tuple[tuple[int, ...], int, int]:
    """The shape before pooling, the number of planes, and the number of elements in each."""
    if output_size:
        size = tuple(output_size)[-dims:]
    else:
        step = each(kernel if stride is None else stride, dims)
        size = tuple(
            (length - 1) * s - 2 * pads + k
            for length, s, pads, k in zip(x_shape[-dims:], step, each(padding, dims), each(kernel, dims), strict=True)
        )
    if len(size) != dims or min(size) < 1:
        raise ValueError(f"max_unpool{dims}d: a tensor of shape {tuple(x_shape)} cannot be unpooled to size {size}")
    return (*x_shape[:-dims], *size), int(np.prod(x_shape[:-dims])), int(np.prod(size))


def _unpooled(x: Tensor, indices: Tensor, plan: Any) -> Any:
    """Elements put at their indices into zeros, plane by plane."""
    out_shape, planes, count = plan
    out = zeros((planes, count), x.dtype)
    out = cached(TensorScatterElements, 1, "none")(out, reshape(indices, (planes, -1)), reshape(x, (planes, -1)))
    return reshape(out, out_shape)


def max_unpool2d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """The inverse of max pooling over images: maxima at their positions, zeros elsewhere.

    Args:
        x: maxima of shape (N, C, H, W) or (C, H, W), from `max_pool2d`.
        indices: integers of the same shape, from `max_pool2d`: row times width plus column.
        kernel_size: height and width of the pooling windows, or one number for both.
        stride: distance between windows; None for their size.
        padding: padding of the pooling on each side.
        output_size: shape of the images before pooling, or its last two lengths; None for the smallest that fits.

    Returns:
        A tensor of the shape before pooling.

    Raises:
        ValueError: the sizes do not give a shape of at least 1.

    Example:
        >>> values, places = ops.max_pool2d(Tensor([[[[1.0, 2.0], [7.0, 4.0]]]]), 2, return_indices=True)
        >>> print(ops.max_unpool2d(values, places, 2))
        [[[[0. 0.]
           [7. 0.]]]]

    """
    return _unpooled(x, indices, _unpooled_shape(shape(x), 2, kernel_size, stride, padding, output_size))


def max_unpool3d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """The inverse of max pooling over volumes: maxima at their positions, zeros elsewhere.

    Args:
        x: maxima of shape (N, C, D, H, W) or (C, D, H, W), from `max_pool3d`.
        indices: integers of the same shape, from `max_pool3d`: (depth * H + row) * W + column.
        kernel_size: depth, height and width of the pooling windows, or one number for all.
        stride: distance between windows; None for their size.
        padding: padding of the pooling on each side.
        output_size: shape of the volumes before pooling, or its last three lengths; None for the smallest that fits.

    Returns:
        A tensor of the shape before pooling.

    Raises:
        ValueError: the sizes do not give a shape of at least 1.

    Example:
        >>> print(ops.max_unpool3d(Tensor([[[[[5.0]]]]]), Tensor([[[[[6]]]]]), 2).asnumpy().ravel())
        [0. 0. 0. 0. 0. 0. 5. 0.]

    """
    return _unpooled(x, indices, _unpooled_shape(shape(x), 3, kernel_size, stride, padding, output_size))
