"""Each row becomes a dataset, whose rows follow one another: `flat_map`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from framework.dataset.ir.nodes import Node
from framework.dataset.runtime.failures import failure
from framework.dataset.runtime.rows import Operator, Pass, Row
from framework.dataset.runtime.tree import Tree

__all__ = ["FlatMap"]


class FlatMap(Operator):
    """The rows of the datasets that a function makes of the child's rows.

    Args:
        number: position in the pipeline.
        node: the node.
        child: operator that the rows come from.
        build: builds the operators of a node.
    """

    def __init__(self, number: int, node: Node, child: Operator, build: Callable[[Node, int], Tree]) -> None:
        self.node = node
        self._build = build
        super().__init__(number, tuple(node.python["columns"]), (child,))

    def rows(self, this: Pass) -> Iterator[Row]:
        """The rows of one dataset after the other."""
        for number, row in enumerate(self.children[0].rows(this)):
            try:
                inner = self._build(self.node.python["function"](row.values), this.seed).root
                if inner.columns != self.columns:
                    one, other = ", ".join(self.columns), ", ".join(inner.columns)
                    raise ValueError(f"the dataset has the columns {other}; that of the first row had {one}")
            except Exception as error:
                raise failure(self.node, "", row, error) from error
            yield from inner.rows(this.round(number))

    def size(self) -> int | None:
        """None: each row may become another number of rows."""
        return None
