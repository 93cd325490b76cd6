"""Writes one function of a compiled program: blocks, branches, jumps, and a line for each kernel call."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from framework.engine.codegen.functions_and_blocks import Unit
from framework.engine.codegen.native_segments import load_weights, parts_of, read_by, write_rounds, write_segment
from framework.engine.fusion.effects import weight_behind
from framework.engine.fusion.fused_programs import FusedKernel
from framework.engine.fusion.peephole import Expression
from framework.engine.fusion.tapped_operators import Shown
from framework.engine.kernel_calls import inputs_of, kernel_call
from framework.engine.memory.in_place import updates_in_place
from framework.engine.memory.liveness import nbytes_of
from framework.engine.memory.order import freeing_first, readers_first
from framework.ir.abstract import AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode, is_graph, is_operator
from framework.ir.operators import (
    DEPEND,
    DICT_GETITEM,
    LOAD,
    MAKE_LIST,
    MAKE_TUPLE,
    SWITCH,
    TUPLE_GETITEM,
    UPDATE_STATE,
)
from framework.ops.primitive import Primitive

if TYPE_CHECKING:
    from framework.engine.codegen.program import ProgramCode

__all__ = ["FunctionCode"]

MOST_LEVELS = 12
"""Deeper choices become states of their own: Python refuses lines that are indented too far."""


class FunctionCode:
    """Writes one function.

    Args:
        writer: of the program.
        unit: the function.

    Attributes:
        lines: those of the code, below the function's first.
        nodes: by number of a line of these, the node that it runs.
    """

    def __init__(self, writer: ProgramCode, unit: Unit) -> None:
        self.writer = writer
        self.unit = unit
        self.lines: list[str] = []
        self.nodes: dict[int, CNode] = {}
        self.states = {graph: number for number, graph in enumerate(unit.jumped)}
        if unit.jumped and unit.entry not in self.states:
            self.states = {graph: number + 1 for graph, number in self.states.items()}
        self.done: set[FuncGraph] = set()
        #: The lines, from one to before another, that run where a native segment does not.
        self.beside: list[tuple[int, int]] = []
        self.captured = {node for graph in self._all_nested() for node in self.writer.manager.free_variables(graph)}

    def _all_nested(self) -> list[FuncGraph]:
        return [graph for graph in self.writer.manager.graphs if self.writer.manager.free_variables(graph)]

    def source(self) -> str:
        """The code: a maker, which takes what the function captures, and the function within it."""
        unit, writer = self.unit, self.writer
        outer = f"def {writer.makers[unit.entry]}({', '.join(map(writer.name, unit.free))}):"
        given = [parameter for parameter in unit.entry.parameters if parameter.default is None]
        self.put(1, f"def function({', '.join(map(writer.name, given))}):")
        if unit.suspends:
            self.put(2, "if False: yield")
        weights = [parameter for parameter in unit.entry.parameters if parameter.default is not None]
        first = len(self.lines)
        if self._has_states():
            self.put(2, "at = 0")
            self.put(2, "while True:")
            self._state(0, unit.entry)
            for graph, number in sorted(self.states.items(), key=lambda item: item[1]):
                if graph is not unit.entry:
                    self._state(number, graph)
        else:
            self.block(2, unit.entry)
        load_weights(self, first, weights)
        self.put(1, "return function")
        return "\n".join([outer, *self.lines])

    def _has_states(self) -> bool:
        return bool(self.states) or self._too_deep()

    def _too_deep(self) -> bool:
        """Makes blocks that would be indented too far states of their own; whether there are any."""
        depth = {self.unit.entry: 0}
        for graph in self.writer.units._order(self.unit):
            tail = self.writer.units.tails[graph]
            for inner in _ways(tail):
                if inner in self.unit.blocks and inner not in self.states and inner not in depth:
                    level = depth.get(graph, 0) + 1
                    if level > MOST_LEVELS:
                        self.states[inner] = max(self.states.values(), default=0) + 1
                        level = 0
                    depth[inner] = level
        return bool(self.states)

    def _state(self, number: int, graph: FuncGraph) -> None:
        self.done.add(graph)
        self.current = number
        self.put(3, f"if at == {number}:")
        self.block(4, graph)

    def put(self, level: int, line: str) -> None:
        """Write a line, so many levels in."""
        self.lines.append("    " * level + line)

    def block(self, level: int, graph: FuncGraph, into: str = "") -> None:
        """The nodes of a graph and where it goes on.

        Args:
            level: how far in.
            graph: the block.
            into: of one that stands within another, what its value is called there.
        """
        tail = self.writer.units.tails[graph]
        last = {tail, graph.output} if tail is not None else set()
        chosen = tail.function if tail is not None and isinstance(tail.function, CNode) else None
        if chosen is not None:
            last.add(chosen)
        nodes = [node for node in self.writer.manager.nodes(graph) if node not in last]
        if graph is self.writer.root:
            nodes = readers_first(nodes)
        kept, last_read = self._seen_outside(graph, tail, chosen)
        nodes = freeing_first(nodes, kept, last_read)
        ends = self._last_uses(nodes, graph, tail)
        self._plan(graph, nodes, kept, last_read)
        parts, rounds = parts_of(self, graph, nodes, tail)
        if rounds is not None and tail is not None:
            given = write_rounds(self, level, parts[0], rounds)  # type: ignore[arg-type]
            self._jump(level, tail.function.value, given)  # type: ignore[attr-defined]
            return
        for part in parts:
            if isinstance(part, CNode):
                self.line(level, part, ends)
            else:
                write_segment(self, level, part, ends)
        if tail is None:
            value = self.writer.value(graph.output)
            self.put(level, f"{into} = {value}" if into else f"return {value}")
        elif chosen is not None:
            condition, then, otherwise = chosen.arguments
            self.put(level, f"if {self.writer.value(condition)}:")
            self.go(level + 1, then, [])
            self.put(level, "else:")
            self.go(level + 1, otherwise, [])
        else:
            self.go(level, tail.function, tail.arguments)

    def line(self, level: int, node: CNode, ends: Mapping[CNode, list[Node]]) -> None:
        """A node, and letting go of what nothing reads after it."""
        first = len(self.lines)
        self.node(level, node)
        self.nodes.update((place, node) for place in range(first, len(self.lines)))
        for gone in ends.get(node, ()):
            if gone not in self.writer.memory.values:
                self.put(level, f"{self.writer.name(gone)} = None")

    def _seen_outside(self, graph: FuncGraph, tail: CNode | None, chosen: CNode | None) -> tuple[set[Node], list[Node]]:
        """What of a block others see, and what its end reads alone."""
        seen = [graph.output] if tail is None else [tail.function, *tail.arguments]
        last: list[Node] = []
        if chosen is not None:
            # What is chosen from are functions; the condition is read here and nowhere else.
            last, seen = [chosen.arguments[0]], tail.arguments if tail is not None else []
        return {*seen, *self.captured}, last

    def _plan(self, graph: FuncGraph, nodes: list[CNode], kept: set[Node], last: list[Node]) -> None:
        """Decide where the values of a block are."""
        reporter = self.writer.reporter
        shown = set() if reporter is None else set(filter(reporter.sees, nodes))
        self.writer.memory.add_block(self.writer.graph_names[graph], nodes, kept, last, shown)
        if graph is self.writer.root and self.writer.reuse:
            self.updates = updates_in_place(nodes, {*kept, *last}, shown)

    def _last_uses(self, nodes: list[CNode], graph: FuncGraph, tail: CNode | None) -> dict[CNode, list[Node]]:
        """For each node those that nothing reads after it."""
        kept = {graph.output, *(tail.inputs if tail is not None else ())}
        if tail is not None and isinstance(tail.function, CNode):
            kept.update(tail.function.inputs)
        last: dict[CNode, CNode] = {}
        for node in nodes:
            for item in read_by(node):
                if isinstance(item, CNode) and item.graph is graph and item not in self.captured:
                    last[item] = node
        ends: dict[CNode, list[Node]] = {}
        for item, node in last.items():
            if item not in kept and nbytes_of(item) != 0:
                ends.setdefault(node, []).append(item)
        return ends

    def go(self, level: int, target: Node, arguments: list[Node]) -> None:
        """Go on with another graph."""
        assert isinstance(target, ValueNode)  # noqa: S101
        graph = target.value
        if self.writer.units.of[graph] is not self.unit.entry:
            called = self.writer.value(target)
            given = ", ".join(map(self.writer.value, arguments))
            if self.writer.units.units[graph].suspends:
                self.put(level, f"return (yield {called}, ({given}{',' if arguments else ''}))")
            else:
                self.put(level, f"return {called}({given})")
            return
        self._jump(level, graph, dict(zip(graph.parameters, map(self.writer.value, arguments), strict=True)))

    def _jump(self, level: int, graph: FuncGraph, given: Mapping[Node, str]) -> None:
        """Go on with another block of the function, whose parameters are set before."""
        if given:
            names = ", ".join(map(self.writer.name, given))
            self.put(level, f"{names} = {', '.join(given.values())}")
        if graph in self.states or graph is self.unit.entry:
            number = self.states.get(graph, 0)
            self.put(level, f"at = {number}")
            if number <= self.current or graph in self.done:
                self.put(level, "continue")
        else:
            self.block(level, graph)

    current = 0
    updates: Mapping[CNode, dict[int, Parameter]] = MappingProxyType({})

    def node(self, level: int, node: CNode) -> None:
        """The line of one application."""
        writer, operator = self.writer, node.operator
        name, arguments = writer.name(node), inputs_of(node)
        if operator is UPDATE_STATE:
            return
        if operator is SWITCH and self._is_within(node):
            condition = writer.value(arguments[0])
            is_array = isinstance(arguments[0].abstract, AbstractTensor)
            # The array may lie where the next kernel writes.
            self.put(level, f"{name} = bool({condition})" if is_array else f"{name} = {condition}")
            return
        given = [writer.value(argument) for argument in arguments]
        if operator is None or isinstance(operator, FuncGraph):
            self._call(level, node, name, given)
        elif operator in (DEPEND,):
            self.put(level, f"{name} = {given[0]}")
        elif operator is LOAD:
            self.put(level, f"{name} = {self._weight(arguments[0])}._data")
        elif operator is MAKE_TUPLE:
            self.put(level, f"{name} = ({', '.join(given)}{',' if len(given) == 1 else ''})")
        elif operator is MAKE_LIST:
            self.put(level, f"{name} = [{', '.join(given)}]")
        elif operator in (TUPLE_GETITEM, DICT_GETITEM):
            self.put(level, f"{name} = {given[0]}[{given[1]}]")
        elif operator is SWITCH:
            self.put(level, f"{name} = {given[1]} if {given[0]} else {given[2]}")
        elif isinstance(operator, Primitive):
            self._primitive(level, node, operator, given)
        elif isinstance(operator, Expression):
            self.put(level, f"{name} = {operator.line.format(*given)}")
        else:
            run_ = writer.constant(getattr(operator, "run", operator))
            self.put(level, f"{name} = {run_}({', '.join(given)})")

    def _call(self, level: int, node: CNode, name: str, given: list[str]) -> None:
        writer = self.writer
        if node in writer.units.within:
            self._within(level, node, name, given)
            return
        callee = writer.value(node.function)
        chosen = node.function
        known = isinstance(chosen, ValueNode) or (
            isinstance(chosen, CNode) and is_operator(chosen, SWITCH) and all(map(is_graph, chosen.arguments[1:]))
        )
        graphs = [item.value for item in getattr(chosen, "inputs", [chosen]) if is_graph(item)]
        suspends = not known or any(writer.units.units[graph].suspends for graph in graphs)
        if suspends:
            self.put(level, f"{name} = yield {callee}, ({', '.join(given)}{',' if given else ''})")
        else:
            self.put(level, f"{name} = {callee}({', '.join(given)})")

    def _is_within(self, choice: CNode) -> bool:
        """Whether what is chosen is only called, and stands where it is."""
        users = self.writer.manager.users.get(choice, {})
        return any(user in self.writer.units.within for user, _ in users)

    def _within(self, level: int, node: CNode, name: str, given: list[str]) -> None:
        """A choice, whose blocks stand here."""
        for line, graph in zip((f"if {self.writer.name(node.function)}:", "else:"), self.writer.units.within[node],
                               strict=True):  # fmt: skip
            self.put(level, line)
            if given:
                names = ", ".join(map(self.writer.name, graph.parameters))
                self.put(level + 1, f"{names} = {', '.join(given)}")
            self.block(level + 1, graph, into=name)

    def _primitive(self, level: int, node: CNode, primitive: Primitive, given: list[str]) -> None:
        writer, name, call, values = self.writer, self.writer.name(node), kernel_call(node), list(given)
        has_place = node in writer.memory.values
        if isinstance(primitive, FusedKernel):
            self._generated(level, node, primitive, given)
            self._tell(level, node, given)
            return
        if node in self.updates and call is not None and call.takes_out:
            self.put(level, f"o = ({self._owned(node)})")
            given.append("out=o")
        elif has_place:
            given.append(f"out={writer.view(node)}")
        if call is not None and call.expression:
            out = f", {given.pop()}" if has_place else ""
            line = writer.functions(call.expression.format(*given, out=out))
        elif call is not None and call.ufunc:
            writer.scope[call.ufunc] = getattr(writer.xp, call.ufunc)
            line = f"{call.ufunc}({', '.join(given)})"
        else:
            line = f"{writer.constant(primitive.compute)}({', '.join(['xp', *given])})"
        # Numpy returns scalars where an array without dimensions is meant.
        is_single = isinstance(node.abstract, AbstractTensor) and not node.abstract.shape and not has_place
        comment = "" if call is not None and call.ufunc else f"  # {primitive.name}"
        self.put(level, f"{name} = {f'as_array({line})' if is_single else line}{comment}")
        self._tell(level, node, values[:-1] if isinstance(primitive, Shown) else values)
        for position, output in dict(primitive.writes).items():
            weight = self._weight(node.arguments[position])
            of_several = not isinstance(node.abstract, AbstractTensor)
            self.put(level, f"{weight}._data = {name}{f'[{output}]' if of_several else ''}")

    def _tell(self, level: int, node: CNode, values: list[str]) -> None:
        """Tell the watchers of a node, if they want to see it."""
        writer = self.writer
        number = None if writer.reporter is None else writer.reporter.number(node)
        if number is not None:
            self.put(level, f"{writer.see()}({', '.join([writer.name(node), str(number), *values])})")

    def _generated(self, level: int, node: CNode, kernel: FusedKernel, given: list[str]) -> None:
        """A generated kernel gets the arrays that it writes, and leaves inputs of another layout to `compute`."""
        writer, name = self.writer, self.writer.name(node)
        run, otherwise = writer.constant(kernel.kernel), writer.constant(kernel.run_copied)
        if isinstance(node.abstract, AbstractTensor):
            has_place = node in writer.memory.values
            ((shape, dtype),) = kernel.types
            out = writer.view(node) if has_place else f"empty({shape}, {writer.constant(dtype)})"
            self.put(level, f"o = {out}")
            arguments = ", ".join([*given, "o"])
        else:
            self.put(level, f"o = {writer.constant(kernel.empty)}()")
            arguments = ", ".join([*given, "*o"])
        self.put(level, f"if {run}({arguments}) is None: {otherwise}({arguments})  # {kernel.members}")
        self.put(level, f"{name} = o")

    def _owned(self, node: CNode) -> str:
        """For each output of an operator that writes Parameters, the array that it may overwrite."""
        count = len(node.abstract.elements) if isinstance(node.abstract, AbstractTuple) else 1
        weights = [self.updates[node].get(output) for output in range(count)]
        return "".join("None, " if w is None else f"own({self.writer.constant(w.default)}), " for w in weights).strip()

    def _weight(self, node: Node) -> str:
        """The framework's Parameter behind a node."""
        return self.writer.constant(weight_behind(node).default)


def _ways(tail: CNode | None) -> list[FuncGraph]:
    if tail is None:
        return []
    nodes = [tail.function] if isinstance(tail.function, ValueNode) else tail.function.arguments[1:]  # type: ignore[attr-defined]
    return [node.value for node in nodes if isinstance(node, ValueNode) and isinstance(node.value, FuncGraph)]
