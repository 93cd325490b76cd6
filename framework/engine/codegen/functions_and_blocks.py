"""Decides which function graphs become Python functions, and which become blocks of one.

A graph that is only tail-called from graphs of one function is a block of it, and its call is a jump. The parser makes
such graphs of `if` and `while`, so branches and loops run as branches and loops. If a choice in the middle of a block
calls one of two graphs that nothing else calls, these are inline branches: blocks that are written in place and pass
their values on. Every other graph is a function.
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

__all__ = ["FunctionsAndBlocks", "PythonFunction", "tail_of"]

MAX_NESTED_BRANCHES: Final = 8
"""The most inline branches inside one another, because Python limits the indentation of lines."""


@dataclass(eq=False)
class PythonFunction:
    """One Python function.

    Attributes:
        entry: the graph where it begins.
        blocks: the graphs that are blocks of it, the entry first.
        join_points: the blocks with several predecessors; the others are written where they are reached.
        free_variables: the nodes of other functions that it uses.
        is_generator: whether it calls functions that may call it again, or unknown functions.
    """

    entry: FuncGraph
    blocks: list[FuncGraph] = field(default_factory=list)
    join_points: list[FuncGraph] = field(default_factory=list)
    free_variables: list[Node] = field(default_factory=list)
    is_generator: bool = False


def tail_of(graph: FuncGraph) -> tuple[CNode | None, Node | None]:
    """The tail call of a graph, and the state token of the side effects before it."""
    output, state = graph.output, None
    if isinstance(output, CNode) and is_operator(output, DEPEND) and output.graph is graph:
        output, state = output.arguments
    is_call = isinstance(output, CNode) and output.graph is graph and _possible_callees(output) is not None
    return (output if is_call and isinstance(output, CNode) else None), state


def _possible_callees(call: CNode) -> list[FuncGraph] | None:
    """The graphs that a call may call; None if they are not known."""
    if isinstance(call.operator, FuncGraph):
        return [call.operator]
    chosen = call.function
    if isinstance(chosen, CNode) and is_operator(chosen, SWITCH) and chosen.graph is call.graph:
        branches = graphs_in(chosen.arguments[1:])
        return branches if len(branches) == 2 else None
    return None


class FunctionsAndBlocks:
    """The functions of a program.

    Args:
        root: the outermost graph of the program.

    Attributes:
        manager: knows the graphs of the program, and who uses what.
        inline_branches: calls of a choice that is no tail call, each with its two graphs.
        tails: the tail call of each graph; None for a graph that returns or passes on its value.
        jumps: how many jumps lead to each block.
        entry_of: the entry of the function that each graph belongs to.
        functions: the functions by their entries.
    """

    def __init__(self, root: FuncGraph) -> None:
        self.manager = Manager(root)
        self.inline_branches = self._limit_nesting(dict(self._find_inline_branches()))
        # An inline branch passes its value on, whatever it ends with.
        inner = {graph for branches in self.inline_branches.values() for graph in branches}
        self.tails = {graph: None if graph in inner else tail_of(graph)[0] for graph in self.manager.graphs}
        self._inline_graphs = inner
        self.jumps: Counter[FuncGraph] = Counter()
        self._used_as_values: set[FuncGraph] = {root}
        self._predecessors: dict[FuncGraph, set[FuncGraph]] = {graph: set() for graph in self.manager.graphs}
        for graph in self.manager.graphs:
            self._count_uses(graph)
        self.entry_of = self._assign_entries()
        self.functions: dict[FuncGraph, PythonFunction] = {}
        for graph, entry in self.entry_of.items():
            self.functions.setdefault(entry, PythonFunction(entry)).blocks.append(graph)
        for function in self.functions.values():
            function.blocks.sort(key=lambda graph, function=function: graph is not function.entry)  # type: ignore[misc]
            self._complete(function)
        self._mark_generators()

    def _find_inline_branches(self) -> Iterator[tuple[CNode, list[FuncGraph]]]:
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
                branches = _possible_callees(node) or []
                # A call of the graph itself is recursion, not a branch.
                if len(set(branches)) == 2 and all(uses[branch] == 1 and branch is not graph for branch in branches):
                    yield node, branches

    @staticmethod
    def _limit_nesting(found: dict[CNode, list[FuncGraph]]) -> dict[CNode, list[FuncGraph]]:
        """The inline branches up to the nesting limit. A branch beyond it becomes a function, which starts at level
        0."""
        enclosing = {branch: node for node, branches in found.items() for branch in branches}
        kept: dict[CNode, list[FuncGraph]] = {}
        for node, branches in found.items():
            depth, graph = 0, node.graph
            while graph in enclosing:
                depth, graph = depth + 1, enclosing[graph].graph
            if depth % (MAX_NESTED_BRANCHES + 1) < MAX_NESTED_BRANCHES:
                kept[node] = branches
        return kept

    def _count_uses(self, graph: FuncGraph) -> None:
        tail = self.tails[graph]
        in_tail = Counter(_possible_callees(tail) or ()) if tail is not None and self._has_one_use(tail) else Counter()
        named: Counter[FuncGraph] = Counter()
        for node in self.manager.nodes(graph):
            named.update(graphs_in(node.inputs))
        named.update(graphs_in([graph.output]))
        for inner, count in named.items():
            if inner in self._inline_graphs:
                self._predecessors[inner].add(graph)
            elif count == in_tail[inner]:
                self._predecessors[inner].add(graph)
                self.jumps[inner] += count
            else:
                self._used_as_values.add(inner)
        if tail is not None and not in_tail:
            self.tails[graph] = None

    def _has_one_use(self, tail: CNode) -> bool:
        """Whether only the end of the graph reads a call, and only the call reads the choice that it calls."""
        users = self.manager.users.get(tail, {})
        alone = len(users) == (0 if tail.graph is not None and tail.graph.output is tail else 1)
        chosen = tail.function
        return alone and (isinstance(chosen, ValueNode) or len(self.manager.users.get(chosen, {})) == 1)

    def _assign_entries(self) -> dict[FuncGraph, FuncGraph]:
        """Assign each graph to a function: a graph that is reached from several functions becomes one itself."""
        graphs = self.manager.graphs
        functions = set(self._used_as_values)
        while True:
            found: dict[FuncGraph, set[FuncGraph]] = {g: {g} if g in functions else set() for g in graphs}
            changed = True
            while changed:
                changed = False
                for graph in graphs:
                    if graph in functions:
                        continue
                    of = set().union(*(found[caller] for caller in self._predecessors[graph]))
                    changed |= of != found[graph]
                    found[graph] = of
            shared = [graph for graph in graphs if len(found[graph]) != 1]
            if not shared:
                return {graph: next(iter(of)) for graph, of in found.items()}
            functions.update(shared)

    def _complete(self, function: PythonFunction) -> None:
        inside = set(function.blocks)
        order = self.block_order(function)
        function.join_points = [graph for graph in order if graph is not function.entry and self.jumps[graph] > 1]
        if function.entry in {g for b in function.blocks for g in _tail_callees(self.tails[b])}:
            function.join_points.insert(0, function.entry)
        free_variables: dict[Node, None] = {}
        for graph in function.blocks:
            free_variables.update(
                (node, None) for node in self.manager.free_variables(graph) if node.graph not in inside
            )
        function.free_variables = list(free_variables)

    def block_order(self, function: PythonFunction) -> list[FuncGraph]:
        """The blocks of a function in reverse postorder: a block stands before those that it jumps to, except back."""
        order: list[FuncGraph] = []
        seen = {function.entry}
        worklist: list[tuple[FuncGraph, bool]] = [(function.entry, False)]
        while worklist:
            graph, ready = worklist.pop()
            if ready:
                order.append(graph)
                continue
            worklist.append((graph, True))
            for inner in _tail_callees(self.tails[graph]):
                if inner not in seen and self.entry_of[inner] is function.entry:
                    seen.add(inner)
                    worklist.append((inner, False))
        return order[::-1]

    def _mark_generators(self) -> None:
        """Mark the functions that may be called again while they run, and all that call them."""
        calls = self._call_graph()
        recursive = set(_in_cycles(calls))
        worklist = [entry for entry, function in self.functions.items() if function.is_generator or entry in recursive]
        while worklist:
            entry = worklist.pop()
            self.functions[entry].is_generator = True
            worklist.extend(caller for caller in calls.predecessors(entry) if not self.functions[caller].is_generator)

    def _call_graph(self) -> nx.DiGraph[FuncGraph]:
        """Which function calls which. A function with unknown callees is marked as a generator on the way."""
        calls: nx.DiGraph[FuncGraph] = nx.DiGraph()
        calls.add_nodes_from(self.functions)
        for entry, function in self.functions.items():
            for graph in function.blocks:
                for node in self.manager.nodes(graph):
                    self._add_calls(calls, entry, function, node, is_tail=node is self.tails[graph])
        return calls

    def _add_calls(
        self, calls: nx.DiGraph[FuncGraph], entry: FuncGraph, function: PythonFunction, node: CNode, *, is_tail: bool
    ) -> None:
        if node.operator is not None and not isinstance(node.operator, FuncGraph):
            return
        if node in self.inline_branches:
            return
        callees = _possible_callees(node)
        if callees is None:
            function.is_generator = True
            return
        for callee in callees:
            if not is_tail or self.entry_of[callee] is not entry:
                calls.add_edge(entry, self.entry_of[callee])


def _in_cycles(calls: nx.DiGraph[FuncGraph]) -> Iterator[FuncGraph]:
    """The functions that can reach themselves."""
    for component in nx.strongly_connected_components(calls):
        for entry in component:
            if len(component) > 1 or calls.has_edge(entry, entry):
                yield entry


def _tail_callees(tail: CNode | None) -> list[FuncGraph]:
    return [] if tail is None else _possible_callees(tail) or []
