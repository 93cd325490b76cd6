"""Padding of tensors with constants, mirrored or repeated elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np

from framework.common.tensor import Tensor
from framework.ir.abstract import Abstract, AbstractTensor
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.control.composed import Composed
from framework.ops.elementwise import FreshLikeFirst, LikeFirst
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.indexing.slicing import slice as slice_of
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, as_tuple

__all__ = [
    "MirrorPad",
    "MirrorPadGrad",
    "Pad",
    "PadV3",
    "PadV3Grad",
    "Padding",
    "mirror_pad",
    "pad",
    "padding",
]


class Pad(LikeFirst):
    """Zeros around the elements.

    Args:
        paddings: for each dimension the number of zeros before and after.

    Inputs: x, a tensor with as many dimensions as there are pairs in paddings.
    Output: a tensor of x's element type, each dimension longer by the sum of its pair.

    Example:
        >>> print(ops.Pad(((0, 1), (1, 1)))(Tensor([[1, 2]])))
        [[0 1 2 0]
         [0 0 0 0]]
    """

    @prim_attr_register
    def __init__(self, paddings: Sequence[Sequence[int]]) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])
        self.add_prim_attr("paddings", tuple(tuple(pads) for pads in paddings))

    def infer_shape(self, x: Dims) -> Dims:
        if len(x) != len(self.paddings):
            raise ValueError(f"Pad: paddings {self.paddings} do not fit shape {x}")
        return tuple(
            None if size is None else size + before + after
            for size, (before, after) in zip(x, self.paddings, strict=True)
        )

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.pad(x, self.paddings)


def padding(x: Tensor, pad_dim_size: int = 8) -> Tensor:
    """A tensor whose last dimension, of length 1, is extended with zeros.

    Args:
        x: (..., 1).
        pad_dim_size: the new length of the last dimension.

    Returns:
        A tensor (..., pad_dim_size), of the element type of `x`.

    Raises:
        ValueError: the last dimension is not 1, or `pad_dim_size` is below 1.

    Example:
        >>> print(ops.padding(Tensor([[8.0], [10.0]]), 3))
        [[ 8.  0.  0.]
         [10.  0.  0.]]

    """
    return cached(Pad, _filled(shape_of(x), pad_dim_size))(x)


class Padding(Composed):
    """A tensor whose last dimension, of length 1, is extended with zeros: `Padding(n)(x)`.

    Inputs: a tensor (..., 1). Output: a tensor (..., n) of the same element type.

    Args:
        pad_dim_size: the new length of the last dimension.

    Example:
        >>> print(ops.Padding(3)(Tensor([[8.0], [10.0]])))
        [[ 8.  0.  0.]
         [10.  0.  0.]]
    """

    @prim_attr_register
    def __init__(self, pad_dim_size: int = 8) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def __call__(self, x: Tensor) -> Tensor:
        """Extend a tensor."""
        return padding(x, self.pad_dim_size)


@constexpr
def _filled(of: Sequence[int], size: int) -> tuple[tuple[int, int], ...]:
    if of[-1] != 1 or size < 1:
        raise ValueError(f"padding: x must be (..., 1) and pad_dim_size 1 or more, not {tuple(of)} and {size}")
    return (*((0, 0),) * (len(of) - 1), (0, size - 1))


@bprop_getters.register(Pad)
def get_bprop_pad(self: Pad) -> Bprop:
    """The gradient without the padding."""
    begin = tuple(before for before, _ in self.paddings)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (slice_of(dout, begin, shape_of(x)),)

    return bprop


_PAD_MODES: Final = ("constant", "reflect", "symmetric", "edge", "circular")


class PadV3(FreshLikeFirst):
    """Elements added around a tensor, or removed where a number is negative: `(x, paddings, value)`.

    Args:
        mode: "constant": the value; "reflect": mirrored at the outermost element; "symmetric": mirrored behind it;
            "edge": the outermost element; "circular": from the other end.
        paddings_contiguous: the paddings are before and after of the last dimension, then of the one before, and so on;
            else first all before, from the last dimension on, then all after.

    Inputs: x, a tensor; paddings, an even number of ints, two for each padded dimension; value, a number, which only
    "constant" uses (0 by default).
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

    def infer_shape(self, x: Any, paddings: Any, value: float | None = None) -> Dims:
        sides = self.sides(paddings, len(x))
        return tuple(None if size is None else self._length(size, *side) for size, side in zip(x, sides, strict=True))

    def _length(self, size: int, before: int, after: int) -> int:
        most = {"reflect": size - 1, "symmetric": size, "circular": size}.get(self.mode)
        if size + before + after < 0 or (most is not None and max(before, after) > most):
            raise ValueError(f"{self.name}: {before} and {after} cannot be added to {size} elements by {self.mode!r}")
        return size + before + after

    def sides(self, paddings: Sequence[int], rank: int) -> list[tuple[int, int]]:
        """For each dimension the numbers of elements before and after."""
        given = [int(number) for number in paddings]
        if len(given) % 2 or len(given) > 2 * rank:
            raise ValueError(f"{self.name}: paddings {tuple(given)} must be two for each of at most {rank} dimensions")
        half = len(given) // 2
        pairs = zip(
            *((given[::2], given[1::2]) if self.paddings_contiguous else (given[:half], given[half:])), strict=True
        )
        return [(0, 0)] * (rank - half) + list(pairs)[::-1]

    def compute(self, xp: ArrayModule, x: Array, paddings: tuple[int, ...], value: float | None = None) -> Array:
        self.infer_shape(x.shape, paddings)
        for axis, (before, after) in enumerate(self.sides(paddings, x.ndim)):
            if before or after:
                x = self._extended(xp, x, axis, before, after, value)
        return x

    def _extended(self, xp: ArrayModule, x: Array, axis: int, before: int, after: int, value: float | None) -> Array:
        index = self.places(x.shape[axis], before, after)
        out = xp.take(x, xp.asarray(np.maximum(index, 0)), axis)
        if self.mode == "constant":
            within = xp.asarray(index >= 0).reshape(-1, *(1,) * (x.ndim - axis - 1))
            out = xp.where(within, out, xp.asarray(0 if value is None else value, x.dtype))
        return out

    def places(self, size: int, before: int, after: int) -> Array:
        """The index of the element at each position along a dimension; -1 for the constant value."""
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


