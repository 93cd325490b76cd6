"""Operators with one rank that gives or gets: Broadcast and Reduce, CollectiveScatter and CollectiveGather.

The two of each pair are each other's gradient. Ranks are those of the group.
"""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.communication import collectives
from framework.communication.worlds import communicator, group_size
from framework.ops.arrays import Array, ArrayModule
from framework.ops.collectives.base import WORLD, Collective, ReduceOp, is_rank, on_device, on_host, ranks_in
from framework.ops.creation.filled_like import zeros_like
from framework.ops.creation.filling import zeros
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = ["Broadcast", "CollectiveGather", "CollectiveScatter", "Reduce"]


class Broadcast(Collective):
    """The tensors of one rank, in all ranks.

    Args:
        root_rank: the rank whose tensors all get.
        group: the name of the group of ranks.

    Inputs: input_x, a tuple of tensors; on other ranks, tensors of the same shapes and element types.

    Output: a tuple of as many.

    Raises:
        ValueError: there is no rank `root_rank`, no such group, or this rank is not in it.

    Example:
        >>> print(ops.Broadcast(0)((Tensor([1.0, 2.0]),))[0])
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, root_rank: int, group: str = WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.check_rank("root_rank", root_rank, group)

    def compute(self, xp: ArrayModule, x: tuple[Array, ...]) -> tuple[Array, ...]:
        if not isinstance(x, tuple | list):
            raise TypeError("takes a tuple of tensors: ops.Broadcast(0)((x,))")
        return tuple(
            [on_device(xp, collectives.broadcast(on_host(xp, item), self.root_rank, self.group)) for item in x]
        )


class _ToOneRank(Collective):
    """An operator with a result on one rank. The others get a tensor of shape (1,), a 0 without meaning."""

    def _result(self, xp: ArrayModule, x: Array, found: Array | None) -> Array:
        return xp.zeros((1,), x.dtype) if found is None else on_device(xp, found)


class Reduce(_ToOneRank):
    """The sum, or another reduction, of a tensor over all ranks, on one rank.

    Args:
        dest_rank: the rank that gets the result.
        op: one of `ReduceOp`.
        group: the name of the group of ranks.

    Inputs: input_x, a tensor, of one shape and element type on all ranks.

    Output: on `dest_rank`, a tensor of its shape and element type; on other ranks, a tensor of shape (1,) without
    meaning.

    Raises:
        TypeError: `op` is none of `ReduceOp`.
        ValueError: there is no rank `dest_rank`, no such group, or this rank is not in it.

    Example:
        >>> print(ops.Reduce(0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, dest_rank: int, op: str = ReduceOp.SUM, group: str = WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.check_reduction(op)
        self.check_rank("dest_rank", dest_rank, group)

    def infer_shape(self, x: Dims) -> Dims:
        return x if communicator(self.group).rank == self.dest_rank else (1,)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return self._result(xp, x, collectives.reduce(on_host(xp, x), self.dest_rank, self.op, self.group))


class CollectiveGather(_ToOneRank):
    """The tensors of all ranks, one after another along the first dimension, on one rank.

    Args:
        dest_rank: the rank that gets the result.
        group: the name of the group of ranks.

    Inputs: input_x, a tensor of shape (N, ...), of one shape and element type on all ranks.

    Output: on `dest_rank`, a tensor of shape (ranks x N, ...); on other ranks, a tensor of shape (1,) without meaning.

    Raises:
        ValueError: there is no rank `dest_rank`, no such group, or this rank is not in it.

    Example:
        >>> print(ops.CollectiveGather(0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, dest_rank: int, group: str = WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.check_rank("dest_rank", dest_rank, group)

    def infer_shape(self, x: Dims) -> Dims:
        rows, *others = self.rows(x)
        if communicator(self.group).rank != self.dest_rank:
            return (1,)
        return (None if rows is None else rows * group_size(self.group), *others)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        self.rows(x.shape)
        return self._result(xp, x, collectives.gather(on_host(xp, x), self.dest_rank, self.group))


class CollectiveScatter(Collective):
    """This rank's part, along the first dimension, of the tensor of one rank.

    Args:
        src_rank: the rank whose tensor is divided.
        group: the name of the group of ranks.

    Inputs: input_x, a tensor of shape (N, ...), where N is a multiple of the number of ranks; on other ranks, a tensor
    of the same shape and element type.

    Output: a tensor of shape (N / ranks, ...).

    Raises:
        ValueError: the ranks do not divide N; there is no rank `src_rank`, no such group, or this rank is not in it.

    Example:
        >>> print(ops.CollectiveScatter(0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, src_rank: int = 0, group: str = WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.check_rank("src_rank", src_rank, group)

    def infer_shape(self, x: Dims) -> Dims:
        rows, *others = self.rows(x)
        return (self.divided(rows, 0, self.group), *others)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        self.divided(self.rows(x.shape)[0], 0, self.group)
        return on_device(xp, collectives.scatter(on_host(xp, x), self.src_rank, self.group))


@bprop_getters.register(Broadcast)
def get_bprop_broadcast(self: Broadcast) -> Bprop:
    """The root gets the sum of all gradients, the others' tensors have none."""
    root, group = self.root_rank, self.group

    def bprop(x: tuple[Tensor, ...], out: tuple[Tensor, ...], dout: Any) -> tuple[Any, ...]:
        sums = [cached(Reduce, root, "sum", group)(item) for item in dout]
        if is_rank(root, group):
            return (tuple(sums),)
        return (tuple([zeros_like(x[i]) for i in range(len(sums))]),)

    return bprop


@bprop_getters.register(Reduce)
def get_bprop_reduce(self: Reduce) -> Bprop:
    """Every rank gets the gradient of the result.

    Raises:
        NotImplementedError: the reduction is not a sum.
    """
    if self.op != ReduceOp.SUM:
        raise NotImplementedError(f"Reduce with {self.op!r} has no gradient: only that of a sum is defined")
    dest, group = self.dest_rank, self.group

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        given = dout if is_rank(dest, group) else zeros_like(x)
        return (cached(Broadcast, dest, group)((given,))[0],)

    return bprop


@bprop_getters.register(CollectiveGather)
def get_bprop_collective_gather(self: CollectiveGather) -> Bprop:
    """Every rank gets its part of the gradient of the result."""
    dest, group = self.dest_rank, self.group

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        whole = (x.shape[0] * ranks_in(group), *x.shape[1:])
        given = dout if is_rank(dest, group) else zeros(whole, x.dtype)
        return (cached(CollectiveScatter, dest, group)(given),)

    return bprop


@bprop_getters.register(CollectiveScatter)
def get_bprop_collective_scatter(self: CollectiveScatter) -> Bprop:
    """The rank that gave gets the gradients of all parts, the others' tensors have none."""
    source, group = self.src_rank, self.group

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        whole = cached(CollectiveGather, source, group)(dout)
        return (whole if is_rank(source, group) else zeros_like(x),)

    return bprop
