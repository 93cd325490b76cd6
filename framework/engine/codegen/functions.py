"""Writes one function of a compiled program: its blocks, branches and jumps, and a line for each kernel call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

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
from framework.engine.kernel_calls import KernelCall, inputs_of, kernel_call
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
    Structural,
)
from framework.ops.primitive import Primitive

if TYPE_CHECKING:
    from framework.engine.codegen.program import ProgramCode

__all__ = ["FunctionCode"]

MAX_INDENTATION = 12
"""Branches that are nested deeper become states, because Python limits the indentation of lines."""


def _tuple(items: Sequence[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


_EXPRESSIONS: Final[Mapping[Structural, Callable[[Sequence[str]], str]]] = {
    DEPEND: lambda given: given[0],
    MAKE_TUPLE: _tuple,
    MAKE_LIST: lambda given: f"[{', '.join(given)}]",
    TUPLE_GETITEM: lambda given: f"{given[0]}[{given[1]}]",
    DICT_GETITEM: lambda given: f"{given[0]}[{given[1]}]",
    SWITCH: lambda given: f"{given[1]} if {given[0]} else {given[2]}",
}
"""The expressions of structural operators, from those of their arguments. The others call `Structural.run`."""


class FunctionCode:
    """Writes one function.

    Args:
        writer: the writer of the program.
        function: the function.

    Attributes:
        lines: the lines of code after the function's first.
        nodes: by line number within `lines`, the node that the line runs.
        states: the numbers of the blocks that are states of the function's loop over `at`.
        updates: for each node that writes Parameters, which of its outputs overwrite which of them in place.
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
        self.current = 0
        self.updates: Mapping[CNode, dict[int, Parameter]] = MappingProxyType({})
        #: Ranges of lines that run if a native segment does not: the first, and the one behind the last.
        self.fallback_lines: list[tuple[int, int]] = []
        self.captured = {node for graph in self._all_nested() for node in self.writer.manager.free_variables(graph)}

    def _all_nested(self) -> list[FuncGraph]:
        return [graph for graph in self.writer.manager.graphs if self.writer.manager.free_variables(graph)]

    def source(self) -> str:
        """The code: a maker, which takes the captured values, and the function inside it."""
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
        """Make states of the blocks that would be indented too far. Returns whether there are any."""
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
        """Write a line at a level of indentation."""
        self.lines.append("    " * level + line)

    def block(self, level: int, graph: FuncGraph, into: str = "") -> None:
        """Write the nodes of a block, and the jump or return at its end.

        Args:
            level: the level of indentation.
            graph: the block.
            into: for an inline branch, the variable that gets its value.
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
        """Write a node, and release the values that nothing reads after it."""
        first = len(self.lines)
        site = self.writer.site(node)
        if site is not None:
            self.emit(level, "t = clock()")
        self.node(level, node)
        if site is not None:
            self.emit(level, f"note(({site}, t, clock(), thread()))")
        self.nodes.update((place, node) for place in range(first, len(self.lines)))
        for gone in ends.get(node, ()):
            if gone not in self.writer.memory.values:
                self.emit(level, f"{self.writer.name(gone)} = None")

    def _live_out(self, graph: FuncGraph, tail: CNode | None, chosen: CNode | None) -> tuple[set[Node], list[Node]]:
        """The values of a block that are live after it, and those that only its end reads."""
        seen = [graph.output] if tail is None else [tail.function, *tail.arguments]
        last: list[Node] = []
        if chosen is not None:
            # The branches are functions, so the end of the block reads the condition only.
            last, seen = [chosen.arguments[0]], tail.arguments if tail is not None else []
        return {*seen, *self.captured}, last

    def _plan(self, graph: FuncGraph, nodes: list[CNode], live_out: set[Node], last: list[Node]) -> None:
        """Plan the memory of a block."""
        reporter = self.writer.reporter
        tapped = set() if reporter is None else set(filter(reporter.is_tapped, nodes))
        self.writer.memory.add_block(self.writer.graph_names[graph], nodes, live_out, last, tapped)
        if graph is self.writer.root and self.writer.reuse:
            self.updates = updates_in_place(nodes, {*live_out, *last}, tapped)

    def _last_uses(self, nodes: list[CNode], graph: FuncGraph, tail: CNode | None) -> dict[CNode, list[Node]]:
        """For each node the values whose last use it is."""
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
        """Write the tail call of another graph: a jump if it is a block of this function, else a return."""
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
        """Write the jump to another block of the function, after assigning its parameters."""
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

    def node(self, level: int, node: CNode) -> None:
        """Write the lines of one application."""
        writer, operator = self.writer, node.operator
        name, arguments = writer.name(node), inputs_of(node)
        if operator is UPDATE_STATE:
            return
        if operator is SWITCH and self._selects_inline_branch(node):
            condition = writer.value(arguments[0])
            is_array = isinstance(arguments[0].abstract, AbstractTensor)
            # An array has to be read now: the next kernel may overwrite it.
            self.emit(level, f"{name} = bool({condition})" if is_array else f"{name} = {condition}")
            return
        given = [writer.value(argument) for argument in arguments]
        if operator is None or isinstance(operator, FuncGraph):
            self._call(level, node, name, given)
        elif isinstance(operator, FusedKernel):
            self._fused_kernel(level, node, operator, given)
        elif isinstance(operator, Primitive):
            self._primitive(level, node, operator, given)
        else:
            self.emit(level, f"{name} = {self._expression(operator, arguments, given)}")

    def _expression(self, operator: object, arguments: Sequence[Node], given: Sequence[str]) -> str:
        """The expression of an operator that is not a primitive."""
        if operator is LOAD:
            return f"{self._parameter(arguments[0])}._data"
        if isinstance(operator, Structural) and operator in _EXPRESSIONS:
            return _EXPRESSIONS[operator](given)
        if isinstance(operator, Expression):
            return operator.template.format(*given)
        return f"{self.writer.constant(getattr(operator, 'run', operator))}({', '.join(given)})"

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
        """Whether a choice is only called, and its branches are written in place."""
        users = self.writer.manager.users.get(choice, {})
        return any(user in self.writer.structure.inline_branches for user, _ in users)

    def _inline_branch(self, level: int, node: CNode, name: str, given: list[str]) -> None:
        """Write a choice whose branches stand in place."""
        lines = f"if {self.writer.name(node.function)}:", "else:"
        for line, graph in zip(lines, self.writer.structure.inline_branches[node], strict=True):
            self.emit(level, line)
            if given:
                names = ", ".join(map(self.writer.name, graph.parameters))
                self.emit(level + 1, f"{names} = {', '.join(given)}")
            self.block(level + 1, graph, into=name)

    def _primitive(self, level: int, node: CNode, primitive: Primitive, values: list[str]) -> None:
        """Write the kernel call of a primitive, its tap, and the new values of Parameters."""
        name, call = self.writer.name(node), kernel_call(node)
        line = self._kernel_line(primitive, call, values, self._out_argument(level, node, call))
        # Without an array to write into, numpy returns a scalar for a tensor without dimensions.
        is_zero_dimensional = isinstance(node.abstract, AbstractTensor) and not node.abstract.shape
        is_scalar = is_zero_dimensional and node not in self.writer.memory.values
        comment = "" if call is not None and call.ufunc else f"  # {primitive.name}"
        self.emit(level, f"{name} = {f'as_array({line})' if is_scalar else line}{comment}")
        self._write_tap(level, node, values[:-1] if isinstance(primitive, TappedValue) else values)
        for position, output in dict(primitive.writes).items():
            weight = self._parameter(node.arguments[position])
            of_several = not isinstance(node.abstract, AbstractTensor)
            self.emit(level, f"{weight}._data = {name}{f'[{output}]' if of_several else ''}")

    def _out_argument(self, level: int, node: CNode, call: KernelCall | None) -> list[str]:
        """The keyword `out` of a kernel call: Parameters that it overwrites, or a place of the memory plan; or none."""
        if node in self.updates and call is not None and call.takes_out:
            self.emit(level, f"o = ({self._in_place_outputs(node)})")
            return ["out=o"]
        return [f"out={self.writer.view(node)}"] if node in self.writer.memory.values else []

    def _kernel_line(self, primitive: Primitive, call: KernelCall | None, values: list[str], out: list[str]) -> str:
        """The expression that calls a kernel: as the primitive's own expression, as a ufunc, or as `compute`."""
        writer = self.writer
        if call is not None and call.expression:
            return writer.functions(call.expression.format(*values, out=f", {out[0]}" if out else ""))
        if call is not None and call.ufunc:
            writer.scope[call.ufunc] = getattr(writer.xp, call.ufunc)
            return f"{call.ufunc}({', '.join([*values, *out])})"
        return f"{writer.constant(primitive.compute)}({', '.join(['xp', *values, *out])})"

    def _write_tap(self, level: int, node: CNode, values: list[str]) -> None:
        """Write the report of a node to the tap, if the tap observes it."""
        writer = self.writer
        number = None if writer.reporter is None else writer.reporter.tap(node)
        if number is not None:
            self.emit(level, f"{writer.record()}({', '.join([writer.name(node), str(number), *values])})")

    def _fused_kernel(self, level: int, node: CNode, kernel: FusedKernel, given: list[str]) -> None:
        """Write the call of a generated kernel, and its fallback for inputs with another layout."""
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
        self._write_tap(level, node, given)

    def _in_place_outputs(self, node: CNode) -> str:
        """For each output of a node that writes Parameters, the array that it may overwrite."""
        count = len(node.abstract.elements) if isinstance(node.abstract, AbstractTuple) else 1
        weights = [self.updates[node].get(output) for output in range(count)]
        return "".join("None, " if w is None else f"own({self.writer.constant(w.default)}), " for w in weights).strip()

    def _parameter(self, node: Node) -> str:
        """The name of the Parameter that a node stands for."""
        return self.writer.constant(parameter_behind(node).default)


def _branch_targets(tail: CNode | None) -> list[FuncGraph]:
    if tail is None:
        return []
    nodes = [tail.function] if isinstance(tail.function, ValueNode) else tail.function.arguments[1:]  # type: ignore[attr-defined]
    return [node.value for node in nodes if isinstance(node, ValueNode) and isinstance(node.value, FuncGraph)]
