"""Operators that gather what tensors of indices name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.kernels.accelerated import gather_grad
from framework.ops.operations.indexing import LikeFirst, add_at
from framework.ops.operations.shapes import Dims, normal_axis
from framework.ops.primitive import prim_attr_register

__all__ = ["Gather", "GatherD", "GatherDGrad", "GatherGrad", "GatherNd"]


class Gather(LikeFirst):
    """The slices of x along an axis that indices name.

    For axis 1 and a matrix: out[i][j] = x[i][indices[j]]. An index below 0 counts from the end.

    Inputs: the tensor x; indices, integers of any shape; the axis, an int. Output: a tensor of the type of x and of its
    shape, where that of the indices, without its first `batch_dims` dimensions, takes the place of the axis.

    Args:
        batch_dims: how many leading dimensions x and the indices share.

    Example:
        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> print(ops.Gather()(x, Tensor([2, 0]), 1))
        [[3 1]
         [6 4]]
        >>> print(ops.Gather(batch_dims=1)(x, Tensor([2, 0]), 1))
        [3 4]
    """

    value_inputs = (2,)

    @prim_attr_register
    def __init__(self, batch_dims: int = 0) -> None:
        self.init_prim_io_names(inputs=["param", "indices", "axis"], outputs=["output"])

    def infer_shape(self, x: Dims, indices: Dims, axis: int) -> Dims:
        at = normal_axis(axis, len(x))
        return x[:at] + indices[self.batch_dims :] + x[at + 1 :]

    def compute(self, xp: Any, x: Any, indices: Any, axis: int) -> Any:
        if self.batch_dims == 0:
            return xp.take(x, indices, axis)
        # The shared dimensions become one, in which each row has indices of its own.
        at = normal_axis(axis, x.ndim)
        shared = x.shape[: self.batch_dims]
        flat = x.reshape(-1, *x.shape[self.batch_dims :])
        picked = indices.reshape(-1, *indices.shape[self.batch_dims :])
        rows = [xp.take(row, index, at - self.batch_dims) for row, index in zip(flat, picked, strict=True)]
        return xp.stack(rows).reshape(*shared, *rows[0].shape)


class GatherGrad(LikeFirst):
    """The backward of `Gather`: zeros of a shape with the slices of `dout` added where indices point.

    Inputs: dout, of the shape that `Gather` gives; indices and axis as of `Gather`; the shape of x, a tuple of ints.
    Output: a tensor of that shape and the type of dout.

    Args:
        batch_dims: as of `Gather`.

    Example:
        >>> print(ops.GatherGrad()(Tensor([1.0, 2.0, 3.0]), Tensor([2, 0, 2]), 0, (4,)))
        [2. 0. 4. 0.]
    """

    value_inputs = (2, 3)

    @prim_attr_register
    def __init__(self, batch_dims: int = 0) -> None:
        self.init_prim_io_names(inputs=["dout", "indices", "axis", "shape"], outputs=["dx"])

    def infer_shape(self, dout: Dims, indices: Dims, axis: int, shape: Sequence[int]) -> Dims:
        return tuple(shape)

    def compute(self, xp: Any, dout: Any, indices: Any, axis: int, shape: Sequence[int]) -> Any:
        at = normal_axis(axis, len(shape))
        return gather_grad(xp, dout, indices, at, tuple(shape), self.batch_dims)


class GatherD(LikeFirst):
    """Elements along an axis: out[i][j][k] = x[i][index[i][j][k]][k] for axis 1.

    Inputs: the tensor x; the axis, an int; index, integers of as many dimensions as x. Output: a tensor of the shape of
    the index and the type of x.

    Example:
        >>> print(ops.GatherD()(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])))
        [[1 1]
         [4 3]]
    """

    value_inputs = (1,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "dim", "index"], outputs=["output"])

    def infer_shape(self, x: Dims, dim: int, index: Dims) -> Dims:
        normal_axis(dim, len(x))
        return index

    def compute(self, xp: Any, x: Any, dim: int, index: Any) -> Any:
        return x[along(xp, index, normal_axis(dim, x.ndim))]


class GatherDGrad(LikeFirst):
    """The backward of `GatherD`: zeros of a shape with elements of `dout` added where an index points.

    Inputs: dout, of the shape of the index; axis and index as of `GatherD`; the shape of x, a tuple of ints. Output: a
    tensor of that shape and the type of dout.

    Example:
        >>> print(ops.GatherDGrad()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1, Tensor([[0, 0], [1, 0]]), (2, 2)))
        [[3. 0.]
         [4. 3.]]
    """

    value_inputs = (1, 3)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["dout", "dim", "index", "shape"], outputs=["dx"])

    def infer_shape(self, dout: Dims, dim: int, index: Dims, shape: Sequence[int]) -> Dims:
        return tuple(shape)

    def compute(self, xp: Any, dout: Any, dim: int, index: Any, shape: Any) -> Any:
        out = xp.zeros(shape, dout.dtype)
        add_at(xp, out, along(xp, index, normal_axis(dim, out.ndim)), dout)
        return out


class GatherNd(LikeFirst):
    """The slices that the last dimension of the indices points to.

    For a matrix and K = 2: out[i] = x[indices[i, 0], indices[i, 1]]; for K = 1: the row x[indices[i, 0]].

    Inputs: the tensor x; indices, integers of shape (..., K), K at most the number of dimensions of x. Output: a tensor
    of the type of x; its shape is that of the indices without the last dimension, followed by that of x without the
    first K.

    Example:
        >>> x = Tensor([[1, 2], [3, 4]])
        >>> print(ops.GatherNd()(x, Tensor([[0, 1], [1, 0]])), ops.GatherNd()(x, Tensor([[1]])))
        [2 3] [[3 4]]
    """

    arguments = ("input_x", "indices")

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["input_x", "indices"], outputs=["y"])

    def infer_shape(self, x: Dims, indices: Dims) -> Dims:
        depth = indices[-1]
        if depth is None or depth > len(x):
            raise ValueError(f"GatherNd: indices of shape {indices} point deeper than shape {x}")
        return indices[:-1] + x[depth:]

    def compute(self, xp: Any, x: Any, indices: Any) -> Any:
        return x[tuple(xp.moveaxis(indices, -1, 0))]


def along(xp: Any, index: Any, axis: int) -> tuple[Any, ...]:
    """Indices of all dimensions for picking along one."""
    return tuple(
        index if i == axis else xp.arange(size).reshape(-1, *(1,) * (index.ndim - i - 1))
        for i, size in enumerate(index.shape)
    )
