"""Broadcasting to a shape, and sums that undo it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arrays import Array, ArrayModule, converted, without_halves
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.elementwise import LikeFirst
from framework.ops.gradients import gradient
from framework.ops.primitive import Primitive, PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, as_tuple, broadcast

__all__ = [
    "BroadcastLike",
    "BroadcastTo",
    "SumLike",
    "broadcast_to",
    "expand",
]

zeros_like = ZerosLike()


def _is_like(self: Primitive, x: Array, like: Array) -> bool:
    """Whether x has the shape and the element type of `like`."""
    return x.shape == like.shape and x.dtype is like.dtype


class SumLike(PrimitiveWithInfer):
    """The sum of `x` over the dimensions that broadcasting adds to `like`, in the shape and element type of `like`.

    This is the gradient of broadcasting, which every operator on two tensors needs. If `like` is a number, the output
    is the sum of all elements.

    Inputs: x, a tensor; like, a tensor whose shape broadcasts to that of x, or a number.
    Output: a tensor of like's shape and element type; of shape () for a number.

    Example:
        >>> x = Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ops.SumLike()(x, Tensor([0.0, 0.0])), ops.SumLike()(x, 0.0))
        [4. 6.] 10.0
    """

    passes = _is_like

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "like"], outputs=["output"])

    def infer_shape(self, x: Dims, like: Dims | float) -> Dims:
        return like if isinstance(like, tuple) else ()

    def infer_dtype(self, x: DType, like: DType | float) -> DType:
        return like if isinstance(like, DType) else x

    def compute(self, xp: ArrayModule, x: Array, like: Array | float) -> Array:
        shape, dtype = getattr(like, "shape", ()), like.dtype if hasattr(like, "dtype") else x.dtype
        if x.shape != shape:
            added = x.ndim - len(shape)
            axes = (*range(added), *(i + added for i, size in enumerate(shape) if size == 1 != x.shape[i + added]))
            x = without_halves(x).sum(axis=axes, keepdims=True).reshape(shape)
        return converted(x, dtype)


sum_like = SumLike()


@gradient(SumLike)
def sum_like_gradient(x: Tensor, like: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The gradient repeated like the input."""
    return broadcast_like(dout, x), zeros_like(like)


#: Up to this number of elements, a copy takes less time than a repeating view.
_COPIED: Final = 4096


class BroadcastLike(PrimitiveWithInfer):
    """`x` repeated to the shape, and converted to the element type, of `like`.

    Inputs: x, a tensor whose shape broadcasts to that of like; like, a tensor.
    Output: a tensor of like's shape and element type.

    Example:
        >>> print(ops.BroadcastLike()(Tensor([1.0, 2.0]), Tensor([[0, 0], [0, 0]])))
        [[1 2]
         [1 2]]
    """

    passes = _is_like

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "like"], outputs=["output"])

    def infer_shape(self, x: Dims, like: Dims) -> Dims:
        return like if isinstance(like, tuple) else ()

    def infer_dtype(self, x: DType, like: DType) -> DType:
        return like if isinstance(like, DType) else x

    def compute(self, xp: ArrayModule, x: Array, like: Array) -> Array:
        if like.size <= _COPIED:
            made = xp.empty(like.shape, like.dtype)
            made[...] = x
            return made
        return xp.broadcast_to(converted(x, like.dtype), like.shape)


broadcast_like = BroadcastLike()


@gradient(BroadcastLike)
def broadcast_like_gradient(x: Tensor, like: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The sum over all repetitions."""
    return sum_like(dout, x), zeros_like(like)


class BroadcastTo(LikeFirst):
    """x repeated along dimensions of length 1 and new leading dimensions to `shape`; -1 keeps a dimension.

    Args:
        shape: the shape.

    Inputs: x, a tensor whose shape broadcasts to `shape`.
    Output: a tensor of that shape, of x's element type.

    Example:
        >>> print(ops.BroadcastTo((2, -1))(Tensor([1, 2, 3])))
        [[1 2 3]
         [1 2 3]]
    """

    @prim_attr_register
    def __init__(self, shape: Sequence[int]) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.add_prim_attr("shape", tuple(shape))

    def infer_shape(self, x: Dims) -> Dims:
        added = len(self.shape) - len(x)
        if added < 0:
            raise ValueError(f"BroadcastTo: shape {x} has more dimensions than {self.shape}")
        wanted = tuple(x[i - added] if size == -1 and i >= added else size for i, size in enumerate(self.shape))
        if broadcast(x, wanted) != wanted:
            raise ValueError(f"BroadcastTo: shape {x} does not broadcast to {self.shape}")
        return wanted

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.broadcast_to(x, self.infer_shape(x.shape))


def broadcast_to(input: Tensor, shape: int | Sequence[int]) -> Tensor:
    """A tensor broadcast to a shape; -1 keeps a dimension.

    Args:
        input: a tensor whose shape broadcasts to `shape`.
        shape: the shape; -1 stands for the size of the input there.

    Returns:
        A tensor of that shape and of the element type of `input`.

    Example:
        >>> print(ops.broadcast_to(Tensor([1, 2]), (2, 2)))
        [[1 2]
         [1 2]]

    """
    return cached(BroadcastTo, as_tuple(shape))(input)


@gradient(BroadcastTo)
def broadcast_to_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The sum over all repetitions."""
    return sum_like(dout, x)


def expand(input_x: Tensor, size: int | Sequence[int]) -> Tensor:
    """A tensor broadcast to a shape; -1 keeps a dimension.

    Args:
        input_x: a tensor whose shape broadcasts to `size`.
        size: the shape; -1 stands for the size of the input there.

    Returns:
        A tensor of that shape and of the element type of `input_x`.

    Example:
        >>> print(ops.expand(Tensor([[1], [2]]), (2, 3)))
        [[1 1 1]
         [2 2 2]]

    """
    return broadcast_to(input_x, size)
