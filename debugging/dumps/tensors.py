"""`Node` and `DebuggerTensor`: what `DumpAnalyzer` selects, with MindInsight's methods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from debugging.dumps.dump import Dump, Iteration, Rank
from debugging.dumps.program import ProgramNode, Source

__all__ = ["DebuggerTensor", "Node"]


class Node:
    """An operator or a parameter of a rank's graph.

    Attributes:
        name: Its full name.
        rank: Number of the rank.
        graph: Id of the graph.
        graph_name: Name of the graph.
        type: The type of the operator; `Parameter` for a parameter.
    """

    def __init__(self, dump: Dump, rank: Rank, graph: int, name: str, kind: str, own: ProgramNode | None) -> None:
        self._dump = dump
        self._rank = rank
        self._own = own
        self.name = name
        self.rank = rank.number
        self.graph = graph
        self.type = kind

    @property
    def graph_name(self) -> str:
        """Name of the graph; empty if the graph is missing."""
        program = self._rank.programs.get(self.graph)
        return "" if program is None else program.name

    @property
    def stack(self) -> list[str]:
        """Lines of the source, innermost first; empty if the dump does not have them."""
        return [] if self._own is None else [str(line) for line in self._own.stack]

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where its inputs come from; empty if the graph is missing."""
        return () if self._own is None else self._own.inputs

    def get_input_tensors(
        self, iterations: Iterable[int] | None = None, slots: Iterable[int] | None = None
    ) -> Iterator[DebuggerTensor]:
        """Its input tensors: the outputs of the nodes that it reads. A constant, and an input whose producer is not
        known, is a tensor of this node with `is_input`.

        Args:
            iterations: Numbers; None: all.
            slots: Indices of inputs; None: all.
        """
        wanted = None if slots is None else set(slots)
        for number, iteration in self._iterations(iterations):
            own = iteration.slots(self.name, is_input=True)
            for slot in sorted({*own, *range(len(self.sources))}):
                if wanted is not None and slot not in wanted:
                    continue
                source = self.sources[slot] if slot < len(self.sources) else Source(None)
                made = None if source.name is None else self._other(source.name)
                if made is not None and iteration.find(made.name, source.slot) is not None:
                    yield DebuggerTensor(made, source.slot, number)
                elif slot in own or made is None:
                    yield DebuggerTensor(self, slot, number, is_input=True)
                else:
                    yield DebuggerTensor(made, source.slot, number)

    def get_output_tensors(
        self, iterations: Iterable[int] | None = None, slots: Iterable[int] | None = None
    ) -> Iterator[DebuggerTensor]:
        """Its output tensors.

        Args:
            iterations: Numbers; None: all.
            slots: Indices of outputs; None: all.
        """
        wanted = None if slots is None else set(slots)
        for number, iteration in self._iterations(iterations):
            known = iteration.slots(self.name, is_input=False)
            if self._own is not None:
                known.update(range(len(self._own.shapes)))
            for slot in sorted(known):
                if wanted is None or slot in wanted:
                    yield DebuggerTensor(self, slot, number)

    def _other(self, name: str) -> Node | None:
        program = self._rank.programs.get(self.graph)
        if program is None:
            return None
        own = program.nodes.get(name)
        return Node(self._dump, self._rank, self.graph, name, "Parameter" if own is None else own.type, own)

    def _iterations(self, wanted: Iterable[int] | None) -> Iterator[tuple[int, Iteration]]:
        numbers = None if wanted is None else set(wanted)
        for number, iteration in sorted(self._rank.iterations.get(self.graph, {}).items()):
            if numbers is None or number in numbers:
                yield number, iteration

    def find(self, number: int) -> Iteration | None:
        """An iteration of its graph; None if it was not dumped."""
        return self._rank.iterations.get(self.graph, {}).get(number)

    @property
    def dump(self) -> Dump:
        """The dump."""
        return self._dump

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and (self.name, self.rank, self.graph) == (other.name, other.rank, other.graph)

    def __hash__(self) -> int:
        return hash((self.name, self.rank, self.graph))

    def __repr__(self) -> str:
        return f"Node({self.name!r}, rank {self.rank})"


class DebuggerTensor:
    """A tensor in one iteration on one rank. Its file is opened by `value`.

    Attributes:
        node: Its node.
        slot: Index of the output, or of the input.
        iteration: Number of the iteration.
        is_input: Whether it is an input of the node.
    """

    def __init__(self, node: Node, slot: int, iteration: int, *, is_input: bool = False) -> None:
        self.node = node
        self.slot = slot
        self.iteration = iteration
        self.is_input = is_input

    @property
    def rank(self) -> int:
        """Number of the rank."""
        return self.node.rank

    @property
    def time(self) -> int:
        """When it was written, in microseconds since 1970; 0 if unknown."""
        iteration = self.node.find(self.iteration)
        found = None if iteration is None else iteration.find(self.node.name, self.slot, is_input=self.is_input)
        return 0 if found is None else found.time

    def at(self, iteration: int) -> DebuggerTensor:
        """The same tensor in another iteration."""
        return DebuggerTensor(self.node, self.slot, iteration, is_input=self.is_input)

    def value(self) -> np.ndarray[Any, Any] | None:
        """Its elements, as in the last execution of its node in the iteration.

        Returns:
            The array, mapped if it is large; None if it was not dumped or cannot be read: `DumpAnalyzer.damages` says
            which.
        """
        iteration = self.node.find(self.iteration)
        if iteration is None:
            return None
        number = 0
        while iteration.find(self.node.name, self.slot, is_input=self.is_input, round_=number + 1) is not None:
            number += 1
        file = iteration.find(self.node.name, self.slot, is_input=self.is_input, round_=number)
        return self.node.dump.values(iteration, file)

    def __repr__(self) -> str:
        direction = "input" if self.is_input else "output"
        return (
            f"DebuggerTensor({self.node.name!r}, {direction} {self.slot}, iteration {self.iteration}, rank {self.rank})"
        )
