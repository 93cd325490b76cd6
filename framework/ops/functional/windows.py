"""Windows put back in their places, norms over windows, and neighbouring channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.activation.rectifiers import relu
from framework.ops.arithmetic.binary import pow
from framework.ops.constexpr import constexpr
from framework.ops.functional.creation import zeros
from framework.ops.functional.primitives import reshape, shape, transpose
from framework.ops.functional.volumes import avg_pool1d
from framework.ops.mathematics.rounding import abs, sign
from framework.ops.operations.shapes import each, pair
from framework.ops.pooling.sliding import as_pair, avg_pool2d
from framework.ops.primitive import cached

__all__ = ["col2im", "fold", "lp_pool1d", "lp_pool2d", "lrn", "max_unpool1d", "max_unpool2d", "max_unpool3d"]


def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """What windows hold as columns, added up at their places in images: what `unfold` is in reverse.

    Args:
        input: (N, C * kernel height * kernel width, windows).
        output_size: height and width of the images.
        kernel_size: height and width of the windows.
        dilation: the distance of the rows and columns that a window sees.
        padding: rows and columns on both sides that do not come back.
        stride: how far windows move.

    Returns:
        (N, C, H, W).

    Raises:
        ValueError: there are not as many windows as the sizes make, or rows that do not divide by a window's elements.

    Example:
        >>> x = Tensor(np.arange(6.0).reshape(1, 1, 2, 3))
        >>> print(ops.fold(ops.unfold(x, 2), (2, 3), 2))
        [[[[0. 2. 2.]
           [3. 8. 5.]]]]

    """
    places, count, inner = _places(shape(input), output_size, kernel_size, dilation, padding, stride)
    images, channels, seen = inner
    spread = transpose(reshape(input, (images * channels, seen)), (1, 0))
    # One segment more than there are pixels takes what fell on the padding.
    added = P.UnsortedSegmentSum()(spread, places, count + 1)[:count]
    return reshape(transpose(added, (1, 0)), (images, channels, *as_pair(output_size)))


@constexpr
def _places(
    of: Sequence[int], output_size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[Tensor, int, tuple[int, int, int]]:
    """The pixel of each element of a column, the number of pixels, and images, channels and elements of each."""
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


def col2im(input_x: Any, output_size: Any, kernel_size: Any, dilation: Any, padding_value: Any, stride: Any) -> Any:
    """`fold` of columns (N, C, kernel height * kernel width, windows).

    Example:
        >>> print(ops.col2im(ops.ones((1, 1, 4, 2)), (2, 3), (2, 2), (1, 1), (0, 0), (1, 1)))
        [[[[1. 2. 1.]
           [1. 2. 1.]]]]

    """
    images, channels, inner, windows = shape(input_x)
    columns = reshape(input_x, (images, channels * inner, windows))
    return fold(columns, output_size, kernel_size, dilation, padding_value, stride)


def lp_pool1d(x: Any, norm_type: Any, kernel_size: int, stride: Any = None, ceil_mode: bool = False) -> Any:
    """The norm of each window over rows: (sum of x^p)^(1/p).

    Args:
        x: (N, C, L) or (C, L), floating-point.
        norm_type: p, not 0.
        kernel_size: length of a window.
        stride: how far it moves; its length where it is left out.
        ceil_mode: let the last window hang over the end.

    Example:
        >>> print(ops.lp_pool1d(Tensor([[[3.0, 4.0, 6.0, 8.0]]]), 2, 2))
        [[[ 5. 10.]]]

    """
    means = avg_pool1d(pow(x, norm_type), kernel_size, kernel_size if stride is None else stride, 0, ceil_mode)
    return pow(sign(means) * relu(abs(means)) * kernel_size, 1.0 / norm_type)


def lp_pool2d(x: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """The norm of each window over images: (sum of x^p)^(1/p).

    Args:
        x: (N, C, H, W), floating-point.
        norm_type: p, not 0.
        kernel_size: height and width of a window, or one number for both.
        stride: how far it moves; its size where it is left out.
        ceil_mode: let the last windows hang over the edge.

    Example:
        >>> print(ops.lp_pool2d(Tensor([[[[1.0, 1.0], [1.0, 1.0]]]]), 2, 2))
        [[[[2.]]]]

    """
    high, wide = as_pair(kernel_size)
    means = avg_pool2d(pow(x, norm_type), kernel_size, kernel_size if stride is None else stride, 0, ceil_mode)
    return pow(sign(means) * relu(abs(means)) * (high * wide), 1.0 / norm_type)


def lrn(
    x: Any,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Any:
    """x / (bias + alpha * sum of squares of neighbouring channels)^beta (Krizhevsky et al. 2012).

    Args:
        x: images (N, C, H, W), floating-point.
        depth_radius: how many channels on both sides are neighbours.
        bias: what is added to the sum.
        alpha: by what the sum is multiplied.
        beta: the exponent.
        norm_region: "ACROSS_CHANNELS".

    Example:
        >>> x = Tensor(np.array([3.0, 4.0, 0.0], np.float32).reshape(1, 3, 1, 1))
        >>> print(ops.lrn(x, 1, 0.0).asnumpy().ravel().round(3))
        [0.6 0.8 0. ]

    """
    return cached(P.LRN, depth_radius, bias, alpha, beta, norm_region)(x)


def max_unpool1d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Elements put where the largest of each window lay, zeros elsewhere: (N, C, L) or (C, L), as `max_unpool2d`.

    Example:
        >>> print(ops.max_unpool1d(Tensor([[[5.0, 9.0]]]), Tensor([[[1, 2]]]), 2))
        [[[0. 5. 9. 0.]]]

    """
    return _unpooled(x, indices, _before(shape(x), 1, kernel_size, stride, padding, output_size))


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


def _unpooled(x: Any, indices: Any, before: Any) -> Any:
    """Elements at places of zeros, plane by plane."""
    whole, planes, count = before
    empty = zeros((planes, count), x.dtype)
    put = cached(P.TensorScatterElements, 1, "none")(empty, reshape(indices, (planes, -1)), reshape(x, (planes, -1)))
    return reshape(put, whole)
