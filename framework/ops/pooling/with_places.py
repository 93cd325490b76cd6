"""Max pooling that also returns the indices of the maxima."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.images import resampling
from framework.kernels.pooling import max_pool_places
from framework.kernels.windows import Window
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import reshape
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.convolution.windowed import Windowed
from framework.ops.gradients import gradient
from framework.ops.indexing.gathering_elements import GatherDGrad
from framework.ops.pooling.sliding import MaxPool
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, as_pair, pair

__all__ = [
    "AdaptiveMaxPool2D",
    "MaxPoolWithArgmax",
    "MaxPoolWithArgmaxV2",
    "adaptive_max_pool2d",
    "max_pool2d",
]

gather_d_grad = GatherDGrad()


class MaxPoolWithArgmaxV2(Windowed):
    """The maximum of each window and its index in the image: row times width plus column.

    Args:
        kernel_size: height and width of the window, one number or two.
        strides: distance between windows; None for their size.
        pads: rows and columns on each side; they never are the maximum.
        dilation: distance between the rows and columns of a window.
        ceil_mode: allow the last window to reach over the edge.
        argmax_type: element type of the indices, Int64 or Int32.

    Inputs: x, images of shape (N, C, H, W).
    Output: two tensors of shape (N, C, H', W'): the maxima, of the element type of x, and their indices, of
    argmax_type.

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
        kernel_size: int | tuple[int, ...],
        strides: int | tuple[int, ...] | None = None,
        pads: int | tuple[int, ...] = 0,
        dilation: tuple[int, ...] = (1, 1),
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

    def infer_shape(self, x: Dims, *others: object) -> tuple[Dims, ...]:
        out = self._out(x, x[1])
        return out, out

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return x, self.argmax_type

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        values, places = max_pool_places(xp, x, self.window)
        return values, places.astype(self.argmax_type.numpy, copy=False)


class MaxPoolWithArgmax(Windowed):
    """The maximum of each window and its index in the image, as in MindSpore 1.x.

    Args:
        kernel_size: height and width of the window, one number or two.
        strides: distance between windows, one number or two.
        pad_mode: "valid" for no padding; "same" for an output of ceil(size / stride).
        data_format: "NCHW".

    Inputs: x, images of shape (N, C, H, W).
    Output: two tensors of shape (N, C, H', W'): the maxima, of the element type of x, and their Int32 indices: row
    times width plus column.

    Example:
        >>> x = Tensor([[[[1.0, 2.0, 5.0], [3.0, 4.0, 0.0]]]])
        >>> largest, places = ops.MaxPoolWithArgmax(2, 2, "same")(x)
        >>> print(largest, places)
        [[[[4. 5.]]]] [[[[4 2]]]]
    """

    takes = MappingProxyType({0: mstype.real_type})

    @prim_attr_register
    def __init__(
        self,
        kernel_size: int | tuple[int, ...] = 1,
        strides: int | tuple[int, ...] = 1,
        pad_mode: str = "valid",
        data_format: str = "NCHW",
    ) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output", "mask"])
        if pad_mode.lower() not in ("valid", "same"):
            raise ValueError(f"MaxPoolWithArgmax: pad_mode must be 'valid' or 'same', not {pad_mode!r}")
        self._check_layout()
        self.add_prim_attr("kernel_size", pair(kernel_size))
        self.add_prim_attr("strides", pair(strides))

    def _make_window(self) -> Window:
        return Window(self.kernel_size, self.strides, (0, 0, 0, 0), same=self.pad_mode == "same")

    def infer_shape(self, x: Dims, *others: object) -> tuple[Dims, ...]:
        out = self._out(x, x[1])
        return out, out

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return x, mstype.int32

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        values, places = max_pool_places(xp, x, self.window)
        return values, places.astype(xp.int32)


def two(size: int | Sequence[int | None] | None) -> tuple[int | None, int | None]:
    return (size, size) if size is None or isinstance(size, int) else (size[0], size[1])


