"""The contract of a communicator: what a group of ranks can do together, and what each operation means.

A class of ranks only has to share arrays (`share`) and send messages; all collectives follow from these. That is their
plain meaning. `mpi` overrides them with the library's own collectives. Ranks here are ranks within the group.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from framework.common.device import Array
from framework.communication.rank_reduction import reduced

__all__ = ["Communicator", "Message", "Slot", "as_expected"]

T = TypeVar("T")

#: A message: the rank that gets it, and its elements.
Message = tuple[int, Array]
#: A place for a message: the rank that sends it, its shape and its element type.
Slot = tuple[int, tuple[int, ...], np.dtype[np.generic]]


def as_expected(x: Array, source: int, rank: int, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
    """An array that `source` sent, with the shape that `rank` expects.

    Raises:
        ValueError: it has another number of elements or another element type.
    """
    if x.dtype != dtype or x.size != np.prod(shape):
        raise ValueError(
            f"rank {source} sent {x.dtype}{list(x.shape)}, {x.nbytes} bytes, where rank {rank} expects "
            f"{dtype}{list(shape)}: give Receive the shape and type that Send sends"
        )
    return x.reshape(shape)


class Communicator(ABC):
    """A group of ranks.

    Args:
        rank: the rank of this process in the group.
        ranks: the ranks of all members among all processes, in the order of their ranks in the group.
        local_ranks: the ranks in the group of the members on this machine.
    """

    def __init__(self, rank: int, ranks: Sequence[int], local_ranks: Sequence[int] | None = None) -> None:
        self.rank = rank
        self.ranks = tuple(ranks)
        self.size = len(self.ranks)
        #: What this rank calls now, in words, for messages.
        self.call = ""
        #: The line of the user's program that calls it, where that is known.
        self.place = ""
        self.local_ranks = tuple(range(self.size)) if local_ranks is None else tuple(local_ranks)
        self._kept: dict[tuple[int, ...], Communicator] = {}

    @abstractmethod
    def share(self, item: T) -> list[T]:
        """Get the object of every rank, by rank: for small objects, and for arrays that ranks share in memory."""

    @abstractmethod
    def send(self, dest: int, tag: int, x: Array) -> None:
        """Send an array; it may be changed afterwards. Does not wait for the receiver."""

    @abstractmethod
    def receive(self, source: int, tag: int, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
        """Wait for an array that `source` sends with this tag.

        Raises:
            ValueError: what arrives has another number of bytes.
        """

    @abstractmethod
    def subgroup(self, ranks: Sequence[int]) -> Communicator:
        """The group of some ranks of this group, all of which call this with the same ranks."""

    def kept_subgroup(self, ranks: Sequence[int]) -> Communicator:
        """As `subgroup`; made by the first call with these ranks, and kept for later ones."""
        key = tuple(ranks)
        if key not in self._kept:
            self._kept[key] = self if key == tuple(range(self.size)) else self.subgroup(key)
        return self._kept[key]

    def barrier(self) -> None:
        """Wait until all ranks are here."""
        self.share(None)

    def all_reduce(self, op: str, x: Array) -> Array:
        """Combine the arrays of all ranks; all get the result."""
        return reduced(op, self.share(x))

    def all_gather(self, x: Array) -> Array:
        """The arrays of all ranks, one after another along the first dimension."""
        return np.concatenate(self.share(x))

    def reduce_scatter(self, op: str, x: Array) -> Array:
        """Combine the arrays of all ranks; each rank gets its part along the first dimension."""
        return reduced(op, [self.part(item) for item in self.share(x)])

    def broadcast(self, root: int, x: Array) -> Array:
        """The array of one rank, in all ranks.

        Args:
            root: the rank whose array all get.
            x: the array; on other ranks, one of its shape and element type.
        """
        return np.array(self.share(x)[root])

    def reduce(self, dest: int, op: str, x: Array) -> Array | None:
        """Combine the arrays of all ranks; `dest` gets the result, the others None."""
        values = self.share(x)
        return reduced(op, values) if self.rank == dest else None

    def gather(self, dest: int, x: Array) -> Array | None:
        """As `all_gather`; `dest` gets the result, the others None."""
        values = self.share(x)
        return np.concatenate(values) if self.rank == dest else None

    def scatter(self, source: int, x: Array) -> Array:
        """This rank's part, along the first dimension, of the array of `source`."""
        return np.array(self.part(self.share(x)[source]))

    def all_to_all(self, parts: Sequence[Array]) -> list[Array]:
        """Send one array to each rank, by rank; all have one shape. Returns what came, by the rank that sent it."""
        return [np.array(sent[self.rank]) for sent in self.share(list(parts))]

    def exchange(self, tag: int, messages: Sequence[Message], slots: Sequence[Slot]) -> list[Array]:
        """Send messages to some ranks and receive others.

        Returns:
            The received arrays, in the order of `slots`.
        """
        for dest, x in messages:
            self.send(dest, tag, x)
        return [self.receive(source, tag, shape, dtype) for source, shape, dtype in slots]

    def part(self, x: Array) -> Array:
        """This rank's part of an array along its first dimension, a view."""
        rows = x.shape[0] // self.size
        return x[self.rank * rows : (self.rank + 1) * rows]
