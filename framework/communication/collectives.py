"""Collectives by the name of their group: what operators call. Notes for the watchdog who waits where.

Every function takes arrays of the host and returns new ones. A group of one rank returns its input. All raise
ValueError if there is no such group, or this rank is not in it, and CollectiveMismatchError where ranks differ and that
is looked for: always within one process, between processes with MS_CHECK_COLLECTIVES=1.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

import numpy as np

from framework.common.device import Array
from framework.communication.contract import Communicator, Message, Slot
from framework.communication.describing import CollectiveMismatchError, call_text, differences, place_of
from framework.communication.worlds import WORLD, communicator, current

__all__ = [
    "CHECK_VARIABLE", "all_gather", "all_reduce", "all_to_all", "barrier", "broadcast", "exchange", "gather",
    "noted_on_mesh", "receive", "reduce", "reduce_scatter", "scatter", "send", "share",
]  # fmt: skip

T = TypeVar("T")

CHECK_VARIABLE: Final = "MS_CHECK_COLLECTIVES"
_checks: Final = os.environ.get(CHECK_VARIABLE, "0") == "1"


def all_reduce(x: Array, op: str, group: str) -> Array:
    """Combine the arrays of all ranks by a reduction, "sum", "max", "min" or "prod"."""
    ranks = communicator(group)
    if ranks.size == 1:
        return x
    with _noted(f"AllReduce({op})", x, group, ranks):
        return ranks.all_reduce(op, x)


def all_gather(x: Array, group: str) -> Array:
    """The arrays of all ranks, one after another along the first dimension."""
    ranks = communicator(group)
    if ranks.size == 1:
        return x
    with _noted("AllGather", x, group, ranks):
        return ranks.all_gather(x)


def reduce_scatter(x: Array, op: str, group: str) -> Array:
    """Combine the arrays of all ranks; each gets its part along the first dimension, which the ranks divide."""
    ranks = communicator(group)
    if ranks.size == 1:
        return x
    with _noted(f"ReduceScatter({op})", x, group, ranks):
        return ranks.reduce_scatter(op, x)


def broadcast(x: Array, root: int, group: str) -> Array:
    """The array of rank `root` of the group, in all ranks."""
    ranks = communicator(group)
    if ranks.size == 1:
        return x
    with _noted(f"Broadcast(root {root})", x, group, ranks):
        return ranks.broadcast(root, x)


def reduce(x: Array, dest: int, op: str, group: str) -> Array | None:
    """Combine the arrays of all ranks; rank `dest` of the group gets the result, the others None."""
    ranks = communicator(group)
    if ranks.size == 1:
        return x
    with _noted(f"Reduce({op}, dest {dest})", x, group, ranks):
        return ranks.reduce(dest, op, x)


def gather(x: Array, dest: int, group: str) -> Array | None:
    """As `all_gather`; rank `dest` of the group gets the result, the others None."""
    ranks = communicator(group)
    if ranks.size == 1:
        return x
    with _noted(f"CollectiveGather(dest {dest})", x, group, ranks):
        return ranks.gather(dest, x)


def scatter(x: Array, source: int, group: str) -> Array:
    """This rank's part, along the first dimension, of the array of rank `source` of the group."""
    ranks = communicator(group)
    if ranks.size == 1:
        return x
    with _noted(f"CollectiveScatter(src {source})", x, group, ranks):
        return ranks.scatter(source, x)


def all_to_all(parts: Sequence[Array], group: str) -> list[Array]:
    """Send one array of one shape to each rank of the group; returns what came, by rank."""
    ranks = communicator(group)
    if ranks.size == 1:
        return list(parts)
    with _noted("AlltoAll", parts[0], group, ranks):
        return ranks.all_to_all(parts)


def exchange(messages: Sequence[Message], slots: Sequence[Slot], group: str) -> list[Array]:
    """Send arrays to some ranks of the group and receive others; returns these in the order of `slots`."""
    ranks = communicator(group)
    of = f"NeighborExchange(to {[to for to, _ in messages]}, from {[source for source, _, _ in slots]})"
    with _noted(of, None, group, ranks, alike=False):
        return ranks.exchange(_EXCHANGE_TAG, messages, slots)


#: No tag that a program gives to Send: those are from 0.
_EXCHANGE_TAG: Final = 32_000


def send(x: Array, dest: int, tag: int, group: str) -> None:
    """Send an array to a rank of the group."""
    ranks = communicator(group)
    with _noted(f"Send(to {dest}, tag {tag})", x, group, ranks, alike=False):
        ranks.send(dest, tag, x)


def receive(source: int, tag: int, shape: tuple[int, ...], dtype: np.dtype[np.generic], group: str) -> Array:
    """Wait for an array from a rank of the group.

    Raises:
        ValueError: what arrives has another number of bytes.
    """
    ranks = communicator(group)
    with _noted(f"Receive(from {source}, tag {tag})", None, group, ranks, alike=False):
        return ranks.receive(source, tag, shape, dtype)


def share(item: T, group: str) -> list[T]:
    """Get an object of every rank of the group, by rank: for small ones that can be pickled."""
    ranks = communicator(group)
    if ranks.size == 1:
        return [item]
    with _noted("share", None, group, ranks):
        return ranks.share(item)


def barrier(group: str) -> None:
    """Wait until all ranks of the group are here."""
    ranks = communicator(group)
    if ranks.size == 1:
        return
    with _noted("Barrier", None, group, ranks):
        ranks.barrier()


@contextlib.contextmanager
def noted_on_mesh(operator: str, x: Array) -> Iterator[Communicator]:
    """Note what this rank calls while groups of a mesh of all ranks exchange; gives the group of all ranks.

    Args:
        operator: the operator, with what must be equal on all ranks.
        x: its tensor.
    """
    ranks = communicator(WORLD)
    with _noted(operator, x, WORLD, ranks):
        yield ranks


@contextlib.contextmanager
def _noted(operator: str, x: Array | None, group: str, ranks: Communicator, alike: bool = True) -> Iterator[None]:
    """Note what this rank calls while it waits.

    Args:
        operator: the operator, with what must be equal on all ranks.
        x: its tensor; None if it has none.
        group: the name of the group.
        ranks: the group.
        alike: whether all ranks of the group call the same.
    """
    text = call_text(operator, None, (), group) if x is None else call_text(operator, x.dtype, x.shape, group)
    ranks.call = text
    world = current()
    table = world.table if world is not None else None
    if table is None or _checks:
        ranks.place = place_of(sys._getframe(2))
    if table is None:
        yield
        return
    table.waits(text, ranks.ranks)
    if _checks and alike:
        wrong = differences(ranks.share((text, ranks.place)), ranks.ranks)
        if wrong:
            raise CollectiveMismatchError(wrong)
    try:
        yield
    finally:
        table.runs()
