"""Operators that a tap observes although the program computes their value in another way.

The tap sees the operator with the inputs that it has in the program as written, and with the value of a run without
taps.
"""

from __future__ import annotations

from typing import Any

from framework.ops.primitive import Primitive

__all__ = ["TappedValue"]


class TappedValue(Primitive):
    """Passes on the value of a tapped operator, which other operators have computed.

    Inputs: those of the operator, which are reported, and its value.

    Args:
        tapped: the operator that is reported.
    """

    def __init__(self, tapped: Primitive) -> None:
        super().__init__(tapped.name)
        self.tapped = tapped

    def compute(self, xp: Any, *inputs: Any) -> Any:
        """The last input."""
        return inputs[-1]
