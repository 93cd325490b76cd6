"""The defects of an opened graph, and the error for a file without a graph."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MOST_LISTED = 200
"""Maximum number of listed defects of a kind. The others are only counted."""


class GraphError(Exception):
    """The file has no graph or cannot be read. The text says why and what to do."""


class DefectCode(StrEnum):
    """The kind of a defect."""

    MISSING_INPUT = "missing_input"
    DUPLICATE_NAME = "duplicate_name"
    CYCLE = "cycle"
    NO_NAME = "no_name"
    UNREADABLE_PART = "unreadable_part"
    MISSING_OUTPUT = "missing_output"
    DEEP_SCOPE = "deep_scope"
    MISSING_OPERATOR = "missing_operator"


@dataclass(frozen=True, slots=True)
class Defect:
    """One defect.

    Attributes:
        code: kind of the defect.
        node: index of the node, or -1.
        message: a sentence with the place.
    """

    code: DefectCode
    node: int
    message: str


class DefectList:
    """Collects defects. Keeps the first ones of each kind and counts the others."""

    def __init__(self) -> None:
        self.listed: list[Defect] = []
        self.counts: dict[str, int] = {}

    def add(self, code: DefectCode, node: int, message: str) -> None:
        """Adds a defect."""
        self.counts[code] = count = self.counts.get(code, 0) + 1
        if count <= MOST_LISTED:
            self.listed.append(Defect(code, node, message))
