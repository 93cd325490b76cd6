"""Convolution over images [N, C, H, W]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.ops.array.reshaping import Squeeze, expand_dims
from framework.ops.constexpr import constexpr
from framework.ops.convolution.windowed import (
    BY_LAYOUT,
    Convolution,
    ConvolutionFilterGrad,
    ConvolutionInputGrad,
    convolution,
)
from framework.ops.primitive import prim_attr_register

__all__ = [
    "Conv2D",
    "Conv2DBackpropFilter",
    "Conv2DBackpropInput",
    "Conv2DTranspose",
    "conv1d",
    "conv2d",
]

_squeeze = Squeeze(2)


class Conv2D(Convolution):
    """The convolution of images [N, C, H, W] with weights [O, C / group, KH, KW].

    out[n, o, i, j] = sum over c, k, l of x[n, c, i * stride + k * dilation, j * stride + l * dilation] * w[o, c, k, l],
    where x is padded. With groups, c runs over the channels of o's group.

    Args:
        out_channel: number of output channels O.
        kernel_size: height and width of the weights.
        mode: recorded as an attribute, without effect.
        pad_mode: "valid": no padding; "same": the output is ceil(size / stride) long; "pad": as `pad` says.
        pad: zeros added on all sides, in pixels: one number, or top, bottom, left and right.
        stride: the step of the window, in pixels.
        dilation: the distance of neighbouring window elements, in pixels.
        group: number of groups that channels are divided into.
        data_format: "NCHW".

    Inputs: x, images of shape (N, C, H, W); w, weights of shape (O, C / group, KH, KW).
    Output: a tensor of shape (N, O, H', W'), of x's element type. H' = floor((H + padding - dilation * (KH - 1) - 1) /
    stride) + 1, and W' likewise.

    Example:
        >>> x = Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]])
        >>> w = ops.Ones()((1, 1, 2, 2), ms.float32)
        >>> print(ops.Conv2D(out_channel=1, kernel_size=2)(x, w))
        [[[[12. 16.]
           [24. 28.]]]]
    """


def conv2d(
    input: Tensor,
    weight: Tensor | float,
    bias: Tensor | float | None = None,
    stride: int | Sequence[int] = 1,
    pad_mode: str = "valid",
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    """The convolution of images [N, C, H, W] with weights [O, C / groups, KH, KW], and a bias [O].

    Args:
        input: images (N, C, H, W).
        weight: (O, C / groups, KH, KW).
        bias: (O,), or None.
        stride: the step of the window, in pixels; one number or two.
        pad_mode: "valid", "same" or "pad".
        padding: for "pad", the zeros in pixels: one number, two, or top, bottom, left and right.
        dilation: the distance of neighbouring window elements, in pixels.
        groups: the number of groups that channels are divided into.

    Returns:
        A tensor (N, O, H', W').

    Example:
        >>> print(ops.conv2d(Tensor(np.arange(9.0).reshape(1, 1, 3, 3)), Tensor(np.ones((1, 1, 2, 2)))))
        [[[[ 8. 12.]
           [20. 24.]]]]

    """
    return convolution(Conv2D, input, weight, bias, stride, pad_mode, padding, dilation, groups)


class Conv2DBackpropInput(ConvolutionInputGrad):
    """The gradient of `Conv2D` with respect to the images: `(dout, w, shape of x)`; attributes as in `Conv2D`.

    Args:
        out_channel: number of output channels of the convolution.
        kernel_size: height and width of the weights.
        pad_mode: as in `Conv2D`.
        pad: as in `Conv2D`.
        mode: recorded as an attribute, without effect.
        stride: as in `Conv2D`.
        dilation: as in `Conv2D`.
        group: as in `Conv2D`.
        data_format: "NCHW".

    Inputs: dout, the gradient with respect to the output, of its shape (N, O, H', W'); w, the weights of shape
    (O, C / group, KH, KW); the shape of x, a tuple.
    Output: the gradient with respect to the images, of the shape of x and of dout's element type.

    Example:
        >>> dout = ops.Ones()((1, 1, 2, 2), ms.float32)
        >>> w = ops.Ones()((1, 1, 2, 2), ms.float32)
        >>> print(ops.Conv2DBackpropInput(out_channel=1, kernel_size=2)(dout, w, (1, 1, 3, 3)))
        [[[[1. 2. 1.]
           [2. 4. 2.]
           [1. 2. 1.]]]]
    """


class Conv2DTranspose(Conv2DBackpropInput):
    """The transpose of `Conv2D` as an operator of its own: `(x, w, shape of the output)`; see `Conv2DBackpropInput`.

    Args:
        out_channel: number of channels of x, which are the output channels of the convolution.
        kernel_size: height and width of the weights.
        pad_mode: as in `Conv2D`.
        pad: as in `Conv2D`.
        pad_list: recorded as an attribute, without effect.
        mode: recorded as an attribute, without effect.
        stride: as in `Conv2D`.
        dilation: as in `Conv2D`.
        group: as in `Conv2D`.
        data_format: "NCHW".

    Inputs: x, a tensor of shape (N, O, H, W); w, weights of shape (O, C / group, KH, KW); the shape of the output, a
    tuple (N, C, H', W'), for which the convolution has outputs of the shape of x.
    Output: a tensor of that shape, of x's element type.

    Example:
        >>> x = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> w = ops.Ones()((1, 1, 2, 2), ms.float32)
        >>> print(ops.Conv2DTranspose(out_channel=1, kernel_size=2, stride=2)(x, w, (1, 1, 4, 4)))
        [[[[1. 1. 2. 2.]
           [1. 1. 2. 2.]
           [3. 3. 4. 4.]
           [3. 3. 4. 4.]]]]
    """

    @prim_attr_register
    def __init__(
        self,
        out_channel: int,
        kernel_size: int | tuple[int, int],
        pad_mode: str = "valid",
        pad: int | Sequence[int] = 0,
        pad_list: Any = None,
        mode: int = 1,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        group: int = 1,
        data_format: str = "NCHW",
    ) -> None:
        self._register(kernel_size, pad, stride, dilation)


class Conv2DBackpropFilter(ConvolutionFilterGrad):
    """The gradient of `Conv2D` with respect to the weights: `(dout, x, shape of w)`; attributes as in `Conv2D`.

    Args:
        out_channel: number of output channels of the convolution.
        kernel_size: height and width of the weights.
        pad_mode: as in `Conv2D`.
        pad: as in `Conv2D`.
        mode: recorded as an attribute, without effect.
        stride: as in `Conv2D`.
        dilation: as in `Conv2D`.
        group: as in `Conv2D`.
        data_format: "NCHW".

    Inputs: dout, the gradient with respect to the output, of its shape (N, O, H', W'); x, the images of shape
    (N, C, H, W); the shape of w, a tuple.
    Output: the gradient with respect to the weights, of the shape of w and of dout's element type.

    Example:
        >>> dout = ops.Ones()((1, 1, 1, 1), ms.float32)
        >>> x = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> print(ops.Conv2DBackpropFilter(out_channel=1, kernel_size=2)(dout, x, (1, 1, 2, 2)))
        [[[[1. 2.]
           [3. 4.]]]]
    """


def conv1d(
    input: Tensor,
    weight: Tensor | float,
    bias: Tensor | float | None = None,
    stride: int = 1,
    pad_mode: str = "valid",
    padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
) -> Tensor:
    """The convolution of rows [N, C, L] with weights [O, C / groups, K], and a bias [O].

    Args:
        input: rows (N, C, L).
        weight: (O, C / groups, K).
        bias: (O,), or None.
        stride: the step of the window, in elements.
        pad_mode: "valid", "same" or "pad".
        padding: for "pad", the zeros on each side.
        dilation: the distance of neighbouring window elements.
        groups: the number of groups that channels are divided into.

    Returns:
        A tensor (N, O, L').

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
    """A size of rows, as that of images with one line: that along the lines is `other`."""
    return other, size[0] if isinstance(size, tuple | list) else size


@constexpr
def _beside(padding: Any) -> Any:
    """The padding of rows as that of images: top, bottom, left and right."""
    pair = tuple(padding) if isinstance(padding, tuple | list) else (padding,)
    return 0, 0, pair[0], pair[-1]


BY_LAYOUT["NCHW"] = (Conv2D, Conv2DBackpropInput, Conv2DBackpropFilter)
