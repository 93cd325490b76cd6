"""Operators that repeat tensors along dimensions, grids and combinations of vectors."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.joining import Split, concat, stack
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import reshape
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.elementwise import LikeFirst
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.indexing.gathering_elements import Gather, gather
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.reduction.totals import ReduceSum
from framework.ops.shapes import Dims, repeated_axes, repeated_shape

__all__ = [
    "Meshgrid",
    "Tile",
    "cartesian_prod",
    "combinations",
    "meshgrid",
    "repeat_elements",
    "repeat_interleave",
    "tile",
]

reduce_sum = ReduceSum()


class Tile(LikeFirst):
    """x repeated `multiples` times along each dimension.

    Inputs: x, a tensor; multiples, a tuple of ints, one for each dimension. The shorter of shape and multiples
    is extended with ones in front.
    Output: a tensor of x's element type, each dimension multiplied by its multiple.

    Example:
        >>> print(ops.Tile()(Tensor([[1, 2], [3, 4]]), (1, 2)))
        [[1 2 1 2]
         [3 4 3 4]]
    """

    arguments = ("input", "dims")
    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "multiples"], outputs=["output"])

    def infer_shape(self, x: Dims, multiples: Sequence[int]) -> Dims:
        rank = max(len(x), len(multiples))
        sizes = (*(1,) * (rank - len(x)), *x)
        times = (*(1,) * (rank - len(multiples)), *multiples)
        return tuple(None if size is None else size * n for size, n in zip(sizes, times, strict=True))

    def compute(self, xp: ArrayModule, x: Array, multiples: tuple[int, ...]) -> Array:
        return xp.tile(x, multiples)


tile = Tile()


@gradient(Tile)
def tile_gradient(x: Tensor, multiples: tuple[int, ...], out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """The sum over all repetitions."""
    shape = shape_of(x)
    summed = reduce_sum(reshape(dout, repeated_shape(shape, multiples)), repeated_axes(shape, multiples))
    return reshape(summed, shape), None


class Meshgrid(PrimitiveWithInfer):
    """The coordinate tensors of a grid: each vector repeated along the dimensions of the others.

    Inputs: a tuple of vectors.

    Output: as many tensors of the vectors' element types, all of one shape, with a dimension for each vector.

    Args:
        indexing: "xy": the second vector runs along the first dimension; "ij": in their order.

    Example:
        >>> x, y = ops.Meshgrid()((Tensor([1, 2, 3]), Tensor([10, 20])))
        >>> print(x)
        [[1 2 3]
         [1 2 3]]
        >>> print(y)
        [[10 10 10]
         [20 20 20]]
    """

    @prim_attr_register
    def __init__(self, indexing: str = "xy") -> None:
        self.init_prim_io_names(inputs=["inputs"], outputs=["outputs"])
        if indexing not in ("xy", "ij"):
            raise ValueError(f"Meshgrid: indexing must be xy or ij, not {indexing!r}")

    def infer_shape(self, vectors: tuple[Dims, ...]) -> tuple[Dims, ...]:
        shape = [vector[0] for vector in vectors]
        if self.indexing == "xy" and len(shape) > 1:
            shape[:2] = shape[1], shape[0]
        return (tuple(shape),) * len(vectors)

    def infer_dtype(self, vectors: tuple[DType, ...]) -> tuple[DType, ...]:
        return tuple(vectors)

    def compute(self, xp: ArrayModule, vectors: tuple[Any, ...]) -> tuple[Array, ...]:
        return tuple(xp.meshgrid(*vectors, indexing=self.indexing))


def meshgrid(*inputs: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """The coordinate tensors of a grid: each vector repeated along the dimensions of the others.

    Args:
        inputs: vectors.
        indexing: "xy": the second vector runs along the first dimension; "ij": in their order.

    Returns:
        A tuple of one tensor for each vector, all of one shape with a dimension for each vector.

    Example:
        >>> across, down = ops.meshgrid(Tensor([1, 2, 3]), Tensor([4, 5]))
        >>> print(across)
        [[1 2 3]
         [1 2 3]]
        >>> print(down)
        [[4 4 4]
         [5 5 5]]

    """
    return cached(Meshgrid, indexing)(inputs)


@constexpr
def _vector_axes(count: int, indexing: str) -> tuple[tuple[int, ...], ...]:
    """For each vector, the dimensions along which it is repeated."""
    own = list(range(count))
    if indexing == "xy" and count > 1:
        own[:2] = 1, 0
    return tuple(tuple(i for i in range(count) if i != axis) for axis in own)


@bprop_getters.register(Meshgrid)
def get_bprop_meshgrid(self: Meshgrid) -> Bprop:
    """The sum over all repetitions."""
    indexing = self.indexing

    def bprop(vectors: tuple[Tensor, ...], out: tuple[Tensor, ...], dout: tuple[Tensor, ...]) -> Any:
        axes = _vector_axes(len(vectors), indexing)
        return ([reduce_sum(gradient, axes[i]) for i, gradient in enumerate(dout)],)

    return bprop


@constexpr
def vector_of(numbers: Sequence[int]) -> Tensor:
    """An Int64 vector of numbers."""
    from framework.common.tensor import Tensor

    return Tensor(list(numbers), mstype.int64)


@constexpr
def _repeated(length: int, repeats: Any) -> tuple[int, ...]:
    """The index of the original element for each repeated one."""
    counts = [repeats] * length if isinstance(repeats, int) else list(repeats)
    counts = counts * length if len(counts) == 1 else counts
    if len(counts) != length:
        raise ValueError(f"repeat_interleave: repeats holds {len(counts)} numbers, but the axis has {length} elements")
    return tuple(i for i, count in enumerate(counts) for _ in range(count))


def repeat_interleave(input: Any, repeats: Any, axis: Any = None) -> Tensor:
    """Each slice along an axis repeated; by default, each element of the flattened tensor.

    Args:
        input: a tensor of any shape.
        repeats: the number of repetitions, or one number for each slice.
        axis: the axis; by default the tensor is flattened first.

    Returns:
        A tensor of the same element type.

    Example:
        >>> print(ops.repeat_interleave(Tensor([[1, 2], [3, 4]]), 2, 0))
        [[1 2]
         [1 2]
         [3 4]
         [3 4]]

    """
    if axis is None:
        flat = reshape(input, (-1,))
        return Gather()(flat, vector_of(_repeated(shape_of(flat)[0], repeats)), 0)
    return Gather()(input, vector_of(_repeated(shape_of(input)[axis], repeats)), axis)


def cartesian_prod(*inputs: Tensor) -> Tensor:
    """All combinations of one element from each vector; the last vector changes fastest.

    Args:
        inputs: vectors (N1,), (N2,), ... of one type.

    Returns:
        (N1 N2 ..., number of vectors); for one vector, the vector itself.

    Example:
        >>> print(ops.cartesian_prod(Tensor([1, 2]), Tensor([5, 6])))
        [[1 5]
         [1 6]
         [2 5]
         [2 6]]

    """
    if len(inputs) == 1:
        return inputs[0]
    return stack([reshape(item, (-1,)) for item in meshgrid(*inputs, indexing="ij")], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All combinations of r elements of a vector, in the order of the vector.

    Args:
        input: a vector (N,).
        r: the number of elements in a combination.
        with_replacement: whether an element may occur several times.

    Returns:
        (combinations, r). There are N! / (r! (N - r)!) combinations, with replacement (N + r - 1)! / (r! (N - 1)!).

    Raises:
        ValueError: `input` is not a vector, or r is negative.

    Example:
        >>> print(ops.combinations(Tensor([1, 3, 5])))
        [[1 3]
         [1 5]
         [3 5]]

    """
    return gather(input, _ways(shape_of(input), r, with_replacement), 0)


@constexpr
def _ways(of: tuple[int, ...], r: int, with_replacement: bool) -> Tensor:
    """The indices of each combination: Int32 of shape (combinations, r)."""
    if len(of) != 1 or r < 0:
        raise ValueError(f"combinations takes a vector and r >= 0, not a tensor of shape {of} and r = {r}")
    every = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return Tensor(np.array(list(every(range(of[0]), r)), np.int32).reshape(-1, r), mstype.int32)


def repeat_elements(x: Tensor, rep: int, axis: int = 0) -> Tensor:
    """Each slice along an axis repeated `rep` times.

    Args:
        x: a tensor of any shape.
        rep: the number of repetitions.
        axis: the axis.

    Returns:
        A tensor whose length along the axis is `rep` times as large.

    Example:
        >>> print(ops.repeat_elements(Tensor([1, 2]), 2))
        [1 1 2 2]

    """
    return concat([part for part in Split(axis, shape_of(x)[axis])(x) for _ in range(rep)], axis)
