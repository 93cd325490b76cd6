"""The lease of a pause: how long it lasts without a command, and what happens at its end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final

from summaries.schema import debugger_pb2 as wire

__all__ = ["AT_END", "LENGTH", "Lease"]

LENGTH: Final = 600.0
"""Default length of a pause in seconds."""
AT_END: Final = ("continue", "save_and_stop")
_LONGEST: Final = 30 * 24 * 3600.0


class Lease:
    """The clock of a pause.

    Args:
        length: Length of a pause in seconds; None: without limit.
        at_end: "continue" or "save_and_stop".
        clock: Returns seconds.

    Attributes:
        at_end: What happens at the end.
        held: Whether the clock is stopped.

    Raises:
        ValueError: `length` is not above 0, or `at_end` is unknown.

    """

    def __init__(
        self, length: float | None = LENGTH, at_end: str = "continue", clock: Callable[[], float] = time.monotonic
    ) -> None:
        if length is not None and not (0 < length < math.inf):
            raise ValueError(
                f"lease must be a number of seconds above 0, or None for a pause without limit, not {length!r}"
            )
        if at_end not in AT_END:
            raise ValueError(f"at_end is one of {', '.join(AT_END)}, not {at_end!r}")
        self.length = length
        self.at_end = at_end
        self.held = False
        self._clock = clock
        self._left = self._ends = 0.0
        self.renew()

    def renew(self) -> None:
        """Restart the clock."""
        self._left = self.length or 0.0
        self._ends = self._clock() + self._left

    def hold(self, held: bool) -> None:
        """Stop the clock, or let it continue."""
        if held and not self.held:
            self._left = self.left
        elif self.held and not held:
            self._ends = self._clock() + self._left
        self.held = held

    def change(self, length: float, at_end: str) -> None:
        """Set a length that is not 0 and an `at_end` that is not empty, and restart the clock.

        Raises:
            ValueError: A value is invalid.
        """
        if not 0 <= length <= _LONGEST:
            raise ValueError(f"a pause lasts from 0 to {_LONGEST:,.0f} seconds, not {length!r}")
        if at_end and at_end not in AT_END:
            raise ValueError(f"at_end is one of {', '.join(AT_END)}, not {at_end!r}")
        self.length = length or self.length
        self.at_end = at_end or self.at_end
        self.renew()

    @property
    def left(self) -> float:
        """Seconds that are left; infinite without limit."""
        if self.length is None:
            return math.inf
        return self._left if self.held else max(0.0, self._ends - self._clock())

    @property
    def message(self) -> wire.Lease:
        """As a message."""
        unlimited = self.length is None
        return wire.Lease(
            left=-1.0 if unlimited else self.left,
            length=-1.0 if self.length is None else self.length,
            held=self.held,
            at_end=self.at_end,
        )
