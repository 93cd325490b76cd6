"""Partition: divides a block into native segments and the nodes between, for `codegen.native_segments`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from framework.engine.native.segments import Form, Neighbourhood, NoFormError, Segment
from framework.ir.anf import CNode, Node

__all__ = ["cut"]


def cut(
    nodes: Sequence[CNode], around: Neighbourhood, form_of: Callable[[CNode], Form | None]
) -> list[Segment | CNode]:
    """Divide the nodes of a block.

    Args:
        nodes: in the order in which they run.
        around: what is around them.
        form_of: what records a node; None where nothing can.

    Returns:
        Segments, and the nodes that are in none.
    """
    found: list[Segment | CNode] = []
    written: set[Node] = set()
    waiting = _runs(nodes, form_of)
    while waiting:
        run, native = waiting.pop(0)
        if not native:
            found.extend(run)
        else:
            try:
                segment = Segment(run, around, form_of, frozenset(written))
            except NoFormError as error:
                at = run.index(error.node)
                apart = [(run[:at], True), (run[at:], True)] if error.begins and at else _around(run, at)
                waiting[:0] = [(part, is_native) for part, is_native in apart if part]
                continue
            found.extend([segment] if segment.is_worth_it else run)
        written.update(item for node in run for item in around.updates.get(node, {}).values())
        written.update(item for node in run for item in _written(node))
    return found


def _written(node: CNode) -> list[Node]:
    return [node.arguments[position] for position in getattr(node.operator, "writes", ())]


def _around(run: list[CNode], at: int) -> list[tuple[list[CNode], bool]]:
    return [(run[:at], True), ([run[at]], False), (run[at + 1 :], True)]


def _runs(nodes: Sequence[CNode], form_of: Callable[[CNode], Form | None]) -> list[tuple[list[CNode], bool]]:
    runs: list[tuple[list[CNode], bool]] = []
    for node in nodes:
        native = form_of(node) is not None
        if not runs or runs[-1][1] is not native:
            runs.append(([], native))
        runs[-1][0].append(node)
    return runs