class AdaptiveMaxPool2D(PrimitiveWithInfer):
    """Adaptive max pooling: the maxima of a given number of parts along height and width, as in `AdaptiveAvgPool2D`.

    Inputs: x of shape (N, C, H, W) or (C, H, W).

    Output: the maxima, of the element type of x, and their Int64 indices in the image: row times width plus column.

    Args:
        output_size: rows and columns, or one number for both; None keeps a side as it is.

    Example:
        >>> x = Tensor([[[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]]], ms.float32)
        >>> y, places = ops.AdaptiveMaxPool2D((1, 2))(x)
        >>> print(y, places)
        [[[[6. 8.]]]] [[[[5 7]]]]
    """

    fresh = True

    @prim_attr_register
    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output", "argmax"])
        self.add_prim_attr("output_size", two(output_size))

    def infer_shape(self, x: Dims) -> tuple[Dims, Dims]:
        if len(x) not in (3, 4):
            raise ValueError(f"AdaptiveMaxPool2D takes images (N, C, H, W), not a tensor of shape {x}")
        rows, columns = self.output_size
        out = (*x[:-2], x[-2] if rows is None else rows, x[-1] if columns is None else columns)
        return out, out

    def infer_dtype(self, x: DType) -> tuple[DType, DType]:
        return x, mstype.int64

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        shape, _ = self.infer_shape(x.shape)
        values, places = xp.empty(shape, x.dtype), xp.empty(shape, xp.int64)
        width = x.shape[-1]
        for i, (top, bottom) in enumerate(resampling.parts(x.shape[-2], shape[-2] or 0)):
            for j, (left, right) in enumerate(resampling.parts(width, shape[-1] or 0)):
                window = x[..., top:bottom, left:right].reshape(*x.shape[:-2], -1)
                first = window.argmax(axis=-1)
                values[..., i, j] = window.max(axis=-1)
                places[..., i, j] = (first // (right - left) + top) * width + first % (right - left) + left
        return values, places


@constexpr
def flat_images(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape with height and width merged into one dimension."""
    return (*shape[:-2], shape[-2] * shape[-1])


@gradient(AdaptiveMaxPool2D, MaxPoolWithArgmax, MaxPoolWithArgmaxV2)
def pool_with_places_gradient(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> Tensor:
    """The maxima's elements get the gradient; the indices have none."""
    shape, picked = shape_of(x), shape_of(out[1])
    flat = gather_d_grad(
        reshape(dout[0], flat_images(picked)), -1, reshape(out[1], flat_images(picked)), flat_images(shape)
    )
    return reshape(flat, shape)


def max_pool2d(
    x: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int = 0,
    dilation: int | Sequence[int] = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Tensor | tuple[Tensor, ...]:
    """The maximum of each window over images.

    Args:
        x: images of shape (N, C, H, W), of a real type.
        kernel_size: height and width of a window in pixels, one number or two.
        stride: distance between windows; None for their size.
        padding: rows and columns on each side; they never are the maximum.
        dilation: distance between the rows and columns of a window.
        return_indices: return the indices of the maxima too: row times width plus column.
        ceil_mode: allow the last window to reach over the edge.

    Returns:
        A tensor of shape (N, C, H', W'), or a tuple of it and the Int64 indices.

    Example:
        >>> x = Tensor([[[[1.0, 2.0, 5.0, 1.0], [3.0, 4.0, 0.0, 2.0]]]])
        >>> print(ops.max_pool2d(x, 2), ops.max_pool2d(x, 2, return_indices=True)[1])
        [[[[4. 5.]]]] [[[[5 2]]]]

    """
    step = kernel_size if stride is None else stride
    if return_indices or as_pair(dilation) != (1, 1):
        both = cached(
            MaxPoolWithArgmaxV2, as_pair(kernel_size), as_pair(step), as_pair(padding), as_pair(dilation), ceil_mode
        )(x)
        return both if return_indices else both[0]
    return cached(MaxPool, as_pair(kernel_size), as_pair(step), "pad", "NCHW", None, as_pair(padding), ceil_mode)(x)


@constexpr
def hashable(output_size: Any) -> tuple[int, ...]:
    return tuple(output_size) if isinstance(output_size, list) else output_size


def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Adaptive max pooling: the maxima of a given number of parts along height and width.

    Args:
        input: images of shape (N, C, H, W) or (C, H, W).
        output_size: rows and columns, or one number for both; None keeps a side as it is.
        return_indices: return the indices of the maxima too: row times width plus column.

    Returns:
        A tensor with `output_size` as height and width, or a tuple of it and the Int64 indices.

    Example:
        >>> print(ops.adaptive_max_pool2d(Tensor([[[[1.0, 3.0], [5.0, 7.0]]]]), (1, 2)))
        [[[[5. 7.]]]]

    """
    values, places = cached(AdaptiveMaxPool2D, hashable(output_size))(input)
    return (values, places) if return_indices else values
