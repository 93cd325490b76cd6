"""Pooling over sequences and volumes, computed by pooling over images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops.arithmetic.division import floor_div
from framework.ops.array.casting import cast
from framework.ops.array.properties import rank, shape
from framework.ops.array.reshaping import expand_dims, reshape, squeeze
from framework.ops.constexpr import constexpr
from framework.ops.indexing.gathering_elements import gather_elements
from framework.ops.pooling.sliding import AvgPool, MaxPool
from framework.ops.pooling.with_places import MaxPoolWithArgmaxV2
from framework.ops.primitive import cached
from framework.ops.shapes import as_three

__all__ = [
    "avg_pool1d",
    "avg_pool3d",
    "max_pool3d",
]


@constexpr
def _in_row(size: Any, beside: int) -> tuple[int, int]:
    """A size along sequences, as a pair for images with one row."""
    return beside, size[0] if isinstance(size, tuple | list) else size


def avg_pool1d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window along the last dimension.

    Args:
        input_x: tensor of shape (N, C, L) or (C, L), of a floating-point type.
        kernel_size: length of a window.
        stride: distance between windows.
        padding: number of zeros at each end.
        ceil_mode: allow the last window to reach over the end.
        count_include_pad: count the padding as elements.

    Returns:
        A tensor of shape (N, C, windows) or (C, windows).

    Example:
        >>> print(ops.avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 9.0]]]), 2, 2))
        [[[2. 7.]]]

    """
    pool = cached(
        AvgPool, _in_row(kernel_size, 1), _in_row(stride, 1), "pad", "NCHW", None, _in_row(padding, 0), ceil_mode,
        count_include_pad, None,
    )  # fmt: skip
    if rank(input_x) == 2:
        return squeeze(squeeze(pool(expand_dims(expand_dims(input_x, 0), 2)), 2), 0)
    return squeeze(pool(expand_dims(input_x, 2)), 2)


def volumes_pooled(x: Tensor, planes: Any, depth: Any) -> Tensor:
    """Volumes (N, C, D, H, W) or (C, D, H, W) pooled by height and width first, then by depth."""
    *leading, depth_in, height, width = shape(x)
    pooled = planes(reshape(x, (-1, depth_in, height, width)))
    rows, columns = shape(pooled)[-2:]
    out = depth(reshape(pooled, (-1, 1, depth_in, rows * columns)))
    return reshape(out, (*leading, shape(out)[2], rows, columns))


def avg_pool3d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """The mean of each window over volumes.

    Args:
        input_x: tensor of shape (N, C, D, H, W) or (C, D, H, W), of a floating-point type.
        kernel_size: depth, height and width of a window, or one number for all.
        stride: distance between windows, in the same order.
        padding: number of zeros on each side, in the same order.
        ceil_mode: allow the last windows to reach over the edge.
        count_include_pad: count the padding as elements.
        divisor_override: divisor of the sums; 0 for the number of elements.

    Returns:
        A tensor of as many dimensions, with the number of windows along the last three.

    Example:
        >>> x = Tensor(np.arange(8.0).reshape(1, 1, 2, 2, 2))
        >>> print(ops.avg_pool3d(x, 2), ops.avg_pool3d(x, (1, 2, 2)).asnumpy().ravel())
        [[[[[3.5]]]]] [1.5 5.5]

    """
    sizes = (as_three(kernel_size), as_three(stride), as_three(padding))
    planes, depth = pools_of_means(*sizes, ceil_mode, count_include_pad, divisor_override)
    return volumes_pooled(input_x, planes, depth)


