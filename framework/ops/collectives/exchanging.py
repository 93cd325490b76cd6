"""Operators by which ranks exchange tensors: AlltoAll, NeighborExchange, Send and Receive; and Barrier, which waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.communication import collectives
from framework.communication.worlds import group_size
from framework.ir.abstract import Abstract, AbstractConst, AbstractTensor
from framework.ops.arrays import Array, ArrayModule
from framework.ops.collectives.base import WORLD, Collective, on_device, on_host
from framework.ops.control.dependencies import depend
from framework.ops.creation.filled_like import zeros_like
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.primitive import cached, prim_attr_register
from framework.ops.shapes import Dims

__all__ = ["AlltoAll", "Barrier", "NeighborExchange", "Receive", "Send"]


class AlltoAll(Collective):
    """Splits a tensor along one dimension, sends a part to each rank, and joins what came along another.

    Args:
        split_count: the number of ranks of the group.
        split_dim: the dimension that is split.
        concat_dim: the dimension along which the parts are joined.
        group: the name of the group of ranks.

    Inputs: input_x, a tensor, of one shape and element type on all ranks.

    Output: a tensor whose dimension `split_dim` is divided by the number of ranks and whose dimension `concat_dim` is
    multiplied by it.

    Raises:
        ValueError: `split_count` is not the number of ranks, or does not divide the dimension; there is no such
            dimension or group, or this rank is not in it.

    Example:
        >>> print(ops.AlltoAll(1, 0, 0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, split_count: int, split_dim: int, concat_dim: int, group: str = WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        size = group_size(group)
        if split_count != size:
            have = "there is one process" if size == 1 else f"group {group!r} has {size} ranks"
            raise ValueError(f"AlltoAll: {have}, so split_count must be {size}, not {split_count}")

    def infer_shape(self, x: Dims) -> Dims:
        lengths = list(x)
        split, joined = self._dimensions(len(lengths))
        lengths[split] = self.divided(lengths[split], split, self.group)
        length = lengths[joined]
        lengths[joined] = None if length is None else length * self.split_count
        return tuple(lengths)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        split, joined = self._dimensions(x.ndim)
        self.divided(x.shape[split], split, self.group)
        parts = np.split(on_host(xp, x), self.split_count, split)
        return on_device(xp, np.concatenate(collectives.all_to_all(parts, self.group), joined))

    def _dimensions(self, count: int) -> tuple[int, int]:
        for dimension in (self.split_dim, self.concat_dim):
            if not -count <= dimension < count:
                raise ValueError(f"the tensor has {count} dimensions, and no dimension {dimension}")
        return self.split_dim % count, self.concat_dim % count


class NeighborExchange(Collective):
    """Sends a tensor to each of some ranks, and receives one from each of others.

    Args:
        send_rank_ids: the ranks that get the inputs, one for each.
        recv_rank_ids: the ranks whose tensors are the outputs, one for each.
        recv_shapes: the shapes of the outputs.
        send_shapes: the shapes of the inputs.
        recv_type: the element type of the outputs.
        group: the name of the group of ranks.

    Inputs: input_x, a tuple of tensors.

    Output: a tuple of tensors.

    Raises:
        ValueError: shapes are not as many as ranks, or not those of the inputs; there is no such rank or group.

    Example:
        >>> exchange = ops.NeighborExchange([0], [0], ([2],), ([2],), ms.float32)
        >>> print(exchange((Tensor([1.0, 2.0]),))[0])
        [1. 2.]
    """

    @prim_attr_register
    def __init__(
        self, send_rank_ids: Sequence[int], recv_rank_ids: Sequence[int], recv_shapes: Sequence[Sequence[int]],
        send_shapes: Sequence[Sequence[int]], recv_type: DType, group: str = WORLD,
    ) -> None:  # fmt: skip
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        for name, ranks, shapes in (("send", send_rank_ids, send_shapes), ("recv", recv_rank_ids, recv_shapes)):
            if len(ranks) != len(shapes):
                raise ValueError(f"NeighborExchange: {len(ranks)} {name}_rank_ids need as many {name}_shapes")
            for rank in ranks:
                self.check_rank(f"{name}_rank_ids", rank, group)

    def infer_shape(self, x: Sequence[Dims]) -> tuple[Dims, ...]:
        self._check(x)
        return tuple(tuple(shape) for shape in self.recv_shapes)

    def infer_dtype(self, x: Any) -> Any:
        return tuple(self.recv_type for _ in self.recv_shapes)

    def compute(self, xp: ArrayModule, x: tuple[Array, ...]) -> tuple[Array, ...]:
        self._check([item.shape for item in x])
        messages = [(rank, on_host(xp, item)) for rank, item in zip(self.send_rank_ids, x, strict=True)]
        dtype = self.recv_type.numpy
        slots = [(rank, tuple(shape), dtype) for rank, shape in zip(self.recv_rank_ids, self.recv_shapes, strict=True)]
        return tuple([on_device(xp, item) for item in collectives.exchange(messages, slots, self.group)])

    def _check(self, shapes: Sequence[Dims]) -> None:
        given, told = [tuple(shape) for shape in shapes], [tuple(shape) for shape in self.send_shapes]
        if given != told:
            raise ValueError(f"the inputs have the shapes {given}, and send_shapes are {told}")


class Send(Collective):
    """Sends a tensor to another rank, which runs `Receive` with the same tag. Does not wait for it.

    Args:
        sr_tag: the tag of the message, from 0; messages with one tag arrive in order.
        dest_rank: the rank in the group that gets the tensor.
        group: the name of the group of ranks.
        group_back: the group in which the gradient comes back.

    Inputs: input_x, a tensor.

    Output: the tensor itself. Its gradient, where the output is used, is that of `Receive` on the other rank.

    Raises:
        ValueError: there is no such rank or group.

    Example:
        >>> x = ops.Send(sr_tag=0, dest_rank=0)(Tensor([1.0, 2.0]))
        >>> print(ops.Receive(sr_tag=0, src_rank=0, shape=[2], dtype=ms.float32)(x))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, sr_tag: int, dest_rank: int, group: str = WORLD, group_back: str = WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.check_rank("dest_rank", dest_rank, group)

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        collectives.send(on_host(xp, x), self.dest_rank, self.sr_tag, self.group)
        return x


class Receive(Collective):
    """Waits for a tensor from another rank, which runs `Send` with the same tag.

    Args:
        sr_tag: the tag of the message, from 0.
        src_rank: the rank in the group that sends the tensor.
        shape: the shape of the tensor.
        dtype: its element type.
        group: the name of the group of ranks.
        group_back: the group in which the gradient goes back.

    Inputs: optionally a tensor, whose elements are not read. If gradients are taken by it, the gradient of the output
    is sent back to the rank that sent the tensor.

    Output: a tensor.

    Raises:
        ValueError: there is no such rank or group; a message of another size arrives.

    Example:
        >>> x = ops.Send(sr_tag=0, dest_rank=0)(Tensor([1.0, 2.0]))
        >>> print(ops.Receive(sr_tag=0, src_rank=0, shape=[2], dtype=ms.float32)(x))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(
        self, sr_tag: int, src_rank: int, shape: Sequence[int], dtype: DType, group: str = WORLD,
        group_back: str = WORLD,
    ) -> None:  # fmt: skip
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.check_rank("src_rank", src_rank, group)

    def infer(self, *inputs: Abstract) -> Abstract:
        return AbstractTensor(tuple(self.shape), self.dtype)

    def compute(self, xp: ArrayModule, *x: Array) -> Array:
        dtype = self.dtype.numpy
        return on_device(xp, collectives.receive(self.src_rank, self.sr_tag, tuple(self.shape), dtype, self.group))


class Barrier(Collective):
    """Waits until all ranks of the group are here.

    Args:
        group: the name of the group of ranks.

    No inputs, no output.

    Raises:
        ValueError: there is no such group, or this rank is not in it.

    Example:
        >>> ops.Barrier()()
    """

    @prim_attr_register
    def __init__(self, group: str = WORLD) -> None:
        self.init_prim_io_names(inputs=[], outputs=[])

    def infer(self, *inputs: Abstract) -> Abstract:
        return AbstractConst(None)

    def compute(self, xp: ArrayModule) -> None:
        collectives.barrier(self.group)


@bprop_getters.register(AlltoAll)
def get_bprop_all_to_all(self: AlltoAll) -> Bprop:
    """The same with the two dimensions exchanged."""
    back = AlltoAll(self.split_count, self.concat_dim, self.split_dim, self.group)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (back(dout),)

    return bprop


@bprop_getters.register(NeighborExchange)
def get_bprop_neighbor_exchange(self: NeighborExchange) -> Bprop:
    """The same with senders and receivers exchanged."""
    back = NeighborExchange(
        self.recv_rank_ids, self.send_rank_ids, self.send_shapes, self.recv_shapes, self.recv_type, self.group
    )

    def bprop(x: tuple[Tensor, ...], out: tuple[Tensor, ...], dout: Any) -> tuple[Any, ...]:
        return (back(tuple(dout)),)

    return bprop


@bprop_getters.register(Send)
def get_bprop_send(self: Send) -> Bprop:
    """The gradient of the output here, plus that of what the other rank has received."""
    tag, dest, group = self.sr_tag, self.dest_rank, self.group_back

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (dout + cached(Receive, tag, dest, x.shape, x.dtype, group)(dout),)

    return bprop


@bprop_getters.register(Receive)
def get_bprop_receive(self: Receive) -> Bprop:
    """The gradient goes back to the rank that sent the tensor; the input has none."""
    tag, source, group = self.sr_tag, self.src_rank, self.group_back

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (depend(zeros_like(x), cached(Send, tag, source, group)(dout)),)

    return bprop
