"""Builds the operators of a pipeline from its nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from framework.dataset.ir.nodes import Node, walk
from framework.dataset.runtime.batching import Batch
from framework.dataset.runtime.failures import failure
from framework.dataset.runtime.mapping import Filter, Map, Project, Rename
from framework.dataset.runtime.ordering import Concat, Repeat, Shuffle, Skip, Take, Zip
from framework.dataset.runtime.rows import Operator, Pass, Row
from framework.dataset.runtime.sources import Sampled, Streamed

__all__ = ["Pipeline", "build"]

_ONE_CHILD: dict[str, Callable[[int, Node, Operator], Operator]] = {
    "Batch": Batch,
    "Filter": Filter,
    "Map": Map,
    "Project": Project,
    "Rename": Rename,
    "Repeat": Repeat,
    "Shuffle": Shuffle,
    "Skip": Skip,
    "Take": Take,
}
_MANY_CHILDREN: dict[str, Callable[[int, Node, tuple[Operator, ...]], Operator]] = {"Zip": Zip, "Concat": Concat}


class Pipeline:
    """A pipeline that is ready to run from a seed.

    Args:
        root: last operator.
        seed: seed of all random numbers.
    """

    def __init__(self, root: Operator, seed: int) -> None:
        self.root = root
        self.seed = seed

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.root.columns

    def rows(self, epoch: int) -> Iterator[Row]:
        """The rows of an epoch."""
        return self.root.rows(Pass(self.seed, (epoch,)))

    def size(self) -> int:
        """The number of rows of an epoch, counted by a pass if no operator knows it; -1 for no end."""
        size = self.root.size()
        return sum(1 for _ in self.rows(0)) if size is None else size


def build(root: Node, seed: int) -> Pipeline:
    """Build the operators of all nodes.

    Raises:
        RuntimeError: an operator does not fit its columns.
    """
    operators: list[Operator] = []
    for number, node in enumerate(walk(root)):
        count = len(node.children)
        children = tuple(operators[len(operators) - count :]) if count else ()
        del operators[len(operators) - count :]
        operators.append(_operator(number, node, children))
    return Pipeline(operators[0], seed)


def _operator(number: int, node: Node, children: tuple[Operator, ...]) -> Operator:
    if node.op_type in _MANY_CHILDREN:
        return _MANY_CHILDREN[node.op_type](number, node, children)
    if node.op_type in _ONE_CHILD:
        return _ONE_CHILD[node.op_type](number, node, children[0])
    if "source" not in node.python:
        raise failure(node, "", None, "there is no such operator, or it has no source to read from")
    return Sampled(number, node) if node.sampler is not None else Streamed(number, node)
