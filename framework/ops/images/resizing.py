"""Operators that resize images by interpolation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from framework.common.tensor import Tensor
from framework.kernels.images import resampling
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.pooling.adaptive import Resized as _Resized
from framework.ops.primitive import Primitive, cached, prim_attr_register
from framework.ops.shapes import Dims, pair

__all__ = [
    "ResizeBilinear",
    "ResizeBilinearGrad",
    "ResizeBilinearV2",
    "ResizeNearestNeighbor",
    "ResizeNearestNeighborGrad",
    "ResizeNearestNeighborV2",
    "last_two",
    "resize_bilinear",
    "wanted_size",
]


class _ToSize(_Resized):
    """The base class of interpolation to a size that is an input."""

    value_inputs: ClassVar[tuple[int, ...]] = (1,)

    @prim_attr_register
    def __init__(self, align_corners: bool = False, half_pixel_centers: bool = False) -> None:
        self.init_prim_io_names(inputs=["x", "size"], outputs=["y"])
        self._check_centers()

    def infer_shape(self, x: Any, size: Any = None) -> Dims:
        return (*self._images(x)[:-2], *pair(size))

    def compute(self, xp: Any, x: Any, size: Any = None) -> Array:
        return self.resized(xp, x, *pair(size))

    def resized(self, xp: ArrayModule, x: Array, rows: int, columns: int) -> Array:
        """The images resized to `rows` x `columns` pixels."""
        return self.stretched(xp, x, rows, columns)


class ResizeBilinearV2(_ToSize):
    """Bilinear interpolation to a size: `(x, size)`.

    Inputs: x of shape (N, C, H, W) or (C, H, W); size, height and width, ints.

    Output: a tensor of the element type of x, of the given height and width.

    Args:
        align_corners: whether the centres of the corner pixels of both images coincide.
        half_pixel_centers: whether a pixel's coordinate is the centre of its square, index + 0.5.

    Example:
        >>> x = Tensor([[[[0.0, 4.0], [8.0, 12.0]]]], ms.float32)
        >>> print(ops.ResizeBilinearV2(align_corners=True)(x, (3, 3)))
        [[[[ 0.  2.  4.]
           [ 4.  6.  8.]
           [ 8. 10. 12.]]]]
    """

    def matrix(self, size: int, wanted: int) -> Array:
        return resampling.linear(size, wanted, self.align_corners, self.half_pixel_centers)


@constexpr
def wanted_size(lengths: Sequence[int], size: Any, scale: Any) -> tuple[int, ...]:
    """The lengths of the sides after resizing: the given size, or the lengths times the scale, rounded down.

    Args:
        lengths: the lengths of the sides.
        size: the wanted lengths, one number for all sides or one for each; or None.
        scale: the factor of the lengths, one number or one for each; or None.

    Raises:
        ValueError: not exactly one of size and scale is given, or it is not one number or one for each side.

    """
    given = scale if size is None else size
    if (size is None) == (scale is None):
        raise ValueError("resizing: give either size or scale_factor, and not both")
    each_side = (given,) * len(lengths) if isinstance(given, int | float) else tuple(given)
    if len(each_side) != len(lengths):
        raise ValueError(f"resizing: {given} must be one number, or one for each of the {len(lengths)} sides")
    if size is not None:
        return tuple(int(length) for length in each_side)
    return tuple(int(length * factor) for length, factor in zip(lengths, each_side, strict=True))


def resize_bilinear(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Bilinear interpolation to a size; by default neither corners nor pixel centres are aligned.

    Args:
        input: images (N, C, H, W).
        size: height and width in pixels.
        scale_factor: the factor of height and width, if no size is given.
        align_corners: whether the centres of the corner pixels of both images coincide.
        half_pixel_centers: whether a pixel's coordinate is the centre of its square, index + 0.5.

    Returns:
        Images of the same element type, of the given size.

    Example:
        >>> print(ops.resize_bilinear(Tensor([[[[0.0, 4.0]]]]), (1, 4)))
        [[[[0. 2. 4. 4.]]]]

    """
    wanted = wanted_size(last_two(shape_of(input)), size, scale_factor)
    return cached(ResizeBilinearV2, align_corners, half_pixel_centers)(input, wanted)


