"""Taps: compiled code calls a `Reporter` after each observed primitive, which reports to the observers.

Operators that compilation removed do not execute, so they are not reported.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from framework.common.tensor import from_array
from framework.ir.anf import ASIDE, CNode, FuncGraph
from framework.ir.naming import COMPILED
from framework.observe import Execution, report
from framework.ops.primitive import Primitive

__all__ = ["Reporter"]


class Reporter:
    """The tap of one program.

    Args:
        root: the outermost graph of the program.
        names: the full names of the operators that it reports; None for all.
    """

    def __init__(self, root: FuncGraph, names: frozenset[str] | None = None) -> None:
        self.root = root
        self.names = names
        self._nodes: list[CNode] = []
        self._generated_names: dict[CNode, str] = {}
        self._counts: Counter[str] = Counter()
        self._executed: Counter[str] = Counter()
        self._since = time.perf_counter()

    def tap(self, node: CNode) -> int | None:
        """The number under which the code reports a node; None if it is not reported."""
        if not self.is_tapped(node):
            return None
        self._nodes.append(node)
        return len(self._nodes) - 1

    def is_tapped(self, node: CNode) -> bool:
        """Whether a node is reported."""
        name = self.name(node)
        return self.names is None or not self.names.isdisjoint((name, *node.also))

    def name(self, node: CNode) -> str:
        """The full name of a node. A node that the compiler has made gets a name when it is first needed."""
        if node.full_name or not isinstance(node.operator, Primitive):
            return node.full_name
        if node not in self._generated_names:
            kind = f"{COMPILED}/{node.scope or 'Default'}/{node.operator.name}"
            self._counts[kind] += 1
            self._generated_names[node] = f"{kind}-op{self._counts[kind] - 1}"
        return self._generated_names[node]

    def begin(self) -> None:
        """Start a call: reset the clock, and the counts of how often each operator executed."""
        self._executed.clear()
        self._since = time.perf_counter()

    def record(self, output: object, number: int, *inputs: object) -> None:
        """Report that a node has been executed."""
        duration = time.perf_counter() - self._since
        node = self._nodes[number]
        name = self.name(node)
        self._executed[name] += 1
        inputs_as_tensors = tuple(map(_as_tensor, inputs))
        report(
            Execution(
                name,
                self._executed[name] - 1,
                getattr(node.operator, "tapped", None) or node.operator,
                inputs_as_tensors,
                _as_tensor(output),
                (name, *node.also),
                node.location,
                self._since,
                duration,
                ASIDE in node.marks,
            )
        )
        # The time between two reports is that of the next operator.
        self._since = time.perf_counter()


def _as_tensor(value: Any) -> Any:
    """A kernel's input or output as the user knows it: a tensor for an array."""
    if isinstance(value, tuple):
        return tuple(map(_as_tensor, value))
    return from_array(value) if hasattr(value, "dtype") and hasattr(value, "__array__") else value
