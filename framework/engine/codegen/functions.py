"""Writes one function of a compiled program: blocks, branches, jumps, and a line for each kernel call."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from framework.engine.codegen.functions_and_blocks import PythonFunction
from framework.engine.codegen.native_segments import (
    load_weights,
    partition_block,
    values_read,
    write_loop,
    write_segment,
)
from framework.engine.fusion.effects import parameter_behind
from framework.engine.fusion.fused_programs import FusedKernel
from framework.engine.fusion.peephole import Expression
from framework.engine.fusion.tapped_operators import TappedValue
from framework.engine.kernel_calls import inputs_of, kernel_call
from framework.engine.memory.in_place import updates_in_place
from framework.engine.memory.liveness import nbytes_of
from framework.engine.memory.scheduling import schedule_for_memory, schedule_reads_before_writes
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

MAX_INDENTATION = 12
"""Deeper choices become states of their own: Python refuses lines that are indented too far."""


class FunctionCode:
    """Writes one function.

    Args:
        writer: of the program.
        function: the function.

    Attributes:
        lines: those of the code, below the function's first.
        nodes: by number of a line of these, the node that it runs.
    """

    def __init__(self, writer: ProgramCode, function: PythonFunction) -> None:
        self.writer = writer
        self.function = function
        self.lines: list[str] = []
        self.nodes: dict[int, CNode] = {}
        self.states = {graph: number for number, graph in enumerate(function.join_points)}
        if function.join_points and function.entry not in self.states:
            self.states = {graph: number + 1 for graph, number in self.states.items()}
        self.done: set[FuncGraph] = set()
        #: The lines, from one to before another, that run where a native segment does not.
        self.fallback_lines: list[tuple[int, int]] = []
        self.captured = {node for graph in self._all_nested() for node in self.writer.manager.free_variables(graph)}

    def _all_nested(self) -> list[FuncGraph]:
        return [graph for graph in self.writer.manager.graphs if self.writer.manager.free_variables(graph)]

    def source(self) -> str:
        """The code: a maker, which takes what the function captures, and the function within it."""
        function, writer = self.function, self.writer
        outer = f"def {writer.makers[function.entry]}({', '.join(map(writer.name, function.free_variables))}):"
        given = [parameter for parameter in function.entry.parameters if parameter.default is None]
        self.emit(1, f"def function({', '.join(map(writer.name, given))}):")
        if function.is_generator:
            self.emit(2, "if False: yield")
        weights = [parameter for parameter in function.entry.parameters if parameter.default is not None]
        first = len(self.lines)
        if self._has_states():
            self.emit(2, "at = 0")
            self.emit(2, "while True:")
            self._state(0, function.entry)
            for graph, number in sorted(self.states.items(), key=lambda item: item[1]):
                if graph is not function.entry:
                    self._state(number, graph)
        else:
            self.block(2, function.entry)
        load_weights(self, first, weights)
        self.emit(1, "return function")
        return "\n".join([outer, *self.lines])

    def _has_states(self) -> bool:
        return bool(self.states) or self._too_deep()

    def _too_deep(self) -> bool:
        """Makes blocks that would be indented too far states of their own; whether there are any."""
        depth = {self.function.entry: 0}
        for graph in self.writer.structure.block_order(self.function):
            tail = self.writer.structure.tails[graph]
            for inner in _branch_targets(tail):
                if inner in self.function.blocks and inner not in self.states and inner not in depth:
                    level = depth.get(graph, 0) + 1
                    if level > MAX_INDENTATION:
                        self.states[inner] = max(self.states.values(), default=0) + 1
                        level = 0
                    depth[inner] = level
        return bool(self.states)

    def _state(self, number: int, graph: FuncGraph) -> None:
        self.done.add(graph)
        self.current = number
        self.emit(3, f"if at == {number}:")
        self.block(4, graph)

    def emit(self, level: int, line: str) -> None:
        """Write a line, so many levels in."""
        self.lines.append("    " * level + line)

    def block(self, level: int, graph: FuncGraph, into: str = "") -> None:
        """The nodes of a graph and where it goes on.

        Args:
            level: how far in.
            graph: the block.
            into: of one that stands within another, what its value is called there.
        """
        tail = self.writer.structure.tails[graph]
        last = {tail, graph.output} if tail is not None else set()
        chosen = tail.function if tail is not None and isinstance(tail.function, CNode) else None
        if chosen is not None:
            last.add(chosen)
        nodes = [node for node in self.writer.manager.nodes(graph) if node not in last]
        if graph is self.writer.root:
            nodes = schedule_reads_before_writes(nodes)
        live_out, read_at_end = self._live_out(graph, tail, chosen)
        nodes = schedule_for_memory(nodes, live_out, read_at_end)
        ends = self._last_uses(nodes, graph, tail)
        self._plan(graph, nodes, live_out, read_at_end)
        parts, loop = partition_block(self, graph, nodes, tail)
        if loop is not None and tail is not None:
            given = write_loop(self, level, parts[0], loop)  # type: ignore[arg-type]
            self._jump(level, tail.function.value, given)  # type: ignore[attr-defined]
            return
        for part in parts:
            if isinstance(part, CNode):
                self.template(level, part, ends)
            else:
                write_segment(self, level, part, ends)
        if tail is None:
            value = self.writer.value(graph.output)
            self.emit(level, f"{into} = {value}" if into else f"return {value}")
        elif chosen is not None:
            condition, then, otherwise = chosen.arguments
            self.emit(level, f"if {self.writer.value(condition)}:")
            self.write_transfer(level + 1, then, [])
            self.emit(level, "else:")
            self.write_transfer(level + 1, otherwise, [])
        else:
            self.write_transfer(level, tail.function, tail.arguments)

    def template(self, level: int, node: CNode, ends: Mapping[CNode, list[Node]]) -> None:
        """A node, and letting go of what nothing reads after it."""
        first = len(self.lines)
        self.node(level, node)
        self.nodes.update((place, node) for place in range(first, len(self.lines)))
        for gone in ends.get(node, ()):
            if gone not in self.writer.memory.values:
                self.emit(level, f"{self.writer.name(gone)} = None")

    def _live_out(self, graph: FuncGraph, tail: CNode | None, chosen: CNode | None) -> tuple[set[Node], list[Node]]:
        """What of a block others see, and what its end reads alone."""
        seen = [graph.output] if tail is None else [tail.function, *tail.arguments]
        last: list[Node] = []
        if chosen is not None:
            # What is chosen from are functions; the condition is read here and nowhere else.
            last, seen = [chosen.arguments[0]], tail.arguments if tail is not None else []
        return {*seen, *self.captured}, last

    def _plan(self, graph: FuncGraph, nodes: list[CNode], live_out: set[Node], last: list[Node]) -> None:
        """Decide where the values of a block are."""
        reporter = self.writer.reporter
        tapped = set() if reporter is None else set(filter(reporter.is_tapped, nodes))
        self.writer.memory.add_block(self.writer.graph_names[graph], nodes, live_out, last, tapped)
        if graph is self.writer.root and self.writer.reuse:
            self.updates = updates_in_place(nodes, {*live_out, *last}, tapped)

    def _last_uses(self, nodes: list[CNode], graph: FuncGraph, tail: CNode | None) -> dict[CNode, list[Node]]:
        """For each node those that nothing reads after it."""
        live_out = {graph.output, *(tail.inputs if tail is not None else ())}
        if tail is not None and isinstance(tail.function, CNode):
            live_out.update(tail.function.inputs)
        last: dict[CNode, CNode] = {}
        for node in nodes:
            for item in values_read(node):
                if isinstance(item, CNode) and item.graph is graph and item not in self.captured:
                    last[item] = node
        ends: dict[CNode, list[Node]] = {}
        for item, node in last.items():
            if item not in live_out and nbytes_of(item) != 0:
                ends.setdefault(node, []).append(item)
        return ends

    def write_transfer(self, level: int, target: Node, arguments: list[Node]) -> None:
        """Go on with another graph."""
        assert isinstance(target, ValueNode)  # noqa: S101
        graph = target.value
        if self.writer.structure.entry_of[graph] is not self.function.entry:
            called = self.writer.value(target)
            given = ", ".join(map(self.writer.value, arguments))
            if self.writer.structure.functions[graph].is_generator:
                self.emit(level, f"return (yield {called}, ({given}{',' if arguments else ''}))")
            else:
                self.emit(level, f"return {called}({given})")
            return
        self._jump(level, graph, dict(zip(graph.parameters, map(self.writer.value, arguments), strict=True)))

    def _jump(self, level: int, graph: FuncGraph, given: Mapping[Node, str]) -> None:
        """Go on with another block of the function, whose parameters are set before."""
        if given:
            names = ", ".join(map(self.writer.name, given))
            self.emit(level, f"{names} = {', '.join(given.values())}")
        if graph in self.states or graph is self.function.entry:
            number = self.states.get(graph, 0)
            self.emit(level, f"at = {number}")
            if number <= self.current or graph in self.done:
                self.emit(level, "continue")
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
        if operator is SWITCH and self._selects_inline_branch(node):
            condition = writer.value(arguments[0])
            is_array = isinstance(arguments[0].abstract, AbstractTensor)
            # The array may lie where the next kernel writes.
            self.emit(level, f"{name} = bool({condition})" if is_array else f"{name} = {condition}")
            return
        given = [writer.value(argument) for argument in arguments]
        if operator is None or isinstance(operator, FuncGraph):
            self._call(level, node, name, given)
        elif operator in (DEPEND,):
            self.emit(level, f"{name} = {given[0]}")
        elif operator is LOAD:
            self.emit(level, f"{name} = {self._parameter(arguments[0])}._data")
        elif operator is MAKE_TUPLE:
            self.emit(level, f"{name} = ({', '.join(given)}{',' if len(given) == 1 else ''})")
        elif operator is MAKE_LIST:
            self.emit(level, f"{name} = [{', '.join(given)}]")
        elif operator in (TUPLE_GETITEM, DICT_GETITEM):
            self.emit(level, f"{name} = {given[0]}[{given[1]}]")
        elif operator is SWITCH:
            self.emit(level, f"{name} = {given[1]} if {given[0]} else {given[2]}")
        elif isinstance(operator, Primitive):
            self._primitive(level, node, operator, given)
        elif isinstance(operator, Expression):
            self.emit(level, f"{name} = {operator.template.format(*given)}")
        else:
            run_ = writer.constant(getattr(operator, "run", operator))
            self.emit(level, f"{name} = {run_}({', '.join(given)})")

    def _call(self, level: int, node: CNode, name: str, given: list[str]) -> None:
        writer = self.writer
        if node in writer.structure.inline_branches:
            self._inline_branch(level, node, name, given)
            return
        callee = writer.value(node.function)
        chosen = node.function
        known = isinstance(chosen, ValueNode) or (
            isinstance(chosen, CNode) and is_operator(chosen, SWITCH) and all(map(is_graph, chosen.arguments[1:]))
        )
        graphs = [item.value for item in getattr(chosen, "inputs", [chosen]) if is_graph(item)]
        is_generator = not known or any(writer.structure.functions[graph].is_generator for graph in graphs)
        if is_generator:
            self.emit(level, f"{name} = yield {callee}, ({', '.join(given)}{',' if given else ''})")
        else:
            self.emit(level, f"{name} = {callee}({', '.join(given)})")

    def _selects_inline_branch(self, choice: CNode) -> bool:
        """Whether what is chosen is only called, and stands where it is."""
        users = self.writer.manager.users.get(choice, {})
        return any(user in self.writer.structure.inline_branches for user, _ in users)

    def _inline_branch(self, level: int, node: CNode, name: str, given: list[str]) -> None:
        """A choice, whose blocks stand here."""
        lines = f"if {self.writer.name(node.function)}:", "else:"
        for line, graph in zip(lines, self.writer.structure.inline_branches[node], strict=True):
            self.emit(level, line)
            if given:
                names = ", ".join(map(self.writer.name, graph.parameters))
                self.emit(level + 1, f"{names} = {', '.join(given)}")
            self.block(level + 1, graph, into=name)

    def _primitive(self, level: int, node: CNode, primitive: Primitive, given: list[str]) -> None:
        writer, name, call, values = self.writer, self.writer.name(node), kernel_call(node), list(given)
        has_place = node in writer.memory.values
        if isinstance(primitive, FusedKernel):
            self._fused_kernel(level, node, primitive, given)
            self._write_tap(level, node, given)
            return
        if node in self.updates and call is not None and call.takes_out:
            self.emit(level, f"o = ({self._in_place_outputs(node)})")
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
        is_scalar = isinstance(node.abstract, AbstractTensor) and not node.abstract.shape and not has_place
        comment = "" if call is not None and call.ufunc else f"  # {primitive.name}"
        self.emit(level, f"{name} = {f'as_array({line})' if is_scalar else line}{comment}")
        self._write_tap(level, node, values[:-1] if isinstance(primitive, TappedValue) else values)
        for position, output in dict(primitive.writes).items():
            weight = self._parameter(node.arguments[position])
            of_several = not isinstance(node.abstract, AbstractTensor)
            self.emit(level, f"{weight}._data = {name}{f'[{output}]' if of_several else ''}")

    def _write_tap(self, level: int, node: CNode, values: list[str]) -> None:
        """Tell the watchers of a node, if they want to see it."""
        writer = self.writer
        number = None if writer.reporter is None else writer.reporter.tap(node)
        if number is not None:
            self.emit(level, f"{writer.record()}({', '.join([writer.name(node), str(number), *values])})")

    def _fused_kernel(self, level: int, node: CNode, kernel: FusedKernel, given: list[str]) -> None:
        """A generated kernel gets the arrays that it writes, and leaves inputs of another layout to `compute`."""
        writer, name = self.writer, self.writer.name(node)
        run, otherwise = writer.constant(kernel.kernel), writer.constant(kernel.run_copied)
        if isinstance(node.abstract, AbstractTensor):
            has_place = node in writer.memory.values
            ((shape, dtype),) = kernel.types
            out = writer.view(node) if has_place else f"empty({shape}, {writer.constant(dtype)})"
            self.emit(level, f"o = {out}")
            arguments = ", ".join([*given, "o"])
        else:
            self.emit(level, f"o = {writer.constant(kernel.empty)}()")
            arguments = ", ".join([*given, "*o"])
        self.emit(level, f"if {run}({arguments}) is None: {otherwise}({arguments})  # {kernel.members}")
        self.emit(level, f"{name} = o")

    def _in_place_outputs(self, node: CNode) -> str:
        """For each output of an operator that writes Parameters, the array that it may overwrite."""
        count = len(node.abstract.elements) if isinstance(node.abstract, AbstractTuple) else 1
        weights = [self.updates[node].get(output) for output in range(count)]
        return "".join("None, " if w is None else f"own({self.writer.constant(w.default)}), " for w in weights).strip()

    def _parameter(self, node: Node) -> str:
        """The framework's Parameter behind a node."""
        return self.writer.constant(parameter_behind(node).default)


def _branch_targets(tail: CNode | None) -> list[FuncGraph]:
    if tail is None:
        return []
    nodes = [tail.function] if isinstance(tail.function, ValueNode) else tail.function.arguments[1:]  # type: ignore[attr-defined]
    return [node.value for node in nodes if isinstance(node, ValueNode) and isinstance(node.value, FuncGraph)]