@constexpr
def last_two(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Height and width."""
    return tuple(shape[-2:])


def _of_size_input(grad: Primitive) -> Bprop:
    """The backward function of an interpolation that gets the size as an input, from its gradient operator."""

    def bprop(x: Tensor, size: tuple[int, ...], out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return grad(dout, shape_of(x)), None

    return bprop


def _of_size_attribute(grad: Primitive) -> Bprop:
    """The backward function of an interpolation that has the size as an attribute, from its gradient operator."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (grad(dout, shape_of(x)),)

    return bprop


def _of_gradient(resize: Primitive) -> Bprop:
    """The backward function of a gradient operator, from its interpolation: each is the other's transpose."""

    def bprop(gradient: Tensor, shape: tuple[int, ...], out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return resize(dout, last_two(shape_of(gradient))), None

    return bprop


@bprop_getters.register(ResizeBilinearV2)
def get_bprop_resize_bilinear_v2(self: ResizeBilinearV2) -> Bprop:
    """The gradient multiplied by the transposed interpolation matrices."""
    return _of_size_input(cached(ResizeBilinearGrad, self.align_corners, self.half_pixel_centers))


class ResizeBilinear(ResizeBilinearV2):
    """Bilinear interpolation to a size, the form of MindSpore 1.x, where the size is an attribute.

    Inputs: x of shape (N, C, H, W) or (C, H, W).

    Output: a tensor of the element type of x, of the given height and width.

    Args:
        size: height and width.
        align_corners: whether the centres of the corner pixels of both images coincide.
        half_pixel_centers: whether a pixel's coordinate is the centre of its square, index + 0.5.

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

    def infer_shape(self, x: Dims) -> Dims:  # type: ignore[override]
        return super().infer_shape(x, self.size)

    def compute(self, xp: ArrayModule, x: Array) -> Array:  # type: ignore[override]
        return self.resized(xp, x, *self.size)


@bprop_getters.register(ResizeBilinear)
def get_bprop_resize_bilinear(self: ResizeBilinear) -> Bprop:
    """The gradient multiplied by the transposed interpolation matrices."""
    return _of_size_attribute(cached(ResizeBilinearGrad, self.align_corners, self.half_pixel_centers))


class ResizeBilinearGrad(ResizeBilinearV2):
    """The gradient of bilinear interpolation with respect to the images: `(dout, shape of x)`.

    Inputs: dout, the gradient with respect to the output; the shape of the images, a tuple of ints.

    Output: a tensor of that shape and of the element type of dout.

    Args:
        align_corners: as in `ResizeBilinearV2`.
        half_pixel_centers: as in `ResizeBilinearV2`.

    Example:
        >>> dout = Tensor(np.ones((1, 1, 1, 3)), ms.float32)
        >>> print(ops.ResizeBilinearGrad(align_corners=True)(dout, (1, 1, 1, 2)))
        [[[[1.5 1.5]]]]
    """

    def infer_shape(self, x: Dims, size: Any = None) -> Dims:
        return tuple(size)

    def compute(self, xp: Any, x: Any, size: Any = None) -> Array:
        return self.gathered(xp, x, size)


@bprop_getters.register(ResizeBilinearGrad)
def get_bprop_resize_bilinear_grad(self: ResizeBilinearGrad) -> Bprop:
    """The operator is linear; its transpose is the interpolation."""
    return _of_gradient(cached(ResizeBilinearV2, self.align_corners, self.half_pixel_centers))


class ResizeNearestNeighborV2(_ToSize):
    """Nearest-neighbour interpolation to a size: `(x, size)`.

    Inputs: x of shape (N, C, H, W) or (C, H, W); size, height and width, ints.

    Output: a tensor of the element type of x, of the given height and width.

    Args:
        align_corners: whether the centres of the corner pixels of both images coincide.
        half_pixel_centers: whether a pixel's coordinate is the centre of its square, index + 0.5.

    Example:
        >>> print(ops.ResizeNearestNeighborV2()(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]], ms.float32), (2, 4)))
        [[[[1. 1. 2. 2.]
           [3. 3. 4. 4.]]]]
    """

    def resized(self, xp: ArrayModule, x: Array, rows: int, columns: int) -> Array:
        """The images resized to `rows` x `columns` pixels."""
        down, right = self.indices(x.shape[-2], rows), self.indices(x.shape[-1], columns)
        return x[..., xp.asarray(down)[:, None], xp.asarray(right)]

    def indices(self, size: int, wanted: int) -> Array:
        """The indices of the nearest pixels along one side."""
        return resampling.nearest(size, wanted, self.align_corners, self.half_pixel_centers)


@bprop_getters.register(ResizeNearestNeighborV2)
def get_bprop_resize_nearest_v2(self: ResizeNearestNeighborV2) -> Bprop:
    """Each gradient is added to the element that was copied there."""
    return _of_size_input(cached(ResizeNearestNeighborGrad, self.align_corners, self.half_pixel_centers))


class ResizeNearestNeighbor(ResizeNearestNeighborV2):
    """Nearest-neighbour interpolation to a size that is an attribute.

    Inputs: x of shape (N, C, H, W) or (C, H, W).

    Output: a tensor of the element type of x, of the given height and width.

    Args:
        size: height and width.
        align_corners: whether the centres of the corner pixels of both images coincide.
        half_pixel_centers: whether a pixel's coordinate is the centre of its square, index + 0.5.

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

    def infer_shape(self, x: Dims) -> Dims:  # type: ignore[override]
        return super().infer_shape(x, self.size)

    def compute(self, xp: ArrayModule, x: Array) -> Array:  # type: ignore[override]
        return self.resized(xp, x, *self.size)


