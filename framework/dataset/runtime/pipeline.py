"""Builds the operators of a pipeline from its nodes."""

from __future__ import annotations

from collections.abc import Callable

from framework.dataset.ir.nodes import Node, walk
from framework.dataset.ir.passes import BATCHED_MAP, numbered
from framework.dataset.runtime.batching import Batch
from framework.dataset.runtime.failures import failure
from framework.dataset.runtime.flow.batched_mapping import BatchedMap
from framework.dataset.runtime.flow.buckets import BucketBatch
from framework.dataset.runtime.flow.fronts import fronts_as_sources
from framework.dataset.runtime.flow.gates import SyncWait
from framework.dataset.runtime.flow.unfolding import FlatMap
from framework.dataset.runtime.mapping import Filter, Map, Project, Rename
from framework.dataset.runtime.ordering import Concat, Repeat, Shuffle, Skip, Take, Zip
from framework.dataset.runtime.resources import Resources
from framework.dataset.runtime.rows import Operator
from framework.dataset.runtime.sources import Sampled, Streamed
from framework.dataset.runtime.tree import Tree

__all__ = ["build"]

_ONE_CHILD: dict[str, Callable[[int, Node, Operator], Operator]] = {
    "BucketBatchByLength": BucketBatch,
    "Filter": Filter,
    "Project": Project,
    "Rename": Rename,
    "Repeat": Repeat,
    "Shuffle": Shuffle,
    "Skip": Skip,
    "Take": Take,
}
_WITH_WORKERS: dict[str, Callable[[int, Node, Operator, Resources | None], Operator]] = {
    "Batch": Batch,
    BATCHED_MAP: BatchedMap,
    "Map": Map,
}
_MANY_CHILDREN: dict[str, Callable[[int, Node, tuple[Operator, ...]], Operator]] = {"Zip": Zip, "Concat": Concat}


def build(root: Node, seed: int, resources: Resources | None = None) -> Tree:
    """Build the operators of all nodes.

    Args:
        root: last node.
        seed: seed of all random numbers.
        resources: owner of the threads; None to compute rows in the reader's thread, for a look at the first ones.

    Returns:
        The tree, which does nothing until rows are asked for.

    Raises:
        RuntimeError: an operator does not fit its columns.
    """
    operators: list[Operator] = []
    tree = fronts_as_sources(root if root.plan.number >= 0 else numbered(root))
    built: list[tuple[Operator, Node]] = []
    for position, node in enumerate(walk(tree)):
        # What a pass has added draws no random numbers.
        number = position if node.plan.number < 0 else node.plan.number
        count = len(node.children)
        children = tuple(operators[len(operators) - count :]) if count else ()
        del operators[len(operators) - count :]
        operators.append(_operator(number, node, children, resources))
        built.append((operators[-1], node))
    return Tree(built, seed, resources)


def _operator(number: int, node: Node, children: tuple[Operator, ...], resources: Resources | None) -> Operator:
    if node.op_type in _MANY_CHILDREN:
        return _MANY_CHILDREN[node.op_type](number, node, children)
    if node.op_type == "FlatMap":
        return FlatMap(number, node, children[0], build)
    if node.op_type == "SyncWait":
        return SyncWait(number, node, children[0], resources)
    if node.op_type in _WITH_WORKERS:
        if resources is not None and any(each.op_type == "SyncWait" for each in walk(node)):
            # Workers take several rows at once, which would wait for each other behind the gate.
            return _WITH_WORKERS[node.op_type](number, node, children[0], None)
        return _WITH_WORKERS[node.op_type](number, node, children[0], resources)
    if node.op_type in _ONE_CHILD:
        return _ONE_CHILD[node.op_type](number, node, children[0])
    if "source" not in node.python:
        raise failure(node, "", None, "there is no such operator, or it has no source to read from")
    return Sampled(number, node, resources) if node.sampler is not None else Streamed(number, node)
