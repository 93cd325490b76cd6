"""Maxima over windows together with the places where they are."""

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
    "MaxPoolWithArgmaxV2",
    "adaptive_max_pool2d",
    "max_pool2d",
]

gather_d_grad = GatherDGrad()


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


def two(size: int | Sequence[int | None] | None) -> tuple[int | None, int | None]:
    return (size, size) if size is None or isinstance(size, int) else (size[0], size[1])


class AdaptiveMaxPool2D(PrimitiveWithInfer):
    """The largest elements of as many parts as are wanted along height and width; parts as of `AdaptiveAvgPool2D`.

    Inputs: x of shape (N, C, H, W) or (C, H, W).

    Output: the elements, of the element type of x, and where each lies in its image: row times width plus column,
    Int64.

    Args:
        output_size: rows and columns, or one number for both; None keeps the images'.

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
            raise ValueError(f"AdaptiveMaxPool2D takes images [N, C, H, W], not shape {x}")
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
                seen = x[..., top:bottom, left:right].reshape(*x.shape[:-2], -1)
                first = seen.argmax(axis=-1)
                values[..., i, j] = seen.max(axis=-1)
                places[..., i, j] = (first // (right - left) + top) * width + first % (right - left) + left
        return values, places


@constexpr
def flat_images(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape with height and width as one dimension."""
    return (*shape[:-2], shape[-2] * shape[-1])


@gradient(AdaptiveMaxPool2D, MaxPoolWithArgmaxV2)
def pool_with_places_gradient(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> Tensor:
    """To the elements that were picked; what comes out beside has no gradient."""
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
    """The largest element of each window over [N, C, H, W], and where it lies in its image if asked.

    Args:
        x: the images, of a real type.
        kernel_size: height and width of a window, in pixels: one number for both, or two.
        stride: how far it moves; its size where it is left out.
        padding: rows and columns that are added on both sides, of which none is ever picked.
        dilation: the distance of the rows and columns that a window sees.
        return_indices: give the places too: row times width plus column, Int64.
        ceil_mode: let the last window hang over the edge.

    Returns:
        A tensor (N, C, H', W'), or a tuple of it and the places.

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
    """The largest elements of as many parts as are wanted along height and width, and where they lie if asked.

    Example:
        >>> print(ops.adaptive_max_pool2d(Tensor([[[[1.0, 3.0], [5.0, 7.0]]]]), (1, 2)))
        [[[[5. 7.]]]]

    """
    values, places = cached(AdaptiveMaxPool2D, hashable(output_size))(input)
    return (values, places) if return_indices else values
