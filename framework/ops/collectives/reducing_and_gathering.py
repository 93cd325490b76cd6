"""AllReduce, AllGather and ReduceScatter: all ranks get a result. The last two are each other's gradient."""

from __future__ import annotations

from framework.common.tensor import Tensor
from framework.communication import collectives
from framework.communication.worlds import group_size
from framework.ops.array.casting import cast
from framework.ops.arrays import Array, ArrayModule
from framework.ops.collectives.base import WORLD, Collective, ReduceOp, on_device, on_host
from framework.ops.comparison import equal
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = ["AllGather", "AllReduce", "ReduceScatter"]


class AllReduce(Collective):
    """The sum, or another reduction, of a tensor over all ranks; all get the result.

    Floating-point sums are added in a fixed order, ((0+1)+(2+3))+..., unless `set_context(deterministic="OFF")`.

    Args:
        op: one of `ReduceOp`.
        group: the name of the group of ranks.

    Inputs: input_x, a tensor, of one shape and element type on all ranks.

    Output: a tensor of its shape and element type.

    Raises:
        TypeError: `op` is none of `ReduceOp`.
        ValueError: there is no such group, or this rank is not in it.

    Example:
        >>> print(ops.AllReduce()(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, op: str = ReduceOp.SUM, group: str = WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.check_reduction(op)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return on_device(xp, collectives.all_reduce(on_host(xp, x), self.op, self.group))


class AllGather(Collective):
    """The tensors of all ranks, one after another along the first dimension.

    Args:
        group: the name of the group of ranks.

    Inputs: input_x, a tensor of shape (N, ...), of one shape and element type on all ranks.

    Output: a tensor of shape (ranks x N, ...).

    Raises:
        ValueError: the tensor has no dimension; there is no such group, or this rank is not in it.

    Example:
        >>> print(ops.AllGather()(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, group: str = WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])

    def infer_shape(self, x: Dims) -> Dims:
        rows, *others = self.rows(x)
        return (None if rows is None else rows * group_size(self.group), *others)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        self.rows(x.shape)
        return on_device(xp, collectives.all_gather(on_host(xp, x), self.group))


class ReduceScatter(Collective):
    """This rank's part, along the first dimension, of the sum or another reduction over all ranks.

    Args:
        op: one of `ReduceOp`.
        group: the name of the group of ranks.

    Inputs: input_x, a tensor of shape (N, ...), of one shape and element type on all ranks; N is a multiple of their
    number.

    Output: a tensor of shape (N / ranks, ...).

    Raises:
        TypeError: `op` is none of `ReduceOp`.
        ValueError: the ranks do not divide N; there is no such group, or this rank is not in it.

    Example:
        >>> print(ops.ReduceScatter()(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, op: str = ReduceOp.SUM, group: str = WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.check_reduction(op)

    def infer_shape(self, x: Dims) -> Dims:
        rows, *others = self.rows(x)
        return (self.divided(rows, 0, self.group), *others)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        self.divided(self.rows(x.shape)[0], 0, self.group)
        return on_device(xp, collectives.reduce_scatter(on_host(xp, x), self.op, self.group))


@bprop_getters.register(AllReduce)
def get_bprop_all_reduce(self: AllReduce) -> Bprop:
    """Every rank's x is in every rank's sum; an extreme is that of the ranks that have it."""
    op, group = self.op, self.group

    def of_sum(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (cached(AllReduce, "sum", group)(dout),)

    def of_extreme(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        whole = cached(AllReduce, "sum", group)(dout)
        return (whole * cast(equal(x, out), whole.dtype),)

    def of_product(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        # Of no use where x is 0, as in MindSpore: the factors of the other ranks are not known here.
        return (cached(AllReduce, "sum", group)(dout * out) / x,)

    return {"sum": of_sum, "prod": of_product}.get(op, of_extreme)


@bprop_getters.register(AllGather)
def get_bprop_all_gather(self: AllGather) -> Bprop:
    """Each rank gets the sum of what all ranks say about its part."""
    group = self.group

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (cached(ReduceScatter, "sum", group)(dout),)

    return bprop


@bprop_getters.register(ReduceScatter)
def get_bprop_reduce_scatter(self: ReduceScatter) -> Bprop:
    """The gradients of all parts, which every rank's x is in.

    Raises:
        NotImplementedError: the reduction is not a sum.
    """
    if self.op != ReduceOp.SUM:
        raise NotImplementedError(f"ReduceScatter({self.op!r}) has no gradient: only that of a sum is defined")
    group = self.group

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (cached(AllGather, group)(dout),)

    return bprop
