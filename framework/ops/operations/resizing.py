"""Images [N, C, H, W] in another size: interpolation, and pooling to a wanted size.

All but the maximum are linear: a matrix along the height and one along the width. The derivative of each, an operator
of its own, applies their transposes, and the derivative of that is the operator itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.kernels import resampling
from framework.ops.operations.shapes import Dims, pair
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool2DGrad",
    "AdaptiveMaxPool2D",
    "ResizeBilinear",
    "ResizeBilinearGrad",
    "ResizeBilinearV2",
    "ResizeNearestNeighbor",
    "ResizeNearestNeighborGrad",
    "ResizeNearestNeighborV2",
]


class _Resized(PrimitiveWithInfer):
    """Makes images of the size `wanted`; with `transposed`, the other way around."""

    fresh = True

    def infer_dtype(self, x: DType, *others: Any) -> DType:
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

    def stretched(self, xp: Any, x: Any, rows: int, columns: int) -> Any:
        """Images of this size."""
        return self._product(xp, x, self.matrix(x.shape[-2], rows), self.matrix(x.shape[-1], columns))

    def gathered(self, xp: Any, dout: Any, shape: Sequence[int]) -> Any:
        """The gradient with respect to images of a shape."""
        down, right = self.matrix(shape[-2], dout.shape[-2]), self.matrix(shape[-1], dout.shape[-1])
        return self._product(xp, dout, down.T, right.T)

    @staticmethod
    def _product(xp: Any, x: Any, down: Any, right: Any) -> Any:
        dtype = x.dtype if x.dtype.kind == "f" else xp.float32
        out = xp.matmul(xp.matmul(xp.asarray(down, dtype), x.astype(dtype, copy=False)), xp.asarray(right.T, dtype))
        return out.astype(x.dtype, copy=False)


class _ToSize(_Resized):
    """Interpolation to a size that comes with the images."""

    value_inputs: ClassVar[tuple[int, ...]] = (1,)

    @prim_attr_register
    def __init__(self, align_corners: bool = False, half_pixel_centers: bool = False) -> None:
        self.init_prim_io_names(inputs=["x", "size"], outputs=["y"])
        self._check_centers()

    def infer_shape(self, x: Any, size: Any = None) -> Dims:
        return (*self._images(x)[:-2], *pair(size))

    def compute(self, xp: Any, x: Any, size: Any = None) -> Any:
        return self.resized(xp, x, *pair(size))

    def resized(self, xp: Any, x: Any, rows: int, columns: int) -> Any:
        """Images of this size."""
        return self.stretched(xp, x, rows, columns)


class ResizeBilinearV2(_ToSize):
    """Bilinear interpolation to a size: `(x, size)`.

    Inputs: x of shape (N, C, H, W) or (C, H, W); size, height and width, ints.

    Output: a tensor of the element type of x, of the wanted height and width.

    Args:
        align_corners: the corners of both images lie on each other.
        half_pixel_centers: pixels are taken as little squares, whose centres are compared.

    Example:
        >>> x = Tensor([[[[0.0, 4.0], [8.0, 12.0]]]], ms.float32)
        >>> print(ops.ResizeBilinearV2(align_corners=True)(x, (3, 3)))
        [[[[ 0.  2.  4.]
           [ 4.  6.  8.]
           [ 8. 10. 12.]]]]
    """

    def matrix(self, size: int, wanted: int) -> Any:
        return resampling.linear(size, wanted, self.align_corners, self.half_pixel_centers)


class ResizeBilinear(ResizeBilinearV2):
    """Bilinear interpolation to a size, the form of MindSpore 1.x, where the size is an attribute.

    Inputs: x of shape (N, C, H, W) or (C, H, W).

    Output: a tensor of the element type of x, of the wanted height and width.

    Args:
        size: height and width.
        align_corners: the corners of both images lie on each other.
        half_pixel_centers: pixels are taken as little squares, whose centres are compared.

    Example:
        >>> print(ops.ResizeBilinear((1, 4))(Tensor([[[[0.0, 4.0]]]], ms.float32)))
        [[[[0. 2. 4. 4.]]]]
    """

    value_inputs = ()

    @prim_attr_register
    def __init__(self, size: Sequence[int], align_corners: bool = False, half_pixel_centers: bool = False) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        self.add_prim_attr("size", pair(size))
        self._check_centers()

    def infer_shape(self, x: Any) -> Dims:  # type: ignore[override]
        return super().infer_shape(x, self.size)

    def compute(self, xp: Any, x: Any) -> Any:  # type: ignore[override]
        return self.resized(xp, x, *self.size)


class ResizeBilinearGrad(ResizeBilinearV2):
    """The gradient of bilinear interpolation with respect to the images: `(dout, shape of x)`.

    Inputs: dout, the gradient with respect to the output; the shape of the images, a tuple of ints.

    Output: a tensor of that shape and of the element type of dout.

    Args:
        align_corners: as of `ResizeBilinearV2`.
        half_pixel_centers: as of `ResizeBilinearV2`.

    Example:
        >>> dout = Tensor(np.ones((1, 1, 1, 3)), ms.float32)
        >>> print(ops.ResizeBilinearGrad(align_corners=True)(dout, (1, 1, 1, 2)))
        [[[[1.5 1.5]]]]
    """

    def infer_shape(self, x: Any, size: Any = None) -> Dims:
        return tuple(size)

    def compute(self, xp: Any, x: Any, size: Any = None) -> Any:
        return self.gathered(xp, x, size)


class ResizeNearestNeighborV2(_ToSize):
    """Each pixel is the nearest one: `(x, size)`.

    Inputs: x of shape (N, C, H, W) or (C, H, W); size, height and width, ints.

    Output: a tensor of the element type of x, of the wanted height and width.

    Args:
        align_corners: the corners of both images lie on each other.
        half_pixel_centers: pixels are taken as little squares, whose centres are compared.

    Example:
        >>> print(ops.ResizeNearestNeighborV2()(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]], ms.float32), (2, 4)))
        [[[[1. 1. 2. 2.]
           [3. 3. 4. 4.]]]]
    """

    def resized(self, xp: Any, x: Any, rows: int, columns: int) -> Any:
        """Images of this size."""
        down, right = self.indices(x.shape[-2], rows), self.indices(x.shape[-1], columns)
        return x[..., xp.asarray(down)[:, None], xp.asarray(right)]

    def indices(self, size: int, wanted: int) -> Any:
        """Which pixels along one side."""
        return resampling.nearest(size, wanted, self.align_corners, self.half_pixel_centers)


class ResizeNearestNeighbor(ResizeNearestNeighborV2):
    """Each pixel is the nearest one, for a size that is an attribute.

    Inputs: x of shape (N, C, H, W) or (C, H, W).

    Output: a tensor of the element type of x, of the wanted height and width.

    Args:
        size: height and width.
        align_corners: the corners of both images lie on each other.
        half_pixel_centers: pixels are taken as little squares, whose centres are compared.

    Example:
        >>> print(ops.ResizeNearestNeighbor((1, 4))(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]], ms.float32)))
        [[[[1. 1. 2. 2.]]]]
    """

    value_inputs = ()

    @prim_attr_register
    def __init__(self, size: Sequence[int], align_corners: bool = False, half_pixel_centers: bool = False) -> None:
        self.init_prim_io_names(inputs=["image_in"], outputs=["image_out"])
        self.add_prim_attr("size", pair(size))
        self._check_centers()

    def infer_shape(self, x: Any) -> Dims:  # type: ignore[override]
        return super().infer_shape(x, self.size)

    def compute(self, xp: Any, x: Any) -> Any:  # type: ignore[override]
        return self.resized(xp, x, *self.size)


class ResizeNearestNeighborGrad(ResizeNearestNeighborV2):
    """The gradient of taking the nearest pixels with respect to the images: `(dout, shape of x)`.

    Inputs: dout, the gradient with respect to the output; the shape of the images, a tuple of ints.

    Output: a tensor of that shape and of the element type of dout: each pixel's sum over the places where it was taken.

    Args:
        align_corners: as of `ResizeNearestNeighborV2`.
        half_pixel_centers: as of `ResizeNearestNeighborV2`.

    Example:
        >>> dout = Tensor([[[[1.0, 2.0, 3.0, 4.0]]]], ms.float32)
        >>> print(ops.ResizeNearestNeighborGrad()(dout, (1, 1, 1, 2)))
        [[[[3. 7.]]]]
    """

    def infer_shape(self, x: Any, size: Any = None) -> Dims:
        return tuple(size)

    def compute(self, xp: Any, x: Any, size: Any = None) -> Any:
        down, right = self.indices(size[-2], x.shape[-2]), self.indices(size[-1], x.shape[-1])
        out = xp.zeros(size, x.dtype)
        xp.add.at(out, (..., xp.asarray(down)[:, None], xp.asarray(right)), x)
        return out


class AdaptiveAvgPool2D(_Resized):
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
    def __init__(self, output_size: Any) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])
        self.add_prim_attr("output_size", _two(output_size))

    def infer_shape(self, x: Any, *others: Any) -> Dims:
        return (*self._images(x)[:-2], *self.wanted(x))

    def wanted(self, shape: Dims) -> tuple[Any, Any]:
        """Rows and columns for images of a shape."""
        rows, columns = self.output_size
        return shape[-2] if rows is None else rows, shape[-1] if columns is None else columns

    def matrix(self, size: int, wanted: int) -> Any:
        return resampling.averaging(size, wanted)

    def compute(self, xp: Any, x: Any, *others: Any) -> Any:
        return self.stretched(xp, x, *self.wanted(x.shape))


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

    def compute(self, xp: Any, x: Any, shape: Any = ()) -> Any:
        return self.gathered(xp, x, shape)


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
    def __init__(self, output_size: Any) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output", "argmax"])
        self.add_prim_attr("output_size", _two(output_size))

    def infer_shape(self, x: Any) -> tuple[Dims, Dims]:
        if len(x) not in (3, 4):
            raise ValueError(f"AdaptiveMaxPool2D takes images [N, C, H, W], not shape {x}")
        rows, columns = self.output_size
        out = (*x[:-2], x[-2] if rows is None else rows, x[-1] if columns is None else columns)
        return out, out

    def infer_dtype(self, x: DType) -> tuple[DType, DType]:
        return x, mstype.int64

    def compute(self, xp: Any, x: Any) -> Any:
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


def _two(size: Any) -> tuple[int | None, int | None]:
    return (size, size) if size is None or isinstance(size, int) else (size[0], size[1])
