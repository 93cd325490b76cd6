"""Convolution and pooling over images [N, C, H, W].

The derivative of each is an operator of its own, and the derivatives of those are made of the same operators again, so
that gradients of any order exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.kernels.accelerated import avg_pool, avg_pool_grad, max_pool, max_pool_grad
from framework.kernels.pooling import max_pool_at, max_pool_places
from framework.kernels.windows import Window
from framework.ops.operations.shapes import Dims, pair
from framework.ops.operations.windowed import Convolution, ConvolutionFilterGrad, ConvolutionInputGrad, Windowed
from framework.ops.primitive import prim_attr_register

__all__ = [
    "AvgPool",
    "AvgPoolGrad",
    "Conv2D",
    "Conv2DBackpropFilter",
    "Conv2DBackpropInput",
    "Conv2DTranspose",
    "MaxPool",
    "MaxPoolGrad",
    "MaxPoolGradGrad",
    "MaxPoolWithArgmaxV2",
]


class Conv2D(Convolution):
    """The convolution of images [N, C, H, W] with weights [O, C / group, KH, KW].

    out[n, o, i, j] = sum over c, k, l of x[n, c, i * stride + k * dilation, j * stride + l * dilation] * w[o, c, k, l],
    where x is padded; with groups, c runs over those channels that o's group has.

    Args:
        out_channel: number of output channels O.
        kernel_size: height and width of the weights.
        mode: recorded.
        pad_mode: "valid": no padding; "same": the output is ceil(size / stride) long; "pad": as `pad` says.
        pad: rows and columns added on all sides, or top, bottom, left and right.
        stride: how far the window moves.
        dilation: distance of the rows and columns that a window sees.
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

    @prim_attr_register
    def __init__(
        self,
        out_channel: int,
        kernel_size: int | tuple[int, int],
        mode: int = 1,
        pad_mode: str = "valid",
        pad: int | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        group: int = 1,
        data_format: str = "NCHW",
    ) -> None:
        self._register(kernel_size, pad, stride, dilation)


