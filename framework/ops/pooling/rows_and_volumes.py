"""Pooling over rows and volumes, as pooling over images."""

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
    """A length along rows, as of planes of one line."""
    return beside, size[0] if isinstance(size, tuple | list) else size


def avg_pool1d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window over rows.

    Args:
        input_x: (N, C, L) or (C, L), floating-point.
        kernel_size: length of a window.
        stride: how far it moves.
        padding: zeros at both ends.
        ceil_mode: let the last window hang over the end.
        count_include_pad: whether what is added counts as elements.

    Returns:
        (N, C, windows) or (C, windows).

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
    *before, deep, high, wide = shape(x)
    narrow = planes(reshape(x, (-1, deep, high, wide)))
    rows, columns = shape(narrow)[-2:]
    out = depth(reshape(narrow, (-1, 1, deep, rows * columns)))
    return reshape(out, (*before, shape(out)[2], rows, columns))


def avg_pool3d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """The mean of each box over volumes.

    Args:
        input_x: (N, C, D, H, W) or (C, D, H, W), floating-point.
        kernel_size: depth, height and width of a box, or one number for all.
        stride: how far it moves, in the same order.
        padding: zeros on both sides, in the same order.
        ceil_mode: let the last boxes hang over the edge.
        count_include_pad: whether what is added counts as elements.
        divisor_override: what sums are divided by in place of the number of elements, unless it is 0.

    Returns:
        A tensor of as many dimensions, with the number of boxes along the last three.

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
    """The pools over planes and along the depth whose means are those of boxes."""
    over, along = (1, divisor) if divisor else (None, None)
    planes = AvgPool(kernel[1:], stride[1:], pad_mode, "NCHW", None, padding[1:], ceil_mode, counted, over)
    return planes, AvgPool(
        (kernel[0], 1), (stride[0], 1), pad_mode, "NCHW", None, (padding[0], 0), ceil_mode, counted, along
    )


def volumes_pooled_with_places(x: Tensor, planes: Any, depth: Any) -> tuple[Tensor, ...]:
    """The same of two pools that tell where elements lie, and the places in volumes."""
    *before, deep, high, wide = shape(x)
    narrow, in_plane = planes(reshape(x, (-1, deep, high, wide)))
    rows, columns = shape(narrow)[-2:]
    out, picked = depth(reshape(narrow, (-1, 1, deep, rows * columns)))
    picked = reshape(cast(picked, mstype.int64), (-1, shape(out)[2] * rows * columns))
    inner = gather_elements(reshape(cast(in_plane, mstype.int64), (-1, deep * rows * columns)), 1, picked)
    places = floor_div(picked, rows * columns) * (high * wide) + inner
    made = (*before, shape(out)[2], rows, columns)
    return reshape(out, made), reshape(places, made)


def max_pool3d(
    x: Tensor,
    kernel_size: Any,
    stride: int | Sequence[int] | None = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, ...]:
    """The largest element of each box over volumes, and where it lies if asked.

    Args:
        x: (N, C, D, H, W) or (C, D, H, W), of a real type.
        kernel_size: depth, height and width of a box, or one number for all.
        stride: how far it moves, in the same order; its size where it is left out.
        padding: what is added on both sides, of which none is ever picked.
        dilation: the distance of the elements that a box sees.
        ceil_mode: let the last boxes hang over the edge.
        return_indices: give the places too: (depth * H + row) * W + column, Int64.

    Returns:
        A tensor of as many dimensions, with the number of boxes along the last three; or a tuple of it and the places.

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
    both = volumes_pooled_with_places(x, planes, depth)
    return both if return_indices else both[0]


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
    """The pools over planes and along the depth that find the largest of boxes, and with `places` where it lies."""
    if places:
        return (
            MaxPoolWithArgmaxV2(kernel[1:], stride[1:], padding[1:], dilation[1:], ceil_mode),
            MaxPoolWithArgmaxV2((kernel[0], 1), (stride[0], 1), (padding[0], 0), (dilation[0], 1), ceil_mode),
        )
    return (
        MaxPool(kernel[1:], stride[1:], pad_mode, "NCHW", None, padding[1:], ceil_mode),
        MaxPool((kernel[0], 1), (stride[0], 1), pad_mode, "NCHW", None, (padding[0], 0), ceil_mode),
    )
