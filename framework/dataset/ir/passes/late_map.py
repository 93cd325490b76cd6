"""Moves a Map behind the Batch that follows it, where it computes a whole batch at once.

For small rows the cost is the row and not the work. The operations must give the same for a batch as for its rows in
turn (`batchable`), without random numbers and without functions of the user, and the rows must have one shape, which
the source promises (`fixed`). Large rows stay: they gain nothing, and would wait for their batch. Called by
`optimised`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from framework.dataset.ir.nodes import Node, rebuilt
from framework.dataset.ir.passes.saying import Say, silent
from framework.dataset.ir.passes.traits import ROW_CHOICES, columns_of, inputs_of, outputs_of, places_of

__all__ = ["BATCHED_MAP", "late_map"]

#: The operator of a Map that takes batches.
BATCHED_MAP = "BatchedMap"
#: Bytes of a value above which it is not moved: the work outweighs what is done once for each row.
_SMALL = 1 << 15


def late_map(root: Node, say: Say = silent) -> Node:
    """The tree with Maps of small rows behind their Batch."""
    return rebuilt(root, lambda node: _later(node, say) if node.op_type == "Batch" else node)


def _later(batch: Node, say: Say) -> Node:
    if "per_batch_map" in batch.python or batch.parameters.get("pad_info") is not None:
        return batch
    chain: list[Node] = []
    node = batch.children[0]
    while node.op_type in ("Map", "Project", *ROW_CHOICES):
        chain.append(node)
        node = node.children[0]
    moving = _moving(chain, _sizes_of(node))
    if not moving:
        return batch
    kept = node
    for item in reversed(chain):
        kept = kept if any(item is one for one in moving) else replace(item, children=(kept,))
    top = replace(batch, children=(kept,))
    for item in reversed(moving):
        columns = ", ".join(item.parameters["input_columns"])
        say(f"the Map of {columns} computes whole batches, behind the Batch")
        top = replace(item, op_type=BATCHED_MAP, children=(top,), plan=replace(item.plan, places=places_of(item)))
    return top


def _moving(chain: Sequence[Node], known: Mapping[str, int]) -> list[Node]:
    """The Maps that move, of a chain of operators from the last one down to the source."""
    sizes = dict(known)
    small = set()
    for item in reversed(chain):
        if item.op_type == "Map" and _is_batchable(item, sizes):
            small.add(id(item))
        elif item.op_type == "Map":
            for name in _outputs(item):
                sizes.pop(name, None)
    moving: list[Node] = []
    held: set[str] = set()
    for item in chain:
        if item.op_type == "Project":
            # A Map of columns that end here has nothing to compute behind it.
            held.update(name for name in columns_of(item.children[0]) or () if name not in item.parameters["columns"])
        if item.op_type != "Map":
            continue
        if id(item) in small and held.isdisjoint(_outputs(item)):
            moving.append(item)
        else:
            # What stays has to find the values as they were.
            held.update(_outputs(item), item.parameters["input_columns"])
    return moving


def _sizes_of(node: Node) -> Mapping[str, int]:
    """The bytes of the columns whose values have one shape in all rows, as far as the source promises."""
    if node.op_type == "Project":
        below = _sizes_of(node.children[0])
        return {name: below[name] for name in node.parameters["columns"] if name in below}
    sizes: Mapping[str, int] | None = getattr(node.python.get("source"), "fixed", None)
    return sizes if sizes is not None and not node.children else {}


def _is_batchable(node: Node, sizes: Mapping[str, int]) -> bool:
    before = columns_of(node.children[0]) or ()
    names = outputs_of(node, before)
    if "callbacks" in node.python or inputs_of(node, before) != names:
        return False
    if not all(getattr(operation, "batchable", False) for operation in node.operations):
        return False
    return all(sizes.get(name, _SMALL + 1) <= _SMALL for name in names)


def _outputs(node: Node) -> list[str]:
    before = columns_of(node.children[0])
    return list(outputs_of(node, before or ()))
