"""Liveness: how long each value of a block is needed, and whose memory it may hold.

Used by the order of a block's nodes (`order.py`) and by the memory plan (`plan.py`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from math import prod
from typing import Any

from framework.engine.kernel_calls import KernelCall, kernel_call
from framework.ir.abstract import (
    AbstractConst,
    AbstractDict,
    AbstractMonad,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from framework.ir.anf import CNode, FuncGraph, Node
from framework.ir.operators import DEPEND, LOAD, UPDATE_STATE
from framework.ops.primitive import Primitive

__all__ = ["ACROSS_CALLS", "BY_KERNEL", "BY_SIZE", "ESCAPES", "Lives", "nbytes_of"]

ESCAPES, ACROSS_CALLS, BY_KERNEL, BY_SIZE = (
    "seen outside of the block",
    "alive during a call",
    "allocated by the kernel",
    "of a size known when it runs",
)
Storages = frozenset[CNode]


class Lives:
    """The lives of the values of one block.

    Args:
        nodes: in the order in which they run.
        kept: those whose values are seen outside of it.
        last: those that the end of the block reads, and no one after it.

    Attributes:
        calls: how the kernel of each is called.
        holds: the nodes whose memory a value may be, or be part of.
        begins: the position of each node.
        ends: for each node with memory of its own the position of the last one that reads what is there.
        escaping: the nodes whose memory is seen outside of the block.
    """

    def __init__(self, nodes: Sequence[CNode], kept: Iterable[Node], last: Iterable[Node]) -> None:
        self.calls: dict[CNode, KernelCall | None] = {node: kernel_call(node) for node in nodes}
        self.holds: dict[Node, Storages] = {}
        self.ends: dict[CNode, int] = {}
        self.escaping: set[CNode] = set()
        self._calls_at: list[int] = []
        for position, node in enumerate(nodes):
            self.holds[node] = self._held(node)
            self.ends[node] = position
            if node.operator is not UPDATE_STATE:
                self._read(node.inputs, position)
            self._look(node, position)
        self._read(last, len(nodes))
        for item in kept:
            self.escaping |= self.of(item)
        self.begins = {node: position for position, node in enumerate(nodes)}

    def of(self, node: Node) -> Storages:
        """The nodes of the block whose memory a value may hold."""
        return self.holds.get(node, frozenset())

    def _held(self, node: CNode) -> Storages:
        call, operator = self.calls[node], node.operator
        if call is not None and (call.takes_out or call.fresh) and not _writes(node):
            return frozenset((node,))
        if (call is not None and call.fresh) or operator in (LOAD, UPDATE_STATE) or not _has_arrays(node.abstract):
            return frozenset()
        if operator is DEPEND:
            return self.of(node.arguments[0])
        return frozenset().union(*map(self.of, node.inputs))

    def _read(self, items: Iterable[Node], position: int) -> None:
        for item in items:
            for storage in self.of(item):
                self.ends[storage] = position

    def _look(self, node: CNode, position: int) -> None:
        operator = node.operator
        if operator is None or isinstance(operator, FuncGraph):
            self._calls_at.append(position)
            kept = node.inputs
        elif _writes(node):
            kept = [node]
        elif isinstance(operator, Primitive) and operator.side_effect:
            kept = [node, *node.inputs]
        else:
            return
        for item in kept:
            self.escaping |= self.of(item)

    def reason(self, node: CNode) -> str | None:
        """Why a value gets no place; None if it gets one, "" if it is no array or has memory already."""
        call = self.calls[node]
        if call is None or not _has_arrays(node.abstract) or _writes(node):
            return ""
        if not call.takes_out or not isinstance(node.abstract, AbstractTensor):
            return BY_KERNEL if call.fresh else ""
        if nbytes_of(node) is None:
            return BY_SIZE
        if node in self.escaping:
            return ESCAPES
        begin, end = self.begins[node], self.ends[node]
        return ACROSS_CALLS if any(begin < position <= end for position in self._calls_at) else None

    def overwritten(self, node: CNode, position: int, planned: Container[CNode]) -> CNode | None:
        """The input whose place the output can take: one that nothing else needs, read element by element."""
        call = self.calls[node]
        for place in call.in_place if call is not None else ():
            item = node.arguments[place]
            if (
                isinstance(item, CNode)
                and item in planned
                and self.ends.get(item) == position
                and self._type(item) == self._type(node)
                and not any(item in self.of(other) for other in node.arguments if other is not item)
            ):
                return item
        return None

    @staticmethod
    def _type(node: CNode) -> Any:
        return getattr(node.abstract, "shape", None), getattr(node.abstract, "dtype", None)


def nbytes_of(node: CNode) -> int | None:
    """The size of a node's value, of all tensors in it; None if it is not known."""
    sizes = list(_sizes(node.abstract))
    return None if None in sizes else sum(size or 0 for size in sizes)


def _sizes(abstract: Any) -> Iterator[int | None]:
    if isinstance(abstract, AbstractTensor):
        known = None not in abstract.shape
        yield int(prod(dim or 0 for dim in abstract.shape) * abstract.dtype.itemsize) if known else None
    elif isinstance(abstract, AbstractTuple | AbstractDict):
        for element in abstract.elements:
            yield from _sizes(element)


def _writes(node: CNode) -> bool:
    """Whether a node gives Parameters new values."""
    return isinstance(node.operator, Primitive) and bool(node.operator.writes)


def _has_arrays(abstract: Any) -> bool:
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return any(map(_has_arrays, abstract.elements))
    return not isinstance(abstract, AbstractScalar | AbstractConst | AbstractMonad)
