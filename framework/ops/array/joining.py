"""Tensors joined along an axis, and split again."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.properties import rank
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import atleast_1d, atleast_2d, atleast_3d, expand_dims
from framework.ops.arrays import Array, ArrayModule
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.indexing.slicing import slice as slice_of
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, are_known, concat_parts, normal_axis

__all__ = [
    "Concat",
    "PartsLike",
    "Split",
    "Stack",
    "Unstack",
    "cat",
    "column_stack",
    "concat",
    "dstack",
    "hstack",
    "stack",
    "unbind",
    "unstack",
    "vstack",
]


class Concat(PrimitiveWithInfer):
    """The tensors of a tuple one after another along an axis.

    Args:
        axis: the axis.

    Inputs: a tuple of tensors whose shapes differ at most along the axis.
    Output: a tensor of the same number of dimensions, its length along the axis the sum of theirs, of the element
    type to which all are promoted.

    Example:
        >>> print(ops.Concat()((Tensor([1, 2]), Tensor([3, 4, 5]))))
        [1 2 3 4 5]
        >>> print(ops.Concat(axis=1)((Tensor([[1], [2]]), Tensor([[3, 4], [5, 6]]))))
        [[1 3 4]
         [2 5 6]]
    """

    @prim_attr_register
    def __init__(self, axis: int = 0) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])

    def infer_shape(self, x: tuple[Dims, ...]) -> Dims:
        axis = normal_axis(self.axis, len(x[0]))
        sizes = [shape[axis] for shape in x]
        for shape in x[1:]:
            if len(shape) != len(x[0]) or any(
                None not in (a, b) and a != b and i != axis for i, (a, b) in enumerate(zip(shape, x[0], strict=True))
            ):
                raise ValueError(f"Concat: shapes {x[0]} and {shape} differ in more than dimension {axis}")
        total = None if None in sizes else sum(size for size in sizes if size is not None)
        return (*x[0][:axis], total, *x[0][axis + 1 :])

    def infer_dtype(self, x: tuple[DType, ...]) -> DType:
        met = x[0]
        for dtype in x[1:]:
            met = mstype.promote(met, dtype)
        return met

    def compute(self, xp: ArrayModule, x: tuple[Any, ...]) -> Array:
        dtype = self.infer_dtype(tuple(mstype.of(item.dtype) for item in x)).numpy
        return xp.concatenate([item.astype(dtype, copy=False) for item in x], self.axis)


def concat(tensors: Any, axis: int = 0) -> Tensor:
    """Tensors one after another along an axis.

    Args:
        tensors: a tuple or list of tensors whose shapes differ at most along the axis.
        axis: the axis.

    Returns:
        A tensor whose length along the axis is the sum of theirs.

    Example:
        >>> print(ops.concat((Tensor([[1, 2]]), Tensor([[3, 4]])), 1))
        [[1 2 3 4]]

    """
    return cached(Concat, axis)(tensors)


def cat(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Tensors one after another along an axis.

    Args:
        tensors: a tuple or list of tensors whose shapes differ at most along the axis.
        axis: the axis.

    Returns:
        A tensor whose length along the axis is the sum of theirs.

    Example:
        >>> print(ops.cat((Tensor([[1, 2]]), Tensor([[3, 4]]))))
        [[1 2]
         [3 4]]

    """
    return cached(Concat, axis)(tensors)


@bprop_getters.register(Concat)
def get_bprop_concat(self: Concat) -> Bprop:
    """Each input gets its block of the gradient."""
    axis = self.axis
    parts_like = cached(PartsLike, axis)

    def bprop(x: tuple[Tensor, ...], out: Tensor, dout: Tensor) -> Any:
        shapes = [shape_of(item) for item in x]
        if not are_known(shapes):
            return (parts_like(dout, x),)
        parts = concat_parts(axis, shapes)
        return ([slice_of(dout, begin, size) for begin, size in parts],)

    return bprop


