"""Convolution of images and of volumes, as functions."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.primitives import expand_dims, shape
from framework.ops.matrices.products import bias_add
from framework.ops.operations.shapes import each
from framework.ops.pooling.sliding import as_pair
from framework.ops.primitive import cached

_squeeze = P.Squeeze(2)

__all__ = ["conv1d", "conv2d", "conv3d"]


def conv1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: int = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: int = 1,
    groups: int = 1,
) -> Any:
    """The convolution of rows [N, C, L] with weights [O, C / groups, K], and a bias [O].

    Example:
        >>> rows = Tensor([[[1.0, 2.0, 3.0, 4.0]]])
        >>> print(ops.conv1d(rows, Tensor([[[1.0, 0.0, -1.0]]]), pad_mode="pad", padding=1))
        [[[-2. -2. -2.  3.]]]

    """
    wide = conv2d(
        expand_dims(input, 2),
        expand_dims(weight, 2),
        bias,
        _along(stride, 1),
        pad_mode,
        _beside(padding),
        _along(dilation, 1),
        groups,
    )
    return _squeeze(wide)


@constexpr
def _along(size: Any, other: int) -> Any:
    """Of rows that are images of one line."""
    return other, size[0] if isinstance(size, tuple | list) else size


@constexpr
def _beside(padding: Any) -> Any:
    """Top, bottom, left and right of rows."""
    pair = tuple(padding) if isinstance(padding, tuple | list) else (padding,)
    return 0, 0, pair[0], pair[-1]


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
    """The convolution of images [N, C, H, W] with weights [O, C / groups, KH, KW], and a bias [O].

    Example:
        >>> print(ops.conv2d(Tensor(np.arange(9.0).reshape(1, 1, 3, 3)), Tensor(np.ones((1, 1, 2, 2)))))
        [[[[ 8. 12.]
           [20. 24.]]]]

    """
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
    """The convolution of volumes [N, C, D, H, W] with weights [O, C / groups, KD, KH, KW], and a bias [O].

    Example:
        >>> print(ops.conv3d(ops.ones((1, 1, 2, 2, 3)), ops.ones((1, 1, 2, 2, 2))))
        [[[[[8. 8.]]]]]

    """
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
