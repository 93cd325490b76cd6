"""Operators that a tap observes while the program computes their value in another way.

A tap sees the operator with its inputs in the program as written, and with the value of a run without taps.
"""

from __future__ import annotations

from typing import Any

from framework.ops.primitive import Primitive

__all__ = ["TappedValue"]


class TappedValue(Primitive):
    """Hands on what other operators have computed in place of one.

    Inputs: those of the operator, which are shown, and its value.

    Args:
        tapped: the operator that is shown.
    """

    def __init__(self, tapped: Primitive) -> None:
        super().__init__(tapped.name)
        self.tapped = tapped

    def compute(self, xp: Any, *inputs: Any) -> Any:
        """The last input."""
        return inputs[-1]