@bprop_getters.register(ResizeNearestNeighbor)
def get_bprop_resize_nearest(self: ResizeNearestNeighbor) -> Bprop:
    """Each gradient is added to the element that was copied there."""
    return _of_size_attribute(cached(ResizeNearestNeighborGrad, self.align_corners, self.half_pixel_centers))


class ResizeNearestNeighborGrad(ResizeNearestNeighborV2):
    """The gradient of nearest-neighbour interpolation with respect to the images: `(dout, shape of x)`.

    Inputs: dout, the gradient with respect to the output; the shape of the images, a tuple of ints.

    Output: a tensor of that shape and of the element type of dout: each pixel gets the sum over its copies.

    Args:
        align_corners: as in `ResizeNearestNeighborV2`.
        half_pixel_centers: as in `ResizeNearestNeighborV2`.

    Example:
        >>> dout = Tensor([[[[1.0, 2.0, 3.0, 4.0]]]], ms.float32)
        >>> print(ops.ResizeNearestNeighborGrad()(dout, (1, 1, 1, 2)))
        [[[[3. 7.]]]]
    """

    def infer_shape(self, x: Dims, size: Any = None) -> Dims:
        return tuple(size)

    def compute(self, xp: ArrayModule, x: Any, size: Any = None) -> Array:
        down, right = self.indices(size[-2], x.shape[-2]), self.indices(size[-1], x.shape[-1])
        out = xp.zeros(size, x.dtype)
        xp.add.at(out, (..., xp.asarray(down)[:, None], xp.asarray(right)), x)
        return out


@bprop_getters.register(ResizeNearestNeighborGrad)
def get_bprop_resize_nearest_grad(self: ResizeNearestNeighborGrad) -> Bprop:
    """Taken where it was added."""
    return _of_gradient(cached(ResizeNearestNeighborV2, self.align_corners, self.half_pixel_centers))
