"""Operators that move elements: what is added around them, and blocks of images that become channels or batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np

from framework.common.dtype import DType
from framework.ir.abstract import Abstract, AbstractTensor
from framework.ops.operations.shapes import Dims, normal_axis
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "BatchToSpaceND",
    "DepthToSpace",
    "MirrorPad",
    "MirrorPadGrad",
    "PadV3",
    "PadV3Grad",
    "ReverseSequence",
    "SpaceToBatchND",
    "SpaceToDepth",
]

_PAD_MODES: Final = ("constant", "reflect", "symmetric", "edge", "circular")


class _OneTensor(PrimitiveWithInfer):
    fresh = True

    def infer_dtype(self, x: Any, *others: Any) -> Any:
        return x


class PadV3(_OneTensor):
    """Elements added around a tensor, or with negative numbers cut off: `(x, paddings, value)`.

    Args:
        mode: "constant": the value; "reflect": mirrored at the outermost element; "symmetric": mirrored behind it;
            "edge": the outermost element; "circular": from the other end.
        paddings_contiguous: the paddings are before and after of the last dimension, then of the one before, and so on;
            else first all before, then all after, from the first padded dimension on.

    Inputs: x, a tensor; paddings, an even number of ints, two for each padded dimension; value, a number, which only
    "constant" uses (0 where it is left out).
    Output: a tensor of x's element type, each padded dimension longer by the sum of its two numbers.

    Example:
        >>> print(ops.PadV3()(Tensor([1, 2, 3]), (1, 2), 0))
        [0 1 2 3 0 0]
        >>> print(ops.PadV3("reflect")(Tensor([1, 2, 3]), (2, 1)))
        [3 2 1 2 3 2]
        >>> print(ops.PadV3("circular")(Tensor([1, 2, 3]), (2, 1)))
        [2 3 1 2 3 1]
    """

    value_inputs = (1, 2)

    @prim_attr_register
    def __init__(self, mode: str = "constant", paddings_contiguous: bool = True) -> None:
        self.init_prim_io_names(inputs=["x", "paddings", "constant_value"], outputs=["y"])
        if mode not in _PAD_MODES:
            raise ValueError(f"{self.name}: mode must be one of {', '.join(_PAD_MODES)}, not {mode!r}")

    def infer_shape(self, x: Any, paddings: Any, value: Any = None) -> Dims:
        sides = self.sides(paddings, len(x))
        return tuple(None if size is None else self._length(size, *side) for size, side in zip(x, sides, strict=True))

    def _length(self, size: int, before: int, after: int) -> int:
        most = {"reflect": size - 1, "symmetric": size, "circular": size}.get(self.mode)
        if size + before + after < 0 or (most is not None and max(before, after) > most):
            raise ValueError(f"{self.name}: {before} and {after} cannot be added to {size} elements by {self.mode!r}")
        return size + before + after

    def sides(self, paddings: Sequence[int], rank: int) -> list[tuple[int, int]]:
        """Per dimension how many before and after."""
        given = [int(number) for number in paddings]
        if len(given) % 2 or len(given) > 2 * rank:
            raise ValueError(f"{self.name}: paddings {tuple(given)} must be two for each of at most {rank} dimensions")
        half = len(given) // 2
        if self.paddings_contiguous:
            padded = list(zip(given[::2], given[1::2], strict=True))[::-1]
        else:
            padded = list(zip(given[:half], given[half:], strict=True))
        return [(0, 0)] * (rank - half) + padded

    def compute(self, xp: Any, x: Any, paddings: Any, value: Any = None) -> Any:
        self.infer_shape(x.shape, paddings)
        for axis, (before, after) in enumerate(self.sides(paddings, x.ndim)):
            if before or after:
                x = self._extended(xp, x, axis, before, after, value)
        return x

    def _extended(self, xp: Any, x: Any, axis: int, before: int, after: int, value: Any) -> Any:
        index = self.places(x.shape[axis], before, after)
        out = xp.take(x, xp.asarray(np.maximum(index, 0)), axis)
        if self.mode == "constant":
            within = xp.asarray(index >= 0).reshape(-1, *(1,) * (x.ndim - axis - 1))
            out = xp.where(within, out, xp.asarray(0 if value is None else value, x.dtype))
        return out

    def places(self, size: int, before: int, after: int) -> Any:
        """Which element stands at each place along a dimension; -1 is none."""
        at = np.arange(-before, size + after)
        if self.mode == "constant":
            return np.where((at >= 0) & (at < size), at, -1)
        if self.mode == "edge":
            return np.clip(at, 0, size - 1)
        if self.mode == "circular":
            return at % size
        period = max(2 * (size - 1), 1) if self.mode == "reflect" else 2 * size
        at = at % period
        return np.where(at < size, at, period - at - (self.mode == "symmetric"))


class PadV3Grad(PadV3):
    """The gradient of `PadV3` with respect to the tensor: `(dout, paddings, shape of x)`.

    Args:
        mode: as of `PadV3`.
        paddings_contiguous: as of `PadV3`.

    Inputs: dout, the gradient with respect to the output of `PadV3`; paddings, as there; the shape of x, a tuple.
    Output: a tensor of the shape of x, of dout's element type; each element is the sum of dout at the places that it
    was copied to.

    Example:
        >>> print(ops.PadV3Grad("edge")(Tensor([1.0, 1.0, 1.0, 1.0, 1.0]), (2, 0), (3,)))
        [3. 1. 1.]
    """

    def infer_shape(self, x: Any, paddings: Any, value: Any = None) -> Dims:
        return tuple(value)

    def compute(self, xp: Any, x: Any, paddings: Any, value: Any = None) -> Any:
        for axis, (before, after) in reversed(list(enumerate(self.sides(paddings, x.ndim)))):
            if before or after:
                index = self.places(value[axis], before, after)
                within = index >= 0
                out = xp.zeros((value[axis], *x.shape[:axis], *x.shape[axis + 1 :]), x.dtype)
                xp.add.at(out, xp.asarray(index[within]), xp.moveaxis(x, axis, 0)[xp.asarray(within)])
                x = xp.moveaxis(out, 0, axis)
        return x


class MirrorPad(_OneTensor):
    """Mirrored elements around a tensor: `(x, paddings)`, paddings a tensor [dimensions, 2] or nested tuples.

    Args:
        mode: "REFLECT": mirrored at the outermost element; "SYMMETRIC": behind it.

    Inputs: x, a tensor; paddings, for each dimension how many before and after.
    Output: a tensor of x's element type, each dimension longer by its two numbers.

    Example:
        >>> print(ops.MirrorPad("REFLECT")(Tensor([[1, 2, 3]]), ((0, 0), (2, 1))))
        [[3 2 1 2 3 2]]
        >>> print(ops.MirrorPad("SYMMETRIC")(Tensor([[1, 2, 3]]), ((0, 0), (2, 1))))
        [[2 1 1 2 3 3]]
    """

    value_inputs: ClassVar[tuple[int, ...]] = (1,)

    @prim_attr_register
    def __init__(self, mode: str = "REFLECT") -> None:
        self.init_prim_io_names(inputs=["x", "paddings"], outputs=["y"])
        if mode not in ("REFLECT", "SYMMETRIC"):
            raise ValueError(f"MirrorPad: mode must be REFLECT or SYMMETRIC, not {mode!r}")

    def infer(self, *inputs: Abstract) -> Abstract:
        x, paddings = inputs
        if isinstance(paddings, AbstractTensor) and isinstance(x, AbstractTensor):
            return AbstractTensor((None,) * len(x.shape), x.dtype)
        return super().infer(*inputs)

    def infer_shape(self, x: Any, paddings: Any) -> Dims:
        return PadV3(self.mode.lower()).infer_shape(x, self.flat(paddings))

    @staticmethod
    def flat(paddings: Any) -> tuple[int, ...]:
        """Before and after of the last dimension, then of the one before, and so on."""
        plain = paddings.tolist() if hasattr(paddings, "tolist") else list(paddings)
        return tuple(int(number) for sides in plain[::-1] for number in sides)

    def compute(self, xp: Any, x: Any, paddings: Any) -> Any:
        return PadV3(self.mode.lower()).compute(xp, x, self.flat(paddings))


class MirrorPadGrad(MirrorPad):
    """The gradient of `MirrorPad` with respect to the tensor: `(dout, paddings, shape of x)`.

    Args:
        mode: as of `MirrorPad`.

    Inputs: dout, the gradient with respect to the output of `MirrorPad`; paddings, as there; the shape of x, a tuple.
    Output: a tensor of the shape of x, of dout's element type; each element is the sum of dout at the places that it
    was copied to.

    Example:
        >>> print(ops.MirrorPadGrad("REFLECT")(Tensor([[1.0, 1.0, 1.0, 1.0]]), ((0, 0), (1, 0)), (1, 3)))
        [[1. 2. 1.]]
    """

    value_inputs = (1, 2)

    def infer(self, *inputs: Abstract) -> Abstract:
        return PrimitiveWithInfer.infer(self, *inputs)

    def infer_shape(self, x: Any, paddings: Any, shape: Any = ()) -> Dims:
        return tuple(shape)

    def compute(self, xp: Any, x: Any, paddings: Any, shape: Any = ()) -> Any:
        return PadV3Grad(self.mode.lower()).compute(xp, x, self.flat(paddings), tuple(shape))


class SpaceToDepth(_OneTensor):
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

    def compute(self, xp: Any, x: Any) -> Any:
        n, c, height, width = x.shape
        size = self.block_size
        cut = x.reshape(n, c, height // size, size, width // size, size)
        return cut.transpose(0, 3, 5, 1, 2, 4).reshape(self.infer_shape(x.shape))


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

    def compute(self, xp: Any, x: Any) -> Any:
        n, c, height, width = x.shape
        size = self.block_size
        cut = x.reshape(n, size, size, c // (size * size), height, width)
        return cut.transpose(0, 3, 4, 1, 5, 2).reshape(self.infer_shape(x.shape))


class SpaceToBatchND(_OneTensor):
    """Every block_shape-th pixel as an image of its own: (N, C, H, W) to (N * blocks, C, H', W').

    out[(i * right + j) * N + n, c, h, w] = x[n, c, h * down + i, w * right + j], where x is padded and (down, right) is
    block_shape.

    Args:
        block_shape: how many along height and width.
        paddings: zeros added before and after along height and width.

    Inputs: x, images of shape (N, C, H, W); height and width with their paddings are multiples of block_shape.
    Output: a tensor of shape (N * product of block_shape, C, H', W'), of x's element type; H' and W' are the padded
    sizes divided by block_shape.

    Example:
        >>> x = Tensor([[[[1, 2], [3, 4]]]])
        >>> y = ops.SpaceToBatchND(2, ((0, 0), (0, 0)))(x)
        >>> print(y.shape, y.reshape(-1))
        (4, 1, 1, 1) [1 2 3 4]
    """

    @prim_attr_register
    def __init__(self, block_shape: Any, paddings: Sequence[Sequence[int]]) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["y"])
        self._register(block_shape, paddings, "paddings")

    def _register(self, block_shape: Any, sides: Sequence[Sequence[int]], name: str) -> None:
        self.add_prim_attr("block_shape", (block_shape,) * 2 if isinstance(block_shape, int) else tuple(block_shape))
        self.add_prim_attr(name, tuple(tuple(side) for side in sides))

    def infer_shape(self, x: Any) -> Dims:
        sizes = [size + sum(pads) for size, pads in zip(x[2:], self.paddings, strict=True)]
        if any(size % block for size, block in zip(sizes, self.block_shape, strict=True)):
            raise ValueError(f"SpaceToBatchND: {tuple(sizes)} does not divide into blocks of {self.block_shape}")
        across = int(np.prod(self.block_shape))
        cut = [size // block for size, block in zip(sizes, self.block_shape, strict=True)]
        return (None if x[0] is None else x[0] * across, x[1], *cut)

    def compute(self, xp: Any, x: Any) -> Any:
        shape = self.infer_shape(x.shape)
        x = xp.pad(x, ((0, 0), (0, 0), *self.paddings))
        n, c = x.shape[:2]
        down, right = self.block_shape
        cut = x.reshape(n, c, shape[2], down, shape[3], right)
        return cut.transpose(3, 5, 0, 1, 2, 4).reshape(shape)


class BatchToSpaceND(SpaceToBatchND):
    """Images as every block_shape-th pixel of one: what `SpaceToBatchND` cut, together again.

    out[n, c, h * down + i, w * right + j] = x[(i * right + j) * N / down / right + n, c, h, w], where (down, right) is
    block_shape, before the crops.

    Args:
        block_shape: how many along height and width.
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
    def __init__(self, block_shape: Any, crops: Sequence[Sequence[int]]) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["y"])
        self._register(block_shape, crops, "crops")

    def infer_shape(self, x: Any) -> Dims:
        across = int(np.prod(self.block_shape))
        if x[0] is not None and x[0] % across:
            raise ValueError(f"BatchToSpaceND: {x[0]} images do not make blocks of {self.block_shape}")
        whole = [size * block for size, block in zip(x[2:], self.block_shape, strict=True)]
        kept = [size - sum(crops) for size, crops in zip(whole, self.crops, strict=True)]
        return (None if x[0] is None else x[0] // across, x[1], *kept)

    def compute(self, xp: Any, x: Any) -> Any:
        n, c, rows, columns = self.infer_shape(x.shape)
        down, right = self.block_shape
        cut = x.reshape(down, right, n, c, *x.shape[2:]).transpose(2, 3, 4, 0, 5, 1)
        whole = cut.reshape(n, c, x.shape[2] * down, x.shape[3] * right)
        (top, _), (left, _) = self.crops
        return whole[:, :, top : top + rows, left : left + columns]


class ReverseSequence(_OneTensor):
    """The first elements of each sequence in the opposite order: `(x, lengths)`.

    Args:
        seq_dim: the dimension along which sequences run.
        batch_dim: the dimension along which they stand beside each other.

    Inputs: x, a tensor; lengths, an integer tensor of one dimension: for each sequence how many elements turn round.
    Output: a tensor of x's shape and element type.

    Example:
        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> print(ops.ReverseSequence(seq_dim=1, batch_dim=0)(x, Tensor([2, 3])))
        [[2 1 3]
         [6 5 4]]
    """

    @prim_attr_register
    def __init__(self, seq_dim: int, batch_dim: int = 0) -> None:
        self.init_prim_io_names(inputs=["x", "seq_lengths"], outputs=["y"])

    def infer_shape(self, x: Dims, lengths: Dims) -> Dims:
        batch = x[normal_axis(self.batch_dim, len(x))]
        if len(lengths) != 1 or (None not in (batch, lengths[0]) and lengths[0] != batch):
            raise ValueError(f"ReverseSequence: lengths of shape {lengths} do not fit {batch} sequences of {x}")
        return x

    def infer_dtype(self, x: DType, lengths: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any, lengths: Any) -> Any:
        along, beside = normal_axis(self.seq_dim, x.ndim), normal_axis(self.batch_dim, x.ndim)
        turned = xp.moveaxis(x, (beside, along), (0, 1))
        at = xp.arange(turned.shape[1])
        index = xp.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)
        return xp.moveaxis(turned[xp.arange(turned.shape[0])[:, None], index], (0, 1), (beside, along))
