"""Adaptive pooling over sequences and volumes, computed by that over images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.ops.array.reshaping import expand_dims, squeeze
from framework.ops.constexpr import constexpr
from framework.ops.pooling.adaptive import AdaptiveAvgPool2D
from framework.ops.pooling.rows_and_volumes import volumes_pooled, volumes_pooled_with_places
from framework.ops.pooling.with_places import AdaptiveMaxPool2D
from framework.ops.primitive import cached

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool3d",
]


@constexpr
def _one_row(output_size: int) -> tuple[int, Any]:
    return (1, output_size)


def adaptive_avg_pool1d(input: Tensor, output_size: int) -> Tensor:
    """Adaptive average pooling: the means of a given number of parts along the last dimension.

    Args:
        input: tensor of shape (N, C, L), of a floating-point type.
        output_size: number of parts.

    Returns:
        A tensor of shape (N, C, output_size).

    Example:
        >>> print(ops.adaptive_avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2))
        [[[2. 6.]]]

    """
    return squeeze(cached(AdaptiveAvgPool2D, _one_row(output_size))(expand_dims(input, 2)), 2)


def adaptive_max_pool1d(input: Tensor, output_size: int, return_indices: bool = False) -> Any:
    """Adaptive max pooling: the maxima of a given number of parts along the last dimension.

    Args:
        input: tensor of shape (N, C, L), of a floating-point type.
        output_size: number of parts.
        return_indices: return the indices of the maxima too.

    Returns:
        A tensor of shape (N, C, output_size), or a tuple of it and the Int64 indices.

    Example:
        >>> print(ops.adaptive_max_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2))
        [[[3. 7.]]]

    """
    values, places = cached(AdaptiveMaxPool2D, _one_row(output_size))(expand_dims(input, 2))
    return (squeeze(values, 2), squeeze(places, 2)) if return_indices else squeeze(values, 2)


@constexpr
def _parts(output_size: Any) -> tuple[Any, Any]:
    """The numbers of parts over planes and along the depth."""
    deep, *plane = output_size if isinstance(output_size, tuple | list) else (output_size,) * 3
    return tuple(plane), (deep, None)


def adaptive_avg_pool3d(input: Tensor, output_size: int | tuple[int | None, ...] | Sequence[int]) -> Tensor:
    """Adaptive average pooling: the means of a given number of parts along depth, height and width.

    Args:
        input: tensor of shape (N, C, D, H, W) or (C, D, H, W), of a floating-point type.
        output_size: number of parts, one number for all dimensions or three; None keeps a dimension as it is.

    Returns:
        A tensor with `output_size` as depth, height and width.

    Example:
        >>> print(ops.adaptive_avg_pool3d(Tensor(np.arange(8.0).reshape(1, 1, 2, 2, 2)), (2, 1, None)))
        [[[[[1. 2.]]
        <BLANKLINE>
           [[5. 6.]]]]]

    """
    plane, deep = _parts(output_size)
    return volumes_pooled(input, cached(AdaptiveAvgPool2D, plane), cached(AdaptiveAvgPool2D, deep))


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Tensor | tuple[Tensor, ...]:
    """Adaptive max pooling: the maxima of a given number of parts along depth, height and width.

    Args:
        input: tensor of shape (N, C, D, H, W) or (C, D, H, W), of a floating-point type.
        output_size: number of parts, one number for all dimensions or three; None keeps a dimension as it is.
        return_indices: return the indices of the maxima too: (depth * H + row) * W + column.

    Returns:
        A tensor with `output_size` as depth, height and width, or a tuple of it and the Int64 indices.

    Example:
        >>> print(ops.adaptive_max_pool3d(Tensor(np.arange(8.0).reshape(1, 1, 2, 2, 2)), 1))
        [[[[[7.]]]]]

    """
    plane, deep = _parts(output_size)
    both = volumes_pooled_with_places(input, cached(AdaptiveMaxPool2D, plane), cached(AdaptiveMaxPool2D, deep))
    return both if return_indices else both[0]
