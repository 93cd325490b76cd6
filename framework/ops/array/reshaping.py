"""The same elements in another shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.ops.array.properties import rank
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.elementwise import LikeFirst
from framework.ops.gradients import gradient
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims, flattened_shape, normal_axis, rows

__all__ = [
    "ExpandDims",
    "Flatten",
    "Identity",
    "Reshape",
    "Squeeze",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "expand_dims",
    "flatten",
    "identity",
    "ravel",
    "reshape",
    "squeeze",
    "unsqueeze",
]


class Identity(LikeFirst):
    """The tensor itself.

    Inputs: x, a tensor of any shape and element type.
    Output: x.

    Example:
        >>> print(ops.Identity()(Tensor([1, 2])))
        [1 2]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> Dims:
        return x

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return x


identity = Identity()


@gradient(Identity)
def identity_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The gradient passes unchanged."""
    return dout


class Reshape(LikeFirst):
    """The same elements in another shape; one dimension may be -1 and is then computed from the others.

    Inputs: x, a tensor; shape, a tuple of ints whose product is the number of elements of x.
    Output: a tensor of that shape, of x's element type.

    Example:
        >>> print(ops.Reshape()(Tensor([1, 2, 3, 4, 5, 6]), (2, -1)))
        [[1 2 3]
         [4 5 6]]
    """

    arguments = ("input", "shape")
    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["tensor", "shape"], outputs=["output"])

    def infer_shape(self, x: Dims, shape: Sequence[int]) -> Dims:
        wanted: Dims = tuple(shape) if not isinstance(shape, int) else (shape,)
        if sum(size == -1 for size in wanted) > 1:
            raise ValueError(f"Reshape: only one dimension of {wanted} can be -1")
        count, known = rows(x), rows(tuple(size for size in wanted if size != -1))
        if count is None or known is None:
            return tuple(None if size == -1 else size for size in wanted)
        fits = count == known if -1 not in wanted else known > 0 and count % known == 0
        if not fits:
            raise ValueError(f"Reshape: {count} elements of shape {x} do not fit shape {wanted}")
        return tuple(count // known if size == -1 else size for size in wanted)

    def passes(self, x: Any, shape: Any) -> bool:
        """Whether the tensor has the shape already."""
        return x.shape == shape

    def compute(self, xp: Any, x: Any, shape: Any) -> Array:
        return x.reshape(shape)


reshape = Reshape()


def ravel(input: Tensor) -> Tensor:
    """The elements in one dimension.

    Args:
        input: a tensor of n elements.

    Returns:
        A tensor of shape (n,).

    Example:
        >>> print(ops.ravel(Tensor([[1, 2], [3, 4]])))
        [1 2 3 4]

    """
    return reshape(input, (-1,))


def flatten(input: Tensor, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` merged into one.

    Args:
        input: a tensor of any shape.
        order: "C": in row order; "F": in column order.
        start_dim: the first dimension to merge.
        end_dim: the last dimension to merge.

    Returns:
        A tensor of the same elements.

    Example:
        >>> print(ops.flatten(ops.ones((2, 3, 4))).shape)
        (2, 12)

    """
    return reshape(input, flattened_shape(shape_of(input), start_dim, end_dim))


def atleast_1d(inputs: Any) -> Any:
    """A tensor of shape () as a vector; several tensors are converted one by one.

    Args:
        inputs: a tensor, or a tuple or list of tensors.

    Returns:
        A tensor, or a tuple of tensors, of at least one dimension.

    Example:
        >>> print(ops.atleast_1d(Tensor(3.0)))
        [3.]

    """
    if isinstance(inputs, list | tuple):
        return tuple([atleast_1d(item) for item in inputs])
    return reshape(inputs, (1,)) if rank(inputs) == 0 else inputs


def atleast_2d(inputs: Any) -> Any:
    """A number or a vector as a matrix of one row; several tensors are converted one by one.

    Args:
        inputs: a tensor, or a tuple or list of tensors.

    Returns:
        A tensor, or a tuple of tensors, of at least two dimensions.

    Example:
        >>> print(ops.atleast_2d(Tensor([1.0, 2.0])))
        [[1. 2.]]

    """
    if isinstance(inputs, list | tuple):
        return tuple([atleast_2d(item) for item in inputs])
    return reshape(inputs, (1, -1)) if rank(inputs) < 2 else inputs


