"""Base classes of operators that slide a window, and convolution along any number of dimensions with its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.accelerated import convolve, convolve_filter_grad, convolve_input_grad
from framework.kernels.windows import Window
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.elementwise import promoted
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.matrices.products import bias_add
from framework.ops.needed import is_needed
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, each

__all__ = [
    "BY_LAYOUT",
    "Convolution",
    "ConvolutionFilterGrad",
    "ConvolutionInputGrad",
    "Windowed",
    "convolution",
]


_PAD_MODES = ("valid", "same", "pad")


class Windowed(PrimitiveWithInfer):
    """The base class of operators that slide a window over the dimensions after N and C of `layout`."""

    fresh = True
    layout = "NCHW"

    def infer_dtype(self, x: DType, *others: object) -> DType:
        return x

    @property
    def window(self) -> Window:
        """The window that the attributes describe."""
        made = self.__dict__.get("_window")
        if made is None:
            made = self.__dict__["_window"] = self._make_window()
        return made

    def _make_window(self) -> Window:
        raise NotImplementedError

    def _check_layout(self) -> None:
        if self.data_format != self.layout:
            raise ValueError(
                f"{self.name}: data_format must be {self.layout}, not {self.data_format}: transpose the images"
            )
        if self.pad_mode.lower() not in _PAD_MODES:
            raise ValueError(f"{self.name}: pad_mode must be one of {', '.join(_PAD_MODES)}, not {self.pad_mode!r}")
        self.add_prim_attr("pad_mode", self.pad_mode.lower())

    def _out(self, images: Dims, channels: int | None) -> Dims:
        if len(images) != len(self.layout):
            raise ValueError(f"{self.name} takes images [{', '.join(self.layout)}], not shape {images}")
        sizes = (None if size is None else self.window.out_size(size, side) for side, size in enumerate(images[2:]))
        return (images[0], channels, *sizes)


class Convolution(Windowed):
    """A convolution along the dimensions after N and C in `layout`.

    The constructors are here for "NCHW"; classes of another layout give `data_format` another default.
    """

    @prim_attr_register
    def __init__(
        self,
        out_channel: int,
        kernel_size: int | tuple[int, ...],
        mode: int = 1,
        pad_mode: str = "valid",
        pad: int | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        group: int = 1,
        data_format: str = "NCHW",
    ) -> None:
        self._register(kernel_size, pad, stride, dilation)

    def _register(
        self,
        kernel_size: int | Sequence[int],
        pad: int | Sequence[int],
        stride: int | Sequence[int],
        dilation: int | Sequence[int],
    ) -> None:
        self.init_prim_io_names(inputs=["x", "w"], outputs=["output"])
        self._check_layout()
        rank = len(self.layout) - 2
        self.add_prim_attr("kernel_size", each(kernel_size, rank))
        self.add_prim_attr("stride", each(stride, rank))
        self.add_prim_attr("dilation", each(dilation, rank))
        pads = (pad,) * (2 * rank) if isinstance(pad, int) else tuple(pad)
        if len(pads) != 2 * rank:
            raise ValueError(f"{self.name}: pad={pad} must be one number or {2 * rank}")
        if any(pads) and self.pad_mode != "pad":
            raise ValueError(f"{self.name}: pad={pad} needs pad_mode='pad', not {self.pad_mode!r}")
        self.add_prim_attr("pad", pads)

    def _make_window(self) -> Window:
        return Window(self.kernel_size, self.stride, self.pad, self.dilation, same=self.pad_mode == "same")

    def infer_shape(self, x: Any, w: Any, *others: Any) -> Dims:
        if len(w) != len(self.layout) or (x[1] is not None and w[1] * self.group != x[1]):
            raise ValueError(f"{self.name}: weights of shape {w} in {self.group} groups do not fit images of shape {x}")
        if tuple(w[2:]) != self.kernel_size:
            raise ValueError(f"{self.name}: weights of shape {w} do not have the kernel size {self.kernel_size}")
        return self._out(x, w[0])

    def infer_dtype(self, x: Any, *others: Any) -> DType:
        return mstype.promote(x, others[0])

    def compute(self, xp: ArrayModule, x: Array, w: Array, *, out: Array | None = None) -> Array:
        self.infer_shape(x.shape, w.shape)
        x, w = promoted(xp, x, w)
        return convolve(xp, x, w, self.window, self.group, out)


#: For each layout the convolution and its derivatives by images and by weights; their modules enter them.
BY_LAYOUT: dict[str, tuple[type[Convolution], type[ConvolutionInputGrad], type[ConvolutionFilterGrad]]] = {}


def _family(self: Convolution) -> tuple[Convolution, Convolution, Convolution]:
    """The convolution with the attributes of this operator, and its two derivatives."""
    forward, input_grad, filter_grad = BY_LAYOUT[self.layout]
    begin, end = (self.out_channel, self.kernel_size), (self.stride, self.dilation, self.group, self.data_format)
    derivative = (*begin, self.pad_mode, self.pad, self.mode, *end)
    return (
        cached(forward, *begin, self.mode, self.pad_mode, self.pad, *end),
        cached(input_grad, *derivative),
        cached(filter_grad, *derivative),
    )


@bprop_getters.register(Convolution)
def get_bprop_convolution(self: Convolution) -> Bprop:
    """The convolution is linear in the images and in the weights."""
    _, input_grad, filter_grad = _family(self)

    def bprop(x: Tensor, w: Tensor, out: Tensor, dout: Tensor) -> Any:
        dx = input_grad(dout, w, shape_of(x)) if is_needed(x) else None
        dw = filter_grad(dout, x, shape_of(w)) if is_needed(w) else None
        return dx, dw

    return bprop


class ConvolutionInputGrad(Convolution):
    """The gradient of a convolution with respect to the images: `(dout, w, shape of x)`."""

    value_inputs = (2,)

    @prim_attr_register
    def __init__(
        self,
        out_channel: int,
        kernel_size: int | tuple[int, ...],
        pad_mode: str = "valid",
        pad: int | Sequence[int] = 0,
        mode: int = 1,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        group: int = 1,
        data_format: str = "NCHW",
    ) -> None:
        self._register(kernel_size, pad, stride, dilation)

    def _register(
        self,
        kernel_size: int | Sequence[int],
        pad: int | Sequence[int],
        stride: int | Sequence[int],
        dilation: int | Sequence[int],
    ) -> None:
        super()._register(kernel_size, pad, stride, dilation)
        self.init_prim_io_names(inputs=["out_backprop", "filter", "input_sizes"], outputs=["output"])

    def infer_shape(self, dout: Any, w: Any, shape: Any = ()) -> Dims:
        return tuple(shape)

    def compute(
        self, xp: ArrayModule, dout: Array, w: Array, shape: tuple[int, ...] = (), *, out: Array | None = None
    ) -> Array:
        dout, w = promoted(xp, dout, w)
        return convolve_input_grad(xp, dout, w, tuple(shape), self.window, self.group, out)


@bprop_getters.register(ConvolutionInputGrad)
def get_bprop_convolution_input_grad(self: ConvolutionInputGrad) -> Bprop:
    """The transposed convolution is linear in both inputs; its transpose is the convolution."""
    conv, _, filter_grad = _family(self)

    def bprop(
        gradient: Tensor, w: Tensor, shape: tuple[int, ...], out: Tensor, dout: Tensor
    ) -> tuple[Tensor | None, ...]:
        return conv(dout, w), filter_grad(gradient, dout, shape_of(w)), None

    return bprop


class ConvolutionFilterGrad(ConvolutionInputGrad):
    """The gradient of a convolution with respect to the weights: `(dout, x, shape of w)`."""

    takes = MappingProxyType({0: mstype.inexact_type})

    def compute(
        self, xp: ArrayModule, dout: Array, w: Array, shape: tuple[int, ...] = (), *, out: Array | None = None
    ) -> Array:
        dout, w = promoted(xp, dout, w)
        return convolve_filter_grad(xp, dout, w, tuple(shape), self.window, self.group, out)


@bprop_getters.register(ConvolutionFilterGrad)
def get_bprop_convolution_filter_grad(self: ConvolutionFilterGrad) -> Bprop:
    """The operator is linear in the gradient and in the images."""
    conv, input_grad, _ = _family(self)

    def bprop(
        gradient: Tensor, x: Tensor, shape: tuple[int, ...], out: Tensor, dout: Tensor
    ) -> tuple[Tensor | None, ...]:
        return conv(x, dout), input_grad(gradient, dout, shape_of(x)), None

    return bprop


def convolution(
    kind: type[Convolution],
    input: Tensor,
    weight: Tensor | float,
    bias: Tensor | float | None,
    stride: int | Sequence[int],
    pad_mode: str,
    padding: int | Sequence[int],
    dilation: int | Sequence[int],
    groups: int,
) -> Tensor:
    """The convolution of `input` with `weight`, plus a bias: `conv2d` and `conv3d`.

    Args:
        kind: `Conv2D` or `Conv3D`. The dimensions behind N and C are those of its layout.
        input: (N, C, *sizes).
        weight: (O, C / groups, *kernel).
        bias: (O,), or None.
        stride: the step of the window in elements: one number, or one for each dimension.
        pad_mode: "valid", "same" or "pad".
        padding: for "pad", the number of zeros: one number, one for each dimension, or one for each side.
        dilation: the distance of neighbouring window elements: one number, or one for each dimension.
        groups: the number of groups that channels are divided into.

    Returns:
        (N, O, *output sizes), of the element type to which those of `input` and `weight` are promoted.
    """
    out_channels, _, *kernel = shape_of(weight)
    out = _convolution(kind, out_channels, kernel, stride, pad_mode, padding, dilation, groups)(input, weight)
    return out if bias is None else bias_add(out, bias)


@constexpr
def _convolution(
    kind: type[Convolution],
    out_channels: int,
    kernel: Sequence[int],
    stride: int | Sequence[int],
    pad_mode: str,
    pad: int | Sequence[int],
    dilation: int | Sequence[int],
    groups: int,
) -> Convolution:
    """The primitive of a call of `convolution`."""
    rank = len(kind.layout) - 2
    if not isinstance(pad, int):
        pad = tuple(size for size in pad for _ in (0, 1)) if len(pad) == rank else tuple(pad)
    sizes = (each(stride, rank), each(dilation, rank))
    return cached(kind, out_channels, each(kernel, rank), 1, pad_mode, pad, *sizes, groups)
