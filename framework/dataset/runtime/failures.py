"""What a user reads when an operator fails: which operator, where it was written, at which sample, and why."""

from __future__ import annotations

from framework.dataset.ir.nodes import Node
from framework.dataset.runtime.rows import Row

__all__ = ["failure"]


def failure(node: Node, what: str, row: Row | None, error: Exception | str) -> RuntimeError:
    """The error to raise.

    Args:
        node: the operator that failed.
        what: which part of it, such as "operation 2 of 3 (Resize)"; empty where it has none.
        row: The row at which it failed.
        error: the reason.

    """
    place = f"{node.op_type} at {node.where}" if node.where else node.op_type
    at = f", at {row.origin}" if row is not None else ""
    reason = f"{type(error).__name__}: {error}" if isinstance(error, Exception) else error
    return RuntimeError(f"{place}{': ' + what if what else ''}{at}: {reason}")