@constexpr
def pools_of_means(
    kernel: Any, stride: Any, padding: Any, ceil_mode: bool, counted: bool, divisor: Any, pad_mode: str = "pad"
) -> tuple[Any, Any]:
    """The pools over planes and along the depth whose composition is average pooling over volumes."""
    plane_divisor, depth_divisor = (1, divisor) if divisor else (None, None)
    if pad_mode.lower() == "same" and counted and not divisor:
        # With "same" the padding completes every window; unlike pooling over images, that over volumes counts it.
        plane_divisor, depth_divisor = kernel[1] * kernel[2], kernel[0]
    planes = AvgPool(kernel[1:], stride[1:], pad_mode, "NCHW", None, padding[1:], ceil_mode, counted, plane_divisor)
    return planes, AvgPool(
        (kernel[0], 1), (stride[0], 1), pad_mode, "NCHW", None, (padding[0], 0), ceil_mode, counted, depth_divisor
    )


def volumes_pooled_with_places(x: Tensor, planes: Any, depth: Any) -> tuple[Tensor, ...]:
    """`volumes_pooled` for pools that also return indices, and the flat indices in volumes."""
    *leading, depth_in, height, width = shape(x)
    pooled, in_plane = planes(reshape(x, (-1, depth_in, height, width)))
    rows, columns = shape(pooled)[-2:]
    out, in_depth = depth(reshape(pooled, (-1, 1, depth_in, rows * columns)))
    in_depth = reshape(cast(in_depth, mstype.int64), (-1, shape(out)[2] * rows * columns))
    inner = gather_elements(reshape(cast(in_plane, mstype.int64), (-1, depth_in * rows * columns)), 1, in_depth)
    places = floor_div(in_depth, rows * columns) * (height * width) + inner
    out_shape = (*leading, shape(out)[2], rows, columns)
    return reshape(out, out_shape), reshape(places, out_shape)


def max_pool3d(
    x: Tensor,
    kernel_size: Any,
    stride: int | Sequence[int] | None = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, ...]:
    """The maximum of each window over volumes.

    Args:
        x: tensor of shape (N, C, D, H, W) or (C, D, H, W), of a real type.
        kernel_size: depth, height and width of a window, or one number for all.
        stride: distance between windows, in the same order; None for their size.
        padding: number of elements on each side, in the same order; they never are the maximum.
        dilation: distance between the elements of a window.
        ceil_mode: allow the last windows to reach over the edge.
        return_indices: return the indices of the maxima too: (depth * H + row) * W + column.

    Returns:
        A tensor of as many dimensions, with the number of windows along the last three; or a tuple of it and the Int64
        indices.

    Example:
        >>> x = Tensor(np.array([1.0, 7, 2, 3, 9, 4, 5, 6]).reshape(1, 1, 2, 2, 2))
        >>> values, places = ops.max_pool3d(x, (1, 2, 2), return_indices=True)
        >>> print(values.asnumpy().ravel(), places.asnumpy().ravel())
        [7. 9.] [1 4]

    """
    step = kernel_size if stride is None else stride
    with_places = return_indices or as_three(dilation) != (1, 1, 1)
    sizes = (as_three(kernel_size), as_three(step), as_three(padding), as_three(dilation))
    planes, depth = pools_of_largest(*sizes, ceil_mode, with_places)
    if not with_places:
        return volumes_pooled(x, planes, depth)
    out, indices = volumes_pooled_with_places(x, planes, depth)
    return (out, indices) if return_indices else out


@constexpr
def pools_of_largest(
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    ceil_mode: bool,
    places: bool,
    pad_mode: str = "pad",
) -> tuple[Any, Any]:
    """The pools over planes and along the depth whose composition is max pooling over volumes.

    With `places` they return indices too.
    """
    if places:
        return (
            MaxPoolWithArgmaxV2(kernel[1:], stride[1:], padding[1:], dilation[1:], ceil_mode),
            MaxPoolWithArgmaxV2((kernel[0], 1), (stride[0], 1), (padding[0], 0), (dilation[0], 1), ceil_mode),
        )
    return (
        MaxPool(kernel[1:], stride[1:], pad_mode, "NCHW", None, padding[1:], ceil_mode),
        MaxPool((kernel[0], 1), (stride[0], 1), pad_mode, "NCHW", None, (padding[0], 0), ceil_mode),
    )