class PartsLike(PrimitiveWithInfer):
    """The gradient of `Concat` for lengths that are known only at run time: one part for each tensor.

    Args:
        axis: the axis.

    Inputs: x, a tensor; a tuple of tensors whose lengths along the axis sum to that of x.
    Output: a tuple of tensors of the shapes of those, of x's element type.

    Example:
        >>> print(*ops.PartsLike()(Tensor([1, 2, 3]), (Tensor([0]), Tensor([0, 0]))))
        [1] [2 3]
    """

    @prim_attr_register
    def __init__(self, axis: int = 0) -> None:
        self.init_prim_io_names(inputs=["x", "like"], outputs=["output"])

    def infer_shape(self, x: Dims, like: tuple[Dims, ...]) -> tuple[Dims, ...]:
        return tuple(like)

    def infer_dtype(self, x: DType, like: tuple[DType, ...]) -> tuple[DType, ...]:
        return tuple(x for _ in like)

    def compute(self, xp: ArrayModule, x: Array, like: tuple[Any, ...]) -> tuple[Array, ...]:
        ends = list(itertools.accumulate(item.shape[self.axis] for item in like))
        return tuple(xp.split(x, ends[:-1], self.axis))


@bprop_getters.register(PartsLike)
def get_bprop_parts_like(self: PartsLike) -> Bprop:
    """The gradients of the parts, joined again."""
    concat = cached(Concat, self.axis)

    def bprop(
        x: Tensor, like: tuple[Tensor, ...], out: tuple[Tensor, ...], dout: tuple[Tensor, ...]
    ) -> tuple[Tensor | None, ...]:
        return concat(dout), None

    return bprop


class Stack(PrimitiveWithInfer):
    """The tensors of a tuple along a new axis.

    Args:
        axis: where the new axis is.

    Inputs: a tuple of n tensors of one shape.
    Output: a tensor with a new dimension of length n, of the element type to which all are promoted.

    Example:
        >>> print(ops.Stack(axis=1)((Tensor([1, 2, 3]), Tensor([4, 5, 6]))))
        [[1 4]
         [2 5]
         [3 6]]
    """

    @prim_attr_register
    def __init__(self, axis: int = 0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: tuple[Dims, ...]) -> Dims:
        for shape in x[1:]:
            if len(shape) != len(x[0]) or any(None not in (a, b) and a != b for a, b in zip(shape, x[0], strict=True)):
                raise ValueError(f"Stack: shapes {x[0]} and {shape} differ")
        axis = normal_axis(self.axis, len(x[0]) + 1)
        return (*x[0][:axis], len(x), *x[0][axis:])

    def infer_dtype(self, x: tuple[DType, ...]) -> DType:
        return Concat(0).infer_dtype(x)

    def compute(self, xp: ArrayModule, x: tuple[Any, ...]) -> Array:
        dtype = self.infer_dtype(tuple(mstype.of(item.dtype) for item in x)).numpy
        return xp.stack([item.astype(dtype, copy=False) for item in x], self.axis)


