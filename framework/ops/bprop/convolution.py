"""Backward functions of convolutions, along two dimensions and three."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.needed import is_needed
from framework.ops.operations.windowed import Convolution, ConvolutionFilterGrad, ConvolutionInputGrad
from framework.ops.primitive import cached

shape_of = P.Shape()

#: By layout a convolution and its derivatives with respect to the images and to the weights.
_FAMILIES: dict[str, tuple[type[Convolution], type[ConvolutionInputGrad], type[ConvolutionFilterGrad]]] = {
    "NCHW": (P.Conv2D, P.Conv2DBackpropInput, P.Conv2DBackpropFilter),
    "NCDHW": (P.Conv3D, P.Conv3DBackpropInput, P.Conv3DBackpropFilter),
}


def _family(self: Convolution) -> tuple[Convolution, Convolution, Convolution]:
    """The convolution with these attributes and its two derivatives."""
    forward, input_grad, filter_grad = _FAMILIES[self.layout]
    begin, end = (self.out_channel, self.kernel_size), (self.stride, self.dilation, self.group, self.data_format)
    derivative = (*begin, self.pad_mode, self.pad, self.mode, *end)
    return (
        cached(forward, *begin, self.mode, self.pad_mode, self.pad, *end),
        cached(input_grad, *derivative),
        cached(filter_grad, *derivative),
    )


@bprop_getters.register(P.Conv2D, P.Conv3D)
def get_bprop_convolution(self: Convolution) -> Bprop:
    """Linear in images and in weights."""
    _, input_grad, filter_grad = _family(self)

    def bprop(x: Tensor, w: Tensor, out: Tensor, dout: Tensor) -> Any:
        dx = input_grad(dout, w, shape_of(x)) if is_needed(x) else None
        dw = filter_grad(dout, x, shape_of(w)) if is_needed(w) else None
        return dx, dw

    return bprop


@bprop_getters.register(P.Conv2DBackpropInput, P.Conv3DBackpropInput)
def get_bprop_convolution_input_grad(self: ConvolutionInputGrad) -> Bprop:
    """The transposed convolution is linear too; its transpose is the convolution."""
    conv, _, filter_grad = _family(self)

    def bprop(gradient: Tensor, w: Tensor, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return conv(dout, w), filter_grad(gradient, dout, shape_of(w)), None

    return bprop


@bprop_getters.register(P.Conv2DBackpropFilter, P.Conv3DBackpropFilter)
def get_bprop_convolution_filter_grad(self: ConvolutionFilterGrad) -> Bprop:
    """Linear in the gradient and in the images."""
    conv, input_grad, _ = _family(self)

    def bprop(gradient: Tensor, x: Tensor, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return conv(x, dout), input_grad(gradient, dout, shape_of(x)), None

    return bprop
