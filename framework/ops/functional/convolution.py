"""Convolution of images and of volumes, as functions."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.images import as_pair
from framework.ops.functional.primitives import bias_add, shape
from framework.ops.operations.shapes import each
from framework.ops.primitive import cached

__all__ = ["conv2d", "conv3d"]


def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """The convolution of images [N, C, H, W] with weights [O, C / groups, KH, KW], and a bias [O]."""
    out_channels, _, height, width = shape(weight)
    out = cached(
        P.Conv2D, out_channels, (height, width), 1, pad_mode, _four(padding), as_pair(stride), as_pair(dilation), groups
    )(input, weight)
    return out if bias is None else bias_add(out, bias)


@constexpr
def _four(padding: Any) -> Any:
    """Top, bottom, left and right from one number, two or four."""
    if isinstance(padding, int):
        return padding
    top, *_, left = padding
    return (top, top, left, left) if len(padding) == 2 else tuple(padding)


def conv3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """The convolution of volumes [N, C, D, H, W] with weights [O, C / groups, KD, KH, KW], and a bias [O]."""
    out_channels, _, *kernel = shape(weight)
    out = cached(
        P.Conv3D, out_channels, as_three(kernel), 1, pad_mode, _six(padding), as_three(stride), as_three(dilation),
        groups,
    )(input, weight)  # fmt: skip
    return out if bias is None else bias_add(out, bias)


@constexpr
def as_three(value: Any) -> tuple[int, ...]:
    """Depth, height and width."""
    return each(value, 3)


@constexpr
def _six(padding: Any) -> Any:
    """Front, back, top, bottom, left and right from one number, three or six."""
    if isinstance(padding, int):
        return padding
    return tuple(size for size in padding for _ in (0, 1)) if len(padding) == 3 else tuple(padding)
