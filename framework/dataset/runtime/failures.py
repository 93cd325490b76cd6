"""The error for an operator that fails: it names the operator, its line in the program, the sample and the reason."""

from __future__ import annotations

from typing import NamedTuple

from framework.dataset.ir.nodes import Node
from framework.dataset.runtime.rows import Row

__all__ = ["Part", "failure"]


class Part(NamedTuple):
    """A part of an operator that stood in another place of the pipeline before passes moved it.

    Args:
        text: the part, such as "operation 2 of 3 (Resize)".
        where: file and line where it stood.
        row: the row of the batch at which it failed; -1 for a row that is no batch.
    """

    text: str
    where: str
    row: int = -1


def failure(node: Node, part: str | Part, row: Row | None, error: Exception | str) -> RuntimeError:
    """The error to raise.

    Args:
        node: the operator that failed.
        part: the part of it that failed, such as "operation 2 of 3 (Resize)", with its place if it was moved; empty for
            the whole.
        row: the row at which it failed; None without one.
        error: the reason.

    Returns:
        The error.
    """
    name, where, origin = node.op_type, node.where, None if row is None else row.origin
    said = part
    if isinstance(part, Part):
        if origin is not None and part.row >= 0:
            origin = origin.of(part.row)
        # All that moves are operations of a Map.
        name, said, where = "Map", part.text, part.where
    place = f"{name} at {where}" if where else name
    sample = f", at {origin}" if origin is not None else ""
    reason = f"{type(error).__name__}: {error}" if isinstance(error, Exception) else error
    return RuntimeError(f"{place}{f': {said}' if said else ''}{sample}: {reason}")
