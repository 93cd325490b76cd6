"""What passes need to know about operations, columns and nodes. Called by the passes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from framework.dataset.ir.nodes import Node, Place, SamplerNode, walk
from framework.dataset.ir.to_json import operation_json

__all__ = ["columns_of", "draws", "inputs_of", "is_function", "is_random", "outputs_of", "places_of"]

Operation = Callable[..., object]
#: Operators that choose and order rows without a look at their values.
ROW_CHOICES = ("Shuffle", "Repeat", "Skip", "Take")


def is_function(operation: Operation) -> bool:
    """Whether an operation is a function of the user, or contains one."""
    return '"is_python_front_end_op": true' in json.dumps(operation_json(operation))


def is_random(operation: Operation) -> bool:
    """Whether an operation may give another result for the same value; functions may, unless they are `not_random`."""
    parts: Sequence[Operation] | None = getattr(operation, "transforms", None)
    if parts is not None and type(operation).__name__ == "Compose":
        return any(map(is_random, parts))
    return getattr(operation, "random", True) is not False


def columns_of(node: Node) -> tuple[str, ...] | None:
    """The columns of a node's rows, in order; None where only the run knows them."""
    if node.op_type in ("Batch", "BucketBatchByLength", "Cache", "Filter", "SyncWait", *ROW_CHOICES):
        changed = node.op_type == "Batch" and node.parameters.get("output_columns")
        return None if changed else columns_of(node.children[0])
    if node.op_type == "Project":
        return tuple(node.parameters["columns"])
    if node.op_type in ("Map", "Rename"):
        return _replaced(node)
    if node.op_type == "Zip":
        parts = [columns_of(child) for child in node.children]
        known = [name for part in parts if part is not None for name in part]
        return None if None in parts else tuple(known)
    if node.op_type == "Concat":
        return columns_of(node.children[0])
    if "columns" in node.python:
        return tuple(node.python["columns"])
    source = node.python.get("source")
    return None if source is None else tuple(source.columns)


def _replaced(node: Node) -> tuple[str, ...] | None:
    before = columns_of(node.children[0])
    if before is None:
        return None
    inputs, outputs = inputs_of(node, before), outputs_of(node, before)
    if len(inputs) == len(outputs):
        renamed = dict(zip(inputs, outputs, strict=True))
        return tuple(renamed.get(name, name) for name in before)
    return (*outputs, *(name for name in before if name not in inputs))


def inputs_of(node: Node, before: Sequence[str]) -> tuple[str, ...]:
    """The columns that a Map or a Rename takes, of those before it: the first one where none is named."""
    return tuple(node.parameters["input_columns"]) or tuple(before[:1])


def outputs_of(node: Node, before: Sequence[str]) -> tuple[str, ...]:
    """The columns that a Map or a Rename gives."""
    return tuple(node.parameters["output_columns"]) or inputs_of(node, before)


def places_of(node: Node) -> tuple[Place, ...]:
    """Where the operations of a Map stood at first."""
    count = len(node.operations)
    return node.plan.places or tuple(Place(node.plan.number, place, count, node.where) for place in range(count))


def draws(root: Node) -> bool:
    """Whether a node, or one below it, draws random numbers from the pipeline, as far as is known."""
    return any(
        node.op_type in ("Shuffle", "FlatMap")
        or any(getattr(operation, "random", False) for operation in node.operations)
        or _is_drawn(node.sampler)
        for node in walk(root)
    )


def _is_drawn(sampler: SamplerNode | None) -> bool:
    if sampler is None:
        return False
    ordered = sampler.sampler_name in ("SequentialSampler", "SubsetSampler") or sampler.python is not None
    return not ordered or _is_drawn(sampler.child)
