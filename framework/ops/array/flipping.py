"""Operators that reverse, rotate or roll elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.properties import shape
from framework.ops.array.repeating import vector_of
from framework.ops.array.reshaping import reshape
from framework.ops.array.transposing import swapaxes
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.elementwise import FreshLikeFirst, LikeFirst
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.indexing.gathering_elements import Gather
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims, as_tuple, normal_axis

__all__ = [
    "ReverseSequence",
    "ReverseV2",
    "flip",
    "fliplr",
    "flipud",
    "reverse",
    "reverse_sequence",
    "roll",
    "rot90",
]


class ReverseV2(LikeFirst):
    """The elements in the opposite order along axes.

    Args:
        axis: an int, or several.

    Inputs: x, a tensor.
    Output: a tensor of x's shape and element type.

    Example:
        >>> print(ops.ReverseV2(axis=1)(Tensor([[1, 2, 3], [4, 5, 6]])))
        [[3 2 1]
         [6 5 4]]
    """

    @prim_attr_register
    def __init__(self, axis: int | Sequence[int]) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        self.add_prim_attr("axis", (axis,) if isinstance(axis, int) else tuple(axis))

    def infer_shape(self, x: Dims) -> Dims:
        for axis in self.axis:
            normal_axis(axis, len(x))
        return x

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.flip(x, self.axis)


def flip(input: Tensor, dims: int | Sequence[int]) -> Tensor:
    """The elements in the opposite order along axes.

    Args:
        input: a tensor of any shape.
        dims: the axes, an int or several.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.flip(Tensor([[1, 2], [3, 4]]), (0,)))
        [[3 4]
         [1 2]]

    """
    return cached(ReverseV2, as_tuple(dims))(input)


@bprop_getters.register(ReverseV2)
def get_bprop_reverse(self: ReverseV2) -> Bprop:
    """The gradient in the opposite order."""

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (self(dout),)

    return bprop


class ReverseSequence(FreshLikeFirst):
    """The first elements of each sequence in the opposite order: `(x, lengths)`.

    Args:
        seq_dim: the dimension along which sequences run.
        batch_dim: the dimension that numbers the sequences.

    Inputs: x, a tensor; lengths, an integer vector: for each sequence the number of elements to reverse.
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

    def compute(self, xp: ArrayModule, x: Array, lengths: Array) -> Array:
        along, beside = normal_axis(self.seq_dim, x.ndim), normal_axis(self.batch_dim, x.ndim)
        turned = xp.moveaxis(x, (beside, along), (0, 1))
        at = xp.arange(turned.shape[1])
        index = xp.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)
        return xp.moveaxis(turned[xp.arange(turned.shape[0])[:, None], index], (0, 1), (beside, along))


def reverse_sequence(x: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int = 0) -> Tensor:
    """The first elements of each sequence in the opposite order.

    Args:
        x: a tensor of any shape.
        seq_lengths: an integer vector: for each sequence the number of elements to reverse.
        seq_dim: the dimension along which sequences run.
        batch_dim: the dimension that numbers the sequences.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.reverse_sequence(Tensor([[1, 2, 3], [4, 5, 6]]), Tensor([2, 3]), 1))
        [[2 1 3]
         [6 5 4]]

    """
    return cached(ReverseSequence, seq_dim, batch_dim)(x, seq_lengths)


@bprop_getters.register(ReverseSequence)
def get_bprop_reverse_sequence(self: ReverseSequence) -> Bprop:
    """The gradient in the opposite order."""

    def bprop(x: Tensor, lengths: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return self(dout, lengths), None

    return bprop


@constexpr
def _rolled(length: int, shift: int) -> tuple[int, ...]:
    """The old index of each element after rolling."""
    return tuple((i - shift) % length for i in range(length))


def roll(input: Any, shifts: Any, dims: int | Sequence[int] | None = None) -> Tensor:
    """Elements shifted along dimensions; those that leave at one end enter at the other.

    Args:
        input: a tensor of any shape.
        shifts: the number of positions to shift, one for each dimension.
        dims: the dimensions, an int or several; by default the flattened tensor is shifted.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.roll(Tensor([1, 2, 3, 4]), 1))
        [4 1 2 3]

    """
    if dims is None:
        flat = reshape(input, (-1,))
        return reshape(Gather()(flat, vector_of(_rolled(shape(flat)[0], shifts)), 0), shape(input))
    axes = as_tuple(dims)
    for i, shift in enumerate(as_tuple(shifts)):
        input = Gather()(input, vector_of(_rolled(shape(input)[axes[i]], shift)), axes[i])
    return input


def reverse(x: Tensor, axis: int | Sequence[int]) -> Tensor:
    """The elements in the opposite order along some axes: `flip` under its other name.

    Args:
        x: a tensor of any shape.
        axis: the axes, an int or several.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.reverse(Tensor([[1, 2], [3, 4]]), (1,)))
        [[2 1]
         [4 3]]

    """
    return flip(x, axis)


def fliplr(input: Tensor) -> Tensor:
    """Columns in the opposite order.

    Args:
        input: a tensor of two dimensions or more.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.fliplr(Tensor([[1, 2], [3, 4]])))
        [[2 1]
         [4 3]]

    """
    return flip(input, (1,))


def flipud(input: Tensor) -> Tensor:
    """Rows in the opposite order.

    Args:
        input: a tensor of one dimension or more.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.flipud(Tensor([[1, 2], [3, 4]])))
        [[3 4]
         [1 2]]

    """
    return flip(input, (0,))


def rot90(input: Tensor, k: int, dims: Any) -> Tensor:
    """A tensor rotated k times by 90 degrees, from the first of two dimensions towards the second.

    Args:
        input: a tensor of two dimensions or more.
        k: the number of rotations.
        dims: the two dimensions of the plane of rotation.

    Returns:
        The rotated tensor, of the same element type.

    Example:
        >>> print(ops.rot90(Tensor([[1, 2], [3, 4]]), 1, (0, 1)))
        [[2 4]
         [1 3]]

    """
    first, second = dims
    if k % 4 == 2:
        return flip(flip(input, first), second)
    if k % 4 == 1:
        return swapaxes(flip(input, second), first, second)
    return flip(swapaxes(input, first, second), second) if k % 4 == 3 else input
