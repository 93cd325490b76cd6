"""The schedule of the reader's loop: periodic work, and long work in short pieces.

Used by the follower, so that growing files are read between any two pieces.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

PIECE_S = 0.03
"""Seconds for long work in one turn of the loop."""


class Due:
    """The next times of periodic work, on the monotonic clock."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}

    def __call__(self, what: str, every: float | None = None) -> bool:
        """Returns whether `what` is due. With `every` the next time is set."""
        now = time.monotonic()
        if now < self._next.get(what, 0.0):
            return False
        if every is not None:
            self._next[what] = now + every
        return True

    def again(self, what: str, after: float) -> None:
        """Sets when `what` is due next."""
        self._next[what] = time.monotonic() + after


class LongWork:
    """Work that is done in pieces.

    Args:
        begin: starts the work. Returns an iterator, each step of which takes at most some milliseconds.

    Attributes:
        under_way: whether it has started and not ended.
    """

    def __init__(self, begin: Callable[[], Iterator[None]]) -> None:
        self._begin = begin
        self._pieces: Iterator[None] = iter(())
        self._worked_s = 0.0
        self._began: float | None = None
        self.under_way = False

    @property
    def seconds(self) -> float:
        """The time that the pieces have taken since the start."""
        return self._worked_s + (0.0 if self._began is None else time.monotonic() - self._began)

    def go_on(self, seconds: float = PIECE_S) -> None:
        """Continues the work, or starts it.

        Args:
            seconds: stops after the first piece that ends later than this.
        """
        if not self.under_way:
            self._pieces, self.under_way, self._worked_s = self._begin(), True, 0.0
        began = self._began = time.monotonic()
        try:
            self.under_way = any(time.monotonic() - began >= seconds for _ in self._pieces)
        except BaseException:
            self.under_way = False
            raise
        finally:
            self._worked_s, self._began = self.seconds, None

    def finish(self) -> None:
        """Does the work to its end. Starts it if necessary."""
        self.go_on(float("inf"))
