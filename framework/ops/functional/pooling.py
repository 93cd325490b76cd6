"""Pooling of rows and of images, over windows and over as many parts as are wanted."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.primitives import expand_dims
from framework.ops.functional.shaping import squeeze
from framework.ops.primitive import cached

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_max_pool1d",
]


@constexpr
def _one_row(output_size: Any) -> tuple[int, Any]:
    return (1, output_size)


def adaptive_avg_pool1d(input: Any, output_size: int) -> Any:
    """The means of as many parts as are wanted along the last dimension of (N, C, L).

    Example:
        >>> print(ops.adaptive_avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2))
        [[[2. 6.]]]

    """
    return squeeze(cached(P.AdaptiveAvgPool2D, _one_row(output_size))(expand_dims(input, 2)), 2)


def adaptive_max_pool1d(input: Any, output_size: int, return_indices: bool = False) -> Any:
    """The largest elements of as many parts as are wanted along the last dimension, and where they lie if asked.

    Example:
        >>> print(ops.adaptive_max_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2))
        [[[3. 7.]]]

    """
    values, places = cached(P.AdaptiveMaxPool2D, _one_row(output_size))(expand_dims(input, 2))
    return (squeeze(values, 2), squeeze(places, 2)) if return_indices else squeeze(values, 2)
