"""Gather along one axis: whole slices (`Gather`) or single elements (`GatherD`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.kernels.accelerated import gather_grad
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.elementwise import LikeFirst
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.gradients import gradient as gradient_kernel
from framework.ops.indexing.index_kernels import add_at, along
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims, normal_axis

__all__ = [
    "Gather",
    "GatherD",
    "GatherDGrad",
    "GatherGrad",
    "GatherV2",
    "SparseGatherV2",
    "gather",
    "gather_d",
    "gather_elements",
    "index_select",
]


class Gather(LikeFirst):
    """The slices of x along an axis at given indices.

    For axis 1 and a matrix: out[i][j] = x[i][indices[j]]. A negative index counts from the end.

    Inputs: x, a tensor of any type; indices, integers of any shape; axis, an int.

    Output: a tensor of the type of x and of shape x.shape[:axis] + indices.shape[batch_dims:] + x.shape[axis + 1:].

    Args:
        batch_dims: number of leading dimensions that x and the indices share.

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
        position = normal_axis(axis, len(x))
        return x[:position] + indices[self.batch_dims :] + x[position + 1 :]

    def compute(self, xp: ArrayModule, x: Array, indices: Array, axis: int) -> Array:
        if self.batch_dims == 0:
            return xp.take(x, indices, axis)
        # The shared dimensions are merged into one, whose rows have their own indices.
        position = normal_axis(axis, x.ndim)
        shared = x.shape[: self.batch_dims]
        flat = x.reshape(-1, *x.shape[self.batch_dims :])
        picked = indices.reshape(-1, *indices.shape[self.batch_dims :])
        rows = [xp.take(row, index, position - self.batch_dims) for row, index in zip(flat, picked, strict=True)]
        return xp.stack(rows).reshape(*shared, *rows[0].shape)


#: MindSpore 1.0's name.
GatherV2 = Gather
#: The name of a Gather whose gradient MindSpore makes sparse; here it is dense.
SparseGatherV2 = Gather


def gather(input_params: Any, input_indices: Any, axis: int, batch_dims: int = 0) -> Tensor:
    """The slices of a tensor along an axis at given indices.

    Args:
        input_params: tensor of any type.
        input_indices: integers of any shape; negative ones count from the end.
        axis: axis of `input_params` that the indices count along.
        batch_dims: number of leading dimensions that both tensors share.

    Returns:
        A tensor of the type of `input_params`. The shape of the indices, without `batch_dims` dimensions, takes the
        place of the axis.

    Example:
        >>> print(ops.gather(Tensor([[1, 2], [3, 4], [5, 6]]), Tensor([2, 0]), 0))
        [[5 6]
         [1 2]]

    """
    return cached(Gather, batch_dims)(input_params, input_indices, axis)


def index_select(input: Tensor, axis: int, index: Tensor) -> Tensor:
    """The slices of a tensor along an axis at a vector of indices.

    Args:
        input: tensor of any type.
        axis: axis that the indices count along.
        index: integers of shape (K,).

    Returns:
        A tensor of the type of `input` and of its shape, with length K along the axis.

    Example:
        >>> print(ops.index_select(Tensor([[1, 2], [3, 4], [5, 6]]), 0, Tensor([2, 0])))
        [[5 6]
         [1 2]]

    """
    return cached(Gather, 0)(input, index, axis)


@bprop_getters.register(Gather)
def get_bprop_gather(self: Gather) -> Bprop:
    """Add dout at the indices that were read."""
    gather_grad = cached(GatherGrad, self.batch_dims)

    def bprop(x: Tensor, indices: Tensor, axis: int, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return gather_grad(dout, indices, axis, shape_of(x)), None, None

    return bprop


class GatherGrad(LikeFirst):
    """The gradient of `Gather` with respect to x: zeros of a given shape with the slices of dout added at the indices.

    Inputs: dout, of the shape of the output of `Gather`; indices and axis, as for `Gather`; the shape of x, a tuple of
    ints.

    Output: a tensor of that shape and the type of dout.

    Args:
        batch_dims: as for `Gather`.

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

    def compute(self, xp: ArrayModule, dout: Array, indices: Array, axis: int, shape: Sequence[int]) -> Array:
        at = normal_axis(axis, len(shape))
        return gather_grad(xp, dout, indices, at, tuple(shape), self.batch_dims)


@bprop_getters.register(GatherGrad)
def get_bprop_gather_grad(self: GatherGrad) -> Bprop:
    """Read dout at the indices that were written."""
    gather = cached(Gather, self.batch_dims)

    def bprop(
        gradient: Tensor, indices: Tensor, axis: int, shape: tuple[int, ...], out: Tensor, dout: Tensor
    ) -> tuple[Tensor | None, ...]:
        return gather(dout, indices, axis), None, None, None

    return bprop


class GatherD(LikeFirst):
    """Elements along an axis: out[i][j][k] = x[i][index[i][j][k]][k] for axis 1.

    Inputs: x, a tensor of any type; the axis, an int; index, integers with as many dimensions as x.

    Output: a tensor of the shape of the index and the type of x.

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

    def compute(self, xp: ArrayModule, x: Array, dim: int, index: Array) -> Array:
        return x[along(xp, index, normal_axis(dim, x.ndim))]


gather_d = GatherD()


def gather_elements(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Elements of a tensor along a dimension: out[i][j] = input[index[i][j]][j] for dim 0.

    Args:
        input: tensor of any type.
        dim: dimension that the indices count along.
        index: integers with as many dimensions as `input`.

    Returns:
        A tensor of the shape of `index` and the type of `input`.

    Example:
        >>> print(ops.gather_elements(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])))
        [[1 1]
         [4 3]]

    """
    return gather_d(input, dim, index)


@gradient_kernel(GatherD)
def gather_d_gradient(x: Tensor, dim: int, index: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """Add dout at the indices that were read."""
    return gather_d_grad(dout, dim, index, shape_of(x)), None, None


class GatherDGrad(LikeFirst):
    """The gradient of `GatherD` with respect to x: zeros of a given shape with elements of dout added at the index.

    Inputs: dout, of the shape of the index; axis and index, as for `GatherD`; the shape of x, a tuple of ints.

    Output: a tensor of that shape and the type of dout.

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

    def compute(self, xp: ArrayModule, dout: Array, dim: int, index: Array, shape: tuple[int, ...]) -> Array:
        out = xp.zeros(shape, dout.dtype)
        add_at(xp, out, along(xp, index, normal_axis(dim, out.ndim)), dout)
        return out


gather_d_grad = GatherDGrad()


@gradient_kernel(GatherDGrad)
def gather_d_grad_gradient(
    gradient: Tensor, dim: int, index: Tensor, shape: tuple[int, ...], out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """Read dout at the indices that were written."""
    return gather_d(dout, dim, index), None, None, None
