"""Unfolding of images into columns, one for each window, and folding of columns into images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops.array.joining import stack
from framework.ops.array.padding import pad
from framework.ops.array.properties import shape
from framework.ops.array.reshaping import reshape
from framework.ops.array.transposing import transpose
from framework.ops.constexpr import constexpr
from framework.ops.indexing.segment_reductions import UnsortedSegmentSum
from framework.ops.indexing.slicing import StridedSlice
from framework.ops.primitive import cached
from framework.ops.shapes import as_pair, pair

__all__ = [
    "col2im",
    "fold",
    "unfold",
]


@constexpr
def _windows(shape: Sequence[int], kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """The paddings, the slice (begin, end, strides) of each window element over all windows, and the output's shape."""
    kernel, dilation, padding, stride = pair(kernel), pair(dilation), pair(padding), pair(stride)
    n, c = shape[:2]
    sizes = [size + 2 * pads for size, pads in zip(shape[2:], padding, strict=True)]
    counts = [(size - (k - 1) * d - 1) // s + 1 for size, k, d, s in zip(sizes, kernel, dilation, stride, strict=True)]
    places = []
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            top, left = i * dilation[0], j * dilation[1]
            end = (n, c, top + (counts[0] - 1) * stride[0] + 1, left + (counts[1] - 1) * stride[1] + 1)
            places.append(((0, 0, top, left), end, (1, 1, *stride)))
    pads = (padding[1], padding[1], padding[0], padding[0])
    return pads, tuple(places), (n, c * kernel[0] * kernel[1], counts[0] * counts[1])


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The elements of each window as a column: (N, C, H, W) to (N, C * kernel height * kernel width, windows).

    Args:
        input: images (N, C, H, W).
        kernel_size: height and width of the windows, in pixels.
        dilation: the distance of neighbouring window elements, in pixels.
        padding: rows and columns of zeros on both sides.
        stride: the step of the windows, in pixels.

    Returns:
        A tensor (N, C * kernel height * kernel width, windows).

    Example:
        >>> print(ops.unfold(Tensor(np.arange(6.0).reshape(1, 1, 2, 3)), 2))
        [[[0. 1.]
          [1. 2.]
          [3. 4.]
          [4. 5.]]]

    """
    pads, places, wanted = _windows(shape(input), kernel_size, dilation, padding, stride)
    padded = pad(input, pads)
    seen = [cached(StridedSlice, 0, 0, 0, 0, 0)(padded, begin, end, strides) for begin, end, strides in places]
    return reshape(stack(seen, 2), wanted)


def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Columns added up at their positions in images: the transpose of `unfold`.

    Args:
        input: (N, C * kernel height * kernel width, windows).
        output_size: height and width of the images.
        kernel_size: height and width of the windows.
        dilation: the distance of neighbouring window elements, in pixels.
        padding: rows and columns on both sides that `unfold` added; they are dropped.
        stride: the step of the windows, in pixels.

    Returns:
        (N, C, H, W).

    Raises:
        ValueError: the number of windows does not follow from the sizes, or a window's size does not divide the rows.

    Example:
        >>> x = Tensor(np.arange(6.0).reshape(1, 1, 2, 3))
        >>> print(ops.fold(ops.unfold(x, 2), (2, 3), 2))
        [[[[0. 2. 2.]
           [3. 8. 5.]]]]

    """
    places, count, inner = _places(shape(input), output_size, kernel_size, dilation, padding, stride)
    images, channels, seen = inner
    spread = transpose(reshape(input, (images * channels, seen)), (1, 0))
    # One more segment than there are pixels collects the elements on the padding.
    added = UnsortedSegmentSum()(spread, places, count + 1)[:count]
    return reshape(transpose(added, (1, 0)), (images, channels, *as_pair(output_size)))


@constexpr
def _places(
    of: Sequence[int], output_size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[Tensor, int, tuple[int, int, int]]:
    """The pixel of each column element, the number of pixels, and those of images, channels and column elements."""
    size, kernel, dilation, padding, stride = (pair(item) for item in (output_size, kernel, dilation, padding, stride))
    counts = [
        (length + 2 * pads - (k - 1) * d - 1) // s + 1
        for length, k, d, pads, s in zip(size, kernel, dilation, padding, stride, strict=True)
    ]
    if of[-1] != counts[0] * counts[1] or of[-2] % (kernel[0] * kernel[1]):
        raise ValueError(
            f"fold: columns of shape {tuple(of)} are not those of {counts[0]} x {counts[1]} windows of "
            f"{kernel[0]} x {kernel[1]} pixels in images of {size[0]} x {size[1]}"
        )
    axes = [
        np.arange(k)[:, None] * d + np.arange(count) * s - pads
        for k, d, count, s, pads in zip(kernel, dilation, counts, stride, padding, strict=True)
    ]
    rows, columns = axes[0][:, None, :, None], axes[1][None, :, None, :]
    inside = (rows >= 0) & (rows < size[0]) & (columns >= 0) & (columns < size[1])
    pixels = np.where(inside, rows * size[1] + columns, size[0] * size[1]).ravel()
    channels = of[-2] // (kernel[0] * kernel[1])
    return Tensor(pixels, mstype.int32), size[0] * size[1], (of[0], channels, pixels.size)


def col2im(
    input_x: Tensor,
    output_size: int | Sequence[int],
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int],
    padding_value: Sequence[int],
    stride: int | Sequence[int],
) -> Tensor:
    """`fold` of columns (N, C, kernel height * kernel width, windows).

    Args:
        input_x: columns (N, C, kernel height * kernel width, windows).
        output_size: height and width of the images.
        kernel_size: height and width of the windows.
        dilation: the distance of neighbouring window elements, in pixels.
        padding_value: rows and columns on both sides that `unfold` added; they are dropped.
        stride: the step of the windows, in pixels.

    Returns:
        Images (N, C, H, W).

    Example:
        >>> print(ops.col2im(ops.ones((1, 1, 4, 2)), (2, 3), (2, 2), (1, 1), (0, 0), (1, 1)))
        [[[[1. 2. 1.]
           [1. 2. 1.]]]]

    """
    images, channels, inner, windows = shape(input_x)
    columns = reshape(input_x, (images, channels * inner, windows))
    return fold(columns, output_size, kernel_size, dilation, padding_value, stride)
