"""Liveness: how long each value of a block is needed, and whose memory it may share.

Used by the scheduler (`scheduling.py`) and by the memory plan (`plan.py`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from math import prod

from framework.common.dtype import DType
from framework.engine.kernel_calls import KernelCall, kernel_call
from framework.ir.abstract import (
    Abstract,
    AbstractConst,
    AbstractDict,
    AbstractMonad,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
    Shape,
)
from framework.ir.anf import CNode, FuncGraph, Node
from framework.ir.operators import DEPEND, LOAD, UPDATE_STATE
from framework.ops.primitive import Primitive

__all__ = ["ACROSS_CALLS", "BY_KERNEL", "BY_SIZE", "ESCAPES", "Liveness", "nbytes_of"]

ESCAPES, ACROSS_CALLS, BY_KERNEL, BY_SIZE = (
    "seen outside of the block",
    "alive during a call",
    "allocated by the kernel",
    "of a size known when it runs",
)
"""The reasons why a value has no place in the memory plan, as the plan prints them."""
Buffers = frozenset[CNode]
"""The nodes whose memory a value may share."""


class Liveness:
    """The live ranges of the values of one block.

    Args:
        nodes: the nodes, in the order in which they run.
        live_out: nodes whose values are read outside of the block.
        read_at_end: nodes whose values the end of the block reads, and nothing after it.

    Attributes:
        kernel_calls: how the kernel of each node is called.
        aliases: for each node the nodes whose memory its value may share.
        defined_at: the position of each node.
        last_use_at: for each node with memory of its own, the position of the last node that reads that memory.
        escaping: the nodes whose memory is visible outside of the block.
    """

    def __init__(self, nodes: Sequence[CNode], live_out: Iterable[Node], read_at_end: Iterable[Node]) -> None:
        self.kernel_calls: dict[CNode, KernelCall | None] = {node: kernel_call(node) for node in nodes}
        self.aliases: dict[Node, Buffers] = {}
        self.last_use_at: dict[CNode, int] = {}
        self.escaping: set[CNode] = set()
        self._function_calls_at: list[int] = []
        for position, node in enumerate(nodes):
            self.aliases[node] = self._aliased_buffers(node)
            self.last_use_at[node] = position
            if node.operator is not UPDATE_STATE:
                self._extend_live_ranges(node.inputs, position)
            self._note_effects(node, position)
        self._extend_live_ranges(read_at_end, len(nodes))
        for item in live_out:
            self.escaping |= self.buffers_of(item)
        self.defined_at = {node: position for position, node in enumerate(nodes)}

    def buffers_of(self, node: Node) -> Buffers:
        """The nodes of the block whose memory a value may share."""
        return self.aliases.get(node, frozenset())

    def _aliased_buffers(self, node: CNode) -> Buffers:
        call, operator = self.kernel_calls[node], node.operator
        if call is not None and (call.takes_out or call.fresh) and not _writes_parameters(node):
            return frozenset((node,))
        if (call is not None and call.fresh) or operator in (LOAD, UPDATE_STATE) or not _has_arrays(node.abstract):
            return frozenset()
        if operator is DEPEND:
            return self.buffers_of(node.arguments[0])
        return frozenset().union(*map(self.buffers_of, node.inputs))

    def _extend_live_ranges(self, items: Iterable[Node], position: int) -> None:
        for item in items:
            for buffer in self.buffers_of(item):
                self.last_use_at[buffer] = position

    def _note_effects(self, node: CNode, position: int) -> None:
        operator = node.operator
        if operator is None or isinstance(operator, FuncGraph):
            self._function_calls_at.append(position)
            live_out = node.inputs
        elif _writes_parameters(node):
            live_out = [node]
        elif isinstance(operator, Primitive) and operator.side_effect:
            live_out = [node, *node.inputs]
        else:
            return
        for item in live_out:
            self.escaping |= self.buffers_of(item)

    def unplanned_reason(self, node: CNode) -> str | None:
        """Why a value gets no place; None if it gets one, "" if it is not an array or has memory already."""
        call = self.kernel_calls[node]
        if call is None or not _has_arrays(node.abstract) or _writes_parameters(node):
            return ""
        if not call.takes_out or not isinstance(node.abstract, AbstractTensor):
            return BY_KERNEL if call.fresh else ""
        if nbytes_of(node) is None:
            return BY_SIZE
        if node in self.escaping:
            return ESCAPES
        begin, end = self.defined_at[node], self.last_use_at[node]
        return ACROSS_CALLS if any(begin < position <= end for position in self._function_calls_at) else None

    def reusable_input(self, node: CNode, position: int, planned: Container[CNode]) -> CNode | None:
        """The input whose place the output of an element-wise kernel can take, because that is its last use."""
        call = self.kernel_calls[node]
        for place in call.in_place if call is not None else ():
            item = node.arguments[place]
            if (
                isinstance(item, CNode)
                and item in planned
                and self.last_use_at.get(item) == position
                and self._type(item) == self._type(node)
                and not any(item in self.buffers_of(other) for other in node.arguments if other is not item)
            ):
                return item
        return None

    @staticmethod
    def _type(node: CNode) -> tuple[Shape | None, DType | None]:
        return getattr(node.abstract, "shape", None), getattr(node.abstract, "dtype", None)


def nbytes_of(node: CNode) -> int | None:
    """The bytes of all tensors in a node's value; None if they are not known."""
    sizes = list(_tensor_sizes(node.abstract))
    return None if None in sizes else sum(size or 0 for size in sizes)


def _tensor_sizes(abstract: Abstract | None) -> Iterator[int | None]:
    if isinstance(abstract, AbstractTensor):
        known = None not in abstract.shape
        yield int(prod(dim or 0 for dim in abstract.shape) * abstract.dtype.itemsize) if known else None
    elif isinstance(abstract, AbstractTuple | AbstractDict):
        for element in abstract.elements:
            yield from _tensor_sizes(element)


def _writes_parameters(node: CNode) -> bool:
    """Whether a node assigns to Parameters."""
    return isinstance(node.operator, Primitive) and bool(node.operator.writes)


def _has_arrays(abstract: Abstract | None) -> bool:
    """Whether a value may hold arrays; a value of unknown type may."""
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return any(map(_has_arrays, abstract.elements))
    return not isinstance(abstract, AbstractScalar | AbstractConst | AbstractMonad)
