"""Pooling of rows and of images, over windows and over as many parts as are wanted."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.primitives import expand_dims
from framework.ops.functional.shaping import squeeze
from framework.ops.operations.shapes import pair
from framework.ops.primitive import cached

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d", "adaptive_max_pool2d", "avg_pool2d",
    "max_pool2d",
]  # fmt: skip


@constexpr
def as_pair(value: Any) -> tuple[int, int]:
    """Height and width."""
    return pair(value)


def max_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """The largest element of each window over [N, C, H, W], and where it lies in its image if asked.

    Args:
        x: the images, of a real type.
        kernel_size: height and width of a window, in pixels: one number for both, or two.
        stride: how far it moves; its size where it is left out.
        padding: rows and columns that are added on both sides, of which none is ever picked.
        dilation: the distance of the rows and columns that a window sees.
        return_indices: give the places too: row times width plus column, Int64.
        ceil_mode: let the last window hang over the edge.

    Returns:
        A tensor (N, C, H', W'), or a tuple of it and the places.

    Example:
        >>> x = Tensor([[[[1.0, 2.0, 5.0, 1.0], [3.0, 4.0, 0.0, 2.0]]]])
        >>> print(ops.max_pool2d(x, 2), ops.max_pool2d(x, 2, return_indices=True)[1])
        [[[[4. 5.]]]] [[[[5 2]]]]

    """
    step = kernel_size if stride is None else stride
    if return_indices or as_pair(dilation) != (1, 1):
        both = cached(
            P.MaxPoolWithArgmaxV2, as_pair(kernel_size), as_pair(step), as_pair(padding), as_pair(dilation), ceil_mode
        )(x)
        return both if return_indices else both[0]
    return cached(P.MaxPool, as_pair(kernel_size), as_pair(step), "pad", "NCHW", None, as_pair(padding), ceil_mode)(x)


def avg_pool2d(
    input_x: Any,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = 0,
) -> Any:
    """The mean of each window over [N, C, H, W].

    Example:
        >>> print(ops.avg_pool2d(Tensor([[[[1.0, 3.0, 0.0], [5.0, 7.0, 0.0]]]]), 2))
        [[[[4.  2.5]]]]

    """
    return cached(
        P.AvgPool,
        as_pair(kernel_size),
        as_pair(stride),
        "pad",
        "NCHW",
        None,
        as_pair(padding),
        ceil_mode,
        count_include_pad,
        divisor_override if divisor_override else None,
    )(input_x)


@constexpr
def _one_row(output_size: Any) -> tuple[int, Any]:
    return (1, output_size)


@constexpr
def _hashable(output_size: Any) -> Any:
    return tuple(output_size) if isinstance(output_size, list) else output_size


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """The means of as many parts as are wanted along height and width.

    Example:
        >>> print(ops.adaptive_avg_pool2d(Tensor([[[[1.0, 3.0], [5.0, 7.0]]]]), (1, 2)))
        [[[[3. 5.]]]]

    """
    return cached(P.AdaptiveAvgPool2D, _hashable(output_size))(input)


def adaptive_avg_pool1d(input: Any, output_size: int) -> Any:
    """The means of as many parts as are wanted along the last dimension of (N, C, L).

    Example:
        >>> print(ops.adaptive_avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2))
        [[[2. 6.]]]

    """
    return squeeze(cached(P.AdaptiveAvgPool2D, _one_row(output_size))(expand_dims(input, 2)), 2)


def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of as many parts as are wanted along height and width, and where they lie if asked.

    Example:
        >>> print(ops.adaptive_max_pool2d(Tensor([[[[1.0, 3.0], [5.0, 7.0]]]]), (1, 2)))
        [[[[5. 7.]]]]

    """
    values, places = cached(P.AdaptiveMaxPool2D, _hashable(output_size))(input)
    return (values, places) if return_indices else values


def adaptive_max_pool1d(input: Any, output_size: int, return_indices: bool = False) -> Any:
    """The largest elements of as many parts as are wanted along the last dimension, and where they lie if asked.

    Example:
        >>> print(ops.adaptive_max_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2))
        [[[3. 7.]]]

    """
    values, places = cached(P.AdaptiveMaxPool2D, _one_row(output_size))(expand_dims(input, 2))
    return (squeeze(values, 2), squeeze(places, 2)) if return_indices else squeeze(values, 2)
