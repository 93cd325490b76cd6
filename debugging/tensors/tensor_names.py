"""The name of a tensor in a step, as a hashable value. All of the debugger uses it."""

from __future__ import annotations

from typing import NamedTuple, Self

from summaries.schema import debugger_pb2 as wire

__all__ = ["TensorName"]


class TensorName(NamedTuple):
    """One tensor of a step.

    Attributes:
        full_name: Of the node that makes it, or the name of a Parameter or an input.
        slot: Index of the node's output.
        iteration: Number of earlier executions of the node in the step.
    """

    full_name: str
    slot: int = 0
    iteration: int = 0

    @property
    def message(self) -> wire.TensorName:
        """As a message."""
        return wire.TensorName(full_name=self.full_name, slot=self.slot, iteration=self.iteration)

    @classmethod
    def of(cls, message: wire.TensorName) -> Self:
        """From a message."""
        return cls(message.full_name, message.slot, message.iteration)

    def __str__(self) -> str:
        slot = f":{self.slot}" if self.slot else ""
        return f"{self.full_name}{slot}" + (f" (round {self.iteration + 1})" if self.iteration else "")
