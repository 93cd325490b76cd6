"""Images [N, C, H, W] in another size: interpolation, and pooling to a wanted size.

All but the maximum are linear: a matrix along the height and one along the width. The derivative of each, an operator
of its own, applies their transposes, and the derivative of that is the operator itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from framework.kernels import resampling
from framework.ops.operations.shapes import Dims, pair
from framework.ops.pooling.adaptive import _Resized
from framework.ops.primitive import prim_attr_register

__all__ = [
    "ResizeBilinear",
    "ResizeBilinearGrad",
    "ResizeBilinearV2",
    "ResizeNearestNeighbor",
    "ResizeNearestNeighborGrad",
    "ResizeNearestNeighborV2",
]


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