class ExpandDims(LikeFirst):
    """A new dimension of length 1 at `axis`.

    Inputs: x, a tensor of n dimensions; axis, an int from -n - 1 to n.
    Output: a tensor of n + 1 dimensions, of x's element type.

    Example:
        >>> print(ops.ExpandDims()(Tensor([1, 2, 3]), 0).shape)
        (1, 3)
        >>> print(ops.ExpandDims()(Tensor([1, 2, 3]), -1).shape)
        (3, 1)
    """

    arguments = ("input_x", "axis")
    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "axis"], outputs=["output"])

    def infer_shape(self, x: Dims, axis: int) -> Dims:
        at = normal_axis(axis, len(x) + 1)
        return (*x[:at], 1, *x[at:])

    def compute(self, xp: ArrayModule, x: Array, axis: int) -> Array:
        return xp.expand_dims(x, axis)


@gradient(Reshape, ExpandDims)
def reshape_gradient(x: Tensor, shape: int | tuple[int, ...], out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """The gradient in the shape of the input."""
    return reshape(dout, shape_of(x)), None


class Flatten(LikeFirst):
    """All dimensions after the first merged into one.

    Inputs: x, a tensor of shape (N, ...).
    Output: a tensor of shape (N, product of the other dimensions), of x's element type.

    Example:
        >>> print(ops.Flatten()(ops.Zeros()((2, 3, 4, 5), ms.float32)).shape)
        (2, 60)
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        if not x:
            raise ValueError("Flatten needs at least one dimension")
        return (x[0], rows(x[1:]))

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return x.reshape(x.shape[0], math.prod(x.shape[1:]))


class Squeeze(LikeFirst):
    """x without dimensions of length 1: those of `axis`, or all.

    Args:
        axis: an int, or a tuple of them; `()` for all.

    Inputs: x, a tensor.
    Output: a tensor without those dimensions, of x's element type.

    Example:
        >>> x = ops.Zeros()((1, 3, 1), ms.float32)
        >>> print(ops.Squeeze()(x).shape, ops.Squeeze(0)(x).shape)
        (3,) (3, 1)
    """

    @prim_attr_register
    def __init__(self, axis: int | tuple[int, ...] = ()) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])
        self.add_prim_attr("axis", (axis,) if isinstance(axis, int) else tuple(axis))

    def infer_shape(self, x: Dims) -> Dims:
        gone = {normal_axis(axis, len(x)) for axis in self.axis}
        for axis in gone:
            if x[axis] not in (1, None):
                raise ValueError(f"Squeeze: dimension {axis} of {x} is not 1")
        return tuple(size for i, size in enumerate(x) if (i not in gone if self.axis else size != 1))

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return x.squeeze(self.axis or None)


@gradient(Flatten, Squeeze)
def flatten_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The gradient in the shape of the input."""
    return reshape(dout, shape_of(x))


expand_dims = ExpandDims()


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dimension of length 1.

    Args:
        input: a tensor of n dimensions.
        dim: the position of the new dimension, from -n - 1 to n.

    Returns:
        A tensor of n + 1 dimensions.

    Example:
        >>> print(ops.unsqueeze(Tensor([1, 2]), 1).shape)
        (2, 1)

    """
    return expand_dims(input, dim)


def atleast_3d(inputs: Any) -> Any:
    """A number as (1, 1, 1), a vector (N,) as (1, N, 1), a matrix (M, N) as (M, N, 1); or several tensors.

    Args:
        inputs: a tensor, or a tuple or list of tensors.

    Returns:
        A tensor, or a tuple of tensors, of at least three dimensions.

    Example:
        >>> print(ops.atleast_3d(Tensor([1, 2])).shape)
        (1, 2, 1)

    """
    if isinstance(inputs, list | tuple):
        return tuple([atleast_3d(item) for item in inputs])
    return expand_dims(atleast_2d(inputs), 2) if rank(inputs) < 3 else inputs


def squeeze(input: Tensor, axis: int | Sequence[int] = ()) -> Tensor:
    """x without dimensions of length 1: those of `axis`, or all.

    Args:
        input: a tensor of any shape.
        axis: dimensions of length 1, an int or several; `()` for all.

    Returns:
        A tensor without these dimensions.

    Raises:
        ValueError: one of the dimensions is not 1.

    Example:
        >>> print(ops.squeeze(ops.ones((1, 3, 1))).shape)
        (3,)

    """
    return cached(Squeeze, () if axis is None else axis)(input)
