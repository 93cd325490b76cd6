"""What watchpoints take of a step: the bytes that they look at, at the speed that was measured; `Watch` asks it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from framework.debugger.nodes import Nodes
from framework.debugger.watch.targets import nbytes_of
from framework.debugger.watch.watchpoint import Armed

__all__ = ["Cost"]

_FIRST_GUESS: Final = 2e-10
"""Seconds for a byte that is looked at, before that was measured."""


class Cost:
    """What watchpoints take.

    Args:
        nodes: of the step.

    Attributes:
        step_seconds: how long a step takes while nothing is watched, as far as that is known; 0: it is not.
        part: the part of a step that all took together in the last ones; None: not known yet.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._sizes: dict[str, int] = {}
        self._seconds_per_byte = _FIRST_GUESS
        self.step_seconds = 0.0
        self.part: float | None = None

    def note(self, seconds: float, nbytes: int) -> None:
        """What a step took that looked at so many bytes."""
        if nbytes:
            self._seconds_per_byte += 0.2 * (seconds / nbytes - self._seconds_per_byte)
        if self.step_seconds:
            part = seconds / self.step_seconds
            self.part = part if self.part is None else self.part + 0.1 * (part - self.part)

    def estimates(self, watchpoints: Sequence[Armed]) -> list[float]:
        """The part of a step that each of them takes beside the others; NaN while nobody knows how long a step takes.

        One pass serves all that look at a tensor, so each of these has its share of it: their sum is what all take
        together. A comparison with the step before reads a tensor twice. What looks at the first step alone is free.
        """
        if not self.step_seconds:
            return [math.nan] * len(watchpoints)
        lookers: Counter[str] = Counter()
        passes: dict[str, int] = {}
        for armed in watchpoints:
            for name in _each_step(armed):
                lookers[name] += 1
                passes[name] = max(passes.get(name, 1), 1 + _compares(armed))
        shares = {name: passes[name] * self._size(name) / count for name, count in lookers.items()}
        scale = self._seconds_per_byte / self.step_seconds
        return [scale * sum(shares[name] for name in _each_step(armed)) for armed in watchpoints]

    def _size(self, name: str) -> int:
        """The bytes of what a node makes; 0 where there is no such node yet."""
        if name not in self._sizes and name in self._nodes:
            self._sizes[name] = nbytes_of(self._nodes.node(name))
        return self._sizes.get(name, 0)


def _each_step(armed: Armed) -> frozenset[str]:
    """What a watchpoint looks at in each step."""
    return frozenset() if armed.condition is not None and armed.condition.at_first else armed.observed


def _compares(armed: Armed) -> bool:
    return armed.condition is not None and armed.condition.from_before
