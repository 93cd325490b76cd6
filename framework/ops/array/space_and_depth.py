"""Blocks of pixels moved into channels or batches, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common.tensor import Tensor
from framework.ops.array.properties import shape
from framework.ops.array.reshaping import reshape
from framework.ops.array.transposing import Transpose
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.elementwise import FreshLikeFirst
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "BatchToSpaceND",
    "DepthToSpace",
    "SpaceToBatchND",
    "SpaceToDepth",
    "batch_to_space_nd",
    "pixel_shuffle",
    "pixel_unshuffle",
    "space_to_batch_nd",
]


class SpaceToDepth(FreshLikeFirst):
    """Blocks of pixels as channels: (N, C, H, W) to (N, C * size * size, H / size, W / size).

    out[n, (i * size + j) * C + c, h, w] = x[n, c, h * size + i, w * size + j].

    Args:
        block_size: height and width of a block.

    Inputs: x, images of shape (N, C, H, W); height and width are multiples of block_size.
    Output: a tensor of shape (N, C * block_size^2, H / block_size, W / block_size), of x's element type.

    Example:
        >>> x = Tensor([[[[1, 2], [3, 4]]]])
        >>> y = ops.SpaceToDepth(2)(x)
        >>> print(y.shape, y.reshape(-1))
        (1, 4, 1, 1) [1 2 3 4]
    """

    @prim_attr_register
    def __init__(self, block_size: int) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> Dims:
        n, c, height, width = self._images(x)
        size = self.block_size
        if height % size or width % size:
            raise ValueError(f"SpaceToDepth: height and width of {x} do not divide into blocks of {size}")
        return n, c * size * size, height // size, width // size

    def _images(self, x: Any) -> Any:
        if len(x) != 4 or None in x[1:]:
            raise ValueError(f"{self.name} takes images [N, C, H, W] of a known size, not shape {x}")
        return x

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        n, c, height, width = x.shape
        size = self.block_size
        cut = x.reshape(n, c, height // size, size, width // size, size)
        return cut.transpose(0, 3, 5, 1, 2, 4).reshape(self.infer_shape(x.shape))


@bprop_getters.register(SpaceToDepth)
def get_bprop_space_to_depth(self: SpaceToDepth) -> Bprop:
    """The channels of the gradient moved back to blocks."""
    back = cached(DepthToSpace, self.block_size)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (back(dout),)

    return bprop


class DepthToSpace(SpaceToDepth):
    """Channels as blocks of pixels: (N, C, H, W) to (N, C / size / size, H * size, W * size).

    out[n, c, h * size + i, w * size + j] = x[n, (i * size + j) * C / size / size + c, h, w].

    Args:
        block_size: height and width of a block.

    Inputs: x, images of shape (N, C, H, W); C is a multiple of block_size^2.
    Output: a tensor of shape (N, C / block_size^2, H * block_size, W * block_size), of x's element type.

    Example:
        >>> x = Tensor([1, 2, 3, 4]).reshape(1, 4, 1, 1)
        >>> print(ops.DepthToSpace(2)(x))
        [[[[1 2]
           [3 4]]]]
    """

    def infer_shape(self, x: Dims) -> Dims:
        n, c, height, width = self._images(x)
        size = self.block_size
        if c % (size * size):
            raise ValueError(f"DepthToSpace: {c} channels do not make blocks of {size} x {size}")
        return n, c // (size * size), height * size, width * size

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        n, c, height, width = x.shape
        size = self.block_size
        cut = x.reshape(n, size, size, c // (size * size), height, width)
        return cut.transpose(0, 3, 4, 1, 5, 2).reshape(self.infer_shape(x.shape))


@bprop_getters.register(DepthToSpace)
def get_bprop_depth_to_space(self: DepthToSpace) -> Bprop:
    """The blocks of the gradient moved back to channels."""
    back = cached(SpaceToDepth, self.block_size)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (back(dout),)

    return bprop


class SpaceToBatchND(FreshLikeFirst):
    """Every block_shape-th pixel as an image of its own: (N, C, H, W) to (N * blocks, C, H', W').

    out[(i * right + j) * N + n, c, h, w] = x[n, c, h * down + i, w * right + j], where x is padded and (down, right) is
    block_shape.

    Args:
        block_shape: the size of a block along height and width.
        paddings: zeros added before and after along height and width.

    Inputs: x, images of shape (N, C, H, W); the padded height and width are multiples of block_shape.
    Output: a tensor of shape (N * product of block_shape, C, H', W'), of x's element type; H' and W' are the padded
    sizes divided by block_shape.

    Example:
        >>> x = Tensor([[[[1, 2], [3, 4]]]])
        >>> y = ops.SpaceToBatchND(2, ((0, 0), (0, 0)))(x)
        >>> print(y.shape, y.reshape(-1))
        (4, 1, 1, 1) [1 2 3 4]
    """

    @prim_attr_register
    def __init__(self, block_shape: int | tuple[int, ...], paddings: Sequence[Sequence[int]]) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["y"])
        self._register(block_shape, paddings, "paddings")

    def _register(self, block_shape: Any, sides: Sequence[Sequence[int]], name: str) -> None:
        self.add_prim_attr("block_shape", (block_shape,) * 2 if isinstance(block_shape, int) else tuple(block_shape))
        self.add_prim_attr(name, tuple(tuple(side) for side in sides))

    def infer_shape(self, x: Dims) -> Dims:
        sizes = [size + sum(pads) for size, pads in zip(x[2:], self.paddings, strict=True)]
        if any(size % block for size, block in zip(sizes, self.block_shape, strict=True)):
            raise ValueError(f"SpaceToBatchND: {tuple(sizes)} does not divide into blocks of {self.block_shape}")
        across = int(np.prod(self.block_shape))
        cut = [size // block for size, block in zip(sizes, self.block_shape, strict=True)]
        return (None if x[0] is None else x[0] * across, x[1], *cut)

    def compute(self, xp: Any, x: Any) -> Array:
        shape = self.infer_shape(x.shape)
        x = xp.pad(x, ((0, 0), (0, 0), *self.paddings))
        n, c = x.shape[:2]
        down, right = self.block_shape
        cut = x.reshape(n, c, shape[2], down, shape[3], right)
        return cut.transpose(3, 5, 0, 1, 2, 4).reshape(shape)


def space_to_batch_nd(input_x: Tensor, block_size: Sequence[int], paddings: int | Sequence[int]) -> Tensor:
    """Blocks of pixels moved to the batch dimension; see `SpaceToBatchND`.

    Args:
        input_x: images (N, C, H, W).
        block_size: the size of a block along height and width.
        paddings: the zeros added before and after along height and width.

    Returns:
        A tensor (N * product of block_size, C, H', W').

    Example:
        >>> x = Tensor(np.arange(4.0).reshape(1, 1, 2, 2))
        >>> print(ops.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]).asnumpy().ravel())
        [0. 1. 2. 3.]

    """
    return cached(SpaceToBatchND, *_tuples(block_size, paddings))(input_x)


@bprop_getters.register(SpaceToBatchND)
def get_bprop_space_to_batch(self: SpaceToBatchND) -> Bprop:
    """The gradient in its original order, without the padding."""
    back = cached(BatchToSpaceND, self.block_shape, self.paddings)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (back(dout),)

    return bprop


class BatchToSpaceND(SpaceToBatchND):
    """The inverse of `SpaceToBatchND`: each image provides every block_shape-th pixel of a larger one.

    out[n, c, h * down + i, w * right + j] = x[(i * right + j) * N / down / right + n, c, h, w], where (down, right) is
    block_shape, before the crops.

    Args:
        block_shape: the size of a block along height and width.
        crops: pixels cut off before and after along height and width.

    Inputs: x, images of shape (N, C, H, W); N is a multiple of the product of block_shape.
    Output: a tensor of shape (N / product of block_shape, C, H', W'), of x's element type; H' and W' are the sizes
    times block_shape, less the crops.

    Example:
        >>> x = Tensor([1, 2, 3, 4]).reshape(4, 1, 1, 1)
        >>> print(ops.BatchToSpaceND(2, ((0, 0), (0, 0)))(x))
        [[[[1 2]
           [3 4]]]]
        >>> print(ops.BatchToSpaceND(2, ((0, 0), (0, 1)))(x))
        [[[[1]
           [3]]]]
    """

    @prim_attr_register
    def __init__(self, block_shape: int | tuple[int, ...], crops: Sequence[Sequence[int]]) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["y"])
        self._register(block_shape, crops, "crops")

    def infer_shape(self, x: Dims) -> Dims:
        across = int(np.prod(self.block_shape))
        if x[0] is not None and x[0] % across:
            raise ValueError(f"BatchToSpaceND: {x[0]} images do not make blocks of {self.block_shape}")
        whole = [size * block for size, block in zip(x[2:], self.block_shape, strict=True)]
        cropped = [size - sum(crops) for size, crops in zip(whole, self.crops, strict=True)]
        return (None if x[0] is None else x[0] // across, x[1], *cropped)

    def compute(self, xp: Any, x: Any) -> Any:
        n, c, rows, columns = self.infer_shape(x.shape)
        down, right = self.block_shape
        cut = x.reshape(down, right, n, c, *x.shape[2:]).transpose(2, 3, 4, 0, 5, 1)
        whole = cut.reshape(n, c, x.shape[2] * down, x.shape[3] * right)
        (top, _), (left, _) = self.crops
        return whole[:, :, top : top + rows, left : left + columns]


def batch_to_space_nd(input_x: Tensor, block_shape: list[int], crops: Any) -> Tensor:
    """The batch dimension moved to blocks of pixels; see `BatchToSpaceND`.

    Args:
        input_x: images (N, C, H, W).
        block_shape: the size of a block along height and width.
        crops: the pixels removed before and after along height and width.

    Returns:
        A tensor (N / product of block_shape, C, H', W').

    Example:
        >>> x = Tensor(np.arange(4.0).reshape(4, 1, 1, 1))
        >>> print(ops.batch_to_space_nd(x, [2, 2], [[0, 0], [0, 0]]))
        [[[[0. 1.]
           [2. 3.]]]]

    """
    return cached(BatchToSpaceND, *_tuples(block_shape, crops))(input_x)


@constexpr
def _tuples(block: Any, around: Any) -> tuple[Any, Any]:
    sides = block if isinstance(block, int) else tuple(block)
    return sides, tuple(tuple(pair) for pair in around)


@bprop_getters.register(BatchToSpaceND)
def get_bprop_batch_to_space(self: BatchToSpaceND) -> Bprop:
    """The gradient divided again, with zeros for cropped pixels."""
    back = cached(SpaceToBatchND, self.block_shape, self.crops)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (back(dout),)

    return bprop


@constexpr
def _cut(shape: Sequence[int], factor: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The intermediate and the final shape of `pixel_shuffle`."""
    *batch, c, height, width = shape
    if c % (factor * factor):
        raise ValueError(f"pixel_shuffle: {c} channels do not make blocks of {factor} x {factor}")
    fewer = c // (factor * factor)
    return (-1, fewer, factor, factor, height, width), (*batch, fewer, height * factor, width * factor)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(..., C * r * r, H, W) to (..., C, H * r, W * r), r the factor (Shi et al. 2016).

    Args:
        input: a tensor (..., C * r * r, H, W).
        upscale_factor: r.

    Returns:
        A tensor (..., C, H * r, W * r).

    Raises:
        ValueError: r * r does not divide the number of channels.

    Example:
        >>> print(ops.pixel_shuffle(Tensor(np.arange(4.0).reshape(1, 4, 1, 1)), 2))
        [[[[0. 1.]
           [2. 3.]]]]

    """
    cut, whole = _cut(shape(input), upscale_factor)
    return reshape(Transpose()(reshape(input, cut), (0, 1, 4, 2, 5, 3)), whole)


@constexpr
def _blocks(shape: Sequence[int], factor: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The intermediate and the final shape of `pixel_unshuffle`."""
    *batch, c, height, width = shape
    if height % factor or width % factor:
        raise ValueError(f"pixel_unshuffle: {height} x {width} pixels do not divide into blocks of {factor}")
    rows, columns = height // factor, width // factor
    return (-1, c, rows, factor, columns, factor), (*batch, c * factor * factor, rows, columns)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(..., C, H * r, W * r) to (..., C * r * r, H, W), r the factor.

    Args:
        input: a tensor (..., C, H * r, W * r).
        downscale_factor: r.

    Returns:
        A tensor (..., C * r * r, H, W).

    Raises:
        ValueError: r does not divide height and width.

    Example:
        >>> print(ops.pixel_unshuffle(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), 2).asnumpy().ravel())
        [1. 2. 3. 4.]

    """
    cut, whole = _blocks(shape(input), downscale_factor)
    return reshape(Transpose()(reshape(input, cut), (0, 1, 3, 5, 2, 4)), whole)
