"""Loops of the program as ONNX's `Loop`: a graph that calls itself last. `program_writer` calls it.

A header that only chooses between one more round and the rest of the program becomes a loop whose rest stands behind
it. Any other one, such as a loop with `break` or `return` in its body, carries its result besides its variables.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from framework.common import dtype as mstype
from framework.ir.abstract import UNKNOWN, Abstract, AbstractScalar, AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode
from framework.ir.operators import DEPEND, SWITCH
from framework.onnx.forms.form_table import Application, tensor_type
from framework.onnx.writer.nodes import Block, UnwritableError
from framework.onnx.writer.written_values import Names, Value, flat_types, shaped, weight_behind

if TYPE_CHECKING:
    from framework.onnx.writer.program_writer import ProgramWriter

__all__ = ["write_loop"]

_FLAG: Final = AbstractTensor((), mstype.bool_)
Tail: TypeAlias = tuple[str, list[str], list[str]]
"""Whether a loop goes on, its variables, its result."""


def write_loop(
    writer: ProgramWriter, header: FuncGraph, arguments: Sequence[Value], call: CNode, names: Names
) -> Value:
    """Write a loop, and return its result.

    Args:
        writer: writes the program.
        header: the graph that calls itself.
        arguments: what it is called with at first.
        call: the call.
        names: what became of the nodes around it.

    Raises:
        UnwritableError: the recursion is no loop.
    """
    if header in writer.active or not writer.active.isdisjoint(writer.reached(header)):
        raise UnwritableError(f"{header.name} calls itself other than at its end, and ONNX has no recursion")
    return _Loop(writer, header, call, names).written(arguments)


class _Loop:
    """A loop that is being written.

    Args:
        writer: writes the program.
        header: the graph that calls itself.
        call: its first call.
        names: what became of the nodes around it.
        outer: the loop that it ends a round of; None if it is no loop within a loop.
    """

    def __init__(
        self, writer: ProgramWriter, header: FuncGraph, call: CNode, names: Names, outer: _Loop | None = None
    ) -> None:
        self.writer, self.header, self.names, self.outer = writer, header, names, outer
        self.around: set[FuncGraph] = {outer.header, *outer.around} if outer is not None else set()
        if call.abstract is None:
            raise UnwritableError("its type is unknown")
        self.result: Abstract = call.abstract
        self.state = AbstractTuple(tuple(_type_of(parameter) for parameter in header.parameters))
        self.weights = _weights_written(writer, header)
        self._given: tuple[list[str], list[str]] = ([], [])
        self.again: FuncGraph | None = None
        self.left: FuncGraph | None = None
        self.switch = tail = _choice(header)
        end, waiting = _last(header)
        self._ends = [end, *waiting]
        if tail is not None:
            sides = [side.value for side in tail.arguments[1:] if isinstance(side, ValueNode)]
            going = [side for side in sides if isinstance(side, FuncGraph) and self._comes_back(side)]
            leaving = [side for side in sides if isinstance(side, FuncGraph) and not self._comes_back(side)]
            if len(going) == len(leaving) == 1 and self._always_comes_back(going[0]):
                self.again, self.left = going[0], leaving[0]

    def written(self, arguments: Sequence[Value]) -> Value:
        """Write the loop and what follows it, and return the result."""
        first = self._first(arguments)
        if self.left is not None:
            return self.writer.called(self.left, [], self._rounds(first))
        found = self._with_result(first, self._result_types(), [self._empty(kind) for kind in self._result_types()])
        return shaped(self.result, iter(found))

    def within(self, arguments: Sequence[Value], state: list[str], results: list[str]) -> Tail:
        """Write the loop as the end of a round of the outer loop, whose variables and result are given."""
        assert self.outer is not None  # noqa: S101
        first = self._first(arguments)
        if self.left is not None:
            return self.outer._tail(self.left, self._rounds(first), state, results)
        self._given = (state, results)
        kinds = [_FLAG, *self.outer._state_types(), *(self.outer._result_types() if results else [])]
        found = self._with_result(first, kinds, [self._flag(False), *state, *results])
        count = 1 + len(state)
        self.outer._keep(found[1:count])
        return found[0], found[1:count], found[count:]

    def _first(self, arguments: Sequence[Value]) -> list[str]:
        first = self.writer.tensors(tuple(arguments), self.state)  # type: ignore[arg-type]
        return first + [
            self.writer.current.get(weight, str(self.writer.read(weight, self.names))) for weight in self.weights
        ]

    def _rounds(self, first: list[str]) -> Names:
        """Write a loop whose header only chooses; what its nodes are when it has ended."""
        assert self.again is not None  # noqa: S101
        assert self.switch is not None  # noqa: S101
        condition = self._condition(first)
        around, inputs = self._begin(self._state_types())
        names = self._activation([name for name, _ in inputs])
        self.writer.body(self.header, names, [self.switch, *self._ends])
        _, following, _ = self._tail(self.again, self._inside(self.again, [], names), [], [])
        outputs = [self._condition(following), *following]
        names = self._activation(self._finish(around, inputs, outputs, condition, first))
        self.writer.body(self.header, names, [self.switch, *self._ends])
        return names

    def _with_result(self, first: list[str], kinds: list[AbstractTensor], results: list[str]) -> list[str]:
        """Write a loop that carries its result.

        Args:
            first: the variables before the first round.
            kinds: the types of the result.
            results: what stands in its place before it is there.
        """
        around, inputs = self._begin([*self._state_types(), *kinds])
        given = [name for name, _ in inputs]
        count = len(first)
        names = self._activation(given[:count])
        going, state, found = self._tail(self.header, names, given[:count], given[count:])
        last = self._finish(around, inputs, [going, *state, *found], self._flag(True), [*first, *results])
        self._keep(last[:count])
        return last[count:]

    def _left(self, graph: FuncGraph, names: Names) -> list[str]:
        """Write a graph that ends the loop, and return the result."""
        if self.outer is not None:
            going, state, results = self.outer._tail(graph, names, *self._given)
            return [going, *state, *results]
        self.writer.body(graph, names)
        return self.writer.tensors(self.writer.read(graph.output, names), self.result)

    def _tail(self, graph: FuncGraph, names: Names, state: list[str], results: list[str]) -> Tail:
        """Write a graph whose result is that of the loop.

        Args:
            graph: the graph, whose parameters are in `names`.
            names: what became of the nodes around it.
            state: the variables, which stay as they are if the loop ends.
            results: the result, which stays as it is if the loop goes on; empty if it is not carried.

        Returns:
            Whether the loop goes on, the variables, the result.
        """
        last, waiting = _last(graph)
        if not isinstance(last, CNode) or not self._mentions(last):
            found = self._left(graph, names)
            return self._flag(False), self._stay(state), found
        without: list[Node] = [last, *waiting] if last.operator is not None else [last, last.function, *waiting]
        self.writer.body(graph, names, without)
        given = [self.writer.read(item, names) for item in last.arguments]
        if last.operator is self.header:
            following = self.writer.tensors(tuple(given), self.state)  # type: ignore[arg-type]
            return self._flag(True), following + self._newest(), results
        if isinstance(last.operator, FuncGraph):
            if last.operator in self._reached(last.operator, {self.header, *self.around}):
                return _Loop(self.writer, last.operator, last, names, self).within(given, state, results)
            return self._tail(last.operator, self._inside(last.operator, given, names), state, results)
        if isinstance(last.function, CNode) and last.function.operator is SWITCH and not given:
            return self._chosen(last.function, names, state, results)
        raise UnwritableError("the recursion is no loop")

    def _chosen(self, switch: CNode, names: Names, state: list[str], results: list[str]) -> Tail:
        condition = self.writer.condition(switch.arguments[0], names)
        kinds: list[AbstractTensor] = []
        before, graphs = dict(self.writer.current), []
        for side, title in zip(switch.arguments[1:], ("then", "otherwise"), strict=True):
            if not isinstance(side, ValueNode) or not isinstance(side.value, FuncGraph):
                raise UnwritableError("the recursion is no loop")
            around, block = self.writer.writer.block, Block()
            self.writer.writer.block, self.writer.current = block, dict(before)
            try:
                going, following, found = self._tail(side.value, self._inside(side.value, [], names), state, results)
            finally:
                self.writer.writer.block = around
            kinds = [_FLAG, *self._state_types(), *(self._carried_types() if found else [])]
            graphs.append(self.writer.subgraph(block, title, [], [going, *following, *found], kinds))
        self.writer.current = before
        outputs = self.writer.writer.emit("If", [condition], len(kinds), then_branch=graphs[0], else_branch=graphs[1])
        count = 1 + len(self._state_types())
        self._keep(outputs[1:count])
        return outputs[0], outputs[1:count], outputs[count:]

    def _carried_types(self) -> list[AbstractTensor]:
        """The types of what the loop carries besides its variables."""
        if self.outer is None:
            return self._result_types()
        return [_FLAG, *self.outer._state_types(), *(self.outer._carried_types() if self._given[1] else [])]

    def _begin(self, kinds: Sequence[AbstractTensor]) -> tuple[Block, list[tuple[str, AbstractTensor]]]:
        """Begin the body. The block around it, and the names and types of the variables."""
        around = self.writer.writer.block
        self.writer.writer.block = Block()
        self.writer.active.add(self.header)
        return around, [(self.writer.writer.name("variable"), kind) for kind in kinds]

    def _finish(
        self, around: Block, inputs: list[tuple[str, AbstractTensor]], outputs: list[str], going: str, first: list[str]
    ) -> list[str]:
        """Write the `Loop`, and return its variables behind it."""
        block, self.writer.writer.block = self.writer.writer.block, around
        self.writer.active.discard(self.header)
        counted = [(self.writer.writer.name("round"), AbstractTensor((), mstype.int64))]
        given = [*counted, (self.writer.writer.name("going"), _FLAG), *inputs]
        kinds = [_FLAG, *(kind for _, kind in inputs)]
        body = self.writer.subgraph(block, "body", given, outputs, kinds, [name for name, _ in given[:2]])
        return self.writer.writer.emit("Loop", ["", going, *first], len(first), body=body)

    def _condition(self, state: list[str]) -> str:
        """Whether there is a round with these variables."""
        assert self.switch is not None  # noqa: S101
        names = self._activation(state)
        self.writer.body(self.header, names, [self.switch, *self._ends])
        found = self.writer.condition(self.switch.arguments[0], names)
        then = self.switch.arguments[1]
        if isinstance(then, ValueNode) and then.value is self.again:
            return found
        return self.writer.writer.emit("Not", [found])[0]

    def _activation(self, state: list[str]) -> Names:
        """The names within the header for these variables."""
        count = len(state) - len(self.weights)
        values = shaped(self.state, iter(state[:count]))
        self._keep(state)
        return self._inside(self.header, values, self.names)  # type: ignore[arg-type]

    def _inside(self, graph: FuncGraph, given: Sequence[Value], names: Names) -> Names:
        inside: Names = ChainMap({}, *(names.maps if isinstance(names, ChainMap) else [names]))
        inside.update(zip(graph.parameters, given, strict=True))
        return inside

    def _keep(self, state: list[str]) -> None:
        """Take the values of the written weights, the last of the variables."""
        values = state[len(state) - len(self.weights) :]
        self.writer.current.update(zip(self.weights, values, strict=True))

    def _newest(self) -> list[str]:
        return [self.writer.current[weight] for weight in self.weights]

    def _stay(self, state: list[str]) -> list[str]:
        return [*state[: len(state) - len(self.weights)], *self._newest()]

    def _state_types(self) -> list[AbstractTensor]:
        return [*flat_types(self.state), *(tensor_type(weight.abstract) for weight in self.weights)]

    def _result_types(self) -> list[AbstractTensor]:
        return flat_types(self.result)

    def _empty(self, kind: AbstractTensor) -> str:
        """A tensor in the place of a result that is not there yet."""
        return self._constant(np.zeros([length or 0 for length in kind.shape]), kind)

    def _flag(self, value: bool) -> str:
        return self._constant(value, _FLAG)

    def _constant(self, value: object, kind: AbstractTensor) -> str:
        return Application(self.writer.writer, None, [], [], kind).constant(value, kind.dtype)

    def _mentions(self, call: CNode) -> bool:
        """Whether a call may lead to the header."""
        functions = call.function.arguments[1:] if isinstance(call.function, CNode) else [call.function]
        values = [item.value for item in functions if isinstance(item, ValueNode)]
        return any(isinstance(value, FuncGraph) and self._comes_back(value) for value in values)

    def _comes_back(self, graph: FuncGraph) -> bool:
        return graph is self.header or self.header in self._reached(graph, self.around)

    def _reached(self, graph: FuncGraph, without: set[FuncGraph]) -> set[FuncGraph]:
        """The graphs that a graph calls or mentions, not by way of some headers."""
        found: set[FuncGraph] = set()
        calls, waiting = self.writer.calls, [graph]
        while waiting:
            fresh = [inner for inner in calls[waiting.pop()] if inner not in found and inner not in without]
            found.update(fresh)
            waiting.extend(fresh)
        return found

    def _always_comes_back(self, graph: FuncGraph, met: frozenset[FuncGraph] = frozenset()) -> bool:
        """Whether every way through a graph ends in another round, as far as it ends."""
        last, _ = _last(graph)
        if graph is self.header or graph in met:
            return True
        if not isinstance(last, CNode) or not self._mentions(last):
            return False
        functions = last.function.arguments[1:] if isinstance(last.function, CNode) else [last.function]
        values = [item.value for item in functions if isinstance(item, ValueNode)]
        graphs = [value for value in values if isinstance(value, FuncGraph)]
        return len(graphs) == len(functions) and all(self._always_comes_back(g, met | {graph}) for g in graphs)


def _last(graph: FuncGraph) -> tuple[Node, list[CNode]]:
    """The node whose value a graph returns, and those behind it that only wait for effects."""
    node, waiting = graph.output, []
    while isinstance(node, CNode) and node.operator is DEPEND:
        waiting.append(node)
        node = node.arguments[0]
    return node, waiting


def _choice(graph: FuncGraph) -> CNode | None:
    """The choice of the function whose result a graph returns; None if there is none."""
    last, _ = _last(graph)
    if isinstance(last, CNode) and not last.arguments and isinstance(last.function, CNode):
        return last.function if last.function.operator is SWITCH else None
    return None


def _type_of(parameter: Parameter) -> Abstract:
    if parameter.abstract is None:
        raise UnwritableError("the type of a variable of the loop is unknown")
    if isinstance(parameter.abstract, AbstractScalar) and parameter.abstract.value is not UNKNOWN:
        return AbstractScalar(UNKNOWN, parameter.abstract.type)
    return parameter.abstract


def _weights_written(writer: ProgramWriter, header: FuncGraph) -> list[Node]:
    """The weights that a loop changes."""
    found: dict[Node, None] = {}
    for graph in (header, *writer.reached(header)):
        for node in writer.manager.nodes(graph):
            for place in getattr(node.operator, "writes", {}):
                found[weight_behind(node.arguments[place])] = None
    return list(found)
