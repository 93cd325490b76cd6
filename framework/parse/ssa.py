"""Blocks: construction of static single assignment form while parsing, after Braun, Buchwald, Hack et al., "Simple and
Efficient Construction of Static Single Assignment Form" (2013). A block is a function graph, a phi is a parameter of
it, and a jump to it is a call in the last place of another block.
"""

from __future__ import annotations

from collections.abc import Callable

from framework.ir.anf import CNode, FuncGraph, Location, Node
from framework.ir.operators import SWITCH

__all__ = ["Block"]


class Block:
    """A sequence of statements without control flow.

    Args:
        name: the name of its graph.
        missing: gives the value of a variable that no earlier block sets.
        assigned: for the header of a loop and the block after the loop, the variables that the loop sets. Only these
            differ between iterations.
    """

    def __init__(
        self, name: str, missing: Callable[[str], Node], location: Location, assigned: frozenset[str] | None = None
    ) -> None:
        self.graph = FuncGraph(name, location)
        self.graph.order = []
        self.missing = missing
        self.assigned = assigned
        self.variables: dict[str, Node] = {}
        self.entries: list[Block] = []
        self._jumps: list[tuple[Block, CNode]] = []
        self._phis: list[str] = []

    @property
    def finished(self) -> bool:
        """Whether it has returned or jumped. Statements that follow cannot be reached."""
        return self.graph.complete

    def write(self, name: str, node: Node) -> None:
        """Set a variable."""
        self.variables[name] = node

    def read(self, name: str) -> Node:
        """The value of a variable at the end of the block so far."""
        block, passed = self, [self]
        found = block.variables.get(name)
        while found is None:
            if block.assigned is not None and name in block.assigned:
                found = block._phi(name)
            elif not block.entries:
                found = block.missing(name)
            elif block.assigned is None and len(block.entries) > 1:
                values = [entry.read(name) for entry in block.entries]
                found = values[0] if all(value is values[0] for value in values) else block._phi(name)
            else:
                block = block.entries[0]
                passed.append(block)
                found = block.variables.get(name)
        for above in passed:
            above.variables.setdefault(name, found)
        return found

    def _phi(self, name: str) -> Node:
        parameter = self.graph.add_parameter(name, location=self.graph.location)
        self.variables[name] = parameter
        self._phis.append(name)
        for block, jump in self._jumps:
            jump.inputs.append(block.read(name))
        return parameter

    def jump(self, target: Block, location: Location) -> None:
        """End with a jump."""
        if self.finished:
            return
        call = self.graph.apply(target.graph, location=location)
        self.graph.output = call
        target.entries.append(self)
        target._jumps.append((self, call))
        call.inputs.extend(self.read(name) for name in target._phis)

    def branch(self, condition: Node, then: Block, otherwise: Block, location: Location) -> None:
        """End with a choice between two blocks that no other block jumps to."""
        chosen = self.graph.apply(SWITCH, condition, then.graph, otherwise.graph, location=location)
        self.graph.output = self.graph.apply(chosen, location=location)
        for block in (then, otherwise):
            block.entries.append(self)

    def finish(self, node: Node) -> None:
        """End with the function's result."""
        if not self.finished:
            self.graph.output = node