_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "circular"}


@constexpr
def _pad_mode(mode: str) -> str:
    if mode not in _MODES:
        raise ValueError(f"pad: mode must be one of {', '.join(_MODES)}, not {mode!r}")
    return _MODES[mode]


def pad(input_x: Tensor, padding: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Elements added around a tensor, or removed where a number is negative.

    Args:
        input_x: the tensor.
        padding: the numbers before and after the last dimension, then the one before, and so on.
        mode: "constant", "reflect", "replicate" or "circular".
        value: the added value in the mode "constant"; 0 by default.

    Returns:
        A tensor of the element type of `input_x`, each padded dimension longer by its two numbers.

    Raises:
        ValueError: the mode is unknown, or the numbers do not fit the shape.

    Example:
        >>> print(ops.pad(Tensor([[1.0, 2.0]]), (1, 2), value=9.0))
        [[9. 1. 2. 9. 9.]]

    """
    return cached(PadV3, _pad_mode(mode), True)(input_x, as_tuple(padding), 0 if value is None else value)


@bprop_getters.register(PadV3)
def get_bprop_pad_v3(self: PadV3) -> Bprop:
    """Each gradient is added to the element that was copied there."""
    grad = cached(PadV3Grad, self.mode, self.paddings_contiguous)

    def bprop(
        x: Tensor, paddings: tuple[int, ...], value: float, out: Tensor, dout: Tensor
    ) -> tuple[Tensor | None, ...]:
        return grad(dout, paddings, shape_of(x)), None, None

    return bprop


class PadV3Grad(PadV3):
    """The gradient of `PadV3` with respect to the tensor: `(dout, paddings, shape of x)`.

    Args:
        mode: as in `PadV3`.
        paddings_contiguous: as in `PadV3`.

    Inputs: dout, the gradient with respect to the output of `PadV3`; paddings, as there; the shape of x, a tuple.
    Output: a tensor of the shape of x, of dout's element type; each element is the sum of dout over its
    copies.

    Example:
        >>> print(ops.PadV3Grad("edge")(Tensor([1.0, 1.0, 1.0, 1.0, 1.0]), (2, 0), (3,)))
        [3. 1. 1.]
    """

    def infer_shape(self, x: Any, paddings: Any, value: Any = None) -> Dims:
        return tuple(value)

    def compute(self, xp: Any, x: Any, paddings: Any, value: Any = None) -> Any:
        sides = self.sides(paddings, x.ndim)
        padded = tuple(size + before + after for size, (before, after) in zip(value, sides, strict=True))
        if x.shape != padded:
            raise ValueError(f"what is padded to {padded} has no gradient of the shape {x.shape}")
        for axis, (before, after) in reversed(list(enumerate(sides))):
            if before or after:
                index = self.places(value[axis], before, after)
                within = index >= 0
                out = xp.zeros((value[axis], *x.shape[:axis], *x.shape[axis + 1 :]), x.dtype)
                xp.add.at(out, xp.asarray(index[within]), xp.moveaxis(x, axis, 0)[xp.asarray(within)])
                x = xp.moveaxis(out, 0, axis)
        return x


@bprop_getters.register(PadV3Grad)
def get_bprop_pad_v3_grad(self: PadV3Grad) -> Bprop:
    """Each element gets the gradient of the element that it was added to."""
    pad = cached(PadV3, self.mode, self.paddings_contiguous)

    def bprop(
        gradient: Tensor, paddings: tuple[int, ...], shape: tuple[int, ...], out: Tensor, dout: Tensor
    ) -> tuple[Tensor | None, ...]:
        return pad(dout, paddings, 0), None, None

    return bprop


class MirrorPad(FreshLikeFirst):
    """Mirrored elements around a tensor: `(x, paddings)`, paddings a tensor [dimensions, 2] or nested tuples.

    Args:
        mode: "REFLECT": mirrored at the outermost element; "SYMMETRIC": behind it.

    Inputs: x, a tensor; paddings, for each dimension the numbers of elements before and after.
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

    def infer_shape(self, x: Dims, paddings: tuple[Dims, ...]) -> Dims:
        return PadV3(self.mode.lower()).infer_shape(x, self.flat(paddings))

    @staticmethod
    def flat(paddings: Any) -> tuple[int, ...]:
        """The numbers before and after the last dimension, then the one before, and so on."""
        plain = paddings.tolist() if hasattr(paddings, "tolist") else list(paddings)
        return tuple(int(number) for sides in plain[::-1] for number in sides)

    def compute(self, xp: ArrayModule, x: Array, paddings: Any) -> Array:
        return PadV3(self.mode.lower()).compute(xp, x, self.flat(paddings))


def mirror_pad(input_x: Tensor, paddings: Tensor | float, mode: str = "REFLECT") -> Tensor:
    """Mirrored elements around a tensor; `paddings` holds the numbers before and after each dimension.

    Args:
        input_x: a tensor of any shape.
        paddings: (dimensions, 2): the numbers of elements before and after each dimension.
        mode: "REFLECT": mirrored at the outermost element; "SYMMETRIC": behind it.

    Returns:
        A tensor of the element type of `input_x`, each dimension longer by its two numbers.

    Example:
        >>> print(ops.mirror_pad(Tensor([[1, 2, 3]]), Tensor([[0, 0], [2, 1]])))
        [[3 2 1 2 3 2]]

    """
    return cached(MirrorPad, mode)(input_x, paddings)


@bprop_getters.register(MirrorPad)
def get_bprop_mirror_pad(self: MirrorPad) -> Bprop:
    """Each gradient is added to the element that was copied there."""
    grad = cached(MirrorPadGrad, self.mode)

    def bprop(x: Tensor, paddings: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return grad(dout, paddings, shape_of(x)), None

    return bprop


class MirrorPadGrad(MirrorPad):
    """The gradient of `MirrorPad` with respect to the tensor: `(dout, paddings, shape of x)`.

    Args:
        mode: as in `MirrorPad`.

    Inputs: dout, the gradient with respect to the output of `MirrorPad`; paddings, as there; the shape of x, a tuple.
    Output: a tensor of the shape of x, of dout's element type; each element is the sum of dout over its
    copies.

    Example:
        >>> print(ops.MirrorPadGrad("REFLECT")(Tensor([[1.0, 1.0, 1.0, 1.0]]), ((0, 0), (1, 0)), (1, 3)))
        [[1. 2. 1.]]
    """

    value_inputs = (1, 2)

    def infer(self, *inputs: Abstract) -> Abstract:
        return PrimitiveWithInfer.infer(self, *inputs)

    def infer_shape(self, x: Dims, paddings: tuple[Dims, ...], shape: Dims = ()) -> Dims:
        return tuple(shape)

    def compute(self, xp: ArrayModule, x: Array, paddings: Any, shape: tuple[int, ...] = ()) -> Array:
        return PadV3Grad(self.mode.lower()).compute(xp, x, self.flat(paddings), tuple(shape))


@bprop_getters.register(MirrorPadGrad)
def get_bprop_mirror_pad_grad(self: MirrorPadGrad) -> Bprop:
    """Each element gets the gradient of the element that it was added to."""
    pad = cached(MirrorPad, self.mode)

    def bprop(
        gradient: Tensor, paddings: Tensor, shape: tuple[int, ...], out: Tensor, dout: Tensor
    ) -> tuple[Tensor | None, ...]:
        return pad(dout, paddings), None, None

    return bprop
