"""Tells operators below a `project` which columns nobody asks for, down to the source.

A `map` that only makes such columns is left out, unless it calls a function of the user; a `batch` does not stack
them; a source that can read columns apart does not read them. Called by `optimised`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from framework.dataset.ir.nodes import Node
from framework.dataset.ir.passes.saying import Say, silent
from framework.dataset.ir.passes.traits import ROW_CHOICES, columns_of, inputs_of, is_function, outputs_of

__all__ = ["column_pruning"]


def column_pruning(root: Node, say: Say = silent) -> Node:
    """The tree in which operators below a `project` have fewer columns."""
    return _pruned(root, None, say)


def _pruned(node: Node, needed: frozenset[str] | None, say: Say) -> Node:
    """A node with the same rows, which has at least the needed columns; None needs all."""
    if node.op_type == "Project":
        columns = [name for name in node.parameters["columns"] if needed is None or name in needed]
        child = _pruned(node.children[0], frozenset(columns), say)
        return _with(node, child, columns=columns)
    before = columns_of(node.children[0]) if len(node.children) == 1 else None
    if needed is not None:
        if not node.children:
            return _source(node, needed, say)
        if node.op_type in ROW_CHOICES:
            return _with(node, _pruned(node.children[0], needed, say))
        if node.op_type == "Zip":
            return _zipped(node, needed, say)
        if before is not None and node.op_type in _RULES:
            return _RULES[node.op_type](node, needed, before, say)
    children = tuple(_pruned(child, None, say) for child in node.children)
    same = all(new is old for new, old in zip(children, node.children, strict=True))
    return node if same else replace(node, children=children)


def _with(node: Node, child: Node, **parameters: object) -> Node:
    changed = any(node.parameters[name] != value for name, value in parameters.items())
    if child is node.children[0] and not changed:
        return node
    return replace(node, children=(child,), parameters={**node.parameters, **parameters})


def _source(node: Node, needed: frozenset[str], say: Say) -> Node:
    source = node.python.get("source")
    only = getattr(source, "only", None)
    if source is None or only is None:
        return node
    columns = tuple(name for name in source.columns if name in needed)
    if len(columns) == len(source.columns):
        return node
    say(f"{node.op_type} reads {_listed(columns)} and not {_listed(set(source.columns) - needed)}")
    return replace(node, python={**node.python, "source": only(columns)})


def _zipped(node: Node, needed: frozenset[str], say: Say) -> Node:
    if any(columns_of(child) is None for child in node.children):
        return replace(node, children=tuple(_pruned(child, None, say) for child in node.children))
    children = tuple(_pruned(child, needed & frozenset(columns_of(child) or ()), say) for child in node.children)
    return replace(node, children=children)


def _map(node: Node, needed: frozenset[str], before: tuple[str, ...], say: Say) -> Node:
    inputs, outputs = inputs_of(node, before), outputs_of(node, before)
    called = "callbacks" in node.python or any(map(is_function, node.operations))
    if not called and not needed & frozenset(outputs):
        say(f"the Map of {_listed(outputs)} is left out: nobody asks for its results")
        child = _pruned(node.children[0], needed, say)
        return child if inputs == outputs else _narrowed(child, needed, node.where)
    below = needed - frozenset(outputs) | frozenset(inputs)
    child = _pruned(node.children[0], below, say)
    # The names are written down: the first column may be another one now.
    return _with(node, child, input_columns=list(inputs), output_columns=list(outputs))


def _rename(node: Node, needed: frozenset[str], before: tuple[str, ...], say: Say) -> Node:
    pairs = list(zip(node.parameters["input_columns"], node.parameters["output_columns"], strict=True))
    swaps = {old for old, _ in pairs} & {new for _, new in pairs}
    kept = pairs if swaps else [pair for pair in pairs if pair[1] in needed]
    below = needed - frozenset(new for _, new in pairs) | frozenset(old for old, _ in kept)
    child = _pruned(node.children[0], below, say)
    if len(kept) < len(pairs):
        child = _narrowed(child, below, node.where)
    if not kept:
        return child
    return _with(node, child, input_columns=[old for old, _ in kept], output_columns=[new for _, new in kept])


def _narrowed(node: Node, needed: frozenset[str], where: str) -> Node:
    """A node without columns that would be in the way of new ones of their names."""
    columns = columns_of(node)
    if columns is None or needed.issuperset(columns):
        return node
    return Node("Project", (node,), {"columns": [name for name in columns if name in needed]}, where=where)


def _batch(node: Node, needed: frozenset[str], before: tuple[str, ...], say: Say) -> Node:
    if "per_batch_map" in node.python:
        return _with(node, _pruned(node.children[0], None, say))
    below = needed | frozenset(node.parameters.get("pad_info") or ())
    child = _pruned(node.children[0], below, say)
    narrow = _narrowed(child, below, node.where)
    if narrow is not child:
        say(f"{node.op_type} does not stack {_listed(frozenset(columns_of(child) or ()) - below)}")
    return _with(node, narrow)


def _filter(node: Node, needed: frozenset[str], before: tuple[str, ...], say: Say) -> Node:
    names = node.parameters["input_columns"]
    below = needed | frozenset(names) if names else None
    return _with(node, _pruned(node.children[0], below, say))


_RULES = {"Map": _map, "Rename": _rename, "Batch": _batch, "Filter": _filter}


def _listed(columns: Iterable[str]) -> str:
    return ", ".join(columns if isinstance(columns, list | tuple) else sorted(columns)) or "no column"
