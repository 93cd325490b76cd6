"""Finds the running pipeline of a data set. Iterators enter theirs; monitors look for it."""

from __future__ import annotations

import weakref
from typing import Protocol

from framework.dataset.ir.nodes import Node
from framework.dataset.monitor.states import PipelineState
from framework.dataset.monitor.waits import Waits

__all__ = ["Running", "enter", "queued", "running"]


class Running(Protocol):
    """A pipeline that runs."""

    @property
    def waits(self) -> Waits:
        """How long its reader waits."""

    def queued(self) -> int:
        """How many blocks wait for the reader; -1 without a queue."""

    def state(self) -> PipelineState:
        """What it did so far."""


#: By the identity of the node: nodes of equal content are different pipelines.
_entered: dict[int, weakref.ref[Running]] = {}


def enter(node: Node, tree: Running) -> None:
    """Remember a pipeline for as long as it exists.

    Args:
        node: last node of the data set.
        tree: the pipeline.
    """
    key = id(node)
    if key not in _entered:
        weakref.finalize(node, _entered.pop, key, None).atexit = False
    _entered[key] = weakref.ref(tree)


def running(node: Node) -> Running | None:
    """The pipeline of a data set that began last; None if none exists any more."""
    found = _entered.get(id(node))
    return None if found is None else found()


def queued(data: object) -> int:
    """How many blocks wait for the reader of a data set; -1 where there is no pipeline, or it has no queue.

    Args:
        data: a data set, or anything else that gives batches.
    """
    node = getattr(data, "node", None)
    tree = running(node) if isinstance(node, Node) else None
    return -1 if tree is None else tree.queued()
