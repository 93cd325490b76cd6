"""Adaptive average pooling over images, and the base class of operators that resize images by two matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.accelerated import matmul
from framework.kernels.images import resampling
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule, converted
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
    """Base class of operators that resize images by a matrix along each side, and of their gradients."""

    fresh = True

    def infer_dtype(self, x: DType, *others: object) -> DType:
        return x

    def _images(self, x: Dims) -> Dims:
        if len(x) not in (3, 4):
            raise ValueError(f"{self.name} takes images (N, C, H, W), not a tensor of shape {x}")
        return x

    def _check_centers(self) -> None:
        if self.align_corners and self.half_pixel_centers:
            raise ValueError(f"{self.name}: align_corners and half_pixel_centers cannot both be True")

    def matrix(self, size: int, wanted: int) -> Any:
        """The matrix of shape (wanted, size) that resizes one side from `size` to `wanted`."""
        raise NotImplementedError

    def stretched(self, xp: ArrayModule, x: Array, rows: int, columns: int) -> Array:
        """Images resized to the given rows and columns."""
        return self._product(xp, x, self.matrix(x.shape[-2], rows), self.matrix(x.shape[-1], columns))

    def gathered(self, xp: Any, dout: Any, shape: Sequence[int]) -> Array:
        """The gradient with respect to images of the given shape."""
        down, right = self.matrix(shape[-2], dout.shape[-2]), self.matrix(shape[-1], dout.shape[-1])
        return self._product(xp, dout, down.T, right.T)

    @staticmethod
    def _product(xp: ArrayModule, x: Array, down: Array, right: Array) -> Array:
        dtype = x.dtype if x.dtype.kind == "f" else xp.float32
        dtype = xp.float32 if dtype == xp.float16 else dtype
        out = matmul(xp, xp.asarray(down, dtype), converted(x, dtype))
        return converted(matmul(xp, out, xp.asarray(right.T, dtype)), x.dtype)


class AdaptiveAvgPool2D(Resized):
    """Adaptive average pooling: the means of a given number of parts along height and width.

    Part i of n along a side of length s goes from floor(i s / n) to ceil((i + 1) s / n), without the end.

    Inputs: x of shape (N, C, H, W) or (C, H, W).

    Output: a tensor of the element type of x, with `output_size` as height and width.

    Args:
        output_size: rows and columns, or one number for both; None keeps a side as it is.

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
        """The rows and columns of the output for images of the given shape."""
        rows, columns = self.output_size
        return shape[-2] if rows is None else rows, shape[-1] if columns is None else columns

    def matrix(self, size: int, wanted: int) -> Array:
        return resampling.averaging(size, wanted)

    def compute(self, xp: ArrayModule, x: Array, *others: Any) -> Array:
        return self.stretched(xp, x, *self.wanted(x.shape))


@bprop_getters.register(AdaptiveAvgPool2D)
def get_bprop_adaptive_avg_pool(self: AdaptiveAvgPool2D) -> Bprop:
    """Each element of a part gets an equal share of its gradient."""
    grad = cached(AdaptiveAvgPool2DGrad, self.output_size)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (grad(dout, shape_of(x)),)

    return bprop


class AdaptiveAvgPool2DGrad(AdaptiveAvgPool2D):
    """The gradient of `AdaptiveAvgPool2D` with respect to the images: `(dout, shape of x)`.

    Inputs: dout, the gradient with respect to the output; the shape of the images, a tuple of ints.

    Output: a tensor of that shape and the element type of dout. Each part's gradient is spread evenly over its
    elements.

    Args:
        output_size: as for `AdaptiveAvgPool2D`.

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
    """The gradient is linear; its transpose is the pooling."""
    pool = cached(AdaptiveAvgPool2D, self.output_size)

    def bprop(gradient: Tensor, shape: tuple[int, ...], out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return pool(dout), None

    return bprop


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Tensor:
    """Adaptive average pooling: the means of a given number of parts along height and width.

    Args:
        input: images of shape (N, C, H, W) or (C, H, W), of a floating-point type.
        output_size: rows and columns, or one number for both; None keeps a side as it is.

    Returns:
        A tensor with `output_size` as height and width.

    Example:
        >>> print(ops.adaptive_avg_pool2d(Tensor([[[[1.0, 3.0], [5.0, 7.0]]]]), (1, 2)))
        [[[[3. 5.]]]]

    """
    return cached(AdaptiveAvgPool2D, _hashable(output_size))(input)
