"""Functions of the operators over ranks: MindSpore's `communication.comm_func`.

Ranks are those among all processes. A function with `async_op` returns its result and a handle, None unless `async_op`:
the result is there when the function returns, so waiting for the handle does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.communication.management import get_group_rank_from_world_rank
from framework.communication.worlds import current
from framework.ops.collectives.base import WORLD, ReduceOp
from framework.ops.collectives.exchanging import Barrier, Receive, Send
from framework.ops.collectives.reducing_and_gathering import AllGather, AllReduce, ReduceScatter
from framework.ops.collectives.rooted import Broadcast, CollectiveGather, CollectiveScatter, Reduce
from framework.ops.constexpr import constexpr
from framework.ops.primitive import cached

__all__ = [
    "CommHandle", "P2POp", "all_gather_into_tensor", "all_reduce", "barrier", "batch_isend_irecv", "broadcast",
    "gather_into_tensor", "irecv", "isend", "recv", "reduce", "reduce_scatter_tensor", "scatter_tensor", "send",
]  # fmt: skip


class CommHandle:
    """The handle of a collective that has been called with `async_op`; it is complete already."""

    def wait(self) -> None:
        """Return at once."""


def _handle(async_op: bool) -> CommHandle | None:
    return CommHandle() if async_op else None


@constexpr
def _in_group(rank: int, group: str) -> int:
    """The rank in a group of a rank among all processes."""
    return rank if current() is None else get_group_rank_from_world_rank(rank, group)


def all_reduce(
    tensor: Tensor, op: str = ReduceOp.SUM, group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, CommHandle | None]:
    """The sum, or another reduction, over all ranks: see `ops.AllReduce`. Returns it and a handle."""
    return cached(AllReduce, op, group)(tensor), _handle(async_op)


def all_gather_into_tensor(
    tensor: Tensor, group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, CommHandle | None]:
    """The tensors of all ranks along the first dimension: see `ops.AllGather`. Returns it and a handle."""
    return cached(AllGather, group)(tensor), _handle(async_op)


def reduce_scatter_tensor(
    tensor: Tensor, op: str = ReduceOp.SUM, group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, CommHandle | None]:
    """This rank's part of a reduction over all ranks: see `ops.ReduceScatter`. Returns it and a handle."""
    return cached(ReduceScatter, op, group)(tensor), _handle(async_op)


def reduce(tensor: Tensor, dst: int, op: str = ReduceOp.SUM, group: str = WORLD) -> Tensor:
    """A reduction over all ranks, on rank `dst`; elsewhere a tensor of shape (1,) without meaning."""
    return cached(Reduce, _in_group(dst, group), op, group)(tensor)


def broadcast(tensor: Tensor, src: int = 0, group: str = WORLD) -> Tensor:
    """The tensor of rank `src`, in all ranks."""
    return cached(Broadcast, _in_group(src, group), group)((tensor,))[0]


def gather_into_tensor(tensor: Tensor, dst: int = 0, group: str = WORLD) -> Tensor:
    """The tensors of all ranks along the first dimension, on rank `dst`; elsewhere one of shape (1,) without use."""
    return cached(CollectiveGather, _in_group(dst, group), group)(tensor)


def scatter_tensor(tensor: Tensor, src: int = 0, group: str = WORLD) -> Tensor:
    """This rank's part, along the first dimension, of the tensor of rank `src`."""
    return cached(CollectiveScatter, _in_group(src, group), group)(tensor)


def send(tensor: Tensor, dst: int = 0, group: str = WORLD, tag: int = 0) -> None:
    """Send a tensor to rank `dst`."""
    cached(Send, tag, _in_group(dst, group), group, group)(tensor)


def recv(tensor: Tensor, src: int = 0, group: str = WORLD, tag: int = 0) -> Tensor:
    """Wait for a tensor from rank `src`, of the shape and element type of `tensor`."""
    return cached(Receive, tag, _in_group(src, group), tensor.shape, tensor.dtype, group, group)(tensor)


def isend(tensor: Tensor, dst: int = 0, group: str = WORLD, tag: int = 0) -> CommHandle:
    """Send a tensor to rank `dst`, and return a handle."""
    send(tensor, dst, group, tag)
    return CommHandle()


def irecv(tensor: Tensor, src: int = 0, group: str = WORLD, tag: int = 0) -> tuple[Tensor, CommHandle]:
    """Wait for a tensor from rank `src`, of the shape and type of `tensor`; returns it and a handle."""
    return recv(tensor, src, group, tag), CommHandle()


def barrier(group: str = WORLD) -> None:
    """Wait until all ranks of the group are here."""
    cached(Barrier, group)()


class P2POp:
    """A message for `batch_isend_irecv`.

    Args:
        op: "isend" or "irecv", or the function of that name.
        tensor: the tensor to send; or one of the shape and element type of what is received, None with `recv_dtype`.
        peer: the other rank among all processes.
        group: the name of the group of ranks.
        tag: the tag of the message.
        recv_dtype: the element type of what is received; None for that of `tensor`.

    Raises:
        ValueError: `op` is neither.
    """

    def __init__(
        self, op: Any, tensor: Any, peer: int, group: str = WORLD, tag: int = 0, *, recv_dtype: Any = None
    ) -> None:
        self.op = op if isinstance(op, str) else getattr(op, "__name__", str(op))
        if self.op not in ("isend", "irecv"):
            raise ValueError(f"P2POp: op must be 'isend' or 'irecv', not {op!r}")
        self.tensor, self.peer, self.group, self.tag, self.recv_dtype = tensor, peer, group, tag, recv_dtype


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> tuple[Tensor, ...]:
    """Send and receive messages: all are sent before any is waited for.

    Args:
        p2p_op_list: the messages.

    Returns:
        For each the tensor received, or the tensor sent.
    """
    for item in p2p_op_list:
        if item.op == "isend":
            send(item.tensor, item.peer, item.group, item.tag)
    return tuple([_received(item) if item.op == "irecv" else item.tensor for item in p2p_op_list])


def _received(item: P2POp) -> Tensor:
    shape, dtype = item.tensor, item.recv_dtype
    if isinstance(item.tensor, Tensor):
        shape, dtype = item.tensor.shape, item.tensor.dtype
    rank = _in_group(item.peer, item.group)
    return cached(Receive, item.tag, rank, tuple(shape), dtype, item.group, item.group)()
