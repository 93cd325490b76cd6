"""Shuffle modes of datasets with several files: MindSpore's `ds.Shuffle`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from framework.dataset.engine.samplers import BuiltinSampler

__all__ = ["RunsSampler", "Shuffle"]


class Shuffle(StrEnum):
    """How rows of several files are shuffled.

    Attributes:
        FALSE: not at all.
        GLOBAL: all rows.
        ADAPTIVE: as GLOBAL here, where all rows of any data set can be put into a random order.
        PARTIAL: as GLOBAL here, for the same reason.
        FILES: the files, each with its rows in order.
        INFILE: the rows of each file, the files in order.
    """

    FALSE = "false"
    GLOBAL = "global"
    ADAPTIVE = "adaptive"
    PARTIAL = "partial"
    FILES = "files"
    INFILE = "infile"


class RunsSampler(BuiltinSampler):
    """Shuffles runs of rows, such as the rows of each file, or the rows within each run.

    Args:
        counts: the number of rows of each run.
        within: shuffle the rows within each run; otherwise the runs.
        num_samples: number of rows to read; None for all.
    """

    def __init__(self, counts: Sequence[int], within: bool, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.counts = list(counts)
        self.within = within

    def parameters(self) -> dict[str, Any]:
        """The parameters for JSON."""
        return {"counts": self.counts, "within": self.within}
