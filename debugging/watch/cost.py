"""The cost of watchpoints: bytes that they read per step, times the measured seconds per byte."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from debugging.tensors.step_nodes import StepNodes
from debugging.watch.targets import nbytes_of
from debugging.watch.watchpoint import ArmedWatchpoint

__all__ = ["Cost"]

_FIRST_GUESS: Final = 2e-10
"""Assumed seconds per byte before the first measurement."""


class Cost:
    """The cost of watchpoints.

    Args:
        nodes: Of the step.

    Attributes:
        step_seconds: Seconds per step without watchpoints, set by the monitor; 0 if unknown.
        part: Time of all watchpoints as a part of a step, averaged over the last steps; None if unknown yet.
    """

    def __init__(self, nodes: StepNodes) -> None:
        self._nodes = nodes
        self._sizes: dict[str, int] = {}
        self._seconds_per_byte = _FIRST_GUESS
        self.step_seconds = 0.0
        self.part: float | None = None

    def note(self, seconds: float, nbytes: int) -> None:
        """Note the seconds that reading `nbytes` took in a step."""
        if nbytes:
            self._seconds_per_byte += 0.2 * (seconds / nbytes - self._seconds_per_byte)
        if self.step_seconds:
            part = seconds / self.step_seconds
            self.part = part if self.part is None else self.part + 0.1 * (part - self.part)

    def estimates(self, watchpoints: Sequence[ArmedWatchpoint]) -> list[float]:
        """The cost of each watchpoint beside the others, as a part of a step; NaN if the time of a step is unknown.

        One pass serves all watchpoints of a tensor, so each pays a share of it and the sum is the cost of all. A
        comparison with the step before reads a tensor twice. Watchpoints of the first step only are free.
        """
        if not self.step_seconds:
            return [math.nan] * len(watchpoints)
        readers: Counter[str] = Counter()
        passes: dict[str, int] = {}
        for armed in watchpoints:
            for name in _each_step(armed):
                readers[name] += 1
                passes[name] = max(passes.get(name, 1), 1 + _compares(armed))
        shares = {name: passes[name] * self._size(name) / count for name, count in readers.items()}
        scale = self._seconds_per_byte / self.step_seconds
        return [scale * sum(shares[name] for name in _each_step(armed)) for armed in watchpoints]

    def _size(self, name: str) -> int:
        """The bytes of a node's outputs; 0 if the node is unknown yet."""
        if name not in self._sizes and name in self._nodes:
            self._sizes[name] = nbytes_of(self._nodes.node(name))
        return self._sizes.get(name, 0)


def _each_step(armed: ArmedWatchpoint) -> frozenset[str]:
    """The nodes that a watchpoint reads in each step."""
    return frozenset() if armed.condition is not None and armed.condition.at_first else armed.observed


def _compares(armed: ArmedWatchpoint) -> bool:
    return armed.condition is not None and armed.condition.from_before
