"""The place in the residual program that nodes are added to."""

from __future__ import annotations

from framework.infer.values import constant
from framework.ir.abstract import AbstractMonad
from framework.ir.anf import CNode, FuncGraph, Node
from framework.ir.operators import STATE, UPDATE_STATE

__all__ = ["Emitter"]


class Emitter:
    """The graph that nodes are added to, and the order of side effects in it.

    Args:
        graph: the graph.
        depth: the number of enclosing choices that depend on tensors.
    """

    def __init__(self, graph: FuncGraph, depth: int = 0) -> None:
        self.graph = graph
        self.depth = depth
        self.state: Node = constant(STATE)

    @property
    def effects(self) -> bool:
        """Whether there have been side effects."""
        return isinstance(self.state, CNode)

    def after(self, node: Node) -> None:
        """Let all later side effects come after a node."""
        self.state = self.graph.apply(UPDATE_STATE, self.state, node, abstract=AbstractMonad())
