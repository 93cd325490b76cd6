"""The memory plan of a program: which values share memory because they are never needed at the same time.

A block of a compiled program is a straight line of kernels, so the life of each value is known before it runs: from the
kernel that writes it to the last one that reads it. `MemoryPlan` walks along the line and gives each value a *place*,
a piece of memory that is free at that point, as a register allocator gives registers (linear scan: Poletto and Sarkar
1999). A kernel is handed the array there as its `out`.

What keeps this safe:

- A value *holds* the memory of others if it may be a view of it, or contains it (a reshaped tensor, a tuple). A place
  is free when nothing that holds it is read any more.
- A value that *escapes* gets no place but memory of its own: results, what closures capture, arguments of calls and of
  jumps, new values of Parameters. So nobody outside of the block ever sees a place.
- A value that is written over an input has the position of that as its mark `in_place`, which dumps show: no other
  part of the compiler decides that.
- A value that lives while another function of the program runs gets no place either. So all functions and blocks use
  the same places, however deep they call each other.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
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
from framework.ir.anf import IN_PLACE, CNode, FuncGraph, Node
from framework.ir.operators import LOAD, UPDATE_STATE
from framework.ops.primitive import Primitive

__all__ = ["MemoryPlan", "Place", "PlannedValue"]

ESCAPES, ACROSS_CALLS, BY_KERNEL, BY_SIZE = (
    "seen outside of the block",
    "alive during a call",
    "allocated by the kernel",
    "of a size known when it runs",
)
Storages = frozenset[CNode]


@dataclass(eq=False)
class Place:
    """A piece of memory.

    Attributes:
        number: which one.
        nbytes: its size: that of the largest value in it.
        until: the position in the block after which it is free.
    """

    number: int
    nbytes: int
    until: int = -1


@dataclass(frozen=True, eq=False)
class PlannedValue:
    """A value in a place.

    Attributes:
        node: what computes it.
        block: the name of the graph.
        place: where it is.
        nbytes: its size.
        begin: the position of its node in the block.
        end: that of the last node that reads it, or something that holds it.
        over: the value that it overwrites, whose life ends with it.
    """

    node: CNode
    block: str
    place: Place
    nbytes: int
    begin: int
    end: int
    over: CNode | None = None


class MemoryPlan:
    """The places of a program.

    Attributes:
        places: all of them.
        values: the values that have one, in the order in which they are computed.
        elsewhere: for the reasons that others have none, their number and their bytes.
    """

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.values: dict[CNode, PlannedValue] = {}
        self.elsewhere: dict[str, tuple[int, int]] = {}

    def add_block(
        self,
        name: str,
        nodes: Sequence[CNode],
        kept: Iterable[Node],
        last: Iterable[Node],
        shown: Container[CNode] = (),
    ) -> None:
        """Plan one block.

        Args:
            name: of its graph.
            nodes: in the order in which they run.
            kept: those whose values are seen outside of it.
            last: those that the end of the block reads, and no one after it.
            shown: those whose inputs somebody looks at when they have run, so that they overwrite none.
        """
        line = _Line(nodes, kept, last)
        for place in self.places:
            place.until = -1
        for position, node in enumerate(nodes):
            node.marks.pop(IN_PLACE, None)
            reason = line.reason(node)
            if reason is None:
                self._give(name, node, position, line, in_place=node not in shown)
            elif reason:
                count, nbytes = self.elsewhere.get(reason, (0, 0))
                self.elsewhere[reason] = count + 1, nbytes + (_nbytes(node) or 0)

    def _give(self, name: str, node: CNode, position: int, line: _Line, *, in_place: bool) -> None:
        nbytes, over = _nbytes(node) or 0, line.overwritten(node, position, self.values) if in_place else None
        place = self.values[over].place if over is not None else self._free(nbytes, position)
        place.until = line.ends[node]
        if over is not None:
            node.marks[IN_PLACE] = node.arguments.index(over)
        self.values[node] = PlannedValue(node, name, place, nbytes, position, place.until, over)

    def _free(self, nbytes: int, position: int) -> Place:
        """The smallest free place that is large enough, else the largest free one, enlarged, else a new one."""
        free = [place for place in self.places if place.until < position]
        fitting = [place for place in free if place.nbytes >= nbytes]
        if fitting:
            return min(fitting, key=lambda place: place.nbytes)
        if not free:
            self.places.append(Place(len(self.places), nbytes))
            return self.places[-1]
        place = max(free, key=lambda place: place.nbytes)
        place.nbytes = nbytes
        return place

    @property
    def nbytes(self) -> int:
        """Bytes of all places."""
        return sum(place.nbytes for place in self.places)

    @property
    def nbytes_without_reuse(self) -> int:
        """What the values would take with memory of their own each."""
        return sum(value.nbytes for value in self.values.values())

    @property
    def most_alive(self) -> int:
        """The bytes of the values that are alive at one moment, at most: no plan can do with less."""
        peak = 0
        blocks: dict[str, list[PlannedValue]] = {}
        for value in self.values.values():
            blocks.setdefault(value.block, []).append(value)
        for values in blocks.values():
            alive, gone = 0, sorted(values, key=lambda value: value.end)
            for value in values:
                while gone and gone[0].end < value.begin:
                    alive -= gone.pop(0).nbytes
                alive += value.nbytes if value.over is None else 0
                peak = max(peak, alive)
                if value.over is not None:
                    gone.remove(self.values[value.over])
        return peak

    def __str__(self) -> str:
        """The plan as a table: who is where, from when to when."""
        lines = [
            f"{len(self.values)} values in {len(self.places)} places: {self.nbytes:,} bytes; "
            f"{self.nbytes_without_reuse:,} without reuse, {self.most_alive:,} alive at once",
            *(f"{count} more {reason}: {nbytes:,} bytes" for reason, (count, nbytes) in self.elsewhere.items()),
            f"{'place':>5} {'bytes':>12} {'from':>5} {'to':>5}  value",
        ]
        for value in self.values.values():
            node, abstract = value.node, value.node.abstract
            assert isinstance(abstract, AbstractTensor)  # noqa: S101
            over = ", over its input" if value.over is not None else ""
            title = f"{node.full_name or node.operator} {abstract.dtype}{list(abstract.shape)} in {value.block}{over}"
            lines.append(f"{value.place.number:>5} {value.nbytes:>12,} {value.begin:>5} {value.end:>5}  {title}")
        return "\n".join(lines) + "\n"


class _Line:
    """The lives of the values of one block."""

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
        if call is not None and call.takes_out and not _writes(node):
            return frozenset((node,))
        if (call is not None and call.fresh) or operator in (LOAD, UPDATE_STATE) or not _has_arrays(node.abstract):
            return frozenset()
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
        if call is None or not isinstance(node.abstract, AbstractTensor) or _writes(node):
            return ""
        if not call.takes_out:
            return BY_KERNEL if call.fresh else ""
        if _nbytes(node) is None:
            return BY_SIZE
        if node in self.escaping:
            return ESCAPES
        begin, end = self.begins[node], self.ends[node]
        return ACROSS_CALLS if any(begin < position <= end for position in self._calls_at) else None

    def overwritten(self, node: CNode, position: int, planned: dict[CNode, PlannedValue]) -> CNode | None:
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


def _nbytes(node: CNode) -> int | None:
    """The size of a node's value, None if it is not known."""
    abstract = node.abstract
    if not isinstance(abstract, AbstractTensor) or None in abstract.shape:
        return None
    return int(prod(dim or 0 for dim in abstract.shape) * abstract.dtype.itemsize)


def _writes(node: CNode) -> bool:
    """Whether a node gives Parameters new values."""
    return isinstance(node.operator, Primitive) and bool(node.operator.writes)


def _has_arrays(abstract: Any) -> bool:
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return any(map(_has_arrays, abstract.elements))
    return not isinstance(abstract, AbstractScalar | AbstractConst | AbstractMonad)