class Conv2DBackpropInput(ConvolutionInputGrad):
    """The gradient of `Conv2D` with respect to the images: `(dout, w, shape of x)`; attributes as of `Conv2D`.

    Args:
        out_channel: number of output channels of the convolution.
        kernel_size: height and width of the weights.
        pad_mode: as of `Conv2D`.
        pad: as of `Conv2D`.
        mode: recorded.
        stride: as of `Conv2D`.
        dilation: as of `Conv2D`.
        group: as of `Conv2D`.
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

    @prim_attr_register
    def __init__(
        self,
        out_channel: int,
        kernel_size: int | tuple[int, int],
        pad_mode: str = "valid",
        pad: int | Sequence[int] = 0,
        mode: int = 1,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        group: int = 1,
        data_format: str = "NCHW",
    ) -> None:
        self._register(kernel_size, pad, stride, dilation)


class Conv2DTranspose(Conv2DBackpropInput):
    """The transpose of `Conv2D`, as a layer: `(x, w, shape of the output)`, which is `Conv2DBackpropInput`.

    Args:
        out_channel: number of channels of x: those that the convolution puts out.
        kernel_size: height and width of the weights.
        pad_mode: as of `Conv2D`.
        pad: as of `Conv2D`.
        pad_list: recorded.
        mode: recorded.
        stride: as of `Conv2D`.
        dilation: as of `Conv2D`.
        group: as of `Conv2D`.
        data_format: "NCHW".

    Inputs: x, a tensor of shape (N, O, H, W); w, weights of shape (O, C / group, KH, KW); the shape of the output, a
    tuple (N, C, H', W') which the convolution turns into that of x.
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
    """The gradient of `Conv2D` with respect to the weights: `(dout, x, shape of w)`; attributes as of `Conv2D`.

    Args:
        out_channel: number of output channels of the convolution.
        kernel_size: height and width of the weights.
        pad_mode: as of `Conv2D`.
        pad: as of `Conv2D`.
        mode: recorded.
        stride: as of `Conv2D`.
        dilation: as of `Conv2D`.
        group: as of `Conv2D`.
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

    @prim_attr_register
    def __init__(
        self,
        out_channel: int,
        kernel_size: int | tuple[int, int],
        pad_mode: str = "valid",
        pad: int | Sequence[int] = 0,
        mode: int = 1,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        group: int = 1,
        data_format: str = "NCHW",
    ) -> None:
        self._register(kernel_size, pad, stride, dilation)


class _Pool(Windowed):
    """Pooling.

    Args:
        kernel_size: height and width of the window.
        strides: how far it moves.
        pad_mode: "valid", "same" or "pad".
        pad: with "pad", rows and columns on both sides: one number, or height and width.
        ceil_mode: let the last window hang over the edge.
        data_format: "NCHW".

    """

    def _register(self, kernel_size: Any, strides: Any, pad: Any) -> None:
        self._check_layout()
        self.add_prim_attr("kernel_size", pair(kernel_size))
        self.add_prim_attr("strides", pair(strides))
        self.add_prim_attr("pad", pair(pad))

    def _make_window(self) -> Window:
        down, right = self.pad if self.pad_mode == "pad" else (0, 0)
        return Window(
            self.kernel_size,
            self.strides,
            (down, down, right, right),
            same=self.pad_mode == "same",
            ceil=bool(self.ceil_mode) and self.pad_mode == "pad",
        )


class MaxPool(_Pool):
    """The largest element of each window.

    Args:
        kernel_size: height and width of the window; in MindSpore 0.x `ksize`.
        strides: how far it moves.
        pad_mode: "valid": no padding; "same": the output is ceil(size / stride) long; "pad": as `pad` says.
        data_format: "NCHW".
        ksize: the older name of `kernel_size`.
        pad: with pad_mode "pad", rows and columns on both sides.
        ceil_mode: with pad_mode "pad", let the last window hang over the edge.

    Inputs: x, images of shape (N, C, H, W).
    Output: a tensor of shape (N, C, H', W'), of x's element type; without padding H' = floor((H - height of the window)
    / stride) + 1, and W' likewise.

    Example:
        >>> x = Tensor([[[[1.0, 2.0, 5.0, 1.0], [3.0, 4.0, 0.0, 2.0]]]])
        >>> print(ops.MaxPool(kernel_size=2, strides=2)(x))
        [[[[4. 5.]]]]
    """

    takes = MappingProxyType({0: mstype.real_type})

    @prim_attr_register
    def __init__(
        self,
        kernel_size: Any = 1,
        strides: Any = 1,
        pad_mode: str = "valid",
        data_format: str = "NCHW",
        ksize: Any = None,
        pad: Any = 0,
        ceil_mode: bool = False,
    ) -> None:
        self.del_prim_attr("ksize")
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        self._register(kernel_size if ksize is None else ksize, strides, pad)

    def infer_shape(self, x: Any, *others: Any) -> Dims:
        return self._out(x, x[1])

    def compute(self, xp: Any, x: Any, *, out: Any = None) -> Any:
        return max_pool(xp, x, self.window, out)


class MaxPoolGrad(MaxPool):
    """The gradient of `MaxPool` with respect to the images: `(x, out, dout)`; attributes as of `MaxPool`.

    Args:
        kernel_size: as of `MaxPool`.
        strides: as of `MaxPool`.
        pad_mode: as of `MaxPool`.
        data_format: "NCHW".
        ksize: as of `MaxPool`.
        pad: as of `MaxPool`.
        ceil_mode: as of `MaxPool`.

    Inputs: x, the images of shape (N, C, H, W); out, what `MaxPool` gives for them; dout, the gradient with respect to
    that, of its shape.
    Output: a tensor of the shape of x, of dout's element type: dout at the first of the largest elements of each
    window, else 0.

    Example:
        >>> x = Tensor([[[[1.0, 2.0, 5.0, 1.0], [3.0, 4.0, 0.0, 2.0]]]])
        >>> out = ops.MaxPool(2, 2)(x)
        >>> print(ops.MaxPoolGrad(2, 2)(x, out, Tensor([[[[10.0, 20.0]]]])))
        [[[[ 0.  0. 20.  0.]
           [ 0. 10.  0.  0.]]]]
    """

    def infer_shape(self, x: Any, *others: Any) -> Dims:
        return x  # type: ignore[no-any-return]

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return others[1]

    def compute(self, xp: Any, x: Any, y: Any, dout: Any, *, out: Any = None) -> Any:  # type: ignore[override]
        return max_pool_grad(xp, x, y, dout, self.window, out)


class MaxPoolGradGrad(MaxPool):
    """The gradient of `MaxPoolGrad` with respect to `dout`: `(x, out, d of x)`; attributes as of `MaxPool`.

    Args:
        kernel_size: as of `MaxPool`.
        strides: as of `MaxPool`.
        pad_mode: as of `MaxPool`.
        data_format: "NCHW".
        ksize: as of `MaxPool`.
        pad: as of `MaxPool`.
        ceil_mode: as of `MaxPool`.

    Inputs: x, the images of shape (N, C, H, W); out, what `MaxPool` gives for them; values, a tensor of the shape of x.
    Output: a tensor of the shape of out: of each window the value at the place of its first largest element.

    Example:
        >>> x = Tensor([[[[1.0, 2.0, 5.0, 1.0], [3.0, 4.0, 0.0, 2.0]]]])
        >>> out = ops.MaxPool(2, 2)(x)
        >>> print(ops.MaxPoolGradGrad(2, 2)(x, out, 10 * x))
        [[[[40. 50.]]]]
    """

    def infer_shape(self, x: Any, *others: Any) -> Dims:
        return others[0]  # type: ignore[no-any-return]

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return others[1]

    def compute(self, xp: Any, x: Any, y: Any, values: Any) -> Any:  # type: ignore[override]
        return max_pool_at(xp, x, y, values, self.window)


class MaxPoolWithArgmaxV2(Windowed):
    """The largest element of each window, and where it lies in its image: row times width plus column.

    Args:
        kernel_size: height and width of the window.
        strides: how far it moves; the window's size where it is left out.
        pads: rows and columns that are added on both sides, of which none is ever picked.
        dilation: distance of the rows and columns that a window sees.
        ceil_mode: let the last window hang over the edge.
        argmax_type: element type of the places, Int64 or Int32.

    Inputs: x, images of shape (N, C, H, W).
    Output: a tuple of two tensors of shape (N, C, H', W'): the largest elements, of x's element type, and their places,
    of argmax_type.

    Example:
        >>> x = Tensor([[[[1.0, 2.0, 5.0, 1.0], [3.0, 4.0, 0.0, 2.0]]]])
        >>> largest, places = ops.MaxPoolWithArgmaxV2(2)(x)
        >>> print(largest, places)
        [[[[4. 5.]]]] [[[[5 2]]]]
    """

    takes = MappingProxyType({0: mstype.real_type})

    @prim_attr_register
    def __init__(
        self,
        kernel_size: Any,
        strides: Any = None,
        pads: Any = 0,
        dilation: Any = (1, 1),
        ceil_mode: bool = False,
        argmax_type: DType = mstype.int64,
    ) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output", "argmax"])
        self.add_prim_attr("kernel_size", pair(kernel_size))
        self.add_prim_attr("strides", pair(kernel_size if strides is None else strides))
        self.add_prim_attr("pads", pair(pads))
        self.add_prim_attr("dilation", pair(dilation))

    def _make_window(self) -> Window:
        down, right = self.pads
        return Window(
            self.kernel_size, self.strides, (down, down, right, right), self.dilation, ceil=bool(self.ceil_mode)
        )

    def infer_shape(self, x: Any, *others: Any) -> Any:
        out = self._out(x, x[1])
        return out, out

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return x, self.argmax_type

    def compute(self, xp: Any, x: Any) -> Any:
        values, places = max_pool_places(xp, x, self.window)
        return values, places.astype(self.argmax_type.numpy, copy=False)


class AvgPool(_Pool):
    """The mean of each window.

    Args:
        kernel_size: height and width of the window; in MindSpore 0.x `ksize`.
        strides: how far it moves.
        pad_mode: "valid": no padding; "same": the output is ceil(size / stride) long; "pad": as `pad` says.
        data_format: "NCHW".
        ksize: the older name of `kernel_size`.
        pad: with pad_mode "pad", rows and columns on both sides.
        ceil_mode: with pad_mode "pad", let the last window hang over the edge.
        count_include_pad: with pad_mode "pad", whether what is added counts as elements.
        divisor_override: what sums are divided by, in place of the number of elements.

    Inputs: x, images of shape (N, C, H, W) of a floating-point type.
    Output: a tensor of shape (N, C, H', W'), of x's element type; without padding H' = floor((H - height of the window)
    / stride) + 1, and W' likewise.

    Example:
        >>> x = Tensor([[[[1.0, 2.0, 5.0, 1.0], [3.0, 4.0, 0.0, 2.0]]]])
        >>> print(ops.AvgPool(kernel_size=2, strides=2)(x))
        [[[[2.5 2. ]]]]
    """

    takes = MappingProxyType({0: mstype.inexact_type})

    @prim_attr_register
    def __init__(
        self,
        kernel_size: Any = 1,
        strides: Any = 1,
        pad_mode: str = "valid",
        data_format: str = "NCHW",
        ksize: Any = None,
        pad: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        self.del_prim_attr("ksize")
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        self._register(kernel_size if ksize is None else ksize, strides, pad)

    def infer_shape(self, x: Any, *others: Any) -> Dims:
        return self._out(x, x[1])

    def compute(self, xp: Any, x: Any) -> Any:
        return avg_pool(xp, x, self.window, self.counts_padding, self.divisor_override)

    @property
    def counts_padding(self) -> bool:
        """Whether what is added around images counts as elements."""
        return bool(self.count_include_pad) and self.pad_mode == "pad"


class AvgPoolGrad(AvgPool):
    """The gradient of `AvgPool` with respect to the images: `(dout, shape of x)`; attributes as of `AvgPool`.

    Args:
        kernel_size: as of `AvgPool`.
        strides: as of `AvgPool`.
        pad_mode: as of `AvgPool`.
        data_format: "NCHW".
        ksize: as of `AvgPool`.
        pad: as of `AvgPool`.
        ceil_mode: as of `AvgPool`.
        count_include_pad: as of `AvgPool`.
        divisor_override: as of `AvgPool`.

    Inputs: dout, the gradient with respect to the output of `AvgPool`; the shape of x, a tuple (N, C, H, W).
    Output: a tensor of that shape, of dout's element type: each element of a window gets an equal share.

    Example:
        >>> print(ops.AvgPoolGrad(2, 2)(Tensor([[[[4.0, 8.0]]]]), (1, 1, 2, 4)))
        [[[[1. 1. 2. 2.]
           [1. 1. 2. 2.]]]]
    """

    value_inputs = (1,)

    def infer_shape(self, dout: Any, *others: Any) -> Dims:
        return tuple(others[0])

    def infer_dtype(self, dout: DType, *others: Any) -> DType:
        return dout

    def compute(self, xp: Any, dout: Any, shape: Any) -> Any:  # type: ignore[override]
        return avg_pool_grad(xp, dout, tuple(shape), self.window, self.counts_padding, self.divisor_override)
