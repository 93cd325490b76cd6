"""What a row costs, by measurement: whether threads are worth it, and how many rows make a block."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Pace"]

#: Below this a row is not worth a hand-over to a thread: mostly Python's own work, which threads cannot share.
_WORTH_SECONDS = 200e-6
#: So many rows in a row must be worth it; the first ones often load or compile something.
_ROWS = 3
_BLOCK_SECONDS = 1e-3
_MOST_ROWS = 64


class Pace:
    """The cost of a row of one operator, over all passes.

    Args:
        clock: the time to measure: of the thread where only its work counts, of the wall where waiting counts too.
        block_seconds: what the rows of a block should take together.
    """

    def __init__(self, clock: Callable[[], float], block_seconds: float = _BLOCK_SECONDS) -> None:
        self.clock = clock
        self._block_seconds = block_seconds
        self.cost = 0.0
        self._costly = 0

    def note(self, seconds: float, rows: int = 1) -> None:
        """Take a measurement into account."""
        if not rows:
            return
        cost = seconds / rows
        self.cost = cost if not self.cost else self.cost + (cost - self.cost) / 8
        # It takes several to become worth threads, and a much lower mean to be so no longer.
        if cost >= _WORTH_SECONDS:
            self._costly += 1
        elif self._costly < _ROWS or self.cost < _WORTH_SECONDS / 2:
            self._costly = 0

    def is_worth(self) -> bool:
        """Whether threads are worth it."""
        return self._costly >= _ROWS

    @property
    def block(self) -> int:
        """The number of rows to hand over at once; one while the cost is unknown."""
        return max(1, min(_MOST_ROWS, int(self._block_seconds / self.cost))) if self.cost else 1
