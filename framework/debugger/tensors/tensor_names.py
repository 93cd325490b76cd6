"""What a tensor of a step is called, as a value that dictionaries take; everything in the debugger names tensors so."""

from __future__ import annotations

from typing import NamedTuple, Self

from summaries.schema import debugger_pb2 as wire

__all__ = ["TensorName"]


class TensorName(NamedTuple):
    """One tensor of a step.

    Attributes:
        full_name: of the node that makes it; of a Parameter or an input, its name.
        slot: which of the node's outputs.
        iteration: how often the node had executed before in the step.
    """

    full_name: str
    slot: int = 0
    iteration: int = 0

    @property
    def message(self) -> wire.TensorName:
        """As the link has it."""
        return wire.TensorName(full_name=self.full_name, slot=self.slot, iteration=self.iteration)

    @classmethod
    def of(cls, message: wire.TensorName) -> Self:
        """From the link."""
        return cls(message.full_name, message.slot, message.iteration)

    def __str__(self) -> str:
        slot = f":{self.slot}" if self.slot else ""
        return f"{self.full_name}{slot}" + (f" (round {self.iteration + 1})" if self.iteration else "")
