"""Maximum and average pooling over windows that slide over images."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.accelerated import avg_pool, avg_pool_grad, max_pool, max_pool_grad
from framework.kernels.pooling import max_pool_at
from framework.kernels.windows import Window
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.convolution.windowed import Windowed
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims, as_pair, pair

__all__ = [
    "AvgPool",
    "AvgPoolGrad",
    "MaxPool",
    "MaxPoolGrad",
    "MaxPoolGradGrad",
    "avg_pool2d",
]

zeros_like = ZerosLike()


class _Pool(Windowed):
    """Base class of pooling operators.

    Args:
        kernel_size: height and width of the window.
        strides: distance between windows.
        pad_mode: "valid", "same" or "pad".
        pad: for pad_mode "pad", rows and columns on each side: one number, or height and width.
        ceil_mode: allow the last window to reach over the edge.
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
    """The maximum of each window.

    Args:
        kernel_size: height and width of the window, one number or two.
        strides: distance between windows, one number or two.
        pad_mode: "valid" for no padding; "same" for an output of ceil(size / stride); "pad" for the padding `pad`.
        data_format: "NCHW".
        ksize: name of `kernel_size` in MindSpore 0.x.
        pad: for pad_mode "pad", rows and columns on each side.
        ceil_mode: for pad_mode "pad", allow the last window to reach over the edge.

    Inputs: x, images of shape (N, C, H, W).
    Output: a tensor of shape (N, C, H', W') and the element type of x. Without padding, H' = floor((H - window height)
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
        kernel_size: int | tuple[int, ...] = 1,
        strides: int | tuple[int, ...] = 1,
        pad_mode: str = "valid",
        data_format: str = "NCHW",
        ksize: Any = None,
        pad: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
    ) -> None:
        self.del_prim_attr("ksize")
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        self._register(kernel_size if ksize is None else ksize, strides, pad)

    def infer_shape(self, x: Dims, *others: object) -> Dims:
        return self._out(x, x[1])

    def compute(self, xp: ArrayModule, x: Array, *, out: Array | None = None) -> Array:
        return max_pool(xp, x, self.window, out)


def _pooling(self: MaxPool | AvgPool) -> tuple[Any, ...]:
    """The attributes of a pooling operator, in the order of its `__init__`."""
    return (
        self.kernel_size,
        self.strides,
        self.pad_mode,
        self.data_format,
        None,
        self.pad,
        self.ceil_mode,
    )


@bprop_getters.register(MaxPool)
def get_bprop_max_pool(self: MaxPool) -> Bprop:
    """The first maximum of each window gets its gradient."""
    grad = cached(MaxPoolGrad, *_pooling(self))

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (grad(x, out, dout),)

    return bprop


class MaxPoolGrad(MaxPool):
    """The gradient of `MaxPool` with respect to the images: `(x, out, dout)`.

    Args:
        kernel_size: as for `MaxPool`.
        strides: as for `MaxPool`.
        pad_mode: as for `MaxPool`.
        data_format: "NCHW".
        ksize: as for `MaxPool`.
        pad: as for `MaxPool`.
        ceil_mode: as for `MaxPool`.

    Inputs: x, the images of shape (N, C, H, W); out, the output of `MaxPool` for them; dout, the gradient with respect
    to out, of its shape.
    Output: a tensor of the shape of x and the element type of dout: dout at the first maximum of each window, 0
    elsewhere.

    Example:
        >>> x = Tensor([[[[1.0, 2.0, 5.0, 1.0], [3.0, 4.0, 0.0, 2.0]]]])
        >>> out = ops.MaxPool(2, 2)(x)
        >>> print(ops.MaxPoolGrad(2, 2)(x, out, Tensor([[[[10.0, 20.0]]]])))
        [[[[ 0.  0. 20.  0.]
           [ 0. 10.  0.  0.]]]]
    """

    def infer_shape(self, x: Dims, *others: object) -> Dims:
        return x

    def infer_dtype(self, x: DType, *others: object) -> Any:
        return others[1]

    def compute(self, xp: ArrayModule, x: Array, y: Array, dout: Array, *, out: Array | None = None) -> Array:  # type: ignore[override]
        return max_pool_grad(xp, x, y, dout, self.window, out)


@bprop_getters.register(MaxPoolGrad)
def get_bprop_max_pool_grad(self: MaxPoolGrad) -> Bprop:
    """The gradient is linear in dout; the position of the maximum is constant between jumps."""
    grad_grad = cached(MaxPoolGradGrad, *_pooling(self))

    def bprop(x: Tensor, y: Tensor, gradient: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return zeros_like(x), zeros_like(y), grad_grad(x, y, dout)

    return bprop


class MaxPoolGradGrad(MaxPool):
    """The gradient of `MaxPoolGrad` with respect to `dout`: `(x, out, values)`.

    Args:
        kernel_size: as for `MaxPool`.
        strides: as for `MaxPool`.
        pad_mode: as for `MaxPool`.
        data_format: "NCHW".
        ksize: as for `MaxPool`.
        pad: as for `MaxPool`.
        ceil_mode: as for `MaxPool`.

    Inputs: x, the images of shape (N, C, H, W); out, the output of `MaxPool` for them; values, a tensor of the shape of
    x.
    Output: a tensor of the shape of out: for each window the value at the position of its first maximum.

    Example:
        >>> x = Tensor([[[[1.0, 2.0, 5.0, 1.0], [3.0, 4.0, 0.0, 2.0]]]])
        >>> out = ops.MaxPool(2, 2)(x)
        >>> print(ops.MaxPoolGradGrad(2, 2)(x, out, 10 * x))
        [[[[40. 50.]]]]
    """

    def infer_shape(self, x: Any, *others: Any) -> Dims:
        return others[0]

    def infer_dtype(self, x: DType, *others: object) -> Any:
        return others[1]

    def compute(self, xp: ArrayModule, x: Array, y: Array, values: Array) -> Array:  # type: ignore[override]
        return max_pool_at(xp, x, y, values, self.window)


@bprop_getters.register(MaxPoolGradGrad)
def get_bprop_max_pool_grad_grad(self: MaxPoolGradGrad) -> Bprop:
    """The operator is linear in the values; its transpose is `MaxPoolGrad`."""
    grad = cached(MaxPoolGrad, *_pooling(self))

    def bprop(x: Tensor, y: Tensor, values: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return zeros_like(x), zeros_like(y), grad(x, y, dout)

    return bprop


class AvgPool(_Pool):
    """The mean of each window.

    Args:
        kernel_size: height and width of the window, one number or two.
        strides: distance between windows, one number or two.
        pad_mode: "valid" for no padding; "same" for an output of ceil(size / stride); "pad" for the padding `pad`.
        data_format: "NCHW".
        ksize: name of `kernel_size` in MindSpore 0.x.
        pad: for pad_mode "pad", rows and columns on each side.
        ceil_mode: for pad_mode "pad", allow the last window to reach over the edge.
        count_include_pad: for pad_mode "pad", count the padding as elements.
        divisor_override: divisor of the sums; None for the number of elements.

    Inputs: x, images of shape (N, C, H, W) of a floating-point type.
    Output: a tensor of shape (N, C, H', W') and the element type of x. Without padding, H' = floor((H - window height)
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
        kernel_size: int | tuple[int, ...] = 1,
        strides: int | tuple[int, ...] = 1,
        pad_mode: str = "valid",
        data_format: str = "NCHW",
        ksize: Any = None,
        pad: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        self.del_prim_attr("ksize")
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        self._register(kernel_size if ksize is None else ksize, strides, pad)

    def infer_shape(self, x: Dims, *others: object) -> Dims:
        return self._out(x, x[1])

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return avg_pool(xp, x, self.window, self.counts_padding, self.divisor_override)

    @property
    def counts_padding(self) -> bool:
        """Whether the padding counts as elements."""
        return bool(self.count_include_pad) and self.pad_mode == "pad"


