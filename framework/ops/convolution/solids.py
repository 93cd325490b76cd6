"""Convolution over volumes [N, C, D, H, W]."""

from __future__ import annotations

from collections.abc import Sequence

from framework.common.tensor import Tensor
from framework.ops.convolution.windowed import (
    BY_LAYOUT,
    Convolution,
    ConvolutionFilterGrad,
    ConvolutionInputGrad,
    convolution,
)
from framework.ops.primitive import prim_attr_register

__all__ = [
    "Conv3D",
    "Conv3DBackpropFilter",
    "Conv3DBackpropInput",
    "conv3d",
]


class Conv3D(Convolution):
    """The convolution of volumes [N, C, D, H, W] with weights [O, C / group, KD, KH, KW].

    out[n, o, i] = sum over c and k of x[n, c, i * stride + k * dilation] * w[o, c, k], where i and k are positions in
    a volume and x is padded. With groups, c runs over the channels of o's group.

    Args:
        out_channel: number of output channels O.
        kernel_size: depth, height and width of the weights.
        mode: recorded as an attribute, without effect.
        pad_mode: "valid": no padding; "same": the output is ceil(size / stride) long; "pad": as `pad` says.
        pad: zeros added on all sides: one number, or front, back, top, bottom, left and right.
        stride: the step of the window, in elements.
        dilation: the distance of neighbouring window elements.
        group: number of groups that channels are divided into.
        data_format: "NCDHW".

    Inputs: x, volumes of shape (N, C, D, H, W); w, weights of shape (O, C / group, KD, KH, KW).
    Output: a tensor of shape (N, O, D', H', W'), of x's element type. D' = floor((D + padding - dilation * (KD - 1) -
    1) / stride) + 1, and H' and W' likewise.

    Example:
        >>> x = Tensor([[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[7.0, 8.0, 9.0], [0.0, 1.0, 2.0]]]]])
        >>> w = ops.Ones()((1, 1, 2, 2, 2), ms.float32)
        >>> print(ops.Conv3D(out_channel=1, kernel_size=2)(x, w))
        [[[[[28. 36.]]]]]
    """

    layout = "NCDHW"

    @prim_attr_register
    def __init__(
        self,
        out_channel: int,
        kernel_size: int | tuple[int, int, int],
        mode: int = 1,
        pad_mode: str = "valid",
        pad: int | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        group: int = 1,
        data_format: str = "NCDHW",
    ) -> None:
        self._register(kernel_size, pad, stride, dilation)


def conv3d(
    input: Tensor,
    weight: Tensor | float,
    bias: Tensor | float | None = None,
    stride: int | Sequence[int] = 1,
    pad_mode: str = "valid",
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    """The convolution of volumes [N, C, D, H, W] with weights [O, C / groups, KD, KH, KW], and a bias [O].

    Args:
        input: volumes (N, C, D, H, W).
        weight: (O, C / groups, KD, KH, KW).
        bias: (O,), or None.
        stride: the step of the window, in elements; one number or three.
        pad_mode: "valid", "same" or "pad".
        padding: for "pad", the zeros: one number, three, or one for each of the six sides.
        dilation: the distance of neighbouring window elements.
        groups: the number of groups that channels are divided into.

    Returns:
        A tensor (N, O, D', H', W').

    Example:
        >>> print(ops.conv3d(ops.ones((1, 1, 2, 2, 3)), ops.ones((1, 1, 2, 2, 2))))
        [[[[[8. 8.]]]]]

    """
    return convolution(Conv3D, input, weight, bias, stride, pad_mode, padding, dilation, groups)


class _Derivative(Convolution):
    """The constructor of the two derivatives of `Conv3D`."""

    layout = "NCDHW"

    @prim_attr_register
    def __init__(
        self,
        out_channel: int,
        kernel_size: int | tuple[int, int, int],
        pad_mode: str = "valid",
        pad: int | Sequence[int] = 0,
        mode: int = 1,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        group: int = 1,
        data_format: str = "NCDHW",
    ) -> None:
        self._register(kernel_size, pad, stride, dilation)


class Conv3DBackpropInput(_Derivative, ConvolutionInputGrad):
    """The gradient of `Conv3D` with respect to the volumes: `(dout, w, shape of x)`; attributes as in `Conv3D`.

    Args:
        out_channel: number of output channels of the convolution.
        kernel_size: depth, height and width of the weights.
        pad_mode: as in `Conv3D`.
        pad: as in `Conv3D`.
        mode: recorded as an attribute, without effect.
        stride: as in `Conv3D`.
        dilation: as in `Conv3D`.
        group: as in `Conv3D`.
        data_format: "NCDHW".

    Inputs: dout, the gradient with respect to the output, of its shape (N, O, D', H', W'); w, the weights of shape
    (O, C / group, KD, KH, KW); the shape of x, a tuple.
    Output: the gradient with respect to the volumes, of the shape of x and of dout's element type.

    Example:
        >>> dout = ops.Ones()((1, 1, 1, 1, 2), ms.float32)
        >>> w = ops.Ones()((1, 1, 1, 2, 2), ms.float32)
        >>> print(ops.Conv3DBackpropInput(out_channel=1, kernel_size=(1, 2, 2))(dout, w, (1, 1, 1, 2, 3)))
        [[[[[1. 2. 1.]
            [1. 2. 1.]]]]]
    """


class Conv3DBackpropFilter(_Derivative, ConvolutionFilterGrad):
    """The gradient of `Conv3D` with respect to the weights: `(dout, x, shape of w)`; attributes as in `Conv3D`.

    Args:
        out_channel: number of output channels of the convolution.
        kernel_size: depth, height and width of the weights.
        pad_mode: as in `Conv3D`.
        pad: as in `Conv3D`.
        mode: recorded as an attribute, without effect.
        stride: as in `Conv3D`.
        dilation: as in `Conv3D`.
        group: as in `Conv3D`.
        data_format: "NCDHW".

    Inputs: dout, the gradient with respect to the output, of its shape (N, O, D', H', W'); x, the volumes of shape
    (N, C, D, H, W); the shape of w, a tuple.
    Output: the gradient with respect to the weights, of the shape of w and of dout's element type.

    Example:
        >>> dout = ops.Ones()((1, 1, 1, 1, 1), ms.float32)
        >>> x = Tensor([[[[[1.0, 2.0], [3.0, 4.0]]]]])
        >>> print(ops.Conv3DBackpropFilter(out_channel=1, kernel_size=(1, 2, 2))(dout, x, (1, 1, 1, 2, 2)))
        [[[[[1. 2.]
            [3. 4.]]]]]
    """


BY_LAYOUT["NCDHW"] = (Conv3D, Conv3DBackpropInput, Conv3DBackpropFilter)
