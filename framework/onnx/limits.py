"""What a model file may ask for. `load_onnx` takes a `Limits`; each bound is checked before memory is taken."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final

from framework.ir.model_values import ModelError

__all__ = ["ASKED_FROM", "Limits", "free_memory"]

ASKED_FROM: Final = 64 << 20
"""Bytes from which on an allocation is compared with the budget."""


def free_memory() -> int:
    """The bytes that the machine has free, as far as the system tells."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 4 << 30


@dataclass(frozen=True)
class Limits:
    """Bounds on a model file.

    Attributes:
        file_bytes: the size of the file, without weights in files beside it.
        depth: how many graphs may be nested: bodies of loops and branches.
        nodes: the number of nodes in all graphs.
        name_bytes: the length of a name.
        memory: the bytes of one value while the model runs; by default half of what the machine has free.
    """

    file_bytes: int = 2 << 30
    depth: int = 30
    nodes: int = 5_000_000
    name_bytes: int = 4096
    memory: int = field(default_factory=lambda: free_memory() // 2)

    def ask(self, nbytes: int, what: str) -> None:
        """Refuse a value that is larger than the budget.

        Args:
            nbytes: its size.
            what: what it is, for the message.

        Raises:
            ModelError: it is larger than `memory`.
        """
        if nbytes > ASKED_FROM and nbytes > self.memory:
            raise ModelError(
                f"{what} needs {nbytes:,} bytes, and a value of this model may have {self.memory:,}: pass "
                "limits=Limits(memory=...) if it is meant"
            )
