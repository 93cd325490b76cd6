"""What is wrong with a graph: defects it is opened with, and the refusal of what is no graph at all."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MOST_LISTED = 200
"""Defects of a kind that are listed; the others are counted."""


class GraphError(Exception):
    """A file that holds no graph, or one that cannot be read; the text says why and what to do."""


class DefectCode(StrEnum):
    """What is wrong at a place of a graph."""

    MISSING_INPUT = "missing_input"
    DUPLICATE_NAME = "duplicate_name"
    CYCLE = "cycle"
    NO_NAME = "no_name"
    UNREADABLE_PART = "unreadable_part"
    MISSING_OUTPUT = "missing_output"
    DEEP_SCOPE = "deep_scope"


@dataclass(frozen=True, slots=True)
class Defect:
    """One thing that is wrong.

    Attributes:
        code: what kind of thing.
        node: index of the node that it is about, -1 where there is none.
        message: a sentence that names the place.
    """

    code: DefectCode
    node: int
    message: str


class DefectList:
    """Collects defects; of very many of one kind it keeps the first and counts the others."""

    def __init__(self) -> None:
        self.listed: list[Defect] = []
        self.counts: dict[str, int] = {}

    def add(self, code: DefectCode, node: int, message: str) -> None:
        """Notes a defect."""
        self.counts[code] = count = self.counts.get(code, 0) + 1
        if count <= MOST_LISTED:
            self.listed.append(Defect(code, node, message))
