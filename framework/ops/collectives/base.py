"""The base class of operators over ranks, and what their inference and gradients ask about a group."""

from __future__ import annotations

from typing import Any, Final

from framework.communication.management import GlobalComm
from framework.communication.rank_reduction import REDUCTIONS
from framework.communication.worlds import communicator, group_size
from framework.ops.arrays import Array, ArrayModule
from framework.ops.constexpr import constexpr
from framework.ops.primitive import PrimitiveWithInfer
from framework.ops.shapes import Dims

__all__ = ["WORLD", "Collective", "ReduceOp", "is_rank", "on_device", "on_host", "ranks_in"]

WORLD: Final = GlobalComm.WORLD_COMM_GROUP


class ReduceOp:
    """How reductions combine the tensors of all ranks.

    Example:
        >>> print(ops.AllReduce(ops.ReduceOp.MAX)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


class Collective(PrimitiveWithInfer):
    """An operator that all ranks of a group run together; its output has the shape and element type of its input."""

    side_effect = True

    def infer_shape(self, x: Any) -> Any:
        return x

    def infer_dtype(self, x: Any) -> Any:
        return x

    def check_reduction(self, op: str) -> None:
        """Check the name of a reduction.

        Raises:
            TypeError: it is none of `ReduceOp`.
        """
        if op not in REDUCTIONS:
            raise TypeError(f"{self.name}: op must be ops.ReduceOp.SUM, MAX, MIN or PROD, not {op!r}")

    def check_rank(self, name: str, rank: int, group: str) -> None:
        """Check a rank of the group.

        Raises:
            TypeError: it is no whole number.
            ValueError: the group has no such rank.
        """
        if isinstance(rank, bool) or not isinstance(rank, int):
            raise TypeError(f"{self.name}: {name} must be a rank, a whole number, not {rank!r}")
        size = group_size(group)
        if not 0 <= rank < size:
            have = "one process, of rank 0" if size == 1 else f"the ranks 0 to {size - 1}"
            raise ValueError(f"{self.name}: {name} is {rank}, and group {group!r} has {have}")

    def divided(self, length: int | None, dimension: int, group: str) -> int | None:
        """The length of a dimension on each rank after the ranks have divided it; None if it is not known.

        Raises:
            ValueError: the number of ranks does not divide it.
        """
        size = group_size(group)
        if length is not None and length % size:
            raise ValueError(
                f"{size} ranks divide dimension {dimension}, whose length {length} must be a multiple of {size}"
            )
        return None if length is None else length // size

    def rows(self, shape: Dims) -> Dims:
        """A shape with at least one dimension.

        Raises:
            ValueError: it has none.
        """
        if not shape:
            raise ValueError("ranks divide or join the first dimension, and the tensor has none: reshape it to (1,)")
        return shape


@constexpr
def is_rank(rank: int, group: str) -> bool:
    """Whether this process has a rank in a group."""
    return communicator(group).rank == rank


@constexpr
def ranks_in(group: str) -> int:
    """The number of ranks of a group."""
    return group_size(group)


def on_host(xp: ArrayModule, x: Array) -> Array:
    """The elements of an array in main memory, where messages are sent from."""
    return x if xp.__name__ == "numpy" else xp.asnumpy(x)


def on_device(xp: ArrayModule, x: Array) -> Array:
    """An array where the operators compute."""
    return xp.asarray(x)
