"""The manager of a program: its graphs, the users of each node, and which graph is nested in which.

Passes query it, and change the program through it (`replace`), so that the def-use chains stay correct. What follows
from the chains (free variables, parents, the order of a graph's nodes) is computed on demand and forgotten at the next
change. No traversal here is recursive, because programs may be deep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from framework.ir.abstract import AbstractMonad
from framework.ir.anf import CNode, FuncGraph, Node, graphs_in

__all__ = ["Manager"]

Use = tuple[CNode, int]
"""A node that reads another one, and the position of that input."""


class Manager:
    """Knows the structure of a program.

    Args:
        root: the graph that the program is.
    """

    def __init__(self, root: FuncGraph) -> None:
        self.root = root
        self.users: dict[Node, dict[Use, None]] = {}
        self._returned_by: dict[Node, dict[FuncGraph, None]] = {}
        self._own: dict[FuncGraph, list[CNode]] | None = None
        self._free: dict[FuncGraph, dict[Node, None]] | None = None
        self._parents: dict[FuncGraph, FuncGraph | None] | None = None
        self.refresh()

    def refresh(self) -> None:
        """Analyse the program again."""
        self._forget()
        self.users.clear()
        self._returned_by.clear()
        for graph, nodes in self._listed().items():
            self._returned_by.setdefault(graph.output, {})[graph] = None
            for node in nodes:
                for place, item in enumerate(node.inputs):
                    self.users.setdefault(item, {})[node, place] = None

    def replace(self, old: Node, new: Node) -> None:
        """Let all readers of one node read another."""
        for user, place in list(self.users.get(old, ())):
            self.set_input(user, place, new)
        for graph in self._returned_by.pop(old, {}):
            graph.output = new
            self._returned_by.setdefault(new, {})[graph] = None
        self._forget()

    def set_input(self, user: CNode, place: int, new: Node) -> None:
        """Change one input of a node."""
        self.users.get(user.inputs[place], {}).pop((user, place), None)
        user.inputs[place] = new
        waiting = [(user, place, new)]
        while waiting:
            reader, position, item = waiting.pop()
            first = item not in self.users
            self.users.setdefault(item, {})[reader, position] = None
            if first and isinstance(item, CNode):
                waiting.extend((item, number, below) for number, below in enumerate(item.inputs))
        self._forget()

    @property
    def graphs(self) -> list[FuncGraph]:
        """All graphs of the program, the root first."""
        return list(self._listed())

    def nodes(self, graph: FuncGraph) -> list[CNode]:
        """The applications of a graph in an order in which they can run. Closures come after the nodes they capture."""
        return _walk(graph, self._captured)

    def all_nodes(self) -> Iterator[CNode]:
        """Every application of the program."""
        for graph in self.graphs:
            yield from self._listed()[graph]

    def free_variables(self, graph: FuncGraph) -> list[Node]:
        """The nodes of other graphs that a graph uses, itself or in graphs nested in it."""
        if self._free is None:
            self._free = self._find_free()
        return list(self._free[graph])

    def parent(self, graph: FuncGraph) -> FuncGraph | None:
        """The graph that a graph is nested in: the innermost owner of its free variables. None if it has none."""
        if self._parents is None:
            self._parents = self._find_parents()
        return self._parents[graph]

    def ancestors(self, graph: FuncGraph) -> list[FuncGraph]:
        """The graph that a graph is nested in, the one around that, and so on.

        Raises:
            ValueError: the graphs are nested in a circle, because a node is used outside of its graph.
        """
        found: list[FuncGraph] = []
        around = self.parent(graph)
        while around is not None:
            if around is graph or around in found:
                raise ValueError(self._circle([graph, *found, around]))
            found.append(around)
            around = self.parent(around) if around in self._listed() else None
        return found

    def _circle(self, graphs: list[FuncGraph]) -> str:
        circle = graphs[graphs.index(graphs[-1]) :]
        used = ((graph, node) for graph in circle for node in self.free_variables(graph))
        uses = (f"{graph.name} uses {node} of {node.graph.name}" for graph, node in used if node.graph in circle)
        return f"a node is used outside of its graph: {', '.join(uses)}, and of these none can be within the other"

    def nested(self, graph: FuncGraph) -> list[FuncGraph]:
        """A graph and all that are nested in it, outer ones first."""
        found = [(len(around), inner) for inner in self.graphs if graph in (around := self.ancestors(inner))]
        return [graph, *(inner for _, inner in sorted(found, key=lambda item: item[0]))]

    def calls(self) -> dict[FuncGraph, list[FuncGraph]]:
        """For each graph the graphs that it uses, as a function to call or as a value."""
        return {
            graph: list(dict.fromkeys(inner for item in self._items(graph) for inner in graphs_in([item])))
            for graph in self.graphs
        }

    def _forget(self) -> None:
        self._own = self._free = self._parents = None

    def _listed(self) -> dict[FuncGraph, list[CNode]]:
        if self._own is None:
            self._own = _discover(self.root)
        return self._own

    def _items(self, graph: FuncGraph) -> list[Node]:
        return [*(item for node in self._listed()[graph] for item in node.inputs), graph.output]

    def _captured(self, node: Node) -> list[Node]:
        return [item for inner in graphs_in([node]) for item in self.free_variables(inner)]

    def _find_free(self) -> dict[FuncGraph, dict[Node, None]]:
        free: dict[FuncGraph, dict[Node, None]] = {}
        callers: dict[FuncGraph, list[FuncGraph]] = {}
        for graph, called in self.calls().items():
            own = (item for item in self._items(graph) if item.graph is not None and item.graph is not graph)
            free[graph] = dict.fromkeys(own)
            for inner in called:
                callers.setdefault(inner, []).append(graph)
        waiting = dict.fromkeys(reversed(self.graphs))
        while waiting:
            graph, _ = waiting.popitem()
            for caller in callers.get(graph, ()):
                before = len(free[caller])
                free[caller].update((node, None) for node in free[graph] if node.graph is not caller)
                if len(free[caller]) > before:
                    waiting[caller] = None
        return free

    def _find_parents(self) -> dict[FuncGraph, FuncGraph | None]:
        around: dict[FuncGraph, dict[FuncGraph, None]] = {}
        for graph in self.graphs:
            owners = (node.graph for node in self.free_variables(graph))
            around[graph] = dict.fromkeys(owner for owner in owners if owner is not None and owner is not graph)
        changed = True
        while changed:
            changed = False
            for graph, found in around.items():
                before = len(found)
                for owner in list(found):
                    found.update((outer, None) for outer in around.get(owner, ()) if outer is not graph)
                changed |= len(found) > before
        return {
            graph: max(found, key=lambda owner: len(around.get(owner, ()))) if found else None
            for graph, found in around.items()
        }


def _discover(root: FuncGraph) -> dict[FuncGraph, list[CNode]]:
    """Find the graphs of a program and their nodes. Callees are in the order of their use, nodes in any order.

    The nodes of a graph are those that its output needs, and those that graphs nested in it use.
    """
    own: dict[FuncGraph, dict[CNode, None]] = {root: {}}
    captured: dict[FuncGraph, list[Node]] = {}
    waiting = [root]
    while waiting:
        graph = waiting.pop()
        for node in _roots(graph, captured.pop(graph, [])):
            _collect(node, graph, own, captured)
        items = [graph.output, *(item for node in own[graph] for item in node.inputs)]
        inner = [child for child in dict.fromkeys(graphs_in(items)) if child not in own]
        own.update((child, {}) for child in inner)
        waiting.extend(reversed(inner))
        waiting.extend(around for around in captured if around in own and around not in waiting)
    return {graph: list(nodes) for graph, nodes in own.items()}


def _roots(graph: FuncGraph, captured: list[Node]) -> list[Node]:
    return [*(graph.order or ()), graph.output, *captured]


def _collect(
    root: Node, graph: FuncGraph, own: dict[FuncGraph, dict[CNode, None]], captured: dict[FuncGraph, list[Node]]
) -> None:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, CNode) or node.graph is None:
            continue
        if node.graph is not graph:
            if node not in own.get(node.graph, ()):
                captured.setdefault(node.graph, []).append(node)
        elif node not in own[graph]:
            own[graph][node] = None
            waiting.extend(reversed(node.inputs))


def _walk(graph: FuncGraph, captured: Callable[[Node], list[Node]]) -> list[CNode]:
    """The nodes that a graph's output needs or that are in its source. Each comes after the nodes that it uses."""
    order: list[CNode] = []
    seen: set[Node] = set()
    waiting: list[tuple[Node, bool]] = [(root, False) for root in reversed(_roots(graph, []))]
    while waiting:
        node, ready = waiting.pop()
        if ready and isinstance(node, CNode):
            order.append(node)
        elif node not in seen:
            seen.add(node)
            if isinstance(node, CNode) and node.graph is graph:
                waiting.append((node, True))
                waiting.extend((item, False) for item in reversed(node.inputs))
                # Earlier side effects come before a node's other inputs: calls with side effects may compute these.
                waiting.extend((item, False) for item in node.inputs if isinstance(item.abstract, AbstractMonad))
            waiting.extend((item, False) for item in captured(node) if item.graph is graph)
    return order