@bprop_getters.register(AvgPool)
def get_bprop_avg_pool(self: AvgPool) -> Bprop:
    """Each element of a window gets an equal share of its gradient."""
    grad = cached(AvgPoolGrad, *_pooling(self), self.count_include_pad, self.divisor_override)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (grad(dout, shape_of(x)),)

    return bprop


class AvgPoolGrad(AvgPool):
    """The gradient of `AvgPool` with respect to the images: `(dout, shape of x)`.

    Args:
        kernel_size: as for `AvgPool`.
        strides: as for `AvgPool`.
        pad_mode: as for `AvgPool`.
        data_format: "NCHW".
        ksize: as for `AvgPool`.
        pad: as for `AvgPool`.
        ceil_mode: as for `AvgPool`.
        count_include_pad: as for `AvgPool`.
        divisor_override: as for `AvgPool`.

    Inputs: dout, the gradient with respect to the output of `AvgPool`; the shape of x, a tuple (N, C, H, W).
    Output: a tensor of that shape and the element type of dout. Each element of a window gets an equal share.

    Example:
        >>> print(ops.AvgPoolGrad(2, 2)(Tensor([[[[4.0, 8.0]]]]), (1, 1, 2, 4)))
        [[[[1. 1. 2. 2.]
           [1. 1. 2. 2.]]]]
    """

    value_inputs = (1,)

    def infer_shape(self, dout: Any, *others: Any) -> Dims:
        return tuple(others[0])

    def infer_dtype(self, dout: DType, *others: object) -> DType:
        return dout

    def compute(self, xp: ArrayModule, dout: Array, shape: tuple[int, ...]) -> Array:  # type: ignore[override]
        return avg_pool_grad(xp, dout, tuple(shape), self.window, self.counts_padding, self.divisor_override)


@bprop_getters.register(AvgPoolGrad)
def get_bprop_avg_pool_grad(self: AvgPoolGrad) -> Bprop:
    """The gradient is linear; its transpose is `AvgPool`."""
    pool = cached(AvgPool, *_pooling(self), self.count_include_pad, self.divisor_override)

    def bprop(gradient: Tensor, shape: tuple[int, ...], out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return pool(dout), None

    return bprop


def avg_pool2d(
    input_x: Tensor,
    kernel_size: int | Sequence[int] = 1,
    stride: int | Sequence[int] = 1,
    padding: int = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """The mean of each window over images.

    Args:
        input_x: images of shape (N, C, H, W), of a floating-point type.
        kernel_size: height and width of a window, or one number for both.
        stride: distance between windows, in the same order.
        padding: number of zeros on each side.
        ceil_mode: allow the last windows to reach over the edge.
        count_include_pad: count the padding as elements.
        divisor_override: divisor of the sums; 0 for the number of elements.

    Returns:
        A tensor of shape (N, C, H', W').

    Example:
        >>> print(ops.avg_pool2d(Tensor([[[[1.0, 3.0, 0.0], [5.0, 7.0, 0.0]]]]), 2))
        [[[[4.  2.5]]]]

    """
    return cached(
        AvgPool,
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
