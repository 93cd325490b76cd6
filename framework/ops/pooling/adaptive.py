"""Means over windows that divide a plane into a given number of parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.images import resampling
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.pooling.with_places import hashable as _hashable
from framework.ops.pooling.with_places import two as _two
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool2DGrad",
    "adaptive_avg_pool2d",
]


class Resized(PrimitiveWithInfer):
    """Makes images of the size `wanted`; with `transposed`, the other way around."""

    fresh = True

    def infer_dtype(self, x: DType, *others: object) -> DType:
        return x

    def _images(self, x: Dims) -> Dims:
        if len(x) not in (3, 4):
            raise ValueError(f"{self.name} takes images [N, C, H, W], not shape {x}")
        return x

    def _check_centers(self) -> None:
        if self.align_corners and self.half_pixel_centers:
            raise ValueError(f"{self.name}: align_corners and half_pixel_centers exclude each other")

    def matrix(self, size: int, wanted: int) -> Any:
        """The matrix [wanted, size] along one side."""
        raise NotImplementedError

    def stretched(self, xp: ArrayModule, x: Array, rows: int, columns: int) -> Array:
        """Images of this size."""
        return self._product(xp, x, self.matrix(x.shape[-2], rows), self.matrix(x.shape[-1], columns))

    def gathered(self, xp: Any, dout: Any, shape: Sequence[int]) -> Array:
        """The gradient with respect to images of a shape."""
        down, right = self.matrix(shape[-2], dout.shape[-2]), self.matrix(shape[-1], dout.shape[-1])
        return self._product(xp, dout, down.T, right.T)

    @staticmethod
    def _product(xp: ArrayModule, x: Array, down: Array, right: Array) -> Array:
        dtype = x.dtype if x.dtype.kind == "f" else xp.float32
        out = xp.matmul(xp.matmul(xp.asarray(down, dtype), x.astype(dtype, copy=False)), xp.asarray(right.T, dtype))
        return out.astype(x.dtype, copy=False)


class AdaptiveAvgPool2D(Resized):
    """The means of as many parts as are wanted along height and width.

    Part i of n along a side of length s goes from floor(i s / n) up to, but without, ceil((i + 1) s / n).

    Inputs: x of shape (N, C, H, W) or (C, H, W).

    Output: a tensor of the element type of x, of the wanted height and width.

    Args:
        output_size: rows and columns, or one number for both; None keeps the images'.

    Example:
        >>> print(ops.AdaptiveAvgPool2D((1, 2))(Tensor([[[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]]], ms.float32)))
        [[[[3.5 5.5]]]]
    """

    @prim_attr_register
    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])
        self.add_prim_attr("output_size", _two(output_size))

    def infer_shape(self, x: Any, *others: Any) -> Dims:
        return (*self._images(x)[:-2], *self.wanted(x))

    def wanted(self, shape: Dims) -> tuple[Any, Any]:
        """Rows and columns for images of a shape."""
        rows, columns = self.output_size
        return shape[-2] if rows is None else rows, shape[-1] if columns is None else columns

    def matrix(self, size: int, wanted: int) -> Array:
        return resampling.averaging(size, wanted)

    def compute(self, xp: ArrayModule, x: Array, *others: Any) -> Array:
        return self.stretched(xp, x, *self.wanted(x.shape))


@bprop_getters.register(AdaptiveAvgPool2D)
def get_bprop_adaptive_avg_pool(self: AdaptiveAvgPool2D) -> Bprop:
    """An equal share to all elements of a part."""
    grad = cached(AdaptiveAvgPool2DGrad, self.output_size)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (grad(dout, shape_of(x)),)

    return bprop


class AdaptiveAvgPool2DGrad(AdaptiveAvgPool2D):
    """The gradient of `AdaptiveAvgPool2D` with respect to the images: `(dout, shape of x)`.

    Inputs: dout, the gradient with respect to the output; the shape of the images, a tuple of ints.

    Output: a tensor of that shape and of the element type of dout: each part's gradient, spread evenly over its
    elements.

    Args:
        output_size: as of `AdaptiveAvgPool2D`.

    Example:
        >>> print(ops.AdaptiveAvgPool2DGrad((1, 2))(Tensor([[[[8.0, 4.0]]]], ms.float32), (1, 1, 2, 4)))
        [[[[2. 2. 1. 1.]
           [2. 2. 1. 1.]]]]
    """

    value_inputs = (1,)

    def infer_shape(self, x: Any, shape: Any = ()) -> Dims:
        return tuple(shape)

    def compute(self, xp: ArrayModule, x: Array, shape: tuple[int, ...] = ()) -> Array:
        return self.gathered(xp, x, shape)


@bprop_getters.register(AdaptiveAvgPool2DGrad)
def get_bprop_adaptive_avg_pool_grad(self: AdaptiveAvgPool2DGrad) -> Bprop:
    """Linear, and the transpose of the pooling."""
    pool = cached(AdaptiveAvgPool2D, self.output_size)

    def bprop(gradient: Tensor, shape: tuple[int, ...], out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return pool(dout), None

    return bprop


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Tensor:
    """The means of as many parts as are wanted along height and width.

    Example:
        >>> print(ops.adaptive_avg_pool2d(Tensor([[[[1.0, 3.0], [5.0, 7.0]]]]), (1, 2)))
        [[[[3. 5.]]]]

    """
    return cached(AdaptiveAvgPool2D, _hashable(output_size))(input)
