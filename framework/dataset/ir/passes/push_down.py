"""Moves `skip` and `take` to the source, so that nobody reads or computes rows that nobody asks for.

Both are a window of rows. It passes a `batch` times its size, and a `zip` into each part. A `map` with random numbers
is told how many rows it no longer sees. A user's function has to see them all, since it may count them.
Called by `optimised`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from framework.dataset.ir.nodes import Node, rebuilt
from framework.dataset.ir.passes.saying import Say, silent
from framework.dataset.ir.passes.traits import is_function, places_of

__all__ = ["push_down"]


class _Window(NamedTuple):
    """Rows from a number on, up to another one; None for no end."""

    start: int
    stop: int | None

    def within(self, outer: _Window) -> _Window:
        """The rows of a window of these rows."""
        ends = [end for end in (self.stop, None if outer.stop is None else self.start + outer.stop) if end is not None]
        return _Window(self.start + outer.start, min(ends) if ends else None)

    def times(self, count: int) -> _Window:
        """The rows of a window of batches."""
        return _Window(self.start * count, None if self.stop is None else self.stop * count)


def push_down(root: Node, say: Say = silent) -> Node:
    """The tree with windows of rows as near to the sources as they may be."""

    def rule(node: Node) -> Node:
        window = _window_of(node)
        if window is None:
            return node
        moved = _moved(node.children[0], window)
        if moved is None:
            return node
        say(f"{node.op_type}({node.parameters['count']}) moves down to {_landing(node.children[0])}")
        return moved

    return rebuilt(root, rule)


def _window_of(node: Node) -> _Window | None:
    count = node.parameters.get("count", 0)
    if node.op_type == "Skip":
        return _Window(count, None)
    return _Window(0, count) if node.op_type == "Take" and count >= 0 else None


def _moved(node: Node, window: _Window) -> Node | None:
    """A node that gives only the rows of a window; None where the window would stand directly behind the node."""
    if node.sampler is not None and not node.children:
        read = _Window(node.plan.start, node.plan.stop).within(window)
        return replace(node, plan=replace(node.plan, start=read.start, stop=read.stop))
    if node.op_type == "Zip":
        return replace(node, children=tuple(_windowed(child, window) for child in node.children))
    if not _passes(node, window):
        return None
    if node.op_type == "Map" and window.start:
        places = tuple(replace(place, first_row=place.first_row + window.start) for place in places_of(node))
        node = replace(node, plan=replace(node.plan, places=places))
    below = window.times(node.parameters["batch_size"]) if node.op_type == "Batch" else window
    return replace(node, children=(_windowed(node.children[0], below),))


def _passes(node: Node, window: _Window) -> bool:
    if node.op_type == "Map":
        return "callbacks" not in node.python and not (window.start and any(map(is_function, node.operations)))
    if node.op_type == "Batch":
        return "batch_size" not in node.python and "per_batch_map" not in node.python
    return node.op_type in ("Project", "Rename")


def _windowed(node: Node, window: _Window) -> Node:
    """A node that gives only the rows of a window, which may stand behind it."""
    moved = _moved(node, window)
    if moved is not None:
        return moved
    # The rows that are taken come first, so that no more of them are asked for.
    if window.stop is not None:
        node = Node("Take", (node,), {"count": window.stop})
    return Node("Skip", (node,), {"count": window.start}) if window.start else node


def _landing(node: Node) -> str:
    """Where a window ends that passes a node, for a sentence."""
    while node.children and node.op_type in ("Map", "Batch", "Project", "Rename"):
        node = node.children[0]
    return f"the {'parts of the ' if node.op_type == 'Zip' else ''}{node.op_type}"
