"""The error for an operator that fails: it names the operator, its line in the program, the sample and the reason."""

from __future__ import annotations

from framework.dataset.ir.nodes import Node
from framework.dataset.runtime.rows import Row

__all__ = ["failure"]


def failure(node: Node, part: str, row: Row | None, error: Exception | str) -> RuntimeError:
    """The error to raise.

    Args:
        node: the operator that failed.
        part: the part of it that failed, such as "operation 2 of 3 (Resize)"; empty for the whole.
        row: the row at which it failed; None without one.
        error: the reason.

    Returns:
        The error.
    """
    place = f"{node.op_type} at {node.where}" if node.where else node.op_type
    sample = f", at {row.origin}" if row is not None else ""
    reason = f"{type(error).__name__}: {error}" if isinstance(error, Exception) else error
    return RuntimeError(f"{place}{': ' + part if part else ''}{sample}: {reason}")
