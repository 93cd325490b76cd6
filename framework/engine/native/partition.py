"""Partition: divides a block into native segments and the nodes between, for `codegen.native_segments`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from framework.engine.native.segments import BlockContext, Lowering, NotLowerableError, Segment
from framework.ir.anf import CNode, Node

__all__ = ["partition"]


def partition(
    nodes: Sequence[CNode], context: BlockContext, lowering_of: Callable[[CNode], Lowering | None]
) -> list[Segment | CNode]:
    """Divide the nodes of a block.

    Args:
        nodes: the nodes, in the order in which they run.
        context: the code around them.
        lowering_of: returns the lowering of a node; None if it has none.

    Returns:
        Segments, and the nodes that are in none, in order.
    """
    found: list[Segment | CNode] = []
    written: set[Node] = set()
    worklist = _runs(nodes, lowering_of)
    while worklist:
        run, native = worklist.pop(0)
        if not native:
            found.extend(run)
        else:
            try:
                segment = Segment(run, context, lowering_of, frozenset(written))
            except NotLowerableError as error:
                at = run.index(error.node)
                pieces = (
                    [(run[:at], True), (run[at:], True)] if error.may_begin_segment and at else _split_around(run, at)
                )
                worklist[:0] = [(part, is_native) for part, is_native in pieces if part]
                continue
            found.extend([segment] if segment.is_profitable else run)
        written.update(item for node in run for item in context.updates.get(node, {}).values())
        written.update(item for node in run for item in _written_parameters(node))
    return found


def _written_parameters(node: CNode) -> list[Node]:
    return [node.arguments[position] for position in getattr(node.operator, "writes", ())]


def _split_around(run: list[CNode], at: int) -> list[tuple[list[CNode], bool]]:
    return [(run[:at], True), ([run[at]], False), (run[at + 1 :], True)]


def _runs(nodes: Sequence[CNode], lowering_of: Callable[[CNode], Lowering | None]) -> list[tuple[list[CNode], bool]]:
    runs: list[tuple[list[CNode], bool]] = []
    for node in nodes:
        native = lowering_of(node) is not None
        if not runs or runs[-1][1] is not native:
            runs.append(([], native))
        runs[-1][0].append(node)
    return runs
