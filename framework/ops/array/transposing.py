"""The dimensions of a tensor in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.ops.array.properties import rank, shape
from framework.ops.array.reshaping import reshape
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.elementwise import LikeFirst
from framework.ops.gradients import gradient
from framework.ops.primitive import prim_attr_register
from framework.ops.shapes import Dims, as_tuple, inverse_order, normal_axis, swapped_order

__all__ = [
    "Transpose",
    "channel_shuffle",
    "moveaxis",
    "movedim",
    "permute",
    "swapaxes",
    "swapdims",
    "t",
    "transpose",
]


class Transpose(LikeFirst):
    """The dimensions in another order.

    Inputs: x, a tensor; perm, a tuple that names each of its dimensions once.
    Output: a tensor of x's element type, whose dimension i is dimension perm[i] of x.

    Example:
        >>> print(ops.Transpose()(Tensor([[1, 2, 3], [4, 5, 6]]), (1, 0)))
        [[1 4]
         [2 5]
         [3 6]]
    """

    arguments = ("input", "dims")
    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "perm"], outputs=["output"])

    def infer_shape(self, x: Dims, perm: Sequence[int]) -> Dims:
        order = [normal_axis(axis, len(x)) for axis in perm]
        if sorted(order) != list(range(len(x))):
            raise ValueError(f"Transpose: {tuple(perm)} must name each of the {len(x)} dimensions of {x} once")
        return tuple(x[axis] for axis in order)

    def compute(self, xp: ArrayModule, x: Array, perm: tuple[int, ...]) -> Array:
        return x.transpose(perm)


transpose = Transpose()


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a vector is returned unchanged.

    Args:
        input: a tensor of at most two dimensions.

    Returns:
        The transposed tensor.

    Example:
        >>> print(ops.t(Tensor([[1, 2, 3], [4, 5, 6]])))
        [[1 4]
         [2 5]
         [3 6]]

    """
    return transpose(input, (1, 0)) if rank(input) == 2 else input


@constexpr
def _moved(rank: int, source: Any, destination: Any) -> tuple[int, ...]:
    """The order of dimensions with some of them moved."""
    sources = [normal_axis(axis, rank) for axis in as_tuple(source)]
    places = [normal_axis(axis, rank) for axis in as_tuple(destination)]
    order = [axis for axis in range(rank) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return tuple(order)


def movedim(x: Any, source: Any, destination: Any) -> Tensor:
    """Some dimensions moved to other positions; the others keep their order.

    Args:
        x: a tensor of any shape.
        source: the dimensions to move, an int or several.
        destination: the new position of each.

    Returns:
        The same elements with dimensions in another order.

    Example:
        >>> print(ops.movedim(ops.ones((2, 3, 4)), (0, 1), (2, 0)).shape)
        (3, 4, 2)

    """
    return transpose(x, _moved(rank(x), source, destination))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Some dimensions moved to other positions; the others keep their order.

    Args:
        x: a tensor of any shape.
        source: the dimensions to move, an int or several.
        destination: the new position of each.

    Returns:
        The same elements with dimensions in another order.

    Example:
        >>> print(ops.moveaxis(ops.ones((2, 3, 4)), 0, 2).shape)
        (3, 4, 2)

    """
    return transpose(x, _moved(rank(x), source, destination))


def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    """The channels of (N, C, ...) interleaved: one of each group in turn.

    Args:
        x: a tensor (N, C, ...).
        groups: the number of groups, which divides C.

    Returns:
        A tensor of the same shape and element type.

    Example:
        >>> print(ops.channel_shuffle(Tensor(np.arange(4.0).reshape(1, 4, 1, 1)), 2).asnumpy().ravel())
        [0. 2. 1. 3.]

    """
    count, channels, *rest = shape(x)
    parts = reshape(x, (count, groups, channels // groups, -1))
    return reshape(transpose(parts, (0, 2, 1, 3)), (count, channels, *rest))


def permute(input: Tensor, axis: int | Sequence[int]) -> Tensor:
    """The dimensions in another order.

    Args:
        input: a tensor of any shape.
        axis: the order, which names each dimension once.

    Returns:
        A tensor whose dimension i is dimension axis[i] of `input`.

    Example:
        >>> print(ops.permute(ops.ones((2, 3, 4)), (2, 0, 1)).shape)
        (4, 2, 3)

    """
    return transpose(input, axis)


def swapaxes(input: Any, axis0: int, axis1: int) -> Tensor:
    """Two dimensions exchanged.

    Args:
        input: a tensor of any shape.
        axis0: a dimension.
        axis1: the dimension to exchange it with.

    Returns:
        The same elements with two dimensions exchanged.

    Example:
        >>> print(ops.swapaxes(ops.ones((2, 3, 4)), 0, 2).shape)
        (4, 3, 2)

    """
    return transpose(input, swapped_order(rank(input), axis0, axis1))


@gradient(Transpose)
def transpose_gradient(x: Tensor, perm: tuple[int, ...], out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """The gradient with its dimensions in the inverse order."""
    return transpose(dout, inverse_order(perm)), None


def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged.

    Args:
        input: a tensor of any shape.
        dim0: a dimension.
        dim1: the dimension to exchange it with.

    Returns:
        The same elements with two dimensions exchanged.

    Example:
        >>> print(ops.swapdims(ops.ones((2, 3, 4)), 0, 2).shape)
        (4, 3, 2)

    """
    return swapaxes(input, dim0, dim1)