def stack(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Tensors along a new axis.

    Args:
        tensors: a tuple or list of n tensors of one shape.
        axis: the position of the new axis.

    Returns:
        A tensor with a new dimension of length n.

    Example:
        >>> print(ops.stack((Tensor([1, 2]), Tensor([3, 4])), 1))
        [[1 3]
         [2 4]]

    """
    return cached(Stack, axis)(tensors)


@bprop_getters.register(Stack)
def get_bprop_stack(self: Stack) -> Bprop:
    """Each input gets its slice of the gradient."""
    unstack = cached(Unstack, self.axis)

    def bprop(x: tuple[Tensor, ...], out: Tensor, dout: Tensor) -> Any:
        return (unstack(dout),)

    return bprop


class Split(PrimitiveWithInfer):
    """Equal parts along an axis, as a tuple.

    Args:
        axis: the axis.
        output_num: the number of parts.

    Inputs: x, a tensor whose length along the axis is a multiple of output_num.
    Output: a tuple of output_num tensors of one shape, of x's element type.

    Example:
        >>> print(*ops.Split(axis=0, output_num=2)(Tensor([1, 2, 3, 4])))
        [1 2] [3 4]
    """

    @prim_attr_register
    def __init__(self, axis: int = 0, output_num: int = 1) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> tuple[Dims, ...]:
        axis = normal_axis(self.axis, len(x))
        size = x[axis]
        if size is None or size % self.output_num:
            raise ValueError(f"Split: dimension {axis} of {x} does not divide into {self.output_num} parts")
        return tuple((*x[:axis], size // self.output_num, *x[axis + 1 :]) for _ in range(self.output_num))

    def infer_dtype(self, x: DType) -> tuple[DType, ...]:
        return tuple(x for _ in range(self.output_num))

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        return tuple(xp.split(x, self.output_num, self.axis))


@bprop_getters.register(Split)
def get_bprop_split(self: Split) -> Bprop:
    """The gradients of the parts, joined again."""
    concat = cached(Concat, self.axis)

    def bprop(x: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return (concat(dout),)

    return bprop


class Unstack(PrimitiveWithInfer):
    """The slices along an axis, as a tuple, without that axis.

    Args:
        axis: the axis.
        num: recorded as an attribute; the number of slices is the length of the axis.

    Inputs: x, a tensor of shape (..., n, ...) with n at the axis.
    Output: a tuple of n tensors, of x's element type.

    Example:
        >>> print(*ops.Unstack(axis=1)(Tensor([[1, 2], [3, 4]])))
        [1 3] [2 4]
    """

    @prim_attr_register
    def __init__(self, axis: int = 0, num: int | None = None) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> tuple[Dims, ...]:
        axis = normal_axis(self.axis, len(x))
        count = x[axis]
        if count is None:
            raise ValueError(f"Unstack: dimension {axis} of {x} must be known: it is the number of outputs")
        return ((*x[:axis], *x[axis + 1 :]),) * count

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: ArrayModule, x: Array) -> tuple[Array, ...]:
        return tuple(xp.moveaxis(x, self.axis, 0))


def unstack(input_x: Tensor, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis, as a tuple.

    Args:
        input_x: a tensor of shape (..., n, ...).
        axis: the axis of length n.

    Returns:
        A tuple of n tensors without that axis.

    Example:
        >>> print(*ops.unstack(Tensor([[1, 2], [3, 4]]), 1))
        [1 3] [2 4]

    """
    return cached(Unstack, axis)(input_x)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis, as a tuple.

    Args:
        input: a tensor of shape (..., n, ...).
        dim: the axis of length n.

    Returns:
        A tuple of n tensors without that axis.

    Example:
        >>> print(*ops.unbind(Tensor([[1, 2], [3, 4]])))
        [1 2] [3 4]

    """
    return cached(Unstack, dim)(input)


@bprop_getters.register(Unstack)
def get_bprop_unstack(self: Unstack) -> Bprop:
    """The gradients of the slices, stacked again."""
    stack = cached(Stack, self.axis)

    def bprop(x: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return (stack(dout),)

    return bprop


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined along the second dimension; vectors along their only one.

    Args:
        tensors: a tuple or list of tensors.

    Returns:
        The joined tensor.

    Example:
        >>> print(ops.hstack((Tensor([1, 2]), Tensor([3]))))
        [1 2 3]

    """
    rows = atleast_1d(tensors)
    return concat(rows, 0 if rank(rows[0]) == 1 else 1)


def vstack(inputs: Any) -> Tensor:
    """Tensors joined along the first dimension; vectors become rows.

    Args:
        inputs: a tuple or list of tensors.

    Returns:
        The joined tensor, of at least two dimensions.

    Example:
        >>> print(ops.vstack((Tensor([1, 2]), Tensor([3, 4]))))
        [[1 2]
         [3 4]]

    """
    return concat(atleast_2d(inputs), 0)


def dstack(tensors: Any) -> Tensor:
    """Tensors joined along the third dimension, which is added to vectors and matrices.

    Args:
        tensors: a tuple or list of tensors.

    Returns:
        The joined tensor, of at least three dimensions.

    Example:
        >>> print(ops.dstack((Tensor([1, 2]), Tensor([3, 4]))))
        [[[1 3]
          [2 4]]]

    """
    return concat(atleast_3d(tensors), 2)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Vectors, as columns, and matrices joined along the second dimension.

    Args:
        tensors: a tuple or list of vectors (N,) and matrices (N, M).

    Returns:
        A tensor (N, total number of columns).

    Example:
        >>> print(ops.column_stack((Tensor([1, 2]), Tensor([3, 4]))))
        [[1 3]
         [2 4]]

    """
    return concat([expand_dims(item, 1) if rank(item) == 1 else item for item in atleast_1d(tensors)], 1)
