"""Operators that make one program of parts: they are put between cut operators (`inserting`).

A part that several ranks hold has the same gradient on all of them, and it is the whole one. So each of these is
linear, and its gradient is again one of these:

    Redistributed   another placement                  its gradient: back to the first placement
    PartialSum      adds up partial results            passes the gradient on
    GradientSum     passes its input on                adds up partial gradients
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from framework.common.tensor import Tensor
from framework.communication import collectives
from framework.ops.arrays import Array, ArrayModule
from framework.ops.collectives.base import Collective, on_device, on_host
from framework.ops.gradients import bprop_getters
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.parallel.layouts.cuts import members_of
from framework.parallel.layouts.executing import redistributed
from framework.parallel.layouts.placements import Placement, part_shape, steps_between

__all__ = ["GradientSum", "PartialSum", "Redistributed"]

Bprop = Callable[..., tuple[Tensor, ...]]


class Redistributed(Collective):
    """A rank's part of a tensor after a redistribution.

    Args:
        shape: the shape of the whole tensor.
        mesh: the lengths of the axes of the mesh of all ranks.
        source: the placement of the input: for each axis of the mesh the dimension that it cuts, or None.
        target: the placement of the output.

    Inputs: x, the rank's part before.

    Output: the rank's part after.
    """

    @prim_attr_register
    def __init__(self, shape: tuple[int, ...], mesh: tuple[int, ...], source: Placement, target: Placement) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Any) -> tuple[int, ...]:
        return part_shape(self.shape, self.target, self.mesh)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        steps = steps_between(self.shape, self.mesh, self.source, self.target)
        with collectives.noted_on_mesh(f"Redistributed({self.source} to {self.target})", x) as ranks:
            return on_device(xp, redistributed(on_host(xp, x), steps, ranks))


@bprop_getters.register(Redistributed)
def get_bprop_redistributed(self: Redistributed) -> Bprop:
    """The gradient goes back to the first placement."""
    back = cached(Redistributed, self.shape, self.mesh, self.target, self.source)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (back(dout),)

    return bprop


class PartialSum(Collective):
    """The sum, or the mean, of the tensors of ranks along some axes of the mesh, for partial results of an operator.

    Args:
        mesh: the lengths of the axes of the mesh of all ranks.
        axes: the axes; ranks that differ along these alone add up their tensors.
        mean: divide the sum by their number.

    Inputs: x, a tensor.

    Output: a tensor of its shape and element type.
    """

    @prim_attr_register
    def __init__(self, mesh: tuple[int, ...], axes: tuple[int, ...], mean: bool = False) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        total = on_device(xp, _summed(self.mesh, self.axes, on_host(xp, x)))
        return total / total.dtype.type(_count(self)) if self.mean else total


@bprop_getters.register(PartialSum)
def get_bprop_partial_sum(self: PartialSum) -> Bprop:
    """Each rank's share has the gradient of the sum; of a mean, that part of it."""
    count = _count(self)

    def of_sum(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (dout,)

    def of_mean(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (dout / count,)

    return of_mean if self.mean else of_sum


class GradientSum(PrimitiveWithInfer):
    """The input itself. Its gradient is the sum over ranks along some axes of the mesh: MindSpore's mirror.

    It is put before an operator that computes different parts with the same input on these ranks.

    Args:
        mesh: the lengths of the axes of the mesh of all ranks.
        axes: the axes; ranks that differ along these alone add up their gradients.

    Inputs: x, a tensor.

    Output: x.
    """

    @prim_attr_register
    def __init__(self, mesh: tuple[int, ...], axes: tuple[int, ...]) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Any) -> Any:
        return x

    def infer_dtype(self, x: Any) -> Any:
        return x

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return x


@bprop_getters.register(GradientSum)
def get_bprop_gradient_sum(self: GradientSum) -> Bprop:
    """The sum of the partial gradients."""
    total = cached(PartialSum, self.mesh, self.axes)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (total(dout),)

    return bprop


def _summed(mesh: tuple[int, ...], axes: tuple[int, ...], x: Array) -> Array:
    with collectives.noted_on_mesh(f"PartialSum(axes {axes} of a mesh of {mesh})", x) as ranks:
        return ranks.kept_subgroup(members_of(mesh, axes, ranks.rank)).all_reduce("sum", x)


def _count(operator: PartialSum) -> int:
    return math.prod(operator.mesh[axis] for axis in operator.axes)
