"""Finds the loops of a MindIR file: graphs that are called last by graphs that they call last themselves.

MindSpore writes a loop as a header that chooses between its body and what follows, and a body that calls the header
last. In our IR such graphs are blocks, between which a program jumps. Inference needs to know the headers of loops, and
where paths come together; `translating` notes both on the blocks.
"""

from __future__ import annotations

from typing import Final

from framework.mindir.naming_graphs import Names

__all__ = ["Blocks"]

_MOST: Final = 2000
"""Of more blocks no meeting points are looked for, because that takes quadratic time; they only save repetition."""


class Blocks:
    """Which graphs of a file are blocks and headers of loops, and where paths between them come together.

    Args:
        names: what the names of the file stand for.

    Attributes:
        blocks: the graphs that another one ends with.
        headers: those to which a program comes back.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._next = {name: list(self._last_calls(name)) for name in names.graphs}
        self.blocks = {target for targets in self._next.values() for target in targets}
        self.headers = self._come_back()
        is_small = len(self.blocks) <= _MOST
        self._behind = self._always_behind() if is_small else {}
        self._reached = {name: self._reachable(name) for name in self._next} if is_small and self.headers else {}

    def after(self, header: str) -> str | None:
        """The block after a loop; None if the loop ends with the function only."""
        found = self.meeting(header)
        if found is not None and not self._is_within(found, header):
            return found
        for name in [header, *sorted(self._reached.get(header, ()))]:
            if self._is_within(name, header):
                leaving = [target for target in self._next[name] if not self._is_within(target, header)]
                if leaving:
                    return leaving[0]
        return None

    def meeting(self, graph: str) -> str | None:
        """The first graph that all paths from one lead to; None if they only end."""
        behind = self._behind.get(graph, set()) - {graph}
        return next((name for name in sorted(behind) if len(self._behind[name]) == len(behind)), None)

    def loops_around(self, graph: str) -> list[str]:
        """The headers of the loops that a graph is part of, from the inside out."""
        around = [header for header in self.headers if self._is_within(graph, header)]
        return sorted(around, key=lambda header: (sum(self._is_within(header, other) for other in around), header))[
            ::-1
        ]

    def _is_within(self, graph: str, header: str) -> bool:
        reached = self._reached
        return graph == header or (graph in reached.get(header, ()) and header in reached.get(graph, ()))

    def _last_calls(self, graph: str) -> list[str]:
        """The graphs that may be called last by a graph."""
        names = self._names
        node = names.makers.get(names.behind(names.graphs[graph].output[0].name))
        if node is None or names.operator(node):
            return []
        return list(names.functions(names.called(node)))

    def _come_back(self) -> set[str]:
        """The targets of edges that lead back, by a search in depth without recursion."""
        headers: set[str] = set()
        done: set[str] = set()
        for root in self._next:
            path = [] if root in done else [(root, iter(self._next[root]))]
            within = {root}
            while path:
                name, rest = path[-1]
                target = next(rest, None)
                if target is None:
                    path.pop()
                    within.discard(name)
                    done.add(name)
                elif target in within:
                    headers.add(target)
                elif target not in done:
                    within.add(target)
                    path.append((target, iter(self._next[target])))
        return headers

    def _always_behind(self) -> dict[str, set[str]]:
        """For each graph those on every path from it to an end (post-dominators, by iteration to a fixed point)."""
        everything = set(self._next)
        behind = {name: everything if targets else {name} for name, targets in self._next.items()}
        changed = True
        while changed:
            changed = False
            for name, targets in self._next.items():
                found = {name}.union(set.intersection(*(behind[target] for target in targets))) if targets else {name}
                if found != behind[name]:
                    behind[name], changed = found, True
        return behind

    def _reachable(self, graph: str) -> set[str]:
        pending, found = list(self._next[graph]), set[str]()
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(self._next[name])
        return found
