"""The front of a pipeline whose rows are kept: a source and the Maps behind it, as one source. `build` calls it.

Later epochs begin behind it, in any order and by any sampler, since a row is kept under its number in the source.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from framework.dataset.ir.nodes import Node, rebuilt
from framework.dataset.runtime.failures import failure
from framework.dataset.runtime.mapping import Map, Project, Rename
from framework.dataset.runtime.rows import Array, Operator, Origin, Pass, Row, Source
from framework.dataset.runtime.sources import Sampled
from framework.dataset.runtime.task import work_of

__all__ = ["Front", "RowStore", "fronts_as_sources"]


class RowStore(Protocol):
    """Where rows are kept."""

    def kept(self, number: int) -> tuple[Array, ...] | None:
        """The values of a row, which the caller may change; None if they are not kept."""

    def keep(self, number: int, values: tuple[Array, ...], total: int) -> None:
        """Keep the values of a row of so many, if there is room."""


def fronts_as_sources(root: Node) -> Node:
    """The tree in which each front that is kept is one source."""

    def rule(node: Node) -> Node:
        if node.op_type != "Cache":
            return node
        chain = [node.children[0]]
        while chain[-1].children:
            chain.append(chain[-1].children[0])
        leaf = chain[-1]
        workers = max(one.parameters.get("num_parallel_workers", 1) for one in chain)
        store: RowStore = node.python["open"]()
        python = {name: value for name, value in leaf.python.items() if name != "processes"}
        return replace(
            leaf,
            parameters={**leaf.parameters, "num_parallel_workers": workers},
            python={**python, "source": Front(chain, store)},
        )

    return rebuilt(root, rule)


class Front:
    """A source and the operators behind it, whose rows are kept.

    Args:
        chain: the nodes, the last operator first.
        store: where rows are kept.
    """

    #: Several threads may read rows; the source below is read by one at a time, unless it says otherwise.
    concurrent = True
    #: Errors of rows name their operator already.
    tells = True

    def __init__(self, chain: list[Node], store: RowStore) -> None:
        self._leaf, self._store = chain[-1], store
        self._source: Source = self._leaf.python["source"]
        self._together = bool(getattr(self._source, "concurrent", False))
        self._lock = threading.Lock()
        operator: Operator = Sampled(max(self._leaf.plan.number, 0), self._leaf, None)
        self._steps: list[Callable[[Row], Row]] = []
        for node in reversed(chain[:-1]):
            operator = self._added(node, operator)
        self.columns = operator.columns

    def _added(self, node: Node, child: Operator) -> Operator:
        if node.op_type == "Rename":
            return Rename(0, node, child)
        if node.op_type == "Project":
            project = Project(0, node, child)
            self._steps.append(lambda row: Row(tuple(row.values[place] for place in project.places), row.origin))
            return project
        mapped = Map(max(node.plan.number, 0), node, child, None)
        work = work_of(mapped, Pass(0))
        self._steps.append(lambda row: work(row.origin.number, row))
        return mapped

    @property
    def counts(self) -> list[int]:
        """The number of rows of each file; of all, if the source does not tell."""
        return list(getattr(self._source, "counts", [len(self)]))

    def __len__(self) -> int:
        return len(self._source)

    def row(self, index: int) -> tuple[Array, ...]:
        """The values of a row, kept or computed."""
        values = self._store.kept(index)
        if values is None:
            row = Row(self._read(index), Origin(self._source, index))
            for step in self._steps:
                row = step(row)
            values = row.values
            self._store.keep(index, values, len(self))
        return values

    def _read(self, index: int) -> tuple[Array, ...]:
        try:
            if self._together:
                return self._source.row(index)
            with self._lock:
                return self._source.row(index)
        except Exception as error:
            raise failure(self._leaf, "", Row((), Origin(self._source, index)), error) from error

    def describe(self, index: int) -> str:
        """The origin of a row, for messages."""
        return self._source.describe(index)

    def labels(self) -> Any:
        """The class of each row; None without classes."""
        return self._source.labels()
