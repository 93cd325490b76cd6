"""Gather and scatter at multi-dimensional indices. Each is the gradient of the other."""

from __future__ import annotations

from collections.abc import Sequence

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.array.properties import shape as shape_of
from framework.ops.arrays import Array, ArrayModule
from framework.ops.elementwise import LikeFirst
from framework.ops.gradients import gradient
from framework.ops.indexing.index_kernels import add_at, check_updates
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.shapes import Dims

__all__ = [
    "GatherNd",
    "ScatterNd",
    "gather_nd",
    "scatter_nd",
]


class GatherNd(LikeFirst):
    """The slices of a tensor at multi-dimensional indices.

    For a matrix and K = 2: out[i] = x[indices[i, 0], indices[i, 1]]. For K = 1: out[i] = x[indices[i, 0]], a row.

    Inputs: x, a tensor of any type; indices, integers of shape (..., K), with K at most the number of dimensions of x.

    Output: a tensor of the type of x and of shape indices.shape[:-1] + x.shape[K:].

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
            raise ValueError(
                f"GatherNd: indices of shape {indices} name more dimensions than a tensor of shape {x} has"
            )
        return indices[:-1] + x[depth:]

    def compute(self, xp: ArrayModule, x: Array, indices: Array) -> Array:
        return x[tuple(xp.moveaxis(indices, -1, 0))]


gather_nd = GatherNd()


@gradient(GatherNd)
def gather_nd_gradient(x: Tensor, indices: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
    """Add dout at the indices that were read."""
    return scatter_nd(indices, dout, shape_of(x)), None


class ScatterNd(PrimitiveWithInfer):
    """Zeros of a given shape with updates added at multi-dimensional indices.

    An index that comes several times gets the sum of its updates.

    Inputs: indices, integers of shape (..., K); updates, of shape indices.shape[:-1] + shape[K:]; shape, a tuple of
    ints.

    Output: a tensor of that shape and the type of the updates.

    Example:
        >>> print(ops.ScatterNd()(Tensor([[1], [3], [1]]), Tensor([10, 20, 5]), (4,)))
        [ 0 15  0 20]
    """

    value_inputs = (2,)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["indices", "update", "shape"], outputs=["output"])

    def infer_shape(self, indices: Dims, updates: Dims, shape: Sequence[int]) -> Dims:
        check_updates(self.name, tuple(shape), indices, updates)
        return tuple(shape)

    def infer_dtype(self, indices: DType, updates: DType, shape: Dims) -> DType:
        return updates

    def compute(self, xp: ArrayModule, indices: Array, updates: Array, shape: Sequence[int]) -> Array:
        check_updates(self.name, tuple(shape), indices.shape, updates.shape)
        out = xp.zeros(shape, updates.dtype)
        add_at(xp, out, tuple(xp.moveaxis(indices, -1, 0)), updates)
        return out


scatter_nd = ScatterNd()


@gradient(ScatterNd)
def scatter_nd_gradient(
    indices: Tensor, updates: Tensor, shape: tuple[int, ...], out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """Read dout at the indices that were written."""
    return None, gather_nd(dout, indices), None
