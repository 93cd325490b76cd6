"""Decides which function graphs become Python functions, and which become blocks of one.

A graph that is only tail-called from graphs of one function is a block of it, and reaching it is a jump. The parser
makes such graphs of `if` and `while`, so branches and loops run as branches and loops. A branch in the middle of a
block, between two graphs that nothing else calls, stays in place; its graphs are blocks too and pass their values on.
Every other graph is a function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import networkx as nx

from framework.ir.anf import CNode, FuncGraph, Node, ValueNode, graphs_in, is_operator
from framework.ir.manager import Manager
from framework.ir.operators import DEPEND, SWITCH

__all__ = ["Unit", "Units", "tail_of"]

MOST_WITHIN: Final = 8
"""So many choices stand within one another: Python refuses lines that are indented too far."""


@dataclass(eq=False)
class Unit:
    """One Python function.

    Attributes:
        entry: the graph that it is.
        blocks: the graphs that are blocks of it, the entry first.
        jumped: the blocks that several ways lead to; the others stand where they are reached.
        free: the nodes of other functions that it uses.
        suspends: whether it calls functions that may call it again, or that are not known.
    """

    entry: FuncGraph
    blocks: list[FuncGraph] = field(default_factory=list)
    jumped: list[FuncGraph] = field(default_factory=list)
    free: list[Node] = field(default_factory=list)
    suspends: bool = False


def tail_of(graph: FuncGraph) -> tuple[CNode | None, Node | None]:
    """The call in the last place of a graph, and the side effects that come before it."""
    output, state = graph.output, None
    if isinstance(output, CNode) and is_operator(output, DEPEND) and output.graph is graph:
        output, state = output.arguments
    is_call = isinstance(output, CNode) and output.graph is graph and _callees(output) is not None
    return (output if is_call and isinstance(output, CNode) else None), state


def _callees(call: CNode) -> list[FuncGraph] | None:
    """The graphs that a call may call, if these are known."""
    if isinstance(call.operator, FuncGraph):
        return [call.operator]
    chosen = call.function
    if isinstance(chosen, CNode) and is_operator(chosen, SWITCH) and chosen.graph is call.graph:
        ways = graphs_in(chosen.arguments[1:])
        return ways if len(ways) == 2 else None
    return None


class Units:
    """The functions of a program.

    Args:
        root: the graph that the program is.
    """

    def __init__(self, root: FuncGraph) -> None:
        self.manager = Manager(root)
        #: Calls of a choice in the midst of things, with its two graphs.
        self.within = self._shallow(dict(self._find_within()))
        #: A graph within hands its value on, whatever it ends with.
        inner = {graph for ways in self.within.values() for graph in ways}
        self.tails = {graph: None if graph in inner else tail_of(graph)[0] for graph in self.manager.graphs}
        self._within_graphs = inner
        self.jumps: Counter[FuncGraph] = Counter()
        self._values: set[FuncGraph] = {root}
        self._from: dict[FuncGraph, set[FuncGraph]] = {graph: set() for graph in self.manager.graphs}
        for graph in self.manager.graphs:
            self._look(graph)
        self.of = self._assign()
        self.units: dict[FuncGraph, Unit] = {}
        for graph, entry in self.of.items():
            self.units.setdefault(entry, Unit(entry)).blocks.append(graph)
        for unit in self.units.values():
            unit.blocks.sort(key=lambda graph, unit=unit: graph is not unit.entry)  # type: ignore[misc]
            self._finish(unit)
        self._find_suspending()

    def _find_within(self) -> Iterator[tuple[CNode, list[FuncGraph]]]:
        uses: Counter[FuncGraph] = Counter()
        for graph in self.manager.graphs:
            uses.update(found for node in self.manager.nodes(graph) for found in graphs_in(node.inputs))
            uses.update(graphs_in([graph.output]))
        for graph in self.manager.graphs:
            tail = tail_of(graph)[0]
            for node in self.manager.nodes(graph):
                chosen = node.function
                if node is tail or not isinstance(chosen, CNode) or len(self.manager.users.get(chosen, {})) != 1:
                    continue
                ways = _callees(node) or []
                # What calls its own graph again is a loop of functions.
                if len(set(ways)) == 2 and all(uses[way] == 1 and way is not graph for way in ways):
                    yield node, ways

    @staticmethod
    def _shallow(found: dict[CNode, list[FuncGraph]]) -> dict[CNode, list[FuncGraph]]:
        """Those that lie within one another not too deep: the ways of every choice in between are functions."""
        standing = {way: node for node, ways in found.items() for way in ways}
        kept: dict[CNode, list[FuncGraph]] = {}
        for node, ways in found.items():
            depth, graph = 0, node.graph
            while graph in standing:
                depth, graph = depth + 1, standing[graph].graph
            if depth % (MOST_WITHIN + 1) < MOST_WITHIN:
                kept[node] = ways
        return kept

    def _look(self, graph: FuncGraph) -> None:
        tail = self.tails[graph]
        in_tail = Counter(_callees(tail) or ()) if tail is not None and self._lonely(tail) else Counter()
        named: Counter[FuncGraph] = Counter()
        for node in self.manager.nodes(graph):
            named.update(graphs_in(node.inputs))
        named.update(graphs_in([graph.output]))
        for inner, count in named.items():
            if inner in self._within_graphs:
                self._from[inner].add(graph)
            elif count == in_tail[inner]:
                self._from[inner].add(graph)
                self.jumps[inner] += count
            else:
                self._values.add(inner)
        if tail is not None and not in_tail:
            self.tails[graph] = None

    def _lonely(self, tail: CNode) -> bool:
        """Whether nothing but the end of the graph reads a call, nor the choice it calls."""
        users = self.manager.users.get(tail, {})
        alone = len(users) == (0 if tail.graph is not None and tail.graph.output is tail else 1)
        chosen = tail.function
        return alone and (isinstance(chosen, ValueNode) or len(self.manager.users.get(chosen, {})) == 1)

    def _assign(self) -> dict[FuncGraph, FuncGraph]:
        """The entry of the function that each graph belongs to."""
        graphs = self.manager.graphs
        functions = set(self._values)
        while True:
            found: dict[FuncGraph, set[FuncGraph]] = {g: {g} if g in functions else set() for g in graphs}
            changed = True
            while changed:
                changed = False
                for graph in graphs:
                    if graph in functions:
                        continue
                    of = set().union(*(found[caller] for caller in self._from[graph]))
                    changed |= of != found[graph]
                    found[graph] = of
            torn = [graph for graph in graphs if len(found[graph]) != 1]
            if not torn:
                return {graph: next(iter(of)) for graph, of in found.items()}
            functions.update(torn)

    def _finish(self, unit: Unit) -> None:
        inside = set(unit.blocks)
        order = self._order(unit)
        unit.jumped = [graph for graph in order if graph is not unit.entry and self.jumps[graph] > 1]
        if unit.entry in {g for b in unit.blocks for g in _tail_callees(self.tails[b])}:
            unit.jumped.insert(0, unit.entry)
        free: dict[Node, None] = {}
        for graph in unit.blocks:
            free.update((node, None) for node in self.manager.free_variables(graph) if node.graph not in inside)
        unit.free = list(free)

    def _order(self, unit: Unit) -> list[FuncGraph]:
        """Blocks, those that lead to others first wherever there is no way back."""
        order: list[FuncGraph] = []
        seen = {unit.entry}
        waiting: list[tuple[FuncGraph, bool]] = [(unit.entry, False)]
        while waiting:
            graph, ready = waiting.pop()
            if ready:
                order.append(graph)
                continue
            waiting.append((graph, True))
            for inner in _tail_callees(self.tails[graph]):
                if inner not in seen and self.of[inner] is unit.entry:
                    seen.add(inner)
                    waiting.append((inner, False))
        return order[::-1]

    def _find_suspending(self) -> None:
        calls: nx.DiGraph[FuncGraph] = nx.DiGraph()
        calls.add_nodes_from(self.units)
        for entry, unit in self.units.items():
            for graph in unit.blocks:
                for node in self.manager.nodes(graph):
                    self._add_calls(calls, entry, unit, node, is_tail=node is self.tails[graph])
        circles = (part for part in nx.strongly_connected_components(calls) if len(part) > 1)
        looping = {entry for part in circles for entry in part} | {e for e in calls if calls.has_edge(e, e)}
        waiting = [entry for entry, unit in self.units.items() if unit.suspends or entry in looping]
        while waiting:
            entry = waiting.pop()
            self.units[entry].suspends = True
            waiting.extend(caller for caller in calls.predecessors(entry) if not self.units[caller].suspends)

    def _add_calls(
        self, calls: nx.DiGraph[FuncGraph], entry: FuncGraph, unit: Unit, node: CNode, *, is_tail: bool
    ) -> None:
        if node.operator is not None and not isinstance(node.operator, FuncGraph):
            return
        if node in self.within:
            return
        callees = _callees(node)
        if callees is None:
            unit.suspends = True
            return
        for callee in callees:
            if not is_tail or self.of[callee] is not entry:
                calls.add_edge(entry, self.of[callee])


def _tail_callees(tail: CNode | None) -> list[FuncGraph]:
    return [] if tail is None else _callees(tail) or []
