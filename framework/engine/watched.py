"""Tells watchers of what a compiled program executes: its code calls a `Reporter` after each primitive.

What compilation has removed does not execute, so nobody is told of it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from framework.common.tensor import from_array
from framework.ir.anf import CNode, FuncGraph
from framework.ir.naming import COMPILED
from framework.observe import Execution, report
from framework.ops.primitive import Primitive

__all__ = ["Reporter"]


class Reporter:
    """Reports for one program.

    Args:
        root: the graph that it is.
    """

    def __init__(self, root: FuncGraph) -> None:
        self.root = root
        self._nodes: list[CNode] = []
        self._names: list[str] = []
        self._made: Counter[str] = Counter()
        self._executed: Counter[str] = Counter()

    def number(self, node: CNode) -> int:
        """What the code calls a node by."""
        self._nodes.append(node)
        self._names.append(node.full_name or self._name(node))
        return len(self._nodes) - 1

    def begin(self) -> None:
        """Count from the beginning how often each operator executes."""
        self._executed.clear()

    def see(self, output: Any, number: int, *inputs: Any) -> None:
        """Report that a node has been executed."""
        node, name = self._nodes[number], self._names[number]
        self._executed[name] += 1
        given = tuple(map(_shown, inputs))
        report(
            Execution(
                name,
                self._executed[name] - 1,
                node.operator,
                given,
                _shown(output),
                (name, *node.also),
                node.location,
            )
        )

    def _name(self, node: CNode) -> str:
        """The name of a node that a rule of the compiler has made."""
        primitive = node.operator
        assert isinstance(primitive, Primitive)  # noqa: S101
        kind = f"{COMPILED}/{node.scope or 'Default'}/{primitive.name}"
        self._made[kind] += 1
        return f"{kind}-op{self._made[kind] - 1}"


def _shown(value: Any) -> Any:
    """What a kernel gets or makes, as the user knows it."""
    if isinstance(value, tuple):
        return tuple(map(_shown, value))
    return from_array(value) if hasattr(value, "dtype") and hasattr(value, "__array__") else value
