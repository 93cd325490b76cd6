"""Makes one Map of two that follow each other on the same columns: `map(a).map(b)` becomes `map([a, b])`.

A row passes one operator less, and crops, flips and changes of values that stood in two Maps become one loop over the
pixels. Random numbers and messages stay those of the two. Called by `optimised`.
"""

from __future__ import annotations

from dataclasses import replace

from framework.dataset.ir.nodes import Node, rebuilt
from framework.dataset.ir.passes.saying import Say, silent
from framework.dataset.ir.passes.traits import Operation, columns_of, inputs_of, is_function, outputs_of, places_of

__all__ = ["map_fusion"]


def map_fusion(root: Node, say: Say = silent) -> Node:
    """The tree with Maps in one."""

    def rule(node: Node) -> Node:
        if node.op_type != "Map" or node.children[0].op_type != "Map":
            return node
        first = node.children[0]
        fused = _fused(first, node)
        if fused is None:
            return node
        columns = ", ".join(fused.parameters["output_columns"])
        say(f"the Maps of {_named(first)} and of {_named(node)} on {columns} become one")
        return fused

    return rebuilt(root, rule)


def _named(node: Node) -> str:
    return ", ".join(getattr(item, "__name__", type(item).__name__) for item in node.operations)


def _fused(first: Node, second: Node) -> Node | None:
    before = columns_of(first.children[0])
    if before is None or "callbacks" in first.python or "callbacks" in second.python:
        return None
    if first.python.get("processes") != second.python.get("processes"):
        return None
    inputs, outputs = inputs_of(first, before), outputs_of(first, before)
    between = columns_of(first)
    if between is None or len(inputs) != len(outputs) or inputs_of(second, between) != outputs:
        return None
    # Between two Maps, values become arrays. Operations that give nothing else make no difference.
    if not all(map(_gives_arrays, first.operations)):
        return None
    workers = max(one.parameters.get("num_parallel_workers", 1) for one in (first, second))
    parameters = {
        **second.parameters,
        "num_parallel_workers": workers,
        "input_columns": list(inputs),
        "output_columns": list(outputs_of(second, between)),
    }
    return replace(
        second,
        children=first.children,
        parameters=parameters,
        operations=(*first.operations, *second.operations),
        plan=replace(second.plan, places=(*places_of(first), *places_of(second))),
    )


def _gives_arrays(operation: Operation) -> bool:
    """Whether an operation gives one array for each array."""
    transform = hasattr(operation, "apply") and not getattr(operation, "takes_all", False)
    return transform and not getattr(operation, "makes_pillow", False) and not is_function(operation)
