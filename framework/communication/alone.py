"""The group of one process, which is what a program without `mpirun` has."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from framework.common.device import Array
from framework.communication.contract import Communicator, as_expected

__all__ = ["Alone"]

T = TypeVar("T")


class Alone(Communicator):
    """The only rank of its group."""

    def __init__(self, world_rank: int = 0) -> None:
        super().__init__(0, (world_rank,))
        self._sent: defaultdict[int, deque[Array]] = defaultdict(deque)

    def share(self, item: T) -> list[T]:
        """The object itself."""
        return [item]

    def send(self, dest: int, tag: int, x: Array) -> None:
        """Keep an array for `receive`."""
        self._sent[tag].append(np.array(x))

    def receive(self, source: int, tag: int, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
        """What `send` has kept.

        Raises:
            RuntimeError: nothing was sent, and nobody else can send anything.
            ValueError: what was sent has another number of elements or another element type.
        """
        if not self._sent[tag]:
            raise RuntimeError(f"this process is the only one, and it has sent itself nothing with tag {tag}")
        return as_expected(self._sent[tag].popleft(), source, self.rank, shape, dtype)

    def subgroup(self, ranks: Sequence[int]) -> Communicator:
        """The same group."""
        return Alone(self.ranks[0])
