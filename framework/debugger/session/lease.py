"""How long a pause lasts when nobody renews it, and what happens then; the session asks while it stands still."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final

from summaries.schema import debugger_pb2 as wire

__all__ = ["AT_END", "LENGTH", "Lease"]

LENGTH: Final = 600.0
"""Seconds that a pause lasts where nobody says otherwise."""
AT_END: Final = ("continue", "save_and_stop")
_LONGEST: Final = 30 * 24 * 3600.0


class Lease:
    """The clock of a pause.

    Args:
        length: seconds that a pause lasts; None: without limit.
        at_end: "continue" or "save_and_stop".
        clock: counts seconds.

    Attributes:
        at_end: what happens at the end.
        held: whether the clock stands.

    Raises:
        ValueError: `length` is not above 0, or there is no such `at_end`.

    """

    def __init__(
        self, length: float | None = LENGTH, at_end: str = "continue", clock: Callable[[], float] = time.monotonic
    ) -> None:
        if length is not None and not (0 < length < math.inf):
            raise ValueError(f"lease is a number of seconds above 0, or None for a pause without limit; not {length!r}")
        if at_end not in AT_END:
            raise ValueError(f"at_end is one of {', '.join(AT_END)}, not {at_end!r}")
        self.length = length
        self.at_end = at_end
        self.held = False
        self._clock = clock
        self._left = self._ends = 0.0
        self.renew()

    def renew(self) -> None:
        """Begin anew: somebody is there."""
        self._left = self.length or 0.0
        self._ends = self._clock() + self._left

    def hold(self, held: bool) -> None:
        """Stop the clock, or let it go on from where it stands."""
        if held and not self.held:
            self._left = self.left
        elif self.held and not held:
            self._ends = self._clock() + self._left
        self.held = held

    def change(self, length: float, at_end: str) -> None:
        """Set what is not 0 or empty, and begin anew.

        Raises:
            ValueError: it cannot be that.
        """
        if not 0 <= length <= _LONGEST:
            raise ValueError(f"a pause lasts from 0 to {_LONGEST:,.0f} seconds, not {length!r}")
        if at_end and at_end not in AT_END:
            raise ValueError(f"at the end of a pause comes one of {', '.join(AT_END)}, not {at_end!r}")
        self.length = length or self.length
        self.at_end = at_end or self.at_end
        self.renew()

    @property
    def left(self) -> float:
        """Seconds that are left; infinity where there is no limit."""
        if self.length is None:
            return math.inf
        return self._left if self.held else max(0.0, self._ends - self._clock())

    @property
    def message(self) -> wire.Lease:
        """As the link has it."""
        unlimited = self.length is None
        return wire.Lease(
            left=-1.0 if unlimited else self.left,
            length=-1.0 if self.length is None else self.length,
            held=self.held,
            at_end=self.at_end,
        )
